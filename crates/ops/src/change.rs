//! What changed in a file, as a unified diff that may be shown.
//!
//! The difference is computed on the raw texts, so that a secret which became
//! another is a change; its lines are then shown as each text may be shown.

use garth_contract::{Result, WsPath};
use garth_redact::{Clean, CleanWriter, clean};
use garth_text::diff::{Diff, Hunk, Span, Tag, diff};
use garth_workspace::{Shown, Workspace};

use crate::words::{Counted, Ours, cut};

/// A text and where it is from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    /// The name in the header.
    pub(crate) name: &'a str,
    /// Whose rules of redaction hold.
    pub(crate) path: &'a WsPath,
    /// In UTF-8.
    pub(crate) text: &'a [u8],
}

/// The difference of two texts.
#[derive(Debug)]
pub(crate) struct Change {
    /// The unified diff; empty where the texts are equal.
    pub(crate) diff: Clean,
    pub(crate) added: u64,
    pub(crate) removed: u64,
    /// How many lines of the diff were left out at its end.
    pub(crate) missing: u64,
    /// The names of the rules whose placeholders stand in it.
    pub(crate) redacted: Vec<String>,
}

impl Change {
    /// Compares two texts; at most `limit` lines of the difference are written.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` where texts with secrets are held back.
    pub(crate) fn between(
        workspace: &Workspace,
        old: Side<'_>,
        new: Side<'_>,
        limit: usize,
    ) -> Result<Self> {
        Self::of(workspace, (old, new), &diff(old.text, new.text), limit)
    }

    /// Writes a difference that was found before.
    ///
    /// # Errors
    /// As for [`between`](Self::between).
    pub(crate) fn of(
        workspace: &Workspace,
        (old, new): (Side<'_>, Side<'_>),
        found: &Diff<'_>,
        limit: usize,
    ) -> Result<Self> {
        let mut page = Page {
            text: CleanWriter::new(),
            left: limit,
            missing: 0,
            line_chars: workspace.limits().line_chars,
        };
        let mut redacted = Vec::new();
        if !found.hunks.is_empty() {
            page.line(&clean!["--- ", Ours(old.name.to_owned())]);
            page.line(&clean!["+++ ", Ours(new.name.to_owned())]);
        }
        for hunk in &found.hunks {
            if page.left == 0 {
                page.missing += hunk.lines.len() as u64 + 1;
                continue;
            }
            let before = shown(workspace, old, hunk.old)?;
            let after = shown(workspace, new, hunk.new)?;
            page.hunk(hunk, &before, &after);
            for name in before.redacted.into_iter().chain(after.redacted) {
                if !redacted.contains(&name) {
                    redacted.push(name);
                }
            }
        }
        let (added, removed) = (found.added as u64, found.removed as u64);
        Ok(Self { diff: page.text.finish(), added, removed, missing: page.missing, redacted })
    }

    /// No difference.
    pub(crate) fn none() -> Self {
        Self { diff: Clean::default(), added: 0, removed: 0, missing: 0, redacted: Vec::new() }
    }

    /// The number of lines that are not what they were.
    pub(crate) fn lines_changed(&self) -> u64 {
        self.added.max(self.removed)
    }

    /// Writes the diff below what stands in the text, with a word when it was cut.
    pub(crate) fn write(&self, text: &mut CleanWriter) {
        if !self.diff.is_empty() {
            text.put("\n").put(&self.diff);
        }
        if self.missing > 0 {
            text.put("\n[").put(Counted(self.missing, "line")).put(" of the diff left out]");
        }
    }
}

fn shown(workspace: &Workspace, side: Side<'_>, span: Span) -> Result<Shown> {
    workspace.lines(side.path, side.text, span.start..span.end)
}

/// Lines of a diff, as many as fit.
struct Page {
    text: CleanWriter,
    left: usize,
    missing: u64,
    line_chars: usize,
}

impl Page {
    fn hunk(&mut self, hunk: &Hunk<'_>, before: &Shown, after: &Shown) {
        self.line(&clean!["@@ -", range(hunk.old), " +", range(hunk.new), " @@"]);
        let (mut before, mut after) = (before.lines.iter(), after.lines.iter());
        for line in &hunk.lines {
            let (sign, shown) = match line.tag {
                Tag::Context => {
                    before.next();
                    (" ", after.next())
                }
                Tag::Removed => ("-", before.next()),
                Tag::Added => ("+", after.next()),
            };
            let Some(shown) = shown else { continue };
            let (shown, cut) = cut(shown, self.line_chars);
            // A return before the feed is part of the line here: it may be the change.
            let ending = if line.text.ends_with(b"\r\n") { "\r" } else { "" };
            self.line(&clean![sign, &shown, &cut, ending]);
            if !line.text.ends_with(b"\n") {
                self.line(&Clean::fixed("\\ No newline at end of file"));
            }
        }
    }

    fn line(&mut self, line: &Clean) {
        if self.left == 0 {
            self.missing += 1;
            return;
        }
        self.left -= 1;
        if !self.text.is_empty() {
            self.text.put("\n");
        }
        self.text.put(line);
    }
}

/// No lines are counted from the line before them, one line needs no count.
fn range(span: Span) -> Clean {
    match span.count {
        0 => clean![span.first.saturating_sub(1), ",0"],
        1 => clean![span.first],
        count => clean![span.first, ",", count],
    }
}
