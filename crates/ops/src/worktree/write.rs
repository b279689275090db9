//! `worktree.write`: creates a file or replaces the whole of one.
//!
//! What is sent lands as it was sent, line endings and marks included, except for the
//! placeholders of secrets that the caller was shown of this file.

use std::borrow::Cow;

use bytes::Bytes;
use garth_contract::{Code, Content, Error, Guard, Parents, Put, Result, Version, Written, WsPath};
use garth_text::encoding::{self, Encoding};
use garth_workspace::{Plan, Updated, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Ask, Json, Method, Reach, Recall,
    wire::{
        agent::Agent,
        encoding::{Form, decoded, text_of},
        entry::shown,
        named,
    },
};
use crate::{
    Needs,
    params::{invalid, parse_strictly},
    placeholders,
    schema::schema_of,
    segments::check_hidden,
    text_file::refused,
    timestamp::rfc3339,
    versions,
};

pub(super) const METHOD: Method = Method {
    name: "worktree.write",
    title: "Write a file",
    summary: "Creates a file or replaces the whole of one; missing directories are made. \
              Placeholders of secrets that a read of the file showed are put back.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    names: |params| named::path(params, "path", Reach::This).into_iter().collect(),
    at_once: None,
    run: |workspace, ask| Box::pin(run(workspace, ask)),
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// The agent whose workspace is meant.
    #[serde(rename = "agentId")]
    _agent: Agent,
    /// The file, from the root.
    path: String,
    /// The whole new content.
    content: String,
    /// utf8 (the default) for text, base64 for bytes, or the name of the text encoding to
    /// write in, such as latin1.
    encoding: Option<String>,
    /// Whether missing directories are made; true if absent.
    create_dirs: Option<bool>,
    /// Whether a file that exists is replaced; true if absent.
    overwrite: Option<bool>,
    /// The version that a read returned; any other is a CONFLICT.
    expected_version: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Payload {
    /// The file, from the root.
    path: String,
    /// Its size in bytes.
    size_bytes: u64,
    /// When it was written, in ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_at: Option<String>,
    /// Whether it is new.
    created: bool,
    /// Its version now.
    version: String,
}

/// A file to be written.
struct Call<'a> {
    path: WsPath,
    bytes: Bytes,
    /// The content as text, where it is any, and the encoding that it lands in.
    text: Option<(String, Encoding)>,
    parents: Parents,
    guard: Guard,
    shown: &'a Recall,
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let params: Params = parse_strictly(ask.params)?;
    let call = Call::of(workspace, params, ask.shown)?;
    let (size, written) = call.write(workspace).await?;
    Json::of(&Payload {
        path: shown(&call.path),
        size_bytes: size,
        modified_at: written.modified.map(rfc3339),
        created: written.created,
        version: written.version.to_string(),
    })
}

/// Writes bytes as they come, and says how large the file is; placeholders of secrets
/// that a text among them holds are put back.
///
/// # Errors
/// Those of writing, and `REDACTED_CONTENT`.
pub(super) async fn bytes(
    workspace: &Workspace,
    path: WsPath,
    (bytes, guard, parents): (Bytes, Guard, Parents),
    shown: &Recall,
) -> Result<(u64, Written)> {
    let text = text_of(&bytes).filter(|(_, text)| looks(workspace, &path, text));
    let text = text.map(|(encoding, text)| (text.into_owned(), encoding));
    let call = Call { path, bytes, text, parents, guard, shown };
    call.write(workspace).await
}

/// Tells whether a text may hold placeholders, so that what the file holds matters.
fn looks(workspace: &Workspace, path: &WsPath, text: &str) -> bool {
    workspace.has_own_words(path) || workspace.redacts(path) && placeholders::may_have(text)
}

impl<'a> Call<'a> {
    fn of(workspace: &Workspace, params: Params, shown: &'a Recall) -> Result<Self> {
        let expected = versions::expected(params.expected_version.as_deref())?;
        let guard = match (params.overwrite, expected) {
            (Some(false), Some(_)) => {
                return Err(invalid("expectedVersion makes no sense with overwrite: false"));
            }
            (Some(false), None) => Guard::Absent,
            (Some(true) | None, Some(version)) => Guard::Unchanged(version),
            (Some(true) | None, None) => Guard::Any,
        };
        let path = workspace.path(params.path)?;
        let looks = |text: &str| looks(workspace, &path, text);
        let (bytes, text) = match Form::of(params.encoding.as_deref())? {
            Form::Text(None) => {
                let text = looks(&params.content).then(|| (params.content.clone(), Encoding::Utf8));
                (params.content.into_bytes(), text)
            }
            Form::Text(Some(target)) => {
                let bytes = encoding::encode(&params.content, target)
                    .map_err(|error| refused(&path, &error))?;
                let text = looks(&params.content).then_some((params.content, target));
                (bytes, text)
            }
            Form::Base64 => {
                let bytes = decoded(&params.content)?;
                let text = text_of(&bytes).filter(|(_, text)| looks(text));
                let text = text.map(|(encoding, text)| (text.into_owned(), encoding));
                (bytes, text)
            }
        };
        let create = params.create_dirs != Some(false);
        let parents = if create { Parents::Create } else { Parents::Require };
        Ok(Self { path, bytes: bytes.into(), text, parents, guard, shown })
    }

    /// Writes the file, and says how large it is.
    async fn write(&self, workspace: &Workspace) -> Result<(u64, Written)> {
        let Some((text, encoding)) = &self.text else {
            let put = Put { guard: self.guard.clone(), parents: self.parents, mode: None };
            let written = workspace.fs().write(&self.path, self.bytes.clone(), put).await?;
            return Ok((self.bytes.len() as u64, written));
        };
        let plan = |current: Option<&Content>| {
            let bytes = self.restored(workspace, current, (text, *encoding))?;
            let size = bytes.len() as u64;
            Ok(Plan { content: Some(bytes), parents: self.parents, facts: size })
        };
        let Updated { written, facts: size } = workspace.update(&self.path, plan).await?;
        match written {
            Some(written) => Ok((size, written)),
            None => Err(Error::new(Code::Internal, "nothing was written")),
        }
    }

    /// The bytes of a text with placeholders in it, over what the file holds now.
    fn restored(
        &self,
        workspace: &Workspace,
        current: Option<&Content>,
        (text, encoding): (&str, Encoding),
    ) -> Result<Bytes> {
        match (&self.guard, current) {
            (Guard::Absent, Some(_)) => return Err(Error::at(Code::FileExists, &self.path)),
            (Guard::Unchanged(version), _) => self.check_version(*version, current)?,
            (Guard::Any | Guard::Absent | Guard::Holding(_), _) => {}
        }
        let old = current.map_or(&[][..], |old| &old.bytes);
        let old =
            text_of(old).map(|(_, text)| text).or_else(|| encoding::decode(old, encoding).ok());
        let old = old.as_deref().unwrap_or_default();
        let restored = self.shown.restore(workspace, &self.path, old, text)?;
        placeholders::check_own_words(workspace, &self.path, old, (old, &restored))?;
        placeholders::check(workspace, &self.path, old, &restored)?;
        if let Cow::Owned(restored) = &restored {
            check_hidden(workspace, &self.path, (old, restored), &[text])?;
        }
        let bytes = encoding::encode(&restored, encoding);
        bytes.map(Bytes::from).map_err(|error| refused(&self.path, &error))
    }

    fn check_version(&self, version: Version, current: Option<&Content>) -> Result<()> {
        versions::check(&self.path, Some(version), current)
    }
}
