//! Results of a stretch of a walk, in order and in few allocations.

use std::ops::Range;

use garth_contract::{Entry, Kind, LineKind, WsPath};

/// Results of some entries in a row.
#[derive(Debug, Default)]
pub struct Hits {
    pub(crate) items: Vec<Item>,
    pub(crate) names: Vec<Name>,
    /// The paths of `names`, one after another.
    pub(crate) paths: Vec<u8>,
    pub(crate) lines: Vec<Row>,
    pub(crate) text: Vec<u8>,
    pub(crate) spans: Vec<Range<usize>>,
}

#[derive(Debug)]
pub(crate) enum Item {
    Entry(Entry),
    /// The next so many names: there may be a great many.
    Names(usize),
    File(WsPath),
    Count(WsPath, u64),
    /// The next so many lines are of this file.
    Lines {
        path: WsPath,
        count: usize,
        /// Whether they are the file's last.
        end: bool,
    },
}

/// An entry of which no more is told; its path stands in [`Hits`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    /// Where its path ends in `Hits::paths`; it starts where the one before ends.
    pub(crate) path_end: usize,
    pub(crate) kind: Kind,
}

/// One line; its text and spans stand in [`Hits`].
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) number: u64,
    pub(crate) kind: RowKind,
    /// Where its text ends in `Hits::text`; it starts where the one before ends.
    pub(crate) text_end: usize,
    pub(crate) spans_end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    Match,
    Before,
    After,
}

impl RowKind {
    pub(crate) fn shown(self) -> LineKind {
        match self {
            Self::Match => LineKind::Match,
            Self::Before | Self::After => LineKind::Context,
        }
    }
}

/// How much of [`Hits`] there was at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    items: usize,
    lines: usize,
    text: usize,
    spans: usize,
}

impl Hits {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: Entry) {
        self.items.push(Item::Entry(entry));
    }

    /// Adds the path and kind of an entry; what is no path is passed over when it is handed on.
    pub fn push_name(&mut self, path: &[u8], kind: Kind) {
        self.paths.extend_from_slice(path);
        self.names.push(Name { path_end: self.paths.len(), kind });
        match self.items.last_mut() {
            Some(Item::Names(count)) => *count += 1,
            _ => self.items.push(Item::Names(1)),
        }
    }

    /// Tells whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Forgets everything and keeps the room.
    pub fn clear(&mut self) {
        self.items.clear();
        self.names.clear();
        self.paths.clear();
        self.lines.clear();
        self.text.clear();
        self.spans.clear();
    }

    /// About how much memory the results take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.items.len() * size_of::<Item>()
            + self.names.len() * size_of::<Name>()
            + self.paths.len()
            + self.lines.len() * size_of::<Row>()
            + self.spans.len() * size_of::<Range<usize>>()
            + self.text.len()
    }

    pub(crate) fn mark(&self) -> Mark {
        let (items, lines) = (self.items.len(), self.lines.len());
        Mark { items, lines, text: self.text.len(), spans: self.spans.len() }
    }

    /// Goes back to an earlier state. A search, which alone does this, adds no names.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.items.truncate(mark.items);
        self.lines.truncate(mark.lines);
        self.text.truncate(mark.text);
        self.spans.truncate(mark.spans);
    }

    /// Ends a line whose text and spans have been added.
    pub(crate) fn close_row(&mut self, number: u64, kind: RowKind) {
        let (text_end, spans_end) = (self.text.len(), self.spans.len());
        self.lines.push(Row { number, kind, text_end, spans_end });
    }
}
