//! `diff`: what is different between two files, or a file and a given text.

use std::borrow::Cow;

use garth_contract::{Content, Result, Span, WsPath};
use garth_redact::{Clean, CleanWriter};
use garth_text::endings;
use garth_workspace::{Workspace, version_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    change::{Change, Side},
    names::{Names, Naming, names_of},
    params::{at_least_one, invalid, parse},
    schema::schema_of,
    text_file::{TextFile, named},
    words::{Counted, Shown},
    worktree::Reach,
};

pub(super) const TOOL: Tool = Tool {
    name: "diff",
    title: "Compare",
    summary: "Compares two files (from, to), or a file with a given text (path, content), as a \
              unified diff.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["diff"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The old file, relative to the workspace's root.
    from: Option<String>,
    /// The new file.
    to: Option<String>,
    /// A file to compare with content, instead of from and to.
    path: Option<String>,
    /// The text to compare the file at path with, with line endings as write would write them.
    content: Option<String>,
    /// The encoding of the files where they are neither UTF-8 nor marked, such as latin1.
    encoding: Option<String>,
    /// The most lines of the diff to give; 2,000 if absent.
    limit: Option<u64>,
}

impl Naming for Params {
    fn names(self) -> Names {
        let paths = [self.from, self.to, self.path].into_iter().flatten();
        paths.fold(Names::default(), |names, path| names.and(path, Reach::This))
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The old file, from the root.
    from: String,
    /// The new file; absent for a given text.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    /// Whether there is no difference.
    identical: bool,
    /// Whether the two could not be compared by lines because they are no text.
    binary: bool,
    /// How many lines the new one has that the old one has not.
    lines_added: u64,
    /// How many lines the old one has that the new one has not.
    lines_removed: u64,
    /// The difference as a unified diff.
    #[schemars(with = "String")]
    diff: Clean,
    /// Whether lines of the diff were left out.
    diff_truncated: bool,
    /// The names of secrets that are shown as placeholders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<String>,
}

/// What a file is compared with.
enum Other {
    File(WsPath, Content),
    Text(String),
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let limit = at_least_one("limit", params.limit)?
        .map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let limit = limit.min(workspace.limits().diff_lines);
    let encoding = named(params.encoding.as_deref())?;
    let (from, other) = match (params.from, params.to, params.path, params.content) {
        (Some(from), Some(to), None, None) => {
            let to = workspace.path(to)?;
            let content = read(workspace, &to).await?;
            (workspace.path(from)?, Other::File(to, content))
        }
        (None, None, Some(path), Some(content)) => (workspace.path(path)?, Other::Text(content)),
        _ => return Err(invalid("send from and to, or path and content")),
    };
    let old = read(workspace, &from).await?;
    let old_text = TextFile::of(&from, &old.bytes, encoding);
    let new_text = match &other {
        Other::File(to, content) => TextFile::of(to, &content.bytes, encoding).map(|f| f.text),
        Other::Text(text) => Ok(text.as_str().into()),
    };
    let new_text = match (&old_text, new_text, &other) {
        (Ok(old), Ok(new), Other::Text(_)) => Ok(as_written(&old.text, new)),
        (_, new, _) => new,
    };
    let (old_text, new_text) = match (old_text, new_text, &other) {
        (Ok(old_text), Ok(new_text), _) => (old_text.text, new_text),
        (Err(error), _, Other::Text(_)) | (_, Err(error), Other::Text(_)) => return Err(error),
        (_, _, Other::File(to, new)) if encoding.is_none() => {
            return binary((&from, to), version_of(&old) == version_of(new));
        }
        (Err(error), _, Other::File(..)) | (_, Err(error), Other::File(..)) => return Err(error),
    };
    let (path, to) = match &other {
        Other::File(to, _) => (to, Some(to.to_string())),
        Other::Text(_) => (&from, None),
    };
    let name = from.to_string();
    let new_name = to.clone().unwrap_or_else(|| format!("{name} (given content)"));
    let old_side = Side { name: &name, path: &from, text: old_text.as_bytes() };
    let new_side = Side { name: &new_name, path, text: new_text.as_bytes() };
    let change = Change::between(workspace, old_side, new_side, limit)?;
    reply(&from, to, change)
}

/// A given text with the line endings of the file that it would replace.
fn as_written<'a>(old: &str, new: Cow<'a, str>) -> Cow<'a, str> {
    let followed = endings::follow(new.as_bytes(), old.as_bytes());
    followed.and_then(|bytes| String::from_utf8(bytes).ok()).map_or(new, Cow::Owned)
}

async fn read(workspace: &Workspace, path: &WsPath) -> Result<Content> {
    let at_most = workspace.limits().text_bytes;
    workspace.fs().read(path, Span::Whole { at_most }).await
}

fn reply(from: &WsPath, to: Option<String>, change: Change) -> Result<Reply> {
    let identical = change.added + change.removed == 0;
    let mut text = CleanWriter::new();
    if identical {
        text.put("[no difference]");
    } else {
        text.put(Counted(change.added, "line")).put(" added, ").put(change.removed);
        text.put(" removed");
        change.write(&mut text);
    }
    let payload = Payload {
        from: from.to_string(),
        to,
        identical,
        binary: false,
        lines_added: change.added,
        lines_removed: change.removed,
        diff_truncated: change.missing > 0,
        redacted: change.redacted,
        diff: change.diff,
    };
    Reply::new(text.finish(), &payload)
}

fn binary((from, to): (&WsPath, &WsPath), identical: bool) -> Result<Reply> {
    let mut text = CleanWriter::new();
    text.put("[").put(Shown(from)).put(" and ").put(Shown(to));
    text.put(if identical { " are the same bytes]" } else { " are no text, and differ]" });
    let payload = Payload {
        from: from.to_string(),
        to: Some(to.to_string()),
        identical,
        binary: true,
        lines_added: 0,
        lines_removed: 0,
        diff: Clean::default(),
        diff_truncated: false,
        redacted: Vec::new(),
    };
    Reply::new(text.finish(), &payload)
}
