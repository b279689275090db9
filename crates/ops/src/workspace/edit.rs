//! `edit`: replaces text in one file, exactly or nearly, all edits or none.

mod refuse;

use std::borrow::Cow;

use bytes::Bytes;
use garth_contract::{Code, Content, Error, Parents, Result, Version, WsPath};
use garth_redact::{Clean, CleanWriter};
use garth_text::diff::{Diff, Ends, diff, diff_inside};
use garth_text::edit::{Edit, Edited, Level, Mode, Replace, Report, apply_to_decoded};
use garth_text::encoding::Encoding;
use garth_workspace::{Plan, Updated, Workspace, around, version_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Needs, Reply, Tool,
    change::{Change, Side},
    names::{Names, Naming, names_of},
    params::{invalid, parse},
    placeholders,
    schema::schema_of,
    segments::{Segments, check_hidden},
    text_file::{TextFile, named, refused},
    versions,
    words::{Counted, Shown},
};

pub(super) const TOOL: Tool = Tool {
    name: "edit",
    title: "Edit a file",
    summary: "Replaces text in a file. old_string must stand in exactly one place, unless \
              replace_all is set; small differences in white space are forgiven. An empty \
              old_string creates a new file.",
    needs: Needs::Replace,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["diff"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { Ok(run(workspace, parse(call.params)?).await?) }),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The file, relative to the workspace's root.
    path: String,
    /// The text to replace, as it stands in the file, without line numbers.
    old_string: Option<String>,
    /// The text to put in its place.
    new_string: Option<String>,
    /// Replaces every place where old_string stands.
    replace_all: Option<bool>,
    /// Several edits instead of one, applied in order, all or none.
    edits: Option<Vec<One>>,
    /// How near a match must be.
    #[serde(rename = "match")]
    matching: Option<Matching>,
    /// The encoding of the file where it is neither UTF-8 nor marked, such as latin1.
    encoding: Option<String>,
    /// The version that a read returned; any other is a CONFLICT.
    expected_version: Option<String>,
    /// Says what the edit would do, and writes nothing.
    dry_run: Option<bool>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

/// One of several edits.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct One {
    /// The text to replace, as the edits before this one left it.
    pub(crate) old_string: String,
    /// The text to put in its place.
    pub(crate) new_string: String,
    /// Replaces every place where old_string stands.
    pub(crate) replace_all: Option<bool>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Matching {
    /// Byte for byte.
    Exact,
    /// Also where line endings, typography or white space differ; this is the default.
    Forgiving,
}

impl Matching {
    /// How the engine matches.
    pub(crate) fn mode(asked: Option<Self>) -> Mode {
        match asked {
            Some(Self::Exact) => Mode::Exact,
            Some(Self::Forgiving) | None => Mode::Forgiving,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Payload {
    /// The file, from the root.
    path: String,
    /// Whether the file is new.
    created: bool,
    /// Whether nothing was written because only a dry run was asked for.
    dry_run: bool,
    /// How many places were replaced.
    replacements: u64,
    /// How many lines are not what they were.
    lines_changed: u64,
    /// How many lines were added.
    lines_added: u64,
    /// How many lines were removed.
    lines_removed: u64,
    /// What each edit did.
    edits: Vec<Done>,
    /// What changed, as a unified diff.
    #[schemars(with = "String")]
    diff: Clean,
    /// Whether lines of the diff were left out.
    diff_truncated: bool,
    /// The names of secrets that are shown as placeholders in the diff.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<String>,
    /// The version of the file now, or, after a dry run, as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

/// What one edit did.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Done {
    /// How many places it replaced.
    pub(crate) replacements: u64,
    /// The lines where the first of them stood, before this edit.
    lines: Vec<u64>,
    /// What was forgiven, if the match was not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    forgiven: Option<&'static str>,
}

/// The edits of a call, checked as far as they can be without the file.
pub(crate) struct Call {
    pub(crate) words: &'static Words,
    pub(crate) path: WsPath,
    pub(crate) edits: Vec<One>,
    pub(crate) mode: Mode,
    pub(crate) encoding: Option<String>,
    pub(crate) expected: Option<Version>,
    pub(crate) dry_run: bool,
}

/// What the edits make of the file.
pub(crate) struct Outcome {
    pub(crate) edits: Vec<Done>,
    pub(crate) change: Change,
    pub(crate) created: bool,
    /// The version as it stays after a dry run.
    pub(crate) before: Option<Version>,
}

/// What a dialect calls the things that a refusal speaks of.
pub(crate) struct Words {
    pub(crate) old: &'static str,
    pub(crate) new: &'static str,
    pub(crate) read: &'static str,
    pub(crate) write: &'static str,
    /// What to do where the old text stands in several places.
    pub(crate) several: &'static str,
    /// The number of a file's first line.
    pub(crate) first_line: usize,
}

const WORDS: Words = Words {
    old: "old_string",
    new: "new_string",
    read: "read",
    write: "write",
    several: "Give more surrounding lines, or set replace_all.",
    first_line: 1,
};

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let call = Call::of(workspace, params)?;
    let edited = if call.dry_run { "Would edit " } else { "Edited " };
    call.run(workspace, Clean::fixed(edited)).await
}

impl Call {
    /// Edits of a dialect that has no more than these.
    pub(crate) fn new(words: &'static Words, path: WsPath, edits: Vec<One>) -> Self {
        let (mode, encoding, expected) = (Mode::Forgiving, None, None);
        Self { words, path, edits, mode, encoding, expected, dry_run: false }
    }

    /// Makes the edits; `edited` stands before the path in the reply.
    ///
    /// # Errors
    /// Those of reading and writing, and what is wrong with an edit.
    pub(crate) async fn run(self, workspace: &Workspace, edited: Clean) -> Result<Reply> {
        let updated = workspace.update(&self.path, |current| self.plan(workspace, current)).await?;
        self.reply(updated, edited)
    }

    fn of(workspace: &Workspace, params: Params) -> Result<Self> {
        let path = workspace.path(params.path)?;
        let edits = match (params.old_string, params.new_string, params.edits) {
            (Some(old_string), Some(new_string), None) => {
                vec![One { old_string, new_string, replace_all: params.replace_all }]
            }
            (None, None, Some(edits)) if params.replace_all.is_none() && !edits.is_empty() => edits,
            (None, None, Some(edits)) if edits.is_empty() => {
                return Err(invalid("edits is empty: send at least one"));
            }
            (None, None, Some(_)) => {
                return Err(invalid("replace_all belongs into each of the edits"));
            }
            (_, _, Some(_)) => {
                return Err(invalid("send either old_string and new_string, or edits"));
            }
            (_, _, None) => {
                return Err(invalid("old_string and new_string are both needed, or edits"));
            }
        };
        let expected = versions::expected(params.expected_version.as_deref())?;
        named(params.encoding.as_deref())?;
        Ok(Self {
            words: &WORDS,
            path,
            edits,
            mode: Matching::mode(params.matching),
            encoding: params.encoding,
            expected,
            dry_run: params.dry_run == Some(true),
        })
    }

    /// What the edits make of the file that is there now.
    ///
    /// # Errors
    /// `CONFLICT`, and what is wrong with an edit.
    pub(crate) fn plan(
        &self,
        workspace: &Workspace,
        current: Option<&Content>,
    ) -> Result<Plan<Outcome>> {
        versions::check(&self.path, self.expected, current)?;
        let before = current.filter(|_| self.dry_run).map(version_of);
        let (bytes, edits, change) = match current {
            Some(content) => self.change(workspace, content)?,
            None => self.create(workspace)?,
        };
        Ok(Plan {
            content: (!self.dry_run).then_some(bytes),
            parents: Parents::Create,
            facts: Outcome { edits, change, created: current.is_none(), before },
        })
    }

    fn change(
        &self,
        workspace: &Workspace,
        content: &Content,
    ) -> Result<(Bytes, Vec<Done>, Change)> {
        let file = TextFile::of(&self.path, &content.bytes, named(self.encoding.as_deref())?)?;
        let restored = self.restored(workspace, &file.text)?;
        let edits: Vec<Edit<'_>> = self.edits.iter().zip(&restored).map(One::as_edit).collect();
        let decoded = (&*content.bytes, &*file.text);
        let edited = apply_to_decoded(decoded, file.encoding, &edits, self.mode)
            .map_err(|error| refuse::refusal(self, workspace, error))?;
        let Edited { bytes, reports } = edited;
        let after = match file.encoding {
            // The text is the file, and what an edit leaves of a text is one.
            Encoding::Utf8 => Cow::Borrowed(&bytes[..]),
            Encoding::Utf8Bom | Encoding::Utf16Le | Encoding::Utf16Be | Encoding::Named(_) => {
                let after = TextFile::of(&self.path, &bytes, Some(file.encoding))?;
                Cow::Owned(after.text.into_owned().into_bytes())
            }
        };
        let old = file.text.as_bytes();
        let found = diff_inside(old, &after, same(&reports, old));
        placeholders::check_lines(workspace, &self.path, &found)?;
        self.check_hidden(workspace, (old, &after), &found)?;
        let change = self.difference(workspace, (old, &after), &found)?;
        let edits = reports
            .iter()
            .map(|report| Done {
                replacements: report.count as u64,
                lines: report.places.iter().take(MOST_LINES).map(|p| self.line(p.line)).collect(),
                forgiven: forgiven(report.level),
            })
            .collect();
        Ok((bytes.into(), edits, change))
    }

    /// Old and new text of the edits, with secrets where the caller was shown placeholders.
    fn restored<'a>(&'a self, workspace: &Workspace, file: &str) -> Result<Vec<Pair<'a>>> {
        let plain = |one: &'a One| (one.old_string.as_str().into(), one.new_string.as_str().into());
        let texts = self.edits.iter().flat_map(|one| [&one.old_string, &one.new_string]);
        if !workspace.redacts(&self.path) || !texts.map(String::as_str).any(placeholders::has_any) {
            return Ok(self.edits.iter().map(plain).collect());
        }
        let mut segments = Segments::of(workspace, &self.path, file);
        self.edits.iter().map(|one| segments.restore(&one.old_string, &one.new_string)).collect()
    }

    /// Refuses edits after which a secret beside them would be shown.
    fn check_hidden(
        &self,
        workspace: &Workspace,
        (old, new): (&[u8], &[u8]),
        found: &Diff<'_>,
    ) -> Result<()> {
        let (Some(first), Some(last)) = (found.hunks.first(), found.hunks.last()) else {
            return Ok(());
        };
        let region = |text: &[u8], start: usize, end: usize| {
            let lines = around(text, &(start..end));
            text.get(lines).and_then(|lines| str::from_utf8(lines).ok()).map(str::to_owned)
        };
        let old = region(old, first.old.start, last.old.end).unwrap_or_default();
        let new = region(new, first.new.start, last.new.end).unwrap_or_default();
        let sent = self.edits.iter().flat_map(|one| [&*one.old_string, &*one.new_string]);
        check_hidden(workspace, &self.path, (&old, &new), &sent.collect::<Vec<_>>())
    }

    fn create(&self, workspace: &Workspace) -> Result<(Bytes, Vec<Done>, Change)> {
        let [One { old_string, new_string, .. }] = self.edits.as_slice() else {
            return Err(Error::at(Code::FileNotFound, &self.path));
        };
        if !old_string.is_empty() {
            return Err(Error::at(Code::FileNotFound, &self.path));
        }
        placeholders::check(workspace, &self.path, "", new_string)?;
        let encoding = named(self.encoding.as_deref())?;
        let bytes = match encoding {
            None => new_string.clone().into_bytes(),
            Some(encoding) => garth_text::encoding::encode(new_string, encoding)
                .map_err(|error| refused(&self.path, &error))?,
        };
        let found = diff(b"", new_string.as_bytes());
        let change = self.difference(workspace, (b"", new_string.as_bytes()), &found)?;
        Ok((bytes.into(), Vec::new(), change))
    }

    fn difference(
        &self,
        workspace: &Workspace,
        (old, new): (&[u8], &[u8]),
        found: &Diff<'_>,
    ) -> Result<Change> {
        let name = self.path.to_string();
        let side = |text| Side { name: &name, path: &self.path, text };
        Change::of(workspace, (side(old), side(new)), found, workspace.limits().diff_lines)
    }

    /// The number of a line that is counted from 1, as the dialect counts.
    fn line(&self, line: usize) -> u64 {
        (line + self.words.first_line).saturating_sub(1) as u64
    }

    fn reply(self, updated: Updated<Outcome>, edited: Clean) -> Result<Reply> {
        let Updated { written, facts: Outcome { edits, change, created, before } } = updated;
        let replacements = edits.iter().map(|done| done.replacements).sum();
        let mut text = CleanWriter::new();
        let (made, replaced) = match (self.dry_run, created) {
            (false, true) => (Clean::fixed("Created "), ""),
            (true, true) => (Clean::fixed("Would create "), ""),
            (_, false) => (edited, ": "),
        };
        text.put(made).put(Shown(&self.path)).put(replaced);
        if !created {
            text.put(Counted(replacements, "replacement")).put(", ");
            text.put(Counted(change.lines_changed(), "line")).put(" changed");
        }
        for (index, done) in edits.iter().enumerate() {
            let Some(forgiven) = done.forgiven else { continue };
            text.put("\n[");
            if edits.len() > 1 {
                text.put("edit ").put(index + 1).put(" ");
            }
            text.put("matched although ").put(forgiven).put("]");
        }
        change.write(&mut text);
        let version = written.map(|written| written.version).or(before);
        let payload = Payload {
            path: self.path.to_string(),
            created,
            dry_run: self.dry_run,
            replacements,
            lines_changed: change.lines_changed(),
            lines_added: change.added,
            lines_removed: change.removed,
            edits,
            diff_truncated: change.missing > 0,
            redacted: change.redacted,
            diff: change.diff,
            version: version.map(|version| version.to_string()),
        };
        Reply::new(text.finish(), &payload)
    }
}

/// What a single edit is known to have left alone at either end.
///
/// Of several edits, each but the first is told in terms of those before it.
fn same(reports: &[Report], old: &[u8]) -> Ends {
    let [Report { places, count, .. }] = reports else { return Ends::default() };
    match (places.first(), places.last()) {
        (Some(first), Some(last)) if places.len() == *count => {
            Ends { front: first.before.start, back: old.len() - last.before.end }
        }
        _ => Ends::default(),
    }
}

/// How many lines each edit names; the diff shows the rest.
const MOST_LINES: usize = 20;

/// The old and the new text of an edit.
type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

impl One {
    fn as_edit<'a>((one, (old, new)): (&'a Self, &'a Pair<'_>)) -> Edit<'a> {
        let replace = if one.replace_all == Some(true) { Replace::All } else { Replace::One };
        Edit { old, new, replace }
    }
}

/// What a level of matching forgives, in words; nothing for the exact one.
fn forgiven(level: Level) -> Option<&'static str> {
    match level {
        Level::Exact => None,
        Level::LineEndings => Some("line endings differ"),
        Level::Typography => Some("quotes, dashes or spaces differ"),
        Level::TrailingWhitespace => Some("white space at the end of lines differs"),
        Level::Indentation => Some("white space differs; the new text was re-indented"),
    }
}
