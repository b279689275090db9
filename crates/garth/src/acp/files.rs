//! `fs/*` from the workspace, for an agent whose client has no files to offer.

use garth_contract::{Code, Error, Result, WsPath};
use garth_ops::worktree::{self, Ask, Recall};
use garth_workspace::Workspace;
use serde_json::{Map, Value, json};

/// The most bytes of a file that one answer holds.
const MOST_BYTES: u64 = 10 << 20;

/// Which lines of a file are wanted: from this one on, counted from 1, and how many.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    pub(super) line: Option<u64>,
    pub(super) limit: Option<u64>,
}

/// Reads a file, or some lines of it, as the agent may see it.
///
/// # Errors
/// Those of reading; `FILE_TOO_LARGE` for more than one answer holds.
pub(super) async fn read(
    workspace: &Workspace,
    recall: &Recall,
    path: &WsPath,
    window: Window,
) -> Result<Value> {
    let params = json!({ "agentId": "acp", "path": path.to_string(), "maxBytes": MOST_BYTES });
    let told = call("worktree.read", workspace, params, recall).await?;
    if told.get("truncated") == Some(&Value::Bool(true)) {
        return Err(Error::at(Code::FileTooLarge, path));
    }
    let text = told.get("content").and_then(Value::as_str).unwrap_or_default();
    Ok(json!({ "content": lines(text, window) }))
}

/// Writes a whole file, and makes the directories above it.
///
/// # Errors
/// Those of writing.
pub(super) async fn write(
    workspace: &Workspace,
    recall: &Recall,
    path: &WsPath,
    content: String,
) -> Result<Value> {
    let params = json!({ "agentId": "acp", "path": path.to_string(), "content": content });
    call("worktree.write", workspace, params, recall).await?;
    Ok(json!({}))
}

async fn call(
    name: &str,
    workspace: &Workspace,
    params: Value,
    recall: &Recall,
) -> Result<Map<String, Value>> {
    let method = worktree::method(name).ok_or_else(|| Error::of(Code::UnknownMethod))?;
    let ask = Ask { params, permit: None, shown: recall };
    (method.run)(workspace, ask).await.map(worktree::Json::into_facts)
}

/// The lines that are wanted, with their ends.
fn lines(text: &str, Window { line, limit }: Window) -> String {
    let skipped = usize::try_from(line.unwrap_or(1).saturating_sub(1)).unwrap_or(usize::MAX);
    let taken = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    text.split_inclusive('\n').skip(skipped).take(taken).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        let some = |line, limit| lines("a\nb\r\nc", Window { line, limit });
        assert_eq!(some(None, None), "a\nb\r\nc");
        assert_eq!(some(Some(2), Some(1)), "b\r\n");
        assert_eq!(some(Some(3), Some(9)), "c");
        assert_eq!(some(Some(9), None), "");
        assert_eq!(some(None, Some(0)), "");
    }
}
