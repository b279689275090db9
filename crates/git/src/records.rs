//! What git prints between NUL bytes.

use garth_contract::WsPath;

use crate::{Failed, Result};

/// Records that end with NUL, one after the other.
pub(crate) struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    pub(crate) fn new(printed: &'a [u8]) -> Self {
        Self { rest: printed }
    }

    /// The next record; `None` where no whole one is left.
    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, self.rest)?;
        let (record, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.get(1..).unwrap_or_default();
        Some(record)
    }

    /// The next one, without taking it.
    pub(crate) fn peek(&self) -> Option<&'a [u8]> {
        Self { rest: self.rest }.next()
    }

    /// What was not taken.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

/// Cuts off what stands before a space; `None` where there is none.
pub(crate) fn word<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let at = memchr::memchr(b' ', rest)?;
    let (word, after) = rest.split_at_checked(at)?;
    *rest = after.get(1..)?;
    Some(word)
}

/// A number, as git prints it.
pub(crate) fn number(bytes: &[u8]) -> Option<u64> {
    let digits = !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    if !digits {
        return None;
    }
    str::from_utf8(bytes).ok()?.parse().ok()
}

/// A path of the repository, which is at `top` in the workspace; a directory's slash at the
/// end says that it is one.
pub(crate) fn path(bytes: &[u8], top: &WsPath) -> Result<WsPath> {
    let bytes = bytes.strip_suffix(b"/").unwrap_or(bytes);
    let path = WsPath::from_bytes(bytes).map_err(|_| Failed::unread())?;
    Ok(path.under(top)?)
}

/// How a path differs between two trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It was not there.
    Added,
    /// Its content or mode is another.
    Modified,
    /// It is gone.
    Deleted,
    /// It had another name.
    Renamed,
    /// It was made of another.
    Copied,
    /// It is another type of thing: a link, a file, a submodule.
    TypeChanged,
    /// It is in conflict.
    Unmerged,
}

impl Kind {
    /// By the letter that git has for it.
    pub(crate) fn of(letter: u8) -> Option<Self> {
        Some(match letter {
            b'A' => Self::Added,
            b'M' => Self::Modified,
            b'D' => Self::Deleted,
            b'R' => Self::Renamed,
            b'C' => Self::Copied,
            b'T' => Self::TypeChanged,
            b'U' => Self::Unmerged,
            _ => return None,
        })
    }

    /// In one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
            Self::TypeChanged => "type_changed",
            Self::Unmerged => "conflicted",
        }
    }
}
