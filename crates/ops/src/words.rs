//! The pieces that replies are composed of beside the text of files: names,
//! counts and kinds.

use std::fmt;

use garth_contract::{Entry, Kind, WsPath};
use garth_redact::{Clean, Plain, clean};
use garth_text::lines::{self, Cut};

/// A path of the workspace, on one line. A name is not content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'a>(pub(crate) &'a WsPath);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0, f)
    }
}

impl Plain for Shown<'_> {}

/// A word that this program made itself, such as a time or a mode.
#[derive(Clone, Debug)]
pub(crate) struct Ours(pub(crate) String);

impl fmt::Display for Ours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Plain for Ours {}

/// A number of things: `1 line`, `2 lines`, `12,345 lines`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted(pub(crate) u64, pub(crate) &'static str);

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, noun) = *self;
        let ending = match (count, noun.as_bytes()) {
            (1, _) => "",
            (_, [.., b'h' | b's']) => "es",
            _ => "s",
        };
        let noun = if count == 1 { noun } else { noun.strip_suffix('y').unwrap_or(noun) };
        let ending = if count != 1 && self.1.ends_with('y') { "ies" } else { ending };
        write!(f, "{} {noun}{ending}", Number(count))
    }
}

impl Plain for Counted {}

/// A number with its thousands apart: `12,345`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number(pub(crate) u64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

impl Plain for Number {}

/// A line that fits, and what says that it was cut; nothing where it was not.
pub(crate) fn cut(line: &Clean, characters: usize) -> (Clean, Clean) {
    let Cut { kept, missing } = lines::cut(line, characters);
    if missing == 0 {
        return (line.clone(), Clean::default());
    }
    let kept = line.slice(0..kept.len()).unwrap_or_default();
    (kept, clean!["… [", Counted(missing as u64, "character"), " more]"])
}

/// What kind of thing an entry is, in one word.
pub(crate) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "file",
        Kind::Dir => "dir",
        Kind::Symlink => "symlink",
        Kind::Fifo => "fifo",
        Kind::Socket => "socket",
        Kind::Device => "device",
    }
}

/// An entry as a line of a listing: `src/`, `a.txt`, `link [symlink]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a>(pub(crate) &'a Entry);

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Entry { path, kind, .. } = self.0;
        match kind {
            Kind::File => write!(f, "{path}"),
            Kind::Dir => write!(f, "{path}/"),
            Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
                write!(f, "{path} [{}]", kind_name(*kind))
            }
        }
    }
}

impl Plain for Row<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_as_a_person_writes_them() {
        for (count, noun, text) in [
            (0, "line", "0 lines"),
            (1, "line", "1 line"),
            (1, "entry", "1 entry"),
            (2, "entry", "2 entries"),
            (1, "match", "1 match"),
            (3, "match", "3 matches"),
            (2, "process", "2 processes"),
            (999, "byte", "999 bytes"),
            (1_000, "byte", "1,000 bytes"),
            (1_234_567, "byte", "1,234,567 bytes"),
        ] {
            assert_eq!(Counted(count, noun).to_string(), text);
        }
    }

    #[test]
    fn a_row_says_what_is_no_plain_file() {
        let row = |kind| {
            let path = WsPath::from_bytes(b"x\n[DIR] fake").unwrap();
            Row(&Entry { path, kind, size: 0, modified: None, mode: None }).to_string()
        };
        assert_eq!(row(Kind::File), r"x\x0a[DIR] fake");
        assert_eq!(row(Kind::Dir), r"x\x0a[DIR] fake/");
        assert_eq!(row(Kind::Fifo), r"x\x0a[DIR] fake [fifo]");
    }
}
