//! Lines of a file as they may be shown: each raw line has exactly one clean one.
//!
//! A secret is recognised by what stands around it, and may stretch over many
//! lines; so a window is redacted together with the text before and after it, and
//! then taken apart along the lines of the raw text. Line numbers stay true, and
//! a border of the window hides no secret.

use std::ops::Range;

use garth_contract::{Code, Error, Result, WsPath};
use garth_redact::{Blocked, Clean, Raw, Redaction, Stream};

use crate::{Workspace, pieces::Pieces};

/// How much text on either side of a window is looked at with it: the largest
/// key that anybody keeps in a file, several times over.
pub const AROUND: usize = 32 << 10;

/// Consecutive lines of a text, without their endings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// One for each line of the raw text.
    pub lines: Vec<Clean>,
    /// The names of the rules whose placeholders stand in them.
    pub redacted: Vec<String>,
}

impl Workspace {
    /// Redacts a text of the file at `path`, unless the path is excluded.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` where texts with secrets are held back and this is one.
    pub fn clean(&self, path: &WsPath, raw: Raw) -> Result<Clean> {
        self.redact(path, raw).map(|redaction| redaction.clean)
    }

    /// Tells whether secrets in texts of this file are replaced.
    #[must_use]
    pub fn redacts(&self, path: &WsPath) -> bool {
        self.redaction.is_on() && !self.redactor.excludes(&path.to_string())
    }

    /// What takes the secrets out of a text of the file at `path` that comes in pieces;
    /// `None` where they are not replaced.
    #[must_use]
    pub fn stream(&self, path: &WsPath) -> Option<Stream> {
        self.redacts(path).then(|| self.redactor.stream())
    }

    /// Why a text of the file at `path` is held back.
    #[must_use]
    pub fn held_back(&self, path: &WsPath, blocked: &Blocked) -> Error {
        held_back(path, blocked)
    }

    /// The lines of `text` whose bytes `window` covers, as they may be shown.
    ///
    /// The text is UTF-8. The window begins where a line begins and ends where one
    /// ends.
    ///
    /// # Errors
    /// As for [`clean`](Self::clean), and `UNSUPPORTED_ENCODING` for what is no text.
    pub fn lines(&self, path: &WsPath, text: &[u8], window: Range<usize>) -> Result<Shown> {
        let region = around(text, &window);
        let part = text.get(region.clone()).unwrap_or_default();
        let part = str::from_utf8(part).map_err(|_| Error::at(Code::UnsupportedEncoding, path))?;
        let window = window.start - region.start..window.end - region.start;
        let redacted = self.redactor.clean_file(&path.to_string(), Raw::from(part));
        let Redaction { clean, count, .. } = redacted.map_err(|Blocked { rule, line }| {
            let before = text.get(..region.start).unwrap_or_default();
            let lines = before.iter().filter(|byte| **byte == b'\n').count();
            held_back(path, &Blocked { rule, line: lines + line })
        })?;
        let spans = if count == 0 { Vec::new() } else { self.redactor.find(part) };
        let pieces = Pieces::align(part, &clean, &spans);
        let mut shown = Shown { lines: Vec::new(), redacted: Vec::new() };
        for line in line_ranges(part, window.clone()) {
            shown.lines.push(pieces.part(&clean, &line));
        }
        for span in spans.iter().filter(|span| span.start < window.end && span.end > window.start) {
            if !shown.redacted.iter().any(|name| name == span.rule) {
                shown.redacted.push(span.rule.to_owned());
            }
        }
        Ok(shown)
    }

    pub(crate) fn redact(&self, path: &WsPath, raw: Raw) -> Result<Redaction> {
        self.redactor
            .clean_file(&path.to_string(), raw)
            .map_err(|blocked| held_back(path, &blocked))
    }
}

fn held_back(path: &WsPath, blocked: &Blocked) -> Error {
    let Blocked { rule, line } = blocked;
    let message = format!("{path} is held back: it holds a secret ({rule} on line {line})");
    Error::new(Code::PermissionDenied, message)
        .hint("The workspace's operator decided that such files are not shown.")
}

/// The window and what stands around it, as far as that is looked at, in whole lines.
#[must_use]
pub fn around(bytes: &[u8], window: &Range<usize>) -> Range<usize> {
    let before = bytes.get(..window.start.saturating_sub(AROUND)).unwrap_or_default();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let far = window.end.saturating_add(AROUND).min(bytes.len());
    let after = bytes.get(far..).unwrap_or_default();
    let end = after.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| far + at + 1);
    start..end
}

/// The ranges of the lines of a window, without their endings.
fn line_ranges(text: &str, window: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = window.start;
    let lines = text.get(window).unwrap_or_default().split_inclusive('\n');
    lines.map(move |line| {
        let from = start;
        start += line.len();
        let shown = line.strip_suffix('\n').unwrap_or(line);
        let shown = shown.strip_suffix('\r').filter(|_| line.ends_with('\n')).unwrap_or(shown);
        from..from + shown.len()
    })
}

#[cfg(test)]
mod tests;
