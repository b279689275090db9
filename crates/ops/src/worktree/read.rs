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
use serde_json::Value;

use super::{
    Ask, Json, Method, Reach, Recall,
    wire::{agent::Agent, encoding::Form, entry::shown, named},
};
use crate::{
    Needs,
    params::{at_least_one, parse_strictly},
    recall::Extent,
    schema::schema_of,
    timestamp::rfc3339,
};
use region::{Given, Region};

pub(super) const METHOD: Method = Method {
    name: "worktree.read",
    title: "Read a file",
    summary: "Reads a file as text, or as bytes in base64. Secrets are shown as placeholders, \
              which a write or an edit of the same file puts back.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    names: |params| named::path(params, "path", Reach::This).into_iter().collect(),
    at_once: Some(at_once),
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
    asks: Asks,
}

/// How much a call says about what it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// Nothing but the path.
    Usual,
    /// How it is to be given.
    Whole,
    /// Which part is to be given.
    Part,
}

fn at_once(workspace: &Workspace, params: &Value, shown: &Recall) -> Option<Json> {
    let wanted = Wanted {
        path: workspace.path(named::path_alone(params)?).ok()?,
        form: Form::of(None).ok()?,
        from: 0,
        length: None,
        at_most: workspace.limits().text_bytes.min(MOST_BYTES),
        permit: None,
        asks: Asks::Usual,
    };
    let content = workspace.fs().read_now(&wanted.path, wanted.span(workspace))?;
    let region = Region { workspace, wanted: &wanted, content: &content };
    match region.as_before(shown) {
        Some(json) => Some(json),
        None => region.told(&region.given_text(None).ok()?, shown).ok(),
    }
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let params: Params = parse_strictly(ask.params)?;
    let permit = permit(params.redact, ask.permit)?;
    let asks = match (params.offset.or(params.length), &params.encoding, params.max_bytes) {
        (Some(_), _, _) => Asks::Part,
        (None, None, None) if permit.is_none() => Asks::Usual,
        (None, _, _) => Asks::Whole,
    };
    let wanted = Wanted {
        form: Form::of(params.encoding.as_deref())?,
        permit,
        from: params.offset.unwrap_or(0),
        length: params.length,
        at_most: at_least_one("maxBytes", params.max_bytes)?
            .unwrap_or(workspace.limits().text_bytes)
            .min(MOST_BYTES),
        path: workspace.path(params.path)?,
        asks,
    };
    let content = load(workspace, &wanted).await?;
    let region = Region { workspace, wanted: &wanted, content: &content };
    match region.as_before(ask.shown) {
        Some(json) => Ok(json),
        None => region.told(&region.given().await?, ask.shown),
    }
}

impl Region<'_> {
    /// What was answered before to whoever read the same file in the usual way.
    fn as_before(&self, shown: &Recall) -> Option<Json> {
        let Self { workspace, wanted, content } = self;
        let usual = wanted.asks == Asks::Usual;
        let answer = usual.then(|| workspace.again().answer(&wanted.path, content))??;
        shown.saw(&wanted.path, Extent::Whole, &[]);
        Some(Json::as_before(answer))
    }

    /// The answer with what is given, which the caller was shown then.
    fn told(&self, given: &Given, caller: &Recall) -> Result<Json> {
        let Self { workspace, wanted, content } = self;
        let version = given.version.or_else(|| content.version());
        let whole = (given.start, given.end) == (0, content.size);
        let extent = if whole { Extent::Whole } else { Extent::Part(version) };
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
            offset: (wanted.asks == Asks::Part).then_some(given.start),
            next_offset: more.then_some(end),
            version: version.map(|version| version.to_string()),
        };
        let json = Json::around(&facts, "content", &given.content)?;
        match wanted.permit {
            Some(_) => caller.forget(&wanted.path),
            None => caller.saw(&wanted.path, extent, &given.secrets),
        }
        let usual = wanted.asks == Asks::Usual;
        if let Some(version) = version.filter(|_| usual && given.secrets.is_empty()) {
            workspace.again().answered(&wanted.path, (content, version), json.text());
        }
        Ok(json)
    }
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

/// Reads what is wanted.
async fn load(workspace: &Workspace, wanted: &Wanted<'_>) -> Result<Content> {
    let content = workspace.fs().read(&wanted.path, wanted.span(workspace)).await?;
    let asked = wanted.length.unwrap_or(u64::MAX).min(content.size.saturating_sub(wanted.from));
    if wanted.form == Form::Base64 && asked > wanted.at_most {
        return Err(wanted.too_large(asked));
    }
    Ok(content)
}

impl Wanted<'_> {
    /// What is to be read: also what stands around it, since that tells a secret.
    fn span(&self, workspace: &Workspace) -> Span {
        let around = if self.redacts(workspace) { AROUND as u64 } else { LONGEST_CHARACTER };
        let offset = self.from.saturating_sub(around);
        let length = self.length.unwrap_or(u64::MAX).min(self.at_most);
        let length = length.saturating_add(self.from - offset).saturating_add(around);
        Span::Bytes { offset, length }
    }

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
