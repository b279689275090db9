//! Keeps placeholders of secrets from being written over the secrets themselves.

use std::collections::HashMap;

use garth_contract::{Code, Error, Result, WsPath};
use garth_redact::placeholders;
use garth_text::diff::{Diff, Tag};
use garth_workspace::{Part, Workspace};

/// Refuses a new text of a file that has more placeholders than the old one has.
///
/// A caller who was shown `[REDACTED: NAME]` and sends it back means the secret,
/// and would destroy it. One that the file itself has, letter by letter, is text
/// like any other.
///
/// # Errors
/// `REDACTED_CONTENT`.
pub(crate) fn check(workspace: &Workspace, path: &WsPath, old: &str, new: &str) -> Result<()> {
    if !workspace.redacts(path) {
        return Ok(());
    }
    if !may_have(new) {
        return Ok(());
    }
    compare(path, std::iter::once(old), std::iter::once(new))
}

/// The same for a change whose lines are known, which are all that need a look.
///
/// # Errors
/// `REDACTED_CONTENT`.
pub(crate) fn check_lines(workspace: &Workspace, path: &WsPath, diff: &Diff<'_>) -> Result<()> {
    if !workspace.redacts(path) {
        return Ok(());
    }
    let lines = |tag| {
        let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(move |line| line.tag == tag).filter_map(|line| str::from_utf8(line.text).ok())
    };
    if !lines(Tag::Added).any(may_have) {
        return Ok(());
    }
    compare(path, lines(Tag::Removed), lines(Tag::Added))
}

fn compare<'a>(
    path: &WsPath,
    old: impl Iterator<Item = &'a str>,
    new: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let mut had = HashMap::new();
    let mut broken = 0;
    for text in old {
        broken += count_broken(text);
        for found in placeholders(text) {
            *had.entry((found.name, found.nth)).or_insert(0_u64) += 1;
        }
    }
    for text in new {
        let now = count_broken(text);
        if now > broken {
            return Err(refused(path));
        }
        broken -= now;
        for found in placeholders(text) {
            match had.get_mut(&(found.name, found.nth)) {
                Some(left @ 1..) => *left -= 1,
                Some(0) | None => return Err(refused(path)),
            }
        }
    }
    Ok(())
}

/// How often a text has what was a placeholder before somebody changed it.
///
/// `[REDACTED]` alone is what people write, and none of ours.
fn count_broken(text: &str) -> usize {
    let begun = text.match_indices(OPENING).filter(|(at, _)| {
        let behind = text.get(at + OPENING.len()..).unwrap_or_default();
        !behind.starts_with(']')
    });
    begun.count().saturating_sub(placeholders(text).count())
}

/// How every placeholder begins.
const OPENING: &str = "[REDACTED";

/// Refuses a new text that has a rule's own words for a secret of the file more often
/// than the old one: such words do not say which secret they stand for. Where the rule
/// has none at all, the secret itself must be there.
///
/// # Errors
/// `REDACTED_CONTENT`.
pub(crate) fn check_own_words(
    workspace: &Workspace,
    path: &WsPath,
    file: &str,
    (old, new): (&str, &str),
) -> Result<()> {
    if !workspace.has_own_words(path) {
        return Ok(());
    }
    // Of a text that is held back nothing was shown.
    let Ok(Part { secrets, .. }) = workspace.part(path, file, 0..file.len()) else { return Ok(()) };
    let spans = workspace.secrets(path, file);
    for (secret, span) in secrets.iter().zip(spans) {
        let mark: &str = &secret.mark;
        let lost = match mark {
            "" => {
                let hidden = file.get(span.start..span.end).unwrap_or_default();
                old.contains(hidden) && !new.contains(hidden)
            }
            mark if has_any(mark) => false,
            mark => new.matches(mark).count() > old.matches(mark).count(),
        };
        if lost {
            return Err(refused(path));
        }
    }
    Ok(())
}

/// Refuses edits that have a placeholder more often in their new texts than in their old ones:
/// the secret that it stands for would be there twice.
///
/// # Errors
/// `REDACTED_CONTENT`.
pub(crate) fn check_twice<'a>(
    path: &WsPath,
    edits: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<()> {
    let mut left: HashMap<(&str, u32), i64> = HashMap::new();
    for (old, new) in edits {
        for found in placeholders(old) {
            *left.entry((found.name, found.nth)).or_default() += 1;
        }
        for found in placeholders(new) {
            *left.entry((found.name, found.nth)).or_default() -= 1;
        }
    }
    if left.values().any(|left| *left < 0) { Err(refused(path)) } else { Ok(()) }
}

/// Tells whether a text holds the placeholder of a secret, or what is left of one.
pub(crate) fn may_have(text: &str) -> bool {
    has_any(text) || count_broken(text) > 0
}

/// Tells whether a text holds the placeholder of a secret.
pub(crate) fn has_any(text: &str) -> bool {
    placeholders(text).next().is_some()
}

/// The refusal of a text because of the placeholder in it.
pub(crate) fn refused(path: &WsPath) -> Error {
    Error::at(Code::RedactedContent, path).hint(
        "The placeholder stands for a secret that you were not shown. Keep it as it was shown, \
         once, in the same file and where the secret is still known as one; to write the whole \
         file, keep its line or send expected_version.",
    )
}
