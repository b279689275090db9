//! Where results of a query are pushed, one at a time and in order.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use crate::{Entry, Kind, WsPath};

/// Takes results as they are found.
///
/// Results come one at a time, in the query's order, from whatever thread found
/// them. A sink that blocks holds the search back; it never makes it buffer.
pub trait Sink: Send + Sync {
    /// Takes one result and says whether more are wanted.
    fn accept(&self, found: Found<'_>) -> Flow;
}

/// Whether a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// More results are wanted.
    Continue,
    /// The search ends now.
    Stop,
}

/// One result.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// An entry whose path matches (a query without `grep`, `Facts::All`).
    Entry(&'a Entry),
    /// The path and kind of one (a query without `grep`, `Facts::Names`).
    Name(&'a WsPath, Kind),
    /// A line that matches or surrounds a match (`Output::Content`).
    Line(Line<'a>),
    /// A file that has a match (`Output::Files`).
    File(&'a WsPath),
    /// A file and its number of matching lines (`Output::Count`).
    Count(&'a WsPath, u64),
}

/// One line of a file; for a match over several lines, all of them.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The file.
    pub path: &'a WsPath,
    /// The number of the (first) line, from 1.
    pub number: u64,
    /// Whether it matches or surrounds a match.
    pub kind: LineKind,
    /// The bytes, without the final line ending.
    pub text: &'a [u8],
    /// Where in `text` the matches stand.
    pub spans: &'a [Range<usize>],
}

/// Why a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// It matches.
    Match,
    /// It stands before or after one that does.
    Context,
}

/// What a search did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many results were pushed; context lines do not count.
    pub given: u64,
    /// How many results there are.
    pub total: Total,
    /// How many files were searched.
    pub searched: u64,
    /// How many files were passed over as binary.
    pub binary: u64,
    /// How many entries could not be read.
    pub unreadable: u64,
}

/// How many results there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// Exactly so many: the whole tree was looked at.
    Exact(u64),
    /// So many and possibly more: the search ended early.
    AtLeast(u64),
}

/// A result that stands by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owned {
    /// See [`Found::Entry`].
    Entry(Entry),
    /// See [`Found::Name`].
    Name(WsPath, Kind),
    /// See [`Found::Line`].
    Line(OwnedLine),
    /// See [`Found::File`].
    File(WsPath),
    /// See [`Found::Count`].
    Count(WsPath, u64),
}

/// A [`Line`] that stands by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedLine {
    /// The file.
    pub path: WsPath,
    /// The number of the (first) line, from 1.
    pub number: u64,
    /// Whether it matches or surrounds a match.
    pub kind: LineKind,
    /// The bytes, without the final line ending.
    pub text: Vec<u8>,
    /// Where in `text` the matches stand.
    pub spans: Vec<Range<usize>>,
}

impl From<Found<'_>> for Owned {
    fn from(found: Found<'_>) -> Self {
        match found {
            Found::Entry(entry) => Self::Entry(entry.clone()),
            Found::Name(path, kind) => Self::Name(path.clone(), kind),
            Found::File(path) => Self::File(path.clone()),
            Found::Count(path, count) => Self::Count(path.clone(), count),
            Found::Line(line) => Self::Line(OwnedLine {
                path: line.path.clone(),
                number: line.number,
                kind: line.kind,
                text: line.text.to_vec(),
                spans: line.spans.to_vec(),
            }),
        }
    }
}

/// A sink that keeps everything; the query's `take` is its bound.
#[derive(Debug, Default)]
pub struct Collect(Mutex<Vec<Owned>>);

impl Collect {
    /// Takes out what has been found so far.
    #[must_use]
    pub fn take(&self) -> Vec<Owned> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sink for Collect {
    fn accept(&self, found: Found<'_>) -> Flow {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(found.into());
        Flow::Continue
    }
}
