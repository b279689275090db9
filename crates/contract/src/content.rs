//! What goes into and comes out of a backend's calls.

use std::time::SystemTime;

use bytes::Bytes;

use crate::{Kind, Version};

/// Which part of a file is read. Every read has a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// The whole file; one of more than `at_most` bytes is `FILE_TOO_LARGE`.
    Whole {
        /// The largest file that is read.
        at_most: u64,
    },
    /// The bytes from `offset`, at most `length` of them; past the end: none.
    Bytes {
        /// The first byte wanted, from 0.
        offset: u64,
        /// How many bytes are wanted at most.
        length: u64,
    },
    /// `take` whole lines after `skip` lines, cut at `at_most` bytes.
    Lines {
        /// How many lines are passed over.
        skip: u64,
        /// How many lines are wanted at most.
        take: u64,
        /// The most bytes that come back.
        at_most: u64,
    },
    /// The last `take` lines, the last `at_most` bytes of them.
    LastLines {
        /// How many lines are wanted at most.
        take: u64,
        /// The most bytes that come back.
        at_most: u64,
    },
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The bytes of the span that the file has.
    pub bytes: Bytes,
    /// Where in the file the first of them stands.
    pub offset: u64,
    /// The size of the whole file at the time.
    pub size: u64,
    /// The version, where the backend has it at hand; [`Content::version`] has it
    /// whenever the whole file was read.
    pub known: Option<Version>,
    /// How many lines the file has, where the read came to know it.
    pub lines: Option<u64>,
    /// When the content last changed, where the backend knows.
    pub modified: Option<SystemTime>,
    /// The permission bits, where the backend keeps them.
    pub mode: Option<u32>,
}

impl Content {
    /// The version, when the span turned out to be the whole file.
    ///
    /// A backend that would have to compute it leaves that to who asks.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        let whole = self.offset == 0 && self.bytes.len() as u64 == self.size;
        self.known.or_else(|| whole.then(|| Version::of(&self.bytes)))
    }

    /// Tells whether bytes of the file follow those that were read.
    #[must_use]
    pub fn more_follows(&self) -> bool {
        self.offset + (self.bytes.len() as u64) < self.size
    }
}

/// What is known of a file whose bytes were read into a buffer of the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// How many bytes came to the buffer.
    pub length: u64,
    /// The size of the whole file at the time.
    pub size: u64,
    /// When the content last changed, where the backend knows.
    pub modified: Option<SystemTime>,
    /// Its permission bits (`0o7777`), where the backend keeps them.
    pub mode: Option<u32>,
}

/// What must hold of a file at the instant it is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Nothing: the file is created or replaced.
    Any,
    /// There is nothing at the path; else `FILE_EXISTS`.
    Absent,
    /// The file is there with this version; else `CONFLICT`.
    Unchanged(Version),
    /// The file is there and holds these bytes; else `CONFLICT`.
    ///
    /// It says what `Unchanged` with their version says. Who has read the file whole
    /// need not compute that version, nor need a backend that can compare.
    Holding(Bytes),
}

impl Guard {
    /// The version that the file must have, if it must have one.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        match self {
            Self::Any | Self::Absent => None,
            Self::Unchanged(version) => Some(*version),
            Self::Holding(bytes) => Some(Version::of(bytes)),
        }
    }
}

/// Whether missing parent directories are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parents {
    /// Makes them.
    Create,
    /// Answers `PARENT_NOT_FOUND`.
    Require,
}

/// How a file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put {
    /// What must hold at the instant of the write.
    pub guard: Guard,
    /// Whether missing parents are made.
    pub parents: Parents,
    /// Permission bits to set; `None` keeps those of the file, or the default.
    pub mode: Option<u32>,
}

/// What a write did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The version of the file now.
    pub version: Version,
    /// Whether the file is new.
    pub created: bool,
    /// When it was written, where the backend knows.
    pub modified: Option<SystemTime>,
}

/// What making a directory did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// The directory is new.
    Created,
    /// It was there before.
    Existed,
}

/// How far a removal goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// One entry; a directory must be empty.
    One,
    /// The entry and everything below it.
    All,
}

/// What a removal did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed {
    /// What stood at the path.
    pub kind: Kind,
    /// How many entries are gone, itself included.
    pub count: u64,
}

/// What happens to something that stands at the destination of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clobber {
    /// It stays: `DESTINATION_EXISTS`.
    Refuse,
    /// A file is replaced by a file, an empty directory by a directory.
    Replace,
}

/// How something is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// What happens to something at the destination.
    pub clobber: Clobber,
    /// Whether missing parents of the destination are made.
    pub parents: Parents,
}

/// What a move did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// What moved.
    pub kind: Kind,
    /// Whether something at the destination was replaced.
    pub replaced: bool,
}

/// Which part of a listing is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many entries are passed over.
    pub skip: u64,
    /// How many entries are wanted at most.
    pub take: u64,
}
