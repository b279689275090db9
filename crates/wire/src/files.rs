//! The words about files, as they stand in a message.

use garth_contract::{
    Abilities, Case, Change, Clobber, Content, Depth, Event, Facts, Glob, Grep, Guard, Hidden,
    Ignored, Kind, Kinds, Landed, LineKind, Lines, Links, Made, Move, Order, Output, Page, Parents,
    Part, Put, Query, Reach, Removed, Renamed, Span, Stamp, Summary, Syntax, Total, Version,
    WatchSpec, Written, WsPath,
};

use crate::{
    Fault,
    codec::{BAD_VALUE, In, Out, UNKNOWN, Wire, choices, fields},
};

choices! {
    Kind { File = 0, Dir = 1, Symlink = 2, Fifo = 3, Socket = 4, Device = 5 }
    Links { Keep = 0, Follow = 1 }
    Parents { Create = 0, Require = 1 }
    Depth { One = 0, All = 1 }
    Clobber { Refuse = 0, Replace = 1 }
    Made { Created = 0, Existed = 1 }
    Reach { Entries = 0, Tree = 1 }
    Kinds { Files = 0, Dirs = 1, All = 2 }
    Hidden { Skip = 0, Include = 1 }
    Ignored { Skip = 0, IncludeNoGit = 1, Include = 2 }
    Facts { Names = 0, All = 1 }
    Order { Path = 0, Newest = 1 }
    Syntax { Regex = 0, Word = 1, Fixed = 2 }
    Case { Sensitive = 0, Insensitive = 1, Smart = 2 }
    Lines { Single = 0, Multi = 1 }
    Output { Content = 0, Files = 1, Count = 2 }
    LineKind { Match = 0, Context = 1 }
    Change { Created = 0, Modified = 1, Deleted = 2 }
}

fields! {
    Page { skip, take }
    Put { guard, parents, mode }
    Move { clobber, parents }
    Removed { kind, count }
    Renamed { kind, replaced }
    Written { version, created, modified }
    Content { bytes, offset, size, known, lines, modified, mode }
    Grep { pattern, syntax, case, lines, output, before, after }
    Query {
        base, reach, include, exclude, kinds, hidden, ignored, grep, facts, order, skip, take,
        after,
    }
    WatchSpec { path, reach, hidden, ignored }
    Summary { given, total, searched, binary, unreadable }
    Abilities {
        write, rename, empty_dirs, symlinks, special_files, modes, any_names, watch, find, trees,
        durable,
    }
    Stamp { mode, modified }
    Landed { replaced }
}

impl Wire for WsPath {
    fn put(&self, out: &mut Out) {
        out.bytes(self.as_bytes());
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Self::from_bytes(&from.bytes()?).map_err(|_| BAD_VALUE)
    }
}

impl Wire for Version {
    fn put(&self, out: &mut Out) {
        out.exactly(self.hash());
        out.number(self.length());
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(Self::from_parts(from.exactly()?, from.number()?))
    }
}

impl Wire for Part {
    fn put(&self, out: &mut Out) {
        match self {
            Self::Dir { path, stamp } => {
                out.byte(0);
                path.put(out);
                stamp.put(out);
            }
            Self::File { path, stamp } => {
                out.byte(1);
                path.put(out);
                stamp.put(out);
            }
            Self::Bytes(bytes) => {
                out.byte(2);
                bytes.put(out);
            }
            Self::Link { path, target, modified } => {
                out.byte(3);
                path.put(out);
                target.put(out);
                modified.put(out);
            }
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(match from.byte()? {
            0 => Self::Dir { path: Wire::take(from)?, stamp: Wire::take(from)? },
            1 => Self::File { path: Wire::take(from)?, stamp: Wire::take(from)? },
            2 => Self::Bytes(Wire::take(from)?),
            3 => Self::Link {
                path: Wire::take(from)?,
                target: Wire::take(from)?,
                modified: Wire::take(from)?,
            },
            _ => return Err(UNKNOWN),
        })
    }
}

/// `Holding` travels as the version of its bytes, which says the same in 40 bytes.
impl Wire for Guard {
    fn put(&self, out: &mut Out) {
        match self {
            Self::Any => out.byte(0),
            Self::Absent => out.byte(1),
            Self::Unchanged(version) => {
                out.byte(2);
                version.put(out);
            }
            Self::Holding(bytes) => Self::Unchanged(Version::of(bytes)).put(out),
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(match from.byte()? {
            0 => Self::Any,
            1 => Self::Absent,
            2 => Self::Unchanged(Wire::take(from)?),
            _ => return Err(UNKNOWN),
        })
    }
}

impl Wire for Span {
    fn put(&self, out: &mut Out) {
        match *self {
            Self::Whole { at_most } => {
                out.byte(0);
                out.number(at_most);
            }
            Self::Bytes { offset, length } => {
                out.byte(1);
                out.number(offset);
                out.number(length);
            }
            Self::Lines { skip, take, at_most } => {
                out.byte(2);
                out.number(skip);
                out.number(take);
                out.number(at_most);
            }
            Self::LastLines { take, at_most } => {
                out.byte(3);
                out.number(take);
                out.number(at_most);
            }
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(match from.byte()? {
            0 => Self::Whole { at_most: from.number()? },
            1 => Self::Bytes { offset: from.number()?, length: from.number()? },
            2 => {
                let (skip, take) = (from.number()?, from.number()?);
                Self::Lines { skip, take, at_most: from.number()? }
            }
            3 => Self::LastLines { take: from.number()?, at_most: from.number()? },
            _ => return Err(UNKNOWN),
        })
    }
}

impl Wire for Glob {
    fn put(&self, out: &mut Out) {
        let (number, pattern) = match self {
            Self::Path(pattern) => (0, pattern),
            Self::Filter(pattern) => (1, pattern),
        };
        out.byte(number);
        pattern.put(out);
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(match from.byte()? {
            0 => Self::Path(Wire::take(from)?),
            1 => Self::Filter(Wire::take(from)?),
            _ => return Err(UNKNOWN),
        })
    }
}

impl Wire for Total {
    fn put(&self, out: &mut Out) {
        let (number, count) = match *self {
            Self::Exact(count) => (0, count),
            Self::AtLeast(count) => (1, count),
        };
        out.byte(number);
        out.number(count);
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(match from.byte()? {
            0 => Self::Exact(from.number()?),
            1 => Self::AtLeast(from.number()?),
            _ => return Err(UNKNOWN),
        })
    }
}

impl Wire for Event {
    fn put(&self, out: &mut Out) {
        match self {
            Self::Changed { path, change } => {
                out.byte(0);
                path.put(out);
                change.put(out);
            }
            Self::Overflow => out.byte(1),
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(match from.byte()? {
            0 => Self::Changed { path: Wire::take(from)?, change: Wire::take(from)? },
            1 => Self::Overflow,
            _ => return Err(UNKNOWN),
        })
    }
}
