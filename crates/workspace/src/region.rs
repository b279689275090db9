//! Bytes that a command printed, redacted together and taken apart again.
//!
//! What is shown is a part of what is looked at: a secret is recognised by what
//! stands around it, so the bytes on either side of what is shown are redacted
//! with it and left out after.

use std::ops::Range;

use garth_contract::MOST_COMMAND_SHOWN;
use garth_redact::{Blocked, Clean, Raw, clean};

use crate::{Workspace, pieces::Pieces};

/// A text of several segments, redacted as one.
pub(crate) struct Region {
    clean: Clean,
    pieces: Pieces,
    ranges: Vec<Range<usize>>,
}

/// What becomes of a character whose end is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// It is shown as U+FFFD: nothing more comes.
    Show,
    /// It is held back: its end may come.
    Hold,
}

impl Region {
    /// Redacts segments that follow each other.
    ///
    /// Bytes that are no text become U+FFFD; a character that two segments share
    /// belongs to the second.
    pub(crate) fn new(
        workspace: &Workspace,
        segments: &[&[u8]],
        rest: Rest,
    ) -> Result<Self, Blocked> {
        let (text, ranges) = joined(segments, rest);
        let spans = workspace.redactor.find(&text);
        let clean = workspace.redactor.clean(Raw::from(text.as_str()))?.clean;
        let pieces = Pieces::align(&text, &clean, &spans);
        Ok(Self { clean, pieces, ranges })
    }

    /// One of the segments, as it may be shown.
    pub(crate) fn segment(&self, index: usize) -> Clean {
        match self.ranges.get(index) {
            Some(range) if !range.is_empty() => self.pieces.part(&self.clean, range),
            Some(_) | None => Clean::default(),
        }
    }
}

impl Workspace {
    /// A command as a list shows it: redacted, on one line.
    ///
    /// A list shortens its commands; the last word of one that it shortened may be
    /// half a secret, and is left out.
    #[must_use]
    pub fn clean_command(&self, command: &str) -> Clean {
        let whole = command.chars().count() < MOST_COMMAND_SHOWN;
        let cut = if whole { None } else { command.rfind(char::is_whitespace) };
        let shown = match (whole, cut) {
            (true, _) => command,
            (false, at) => command.get(..at.unwrap_or(0)).unwrap_or_default(),
        };
        let Ok(region) = Region::new(self, &[shown.as_bytes()], Rest::Show) else {
            return held_back();
        };
        let text = region.segment(0);
        let mut start = 0;
        let mut lines = Vec::new();
        for line in text.split(char::is_control) {
            let from = start + line.len() - line.trim_start().len();
            let shown = from..from + line.trim().len();
            lines.extend(text.slice(shown).filter(|line| !line.is_empty()));
            start += line.len() + 1;
        }
        let mut line = Clean::join(&lines, " ");
        if !whole {
            line = clean![line, "…"];
        }
        line
    }
}

/// What stands for a text that is held back because of a secret in it.
pub(crate) fn held_back() -> Clean {
    Clean::fixed("[held back: it holds a secret]")
}

/// The segments as one text, and where each stands in it.
fn joined(segments: &[&[u8]], rest: Rest) -> (String, Vec<Range<usize>>) {
    let mut text = String::new();
    let mut ranges = Vec::with_capacity(segments.len());
    let mut carried: Vec<u8> = Vec::new();
    for segment in segments {
        let start = text.len();
        carried.extend_from_slice(segment);
        let whole = carried.len() - unfinished(&carried);
        let partial = carried.split_off(whole);
        text.push_str(&String::from_utf8_lossy(&carried));
        carried = partial;
        ranges.push(start..text.len());
    }
    if rest == Rest::Show && !carried.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
        if let Some(last) = ranges.last_mut() {
            last.end = text.len();
        }
    }
    (text, ranges)
}

/// How many bytes at the end begin a character that does not end there.
fn unfinished(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let Some(byte) = bytes.get(bytes.len() - back) else { return 0 };
        let width = match byte {
            0x80..0xc0 => continue,
            0xc2..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf5 => 4,
            0x00..0x80 | 0xc0..0xc2 | 0xf5.. => 1,
        };
        return if width > back { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_two_segments_share_belongs_to_the_second() {
        let (text, ranges) = joined(&[b"a\xe4\xb8", b"\x96b", b"\xc3"], Rest::Show);
        assert_eq!(text, "a世b\u{fffd}");
        assert_eq!(ranges, [0..1, 1..5, 5..8]);
    }

    #[test]
    fn an_unfinished_character_at_the_end_can_be_held_back() {
        assert_eq!(joined(&[b"a\xf0\x9f\x98"], Rest::Hold).0, "a");
        assert_eq!(joined(&[b"a\xf0\x9f\x98"], Rest::Show).0, "a\u{fffd}");
    }

    #[test]
    fn a_command_is_shown_on_one_line_and_without_secrets() {
        let workspace = crate::fixture::workspace();
        let shown = |text: &str| workspace.clean_command(text).into_string();
        assert_eq!(shown("make  a;\n\n\t  test \u{1b}[1m"), "make  a; test [1m");
        let secret = "ghp_1234567890abcdefghijklmnopqrstuvwxyz";
        assert!(shown(&format!("TOKEN={secret} make")).starts_with("TOKEN=[REDACTED: "));
        let long = format!("{} {}", "x".repeat(180), &secret[..19]);
        assert_eq!(long.len(), MOST_COMMAND_SHOWN);
        assert_eq!(shown(&long), format!("{}…", "x".repeat(180)));
        assert_eq!(shown(&"x".repeat(MOST_COMMAND_SHOWN)), "…");
    }

    #[test]
    fn bytes_that_are_no_text_are_not_carried_along() {
        for bytes in [&b"\xff"[..], b"\xc0", b"a\x80\x80\x80\x80", b"\xf5\x80", b"\xe4\xb8\x96"] {
            assert_eq!(unfinished(bytes), 0, "{bytes:?}");
        }
        assert_eq!(unfinished(b"x\xe4\xb8"), 2);
    }
}
