//! `worktree.read`: a file, or a part of one, as text or as bytes.
//!
//! Text is given with the byte order mark that it has, so that what is written back as
//! it came is the same bytes. Bytes that are text are redacted like text, and only
//! then written in base64: else an encoding would be a way around it.

mod region;

use garth_contract::{Code, Content, Detail, Error, Result, Span, WsPath};
use garth_redact::Permit;
use garth_workspace::{AROUND, Secret, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Ask, Json, Method, Reach,
    wire::{agent::Agent, encoding::Form, entry::shown, named},
};
use crate::{
    Needs,
    params::{at_least_one, parse_strictly},
    recall::Extent,
    schema::schema_of,
    timestamp::rfc3339,
};
use region::Region;

pub(super) const METHOD: Method = Method {
    name: "worktree.read",
    title: "Read a file",
    summary: "Reads a file as text, or as bytes in base64. Secrets are shown as placeholders, \
              which a write or an edit of the same file puts back.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    names: |params| named::path(params, "path", Reach::This).into_iter().collect(),
    run: |workspace, ask| Box::pin(run(workspace, ask)),
};

/// The most bytes that can be asked for at once, which in base64 is what a message of
/// moderate size holds.
const MOST_BYTES: u64 = 64 << 20;

/// The most bytes of one character in UTF-8: a part that ends within one needs the rest.
const LONGEST_CHARACTER: u64 = 4;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// The agent whose workspace is meant.
    #[serde(rename = "agentId")]
    _agent: Agent,
    /// The file, from the root.
    path: String,
    /// utf8 (the default) for text, base64 for bytes, or the name of the file's text encoding,
    /// such as latin1, where it is neither UTF-8 nor marked.
    encoding: Option<String>,
    /// The most bytes to read; 10 MB if absent. A longer text is cut, longer bytes are
    /// FILE_TOO_LARGE.
    max_bytes: Option<u64>,
    /// Whether secrets are shown as placeholders; true if absent, and false for operators only.
    redact: Option<bool>,
    /// The first byte to read, counted from 0.
    offset: Option<u64>,
    /// How many bytes to read from there; the rest of the file if absent.
    length: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Payload {
    /// The file, from the root.
    path: String,
    /// The text, or the bytes in base64.
    content: String,
    /// How content is written: utf8 or base64.
    encoding: &'static str,
    /// The encoding of a text file that is not in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_encoding: Option<&'static str>,
    /// The size of the whole file.
    size_bytes: u64,
    /// When it last changed, in ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_at: Option<String>,
    /// Whether less is given than was asked for, because of maxBytes.
    truncated: bool,
    /// Whether placeholders stand for secrets.
    redacted: bool,
    /// The names of these secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<String>,
    /// Where in the file the content begins, for a part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    /// The offset to read on with, where bytes follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// The version of the file, to send back as expectedVersion; of a part it may be unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

/// What of a file is wanted, and how.
struct Wanted<'a> {
    path: WsPath,
    form: Form,
    from: u64,
    length: Option<u64>,
    at_most: u64,
    permit: Option<&'a Permit>,
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let params: Params = parse_strictly(ask.params)?;
    let part = params.offset.or(params.length).is_some();
    let usual = !part && params.encoding.is_none() && params.max_bytes.is_none();
    let wanted = Wanted {
        form: Form::of(params.encoding.as_deref())?,
        permit: permit(params.redact, ask.permit)?,
        from: params.offset.unwrap_or(0),
        length: params.length,
        at_most: at_least_one("maxBytes", params.max_bytes)?
            .unwrap_or(workspace.limits().text_bytes)
            .min(MOST_BYTES),
        path: workspace.path(params.path)?,
    };
    let content = load(workspace, &wanted).await?;
    let again = workspace.again();
    let usual = usual && wanted.permit.is_none();
    if usual && let Some(answer) = again.answer(&wanted.path, &content) {
        ask.shown.saw(&wanted.path, Extent::Whole, &[]);
        return Ok(Json::as_before(answer));
    }
    let given = Region { workspace, wanted: &wanted, content: &content }.given().await?;
    let version = given.version.or_else(|| content.version());
    let whole = (given.start, given.end) == (0, content.size);
    let extent = if whole { Extent::Whole } else { Extent::Part(version) };
    match wanted.permit {
        Some(_) => ask.shown.forget(&wanted.path),
        None => ask.shown.saw(&wanted.path, extent, &given.secrets),
    }
    let end = given.end;
    let more = end < content.size;
    let asked = wanted.from.saturating_add(wanted.length.unwrap_or(u64::MAX)).min(content.size);
    let facts = Payload {
        path: shown(&wanted.path),
        content: String::new(),
        encoding: if wanted.form == Form::Base64 { "base64" } else { "utf8" },
        file_encoding: given.file_encoding,
        size_bytes: content.size,
        modified_at: content.modified.map(rfc3339),
        truncated: end < asked && asked - end > given.spare,
        redacted: !given.secrets.is_empty(),
        secrets: names(&given.secrets),
        offset: part.then_some(given.start),
        next_offset: more.then_some(end),
        version: version.map(|version| version.to_string()),
    };
    let json = Json::around(&facts, "content", &given.content)?;
    if let Some(version) = version.filter(|_| usual && given.secrets.is_empty()) {
        again.answered(&wanted.path, (&content, version), json.text());
    }
    Ok(json)
}

/// The right to show the text as it is, where it is asked for.
fn permit(redact: Option<bool>, permit: Option<&Permit>) -> Result<Option<&Permit>> {
    match (redact, permit) {
        (Some(true) | None, _) => Ok(None),
        (Some(false), Some(permit)) => Ok(Some(permit)),
        (Some(false), None) => {
            let message = "permission denied: only operators see files with their secrets";
            Err(Error::new(Code::PermissionDenied, message).hint("Leave out redact."))
        }
    }
}

/// Reads what is wanted, and what stands around it, since that tells a secret.
async fn load(workspace: &Workspace, wanted: &Wanted<'_>) -> Result<Content> {
    let Wanted { path, from, at_most, .. } = wanted;
    let around = if wanted.redacts(workspace) { AROUND as u64 } else { LONGEST_CHARACTER };
    let offset = from.saturating_sub(around);
    let length = wanted.length.unwrap_or(u64::MAX).min(*at_most);
    let length = length.saturating_add(from - offset).saturating_add(around);
    let span = Span::Bytes { offset, length };
    let content = match workspace.fs().read_now(path, span) {
        Some(content) => content,
        None => workspace.fs().read(path, span).await?,
    };
    let asked = wanted.length.unwrap_or(u64::MAX).min(content.size.saturating_sub(*from));
    if wanted.form == Form::Base64 && asked > *at_most {
        return Err(wanted.too_large(asked));
    }
    Ok(content)
}

impl Wanted<'_> {
    fn redacts(&self, workspace: &Workspace) -> bool {
        self.permit.is_none() && workspace.redacts(&self.path)
    }

    fn too_large(&self, actual: u64) -> Error {
        let limit = Detail::Limit { limit: self.at_most, actual };
        Error::at(Code::FileTooLarge, &self.path)
            .with(limit)
            .hint("Read it in parts with offset and length, or raise maxBytes.")
    }
}

/// The names of the rules, each once.
fn names(secrets: &[Secret]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for Secret { rule, .. } in secrets {
        if !names.contains(rule) {
            names.push(rule.clone());
        }
    }
    names
}
