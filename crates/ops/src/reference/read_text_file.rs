//! `read_text_file`: a text file as it is, or lines at either end of it.

use garth_contract::{Code, Detail, Error, Result, Span, WsPath};
use garth_redact::{Clean, Raw};
use garth_text::encoding::Encoding;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use super::speech::{
    answer::{Payload, answer},
    paths::resolve,
    refusal::told,
};
use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{invalid, parse},
    schema::schema_of,
    text_file::TextFile,
    window::{Loaded, Wanted, load},
};

pub(super) const TOOL: Tool = Tool {
    name: "read_text_file",
    title: "Read Text File",
    summary: "Reads a text file whole, or only its first (head) or last (tail) lines.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &[],
    names: names_of::<Params>,
    run: |workspace, call| {
        Box::pin(
            async move { Ok(told(workspace, run(workspace, parse(call.params)?).await).await?) },
        )
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The file, inside an allowed directory.
    path: String,
    /// Gives only so many lines at the end.
    tail: Option<u64>,
    /// Gives only so many lines at the beginning.
    head: Option<u64>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

pub(super) async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = resolve(workspace, &params.path)?;
    // To clients of this dialect, 0 lines means that no number was given.
    let some = |lines: Option<u64>| lines.filter(|lines| *lines > 0);
    match (some(params.head), some(params.tail)) {
        (Some(_), Some(_)) => {
            Err(invalid("Cannot specify both head and tail parameters simultaneously"))
        }
        (Some(take), None) => {
            let wanted = Wanted::From { first: 1, take };
            answer(lines(workspace, &path, wanted).await?)
        }
        (None, Some(take)) => answer(lines(workspace, &path, Wanted::Last { take }).await?),
        (None, None) => answer(whole(workspace, &path).await?),
    }
}

/// The whole text of a file.
///
/// A byte order mark stays in it: whoever writes the text back gets the same bytes.
pub(super) async fn whole(workspace: &Workspace, path: &WsPath) -> Result<Clean> {
    let at_most = workspace.limits().text_bytes;
    let content = workspace.fs().read(path, Span::Whole { at_most }).await.map_err(|error| {
        let hint = "Read a part of it with head or tail.";
        if error.code() == Code::FileTooLarge { error.hint(hint) } else { error }
    })?;
    let file = TextFile::of(path, &content.bytes, None).map_err(binary)?;
    let text = match file.encoding {
        Encoding::Utf8Bom => format!("\u{feff}{}", file.text),
        Encoding::Utf8 | Encoding::Utf16Le | Encoding::Utf16Be | Encoding::Named(_) => {
            file.text.into_owned()
        }
    };
    workspace.clean(path, Raw::from(text))
}

async fn lines(workspace: &Workspace, path: &WsPath, wanted: Wanted) -> Result<Clean> {
    let window = match load(workspace, path, wanted, None).await? {
        Loaded::Text(window) => window,
        Loaded::Binary(_) => return Err(binary(Error::at(Code::UnsupportedEncoding, path))),
    };
    let (Wanted::From { take, .. } | Wanted::Last { take }) = wanted;
    let missing = (window.shown.lines.len() as u64) < take && window.more;
    if window.open || missing {
        let limit = Detail::Limit { limit: workspace.limits().text_bytes, actual: window.size };
        return Err(Error::at(Code::FileTooLarge, path).with(limit).hint("Ask for fewer lines."));
    }
    Ok(Clean::join(&window.shown.lines, "\n"))
}

fn binary(error: Error) -> Error {
    error.hint("Use read_media_file for what is no text.")
}
