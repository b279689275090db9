//! `diff`: what differs, as a unified diff in which no secret stands.

mod patch;

use garth_contract::{Error, Result, Total, WsPath};
use garth_git::{Between, Detail, Diff, Failed, FileDiff};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::Workspace;

use super::{
    Here, Told, named,
    params::{Action, Params},
    payload::{File, Payload},
    telling::whole,
};
use crate::{
    page::Place,
    params::{at_least_one, invalid},
    words::{Counted, Shown},
};
use patch::Page;

/// How many lines around a change are shown, and how many can be.
const CONTEXT: u32 = 3;
const MOST_CONTEXT: u32 = 10_000;

pub(super) async fn diff(here: Here<'_>, params: &Params) -> Result<Told, Failed> {
    let (workspace, at) = here;
    let files = params.files(workspace).await?;
    let detail = detail(params)?;
    let mut page = page(workspace, params)?;
    let mut payload = Payload::of(Action::Diff, at.directory);
    let mut record = Clean::default();
    let mut cut = false;
    match (params.revision()?, &params.to) {
        (Some(from), to) => {
            if params.staged.is_some() {
                return Err(invalid("staged says nothing where commits are compared").into());
            }
            let from = at.resolve(&from).await?;
            record = clean![whole(&from)];
            let between = match to.as_deref().map(garth_git::Revision::parse).transpose()? {
                None => Between::CommitAndFiles(from),
                Some(to) => {
                    let to = at.resolve(&to).await?;
                    record = clean![record, "..", whole(&to)];
                    Between::Commits(from, to)
                }
            };
            let found = named::diff(here, &between, &files, detail).await?;
            cut |= found.cut;
            payload.files = Some(write(workspace, &found, &mut page));
        }
        (None, Some(_)) => return Err(invalid("to needs a ref to compare it with").into()),
        (None, None) => {
            if params.staged != Some(false) {
                let found = named::diff(here, &Between::HeadAndIndex, &files, detail).await?;
                cut |= found.cut;
                heading(&mut page, &found, "Staged:");
                payload.staged = Some(write(workspace, &found, &mut page));
            }
            if params.staged != Some(true) {
                let found = named::diff(here, &Between::IndexAndFiles, &files, detail).await?;
                cut |= found.cut;
                heading(&mut page, &found, "Not staged:");
                payload.changed = Some(write(workspace, &found, &mut page));
            }
        }
    }
    let text = finish(page, &mut payload, cut);
    Ok(Told { text, payload, record })
}

/// How many lines around a change are asked for.
pub(super) fn detail(params: &Params) -> Result<Detail, Error> {
    match params.context.unwrap_or(CONTEXT) {
        lines if lines > MOST_CONTEXT => {
            Err(invalid(format!("context is at most {MOST_CONTEXT} lines")))
        }
        lines => Ok(Detail::Patches(lines)),
    }
}

/// Which lines of the diff are asked for.
pub(super) fn page(workspace: &Workspace, params: &Params) -> Result<Page, Error> {
    let limits = workspace.limits();
    let most = limits.diff_lines as u64;
    let take = at_least_one("limit", params.limit)?.unwrap_or(most).min(most);
    Ok(Page::new(params.offset.unwrap_or(0), take, limits.line_chars))
}

fn heading(page: &mut Page, found: &Diff, heading: &'static str) {
    if !found.files.is_empty() {
        page.line(|| Clean::fixed(heading));
    }
}

/// Writes the patches, and tells of the files.
pub(super) fn write(workspace: &Workspace, found: &Diff, page: &mut Page) -> Vec<File> {
    found.files.iter().for_each(|file| page.file(workspace, file));
    let most = usize::try_from(workspace.limits().most_results).unwrap_or(usize::MAX);
    found.files.iter().take(most).map(described).collect()
}

/// Puts the diff into the payload, and gives the text.
pub(super) fn finish(page: Page, payload: &mut Payload, cut: bool) -> Clean {
    let (skip, given, seen) = (page.skip(), page.given(), page.seen());
    let total = if cut { Total::AtLeast(seen) } else { Total::Exact(seen) };
    let place = Place { skip, given, total };
    // What git printed beyond the bound is not there to go on to.
    let more = skip.saturating_add(given) < seen;
    payload.truncated = more || cut;
    payload.next_offset = place.next().filter(|_| more);
    payload.total = place.total();
    let (diff, redacted) = page.finish();
    payload.redacted = redacted;
    let mut text = CleanWriter::new();
    text.put(&diff);
    if diff.is_empty() && given == 0 {
        text.put("Nothing differs.");
    }
    if let Some(footer) = place.footer("line").filter(|_| more || skip > 0) {
        text.put("\n").put(footer);
    }
    if cut && !more {
        text.put("\n[the diff is too long to be read to its end; name files to see theirs]");
    }
    payload.diff = Some(diff);
    text.finish()
}

/// A file, for programs.
pub(super) fn described(file: &FileDiff) -> File {
    const SUBMODULE: u32 = 0o160_000;
    File {
        path: file.path.to_string(),
        kind: file.kind.name(),
        from: file.from.as_ref().map(WsPath::to_string),
        additions: file.lines.map(|(added, _)| added),
        deletions: file.lines.map(|(_, removed)| removed),
        binary: file.binary,
        submodule: file.old_mode == SUBMODULE || file.new_mode == SUBMODULE,
    }
}

/// A file on one line: `modified: src/a.rs (+3 -1)`.
pub(super) fn summed(file: &FileDiff) -> Clean {
    let moved = match &file.from {
        Some(from) => clean![" (was ", Shown(from), ")"],
        None => Clean::default(),
    };
    let lines = match file.lines {
        Some((added, removed)) => clean![" (+", added, " -", removed, ")"],
        None if file.binary => Clean::fixed(" (binary)"),
        None => Clean::default(),
    };
    clean!["  ", file.kind.name(), ": ", Shown(&file.path), moved, lines]
}

/// How many files.
pub(super) fn count(files: &[FileDiff]) -> Counted {
    Counted(files.len() as u64, "file")
}
