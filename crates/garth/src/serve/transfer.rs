//! A file on its way, as bytes: what comes along with a call, and what it answers.

use bytes::Bytes;
use garth_ops::worktree::transfer::{Download, Held};

use super::{
    answer::Coming,
    memory::{Memory, Taken},
    outflow::Outflow,
};

/// What is to be done with a file.
pub(crate) enum Transfer {
    /// It is sent, or a part of it.
    Down {
        /// Where the memory for it is from.
        memory: Memory,
        /// The part.
        wanted: Option<Wanted>,
    },
    /// It takes the place of what is there.
    Up {
        /// Its bytes, as they come.
        coming: Coming,
        /// How many of them the caller paid for when the call was admitted.
        paid: u64,
        /// What must hold of what is there.
        held: Held,
        /// Where the memory for it is from.
        memory: Memory,
    },
    /// It is removed.
    Away {
        /// What must hold of it.
        held: Held,
    },
}

/// A file to be sent.
pub(crate) struct Sent {
    pub(crate) file: Download,
    pub(crate) body: Leaving,
    /// How many bytes are to be sent.
    pub(crate) count: u64,
}

/// The bytes of a file to be sent.
pub(crate) enum Leaving {
    /// All of them, and what they take in memory until they are sent.
    Whole(Bytes, Taken),
    /// As they are read.
    Pieces(Box<Outflow>),
}

/// A part of a file, as a client asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// From a byte on, up to another one and with it.
    From(u64, Option<u64>),
    /// So many bytes at the end.
    Last(u64),
}

impl Wanted {
    /// Reads a header `Range`; `None` for one that is to be passed over: several parts,
    /// other units, nonsense.
    pub(crate) fn read(header: &str) -> Option<Self> {
        let (unit, range) = header.split_once('=')?;
        let (first, last) = range.trim().split_once('-')?;
        if !unit.trim().eq_ignore_ascii_case("bytes") {
            return None;
        }
        let number = |text: &str| -> Option<u64> {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse().unwrap_or(u64::MAX))
        };
        match (first, last) {
            ("", last) => number(last).map(Self::Last),
            (first, "") => Some(Self::From(number(first)?, None)),
            (first, last) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then_some(Self::From(first, Some(last)))
            }
        }
    }

    /// Where it begins and how long it is in a file of this size; `None` outside it.
    pub(crate) fn within(self, size: u64) -> Option<(u64, u64)> {
        let (start, end) = match self {
            Self::From(start, last) => {
                (start, last.map_or(size, |last| last.saturating_add(1).min(size)))
            }
            Self::Last(count) => (size.saturating_sub(count), size),
        };
        (start < end).then(|| (start, end - start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_are_written() {
        for (header, wanted) in [
            ("bytes=0-", Some(Wanted::From(0, None))),
            ("bytes=2-4", Some(Wanted::From(2, Some(4)))),
            ("Bytes=-5", Some(Wanted::Last(5))),
            ("bytes=99999999999999999999-", Some(Wanted::From(u64::MAX, None))),
            ("bytes=4-2", None),
            ("bytes=0-1,3-4", None),
            ("bytes=-", None),
            ("bytes=a-b", None),
            ("lines=0-1", None),
            ("bytes", None),
            ("bytes=+1-2", None),
        ] {
            assert_eq!(Wanted::read(header), wanted, "{header}");
        }
    }

    #[test]
    fn a_part_is_cut_at_the_end_and_not_found_behind_it() {
        assert_eq!(Wanted::From(2, None).within(10), Some((2, 8)));
        assert_eq!(Wanted::From(2, Some(4)).within(10), Some((2, 3)));
        assert_eq!(Wanted::From(2, Some(u64::MAX)).within(10), Some((2, 8)));
        assert_eq!(Wanted::From(10, None).within(10), None);
        assert_eq!(Wanted::Last(3).within(10), Some((7, 3)));
        assert_eq!(Wanted::Last(30).within(10), Some((0, 10)));
        assert_eq!(Wanted::Last(0).within(10), None);
        assert_eq!(Wanted::Last(5).within(0), None);
    }
}
