//! A difference as hunks, each a list of lines that may be shown.

use garth_contract::Result;
use garth_redact::{Clean, clean};
use garth_text::diff::{self, Diff, Tag};
use garth_workspace::{Shown, Workspace};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{change::Side, words::cut as cut_line};

/// A changed region with the unchanged lines around it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct Hunk {
    /// The number of its first line in the old text, from 1.
    old_start: u64,
    /// How many lines of the old text it covers.
    old_lines: u64,
    /// The number of its first line in the new text, from 1.
    new_start: u64,
    /// How many lines of the new text it covers.
    new_lines: u64,
    /// The lines, in reading order.
    lines: Vec<Line>,
}

/// One line of a hunk.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Line {
    /// In which text it stands: context in both, removed in the old, added in the new.
    kind: &'static str,
    /// The line, without its line feed, secrets as placeholders.
    #[schemars(with = "String")]
    text: Clean,
    /// Whether the text ends here without a line feed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    no_newline: bool,
}

/// As many hunks as fit.
pub(super) struct Cut {
    pub(super) hunks: Vec<Hunk>,
    /// How many lines were left out.
    pub(super) missing: u64,
    /// The names of the rules whose placeholders stand in them.
    pub(super) redacted: Vec<String>,
}

/// Writes a difference; at most `limit` lines of it.
///
/// # Errors
/// `PERMISSION_DENIED` where texts with secrets are held back.
pub(super) fn cut(
    workspace: &Workspace,
    (old, new): (Side<'_>, Side<'_>),
    found: &Diff<'_>,
    limit: usize,
) -> Result<Cut> {
    let mut out = Cut { hunks: Vec::new(), missing: 0, redacted: Vec::new() };
    let mut left = limit;
    for hunk in &found.hunks {
        if left == 0 {
            out.missing += hunk.lines.len() as u64;
            continue;
        }
        let before = workspace.lines(old.path, old.text, hunk.old.start..hunk.old.end)?;
        let after = workspace.lines(new.path, new.text, hunk.new.start..hunk.new.end)?;
        let mut lines = lines(workspace, hunk, (&before, &after));
        out.missing += lines.len().saturating_sub(left) as u64;
        lines.truncate(left);
        left -= lines.len();
        out.hunks.push(Hunk {
            old_start: hunk.old.first as u64,
            old_lines: hunk.old.count as u64,
            new_start: hunk.new.first as u64,
            new_lines: hunk.new.count as u64,
            lines,
        });
        for name in before.redacted.into_iter().chain(after.redacted) {
            if !out.redacted.contains(&name) {
                out.redacted.push(name);
            }
        }
    }
    Ok(out)
}

fn lines(
    workspace: &Workspace,
    hunk: &diff::Hunk<'_>,
    (before, after): (&Shown, &Shown),
) -> Vec<Line> {
    let (mut before, mut after) = (before.lines.iter(), after.lines.iter());
    let mut lines = Vec::with_capacity(hunk.lines.len());
    for line in &hunk.lines {
        let (kind, text) = match line.tag {
            Tag::Context => {
                before.next();
                ("context", after.next())
            }
            Tag::Removed => ("removed", before.next()),
            Tag::Added => ("added", after.next()),
        };
        let Some(text) = text else { continue };
        let (text, cut) = cut_line(text, workspace.limits().line_chars);
        // A return before the feed is part of the line here: it may be the change.
        let ending = if line.text.ends_with(b"\r\n") { "\r" } else { "" };
        let text = clean![&text, &cut, ending];
        lines.push(Line { kind, text, no_newline: !line.text.ends_with(b"\n") });
    }
    lines
}
