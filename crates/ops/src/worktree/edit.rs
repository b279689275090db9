//! `worktree.edit`: replaces text in one file, all edits or none.

use garth_contract::{Content, Result, Version, WsPath};
use garth_redact::Clean;
use garth_text::encoding;
use garth_workspace::{Plan, Updated, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Ask, Json, Method, Reach, Recall,
    wire::{agent::Agent, encoding::text_of, entry::shown, named},
};
use crate::{
    Needs,
    params::{invalid, parse_strictly},
    placeholders,
    schema::schema_of,
    segments::check_hidden,
    text_file,
    timestamp::rfc3339,
    versions,
    workspace::edit::{Call, Done, Matching, One, Outcome, Words},
};

pub(super) const METHOD: Method = Method {
    name: "worktree.edit",
    title: "Edit a file",
    summary: "Replaces text in a file. oldText must stand in exactly one place, unless \
              replaceAll is set. A placeholder of a secret that a read of the file showed \
              stands for that secret.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    names: |params| named::path(params, "path", Reach::This).into_iter().collect(),
    at_once: None,
    run: |workspace, ask| Box::pin(run(workspace, ask)),
};

const WORDS: Words = Words {
    old: "oldText",
    new: "newText",
    read: "a tool",
    write: "worktree.write",
    several: "Give more surrounding lines, or set replaceAll.",
    first_line: 1,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// The agent whose workspace is meant.
    #[serde(rename = "agentId")]
    _agent: Agent,
    /// The file, from the root.
    path: String,
    /// The edits, applied in order, all or none.
    #[schemars(length(min = 1))]
    edits: Vec<Replacement>,
    /// How near a match must be.
    #[serde(rename = "match")]
    matching: Option<Matching>,
    /// The encoding of the file where it is neither UTF-8 nor marked, such as latin1.
    encoding: Option<String>,
    /// The version that a read returned; any other is a CONFLICT.
    expected_version: Option<String>,
    /// Says what the edits would do, and writes nothing; false if absent.
    dry_run: Option<bool>,
}

/// One edit.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Replacement {
    /// The text to replace, as the edits before this one left it; of a file that does not
    /// exist, nothing.
    old_text: String,
    /// The text to put in its place.
    new_text: String,
    /// Replaces every place where oldText stands; false if absent.
    replace_all: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Payload {
    /// The file, from the root.
    path: String,
    /// Whether the file is new.
    created: bool,
    /// Whether nothing was written because only a dry run was asked for.
    dry_run: bool,
    /// How many places were replaced.
    replacements: u64,
    /// What each edit did.
    edits: Vec<Done>,
    /// How many lines were added.
    lines_added: u64,
    /// How many lines were removed.
    lines_removed: u64,
    /// What changed, as a unified diff.
    #[schemars(with = "String")]
    diff: Clean,
    /// Whether lines of the diff were left out.
    truncated: bool,
    /// Whether placeholders stand for secrets in the diff.
    redacted: bool,
    /// The names of these secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<String>,
    /// The size of the file in bytes; after a dry run, as it would be.
    size_bytes: u64,
    /// When it was written, in ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_at: Option<String>,
    /// The version of the file now; after a dry run, as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

/// The edits of a call, and what the caller was shown.
struct Edits<'a> {
    path: WsPath,
    params: &'a Params,
    expected: Option<Version>,
    shown: &'a Recall,
}

async fn run(workspace: &Workspace, ask: Ask<'_>) -> Result<Json> {
    let mut params: Params = parse_strictly(ask.params)?;
    if params.edits.is_empty() {
        return Err(invalid("edits is empty: send at least one"));
    }
    text_file::named(params.encoding.as_deref())?;
    let path = workspace.path(std::mem::take(&mut params.path))?;
    let expected = versions::expected(params.expected_version.as_deref())?;
    let edits = Edits { path, params: &params, expected, shown: ask.shown };
    let plan = |current: Option<&Content>| edits.plan(workspace, current);
    let updated = workspace.update(&edits.path, plan).await?;
    let Updated { written, facts: (outcome, size) } = updated;
    let Outcome { edits: done, change, created, before } = outcome;
    let version = written.as_ref().map(|written| written.version).or(before);
    Json::of(&Payload {
        path: shown(&edits.path),
        created,
        dry_run: params.dry_run == Some(true),
        replacements: done.iter().map(|done| done.replacements).sum(),
        edits: done,
        lines_added: change.added,
        lines_removed: change.removed,
        truncated: change.missing > 0,
        redacted: !change.redacted.is_empty(),
        secrets: change.redacted,
        diff: change.diff,
        size_bytes: size,
        modified_at: written.and_then(|written| written.modified).map(rfc3339),
        version: version.map(|version| version.to_string()),
    })
}

impl Edits<'_> {
    /// What the edits make of the file that is there now, and how large it gets.
    fn plan(
        &self,
        workspace: &Workspace,
        current: Option<&Content>,
    ) -> Result<Plan<(Outcome, u64)>> {
        let call = Call {
            words: &WORDS,
            path: self.path.clone(),
            edits: self.restored(workspace, current)?,
            mode: Matching::mode(self.params.matching),
            encoding: self.params.encoding.clone(),
            expected: self.expected,
            dry_run: false,
        };
        let before = current.filter(|_| self.params.dry_run == Some(true));
        let Plan { content, parents, facts } = call.plan(workspace, current)?;
        let size = content.as_ref().map_or(0, |content| content.len() as u64);
        self.check_hidden(workspace, (current, content.as_deref()))?;
        let facts = Outcome { before: before.map(garth_workspace::version_of), ..facts };
        let content = content.filter(|_| self.params.dry_run != Some(true));
        Ok(Plan { content, parents, facts: (facts, size) })
    }

    /// Refuses edits that bring a secret to light, or write one twice.
    fn check_hidden(
        &self,
        workspace: &Workspace,
        (old, new): (Option<&Content>, Option<&[u8]>),
    ) -> Result<()> {
        let text = |bytes| text_of(bytes).map(|(_, text)| text);
        let (Some(old), Some(new)) = (old.and_then(|old| text(&old.bytes)), new.and_then(text))
        else {
            return Ok(());
        };
        let edits = self.params.edits.iter();
        let sent: Vec<&str> = edits.flat_map(|edit| [&*edit.old_text, &*edit.new_text]).collect();
        // Where nothing was put back, the edits were looked at as they came.
        if !sent.iter().any(|sent| placeholders::has_any(sent)) {
            return Ok(());
        }
        check_hidden(workspace, &self.path, (&old, &new), &sent)
    }

    /// The edits, with secrets where the caller was shown placeholders.
    fn restored(&self, workspace: &Workspace, current: Option<&Content>) -> Result<Vec<One>> {
        let file = current.map_or(&[][..], |current| &current.bytes);
        let text = match text_file::named(self.params.encoding.as_deref())? {
            Some(named) => encoding::decode(file, named).ok(),
            None => text_of(file).map(|(_, text)| text),
        };
        let file = text.as_deref().unwrap_or_default();
        let whole = |text: &str| {
            let restored = self.shown.restore(workspace, &self.path, file, text)?;
            Ok(restored.into_owned())
        };
        let one = |edit: &Replacement| {
            let (old, new) = (whole(&edit.old_text)?, whole(&edit.new_text)?);
            // One that was not shown, and that the file does not have itself.
            if placeholders::has_any(&old) && !file.contains(&*old) && workspace.redacts(&self.path)
            {
                return Err(placeholders::refused(&self.path));
            }
            placeholders::check_own_words(workspace, &self.path, file, (&old, &new))?;
            placeholders::check(workspace, &self.path, &old, &new)?;
            Ok(One { old_string: old, new_string: new, replace_all: edit.replace_all })
        };
        let edits = self.params.edits.iter();
        if workspace.redacts(&self.path) {
            let texts = edits.clone().map(|edit| (&*edit.old_text, &*edit.new_text));
            placeholders::check_twice(&self.path, texts)?;
        }
        edits.map(one).collect()
    }
}
