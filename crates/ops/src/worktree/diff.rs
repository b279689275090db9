//! `worktree.diff`: what is different between two files, or between a file and a given
//! text, or what it held before.

mod hunks;

use garth_contract::{Code, Content, Error, Result, Span, Version, WsPath};
use garth_redact::Clean;
use garth_text::diff::diff;
use garth_workspace::{Workspace, version_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Ask, Json, Method, Reach,
    wire::{agent::Agent, entry::shown, named},
};
use crate::{
    Needs,
    change::{Change, Side},
    params::{invalid, parse_strictly},
    schema::schema_of,
    text_file::TextFile,
};
use hunks::{Cut, Hunk};

pub(super) const METHOD: Method = Method {
    name: "worktree.diff",
    title: "Compare",
    summary: "Compares two files (fromPath, toPath), a file with a given text (path, content), or \
              what a file held before with what it holds now (path, version), as a unified diff or \
              as hunks.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    names: |params| {
        let path = |name| named::path(params, name, Reach::This);
        ["fromPath", "toPath", "path"].into_iter().filter_map(path).collect()
    },
    at_once: None,
    run: |workspace, ask| Box::pin(run(workspace, ask)),
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// The agent whose workspace is meant.
    #[serde(rename = "agentId")]
    _agent: Agent,
    /// The old file, from the root.
    from_path: Option<String>,
    /// The new file.
    to_path: Option<String>,
    /// A file to compare with content or with what it held before, instead of fromPath and
    /// toPath.
    path: Option<String>,
    /// The text to compare the file at path with.
    content: Option<String>,
    /// The version of the file at path to compare it with, as a read or a write returned it.
    /// Texts of up to 1 MB that were read or written whole are kept for a while.
    version: Option<String>,
    /// How the difference is given.
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// As one text, a unified diff; this is the default.
    #[default]
    Unified,
    /// As a list of hunks.
    Json,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Payload {
    /// The old file, from the root.
    from_path: String,
    /// The new file; absent for a given text.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_path: Option<String>,
    /// The version of the old file, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_version: Option<String>,
    /// How the difference is given.
    format: Format,
    /// Whether there is no difference.
    identical: bool,
    /// Whether the two could not be compared by lines because they are no text.
    binary: bool,
    /// How many lines the new one has that the old one has not.
    lines_added: u64,
    /// How many lines the old one has that the new one has not.
    lines_removed: u64,
    /// The difference as a unified diff.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<Clean>,
    /// The difference as hunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    hunks: Option<Vec<Hunk>>,
    /// Whether lines of the difference were left out.
    truncated: bool,
    /// Whether placeholders stand for secrets.
    redacted: bool,
    /// The names of these secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<String>,
}

/// What a file is compared with.
enum Other {
    File(WsPath, Content),
    Text(String),
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let params: Params = parse_strictly(ask.params)?;
    let format = params.format.unwrap_or_default();
    if let Params { from_path: None, to_path: None, content: None, .. } = &params
        && let (Some(path), Some(version)) = (&params.path, &params.version)
    {
        return since(workspace, path, version.parse()?, format).await;
    }
    if params.version.is_some() {
        return Err(invalid("version goes with path, and with nothing else to compare"));
    }
    let (from, other) = match (params.from_path, params.to_path, params.path, params.content) {
        (Some(from), Some(to), None, None) => {
            let (from, to) = (workspace.path(from)?, workspace.path(to)?);
            let content = read(workspace, &to).await?;
            (from, Other::File(to, content))
        }
        (None, None, Some(path), Some(content)) => (workspace.path(path)?, Other::Text(content)),
        (_, _, _, _) => {
            let message = "send fromPath and toPath, or path and content, or path and version";
            return Err(invalid(message));
        }
    };
    let content = read(workspace, &from).await?;
    let old = TextFile::of(&from, &content.bytes, None);
    match (&old, &other) {
        (Ok(old), Other::Text(text)) => {
            // What the caller was shown as placeholders are the secrets of the file.
            let text = ask.shown.restore(workspace, &from, &old.text, text)?;
            let name = shown(&from);
            let new = Side { name: &name, path: &from, text: text.as_bytes() };
            compared(workspace, (&from, &old.text), new, (format, None))
        }
        (Err(error), Other::Text(_)) => Err(error.clone()),
        (Ok(old), Other::File(to, new)) => match TextFile::of(to, &new.bytes, None) {
            Ok(new) => {
                let name = shown(to);
                let new = Side { name: &name, path: to, text: new.text.as_bytes() };
                compared(workspace, (&from, &old.text), new, (format, Some(to)))
            }
            Err(_) => binary((&from, &content), (to, new), format),
        },
        (Err(_), Other::File(to, new)) => binary((&from, &content), (to, new), format),
    }
}

/// What changed in a file since it had this version.
async fn since(
    workspace: &Workspace,
    path: &str,
    version: Version,
    format: Format,
) -> Result<Json> {
    let path = workspace.path(path)?;
    let now = read(workspace, &path).await?;
    let new = TextFile::of(&path, &now.bytes, None)?;
    let before = if version_of(&now) == version {
        Some(now.bytes.clone())
    } else {
        let earlier = workspace.earlier().ok_or_else(|| {
            let message = "what files held before is not kept here";
            Error::new(Code::Unsupported, message).hint("Send the earlier text as content.")
        })?;
        earlier.find(&path, version).await?
    };
    let before = before.ok_or_else(|| {
        let message = format!("no content of this version is kept of {}", shown(&path));
        Error::new(Code::FileNotFound, message).hint(
            "Kept are texts of up to 1 MB that were read or written whole at this path, the \
             youngest of them. Send the earlier text as content instead.",
        )
    })?;
    let old = TextFile::of(&path, &before, None)?;
    let name = shown(&path);
    let new = Side { name: &name, path: &path, text: new.text.as_bytes() };
    let payload = compared(workspace, (&path, &old.text), new, (format, Some(&path)))?;
    Ok(payload.with("fromVersion", &version.to_string().into()))
}

async fn read(workspace: &Workspace, path: &WsPath) -> Result<Content> {
    let at_most = workspace.limits().text_bytes;
    workspace.fs().read(path, Span::Whole { at_most }).await
}

fn compared(
    workspace: &Workspace,
    (from, old): (&WsPath, &str),
    new: Side<'_>,
    (format, to): (Format, Option<&WsPath>),
) -> Result<Json> {
    let name = shown(from);
    let old = Side { name: &name, path: from, text: old.as_bytes() };
    let found = diff(old.text, new.text);
    let limit = workspace.limits().diff_lines;
    let (text, hunks, missing, secrets) = match format {
        Format::Unified => {
            let Change { diff, missing, redacted, .. } =
                Change::of(workspace, (old, new), &found, limit)?;
            (Some(diff), None, missing, redacted)
        }
        Format::Json => {
            let Cut { hunks, missing, redacted } =
                hunks::cut(workspace, (old, new), &found, limit)?;
            (None, Some(hunks), missing, redacted)
        }
    };
    Json::of(&Payload {
        from_path: shown(from),
        to_path: to.map(shown),
        from_version: None,
        format,
        identical: found.hunks.is_empty(),
        binary: false,
        lines_added: found.added as u64,
        lines_removed: found.removed as u64,
        diff: text,
        hunks,
        truncated: missing > 0,
        redacted: !secrets.is_empty(),
        secrets,
    })
}

fn binary(
    (from, old): (&WsPath, &Content),
    (to, new): (&WsPath, &Content),
    format: Format,
) -> Result<Json> {
    Json::of(&Payload {
        from_path: shown(from),
        to_path: Some(shown(to)),
        from_version: None,
        format,
        identical: old.bytes == new.bytes,
        binary: true,
        lines_added: 0,
        lines_removed: 0,
        diff: (format == Format::Unified).then(Clean::default),
        hunks: (format == Format::Json).then(Vec::new),
        truncated: false,
        redacted: false,
        secrets: Vec::new(),
    })
}
