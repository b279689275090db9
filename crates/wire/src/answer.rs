//! What a guest answers.

use std::time::SystemTime;

use bytes::Bytes;
use garth_contract::{
    Content, Ended, Entry, Error, Event, Kind, Landed, Made, Printed, Process, ProcessId, Removed,
    Renamed, Report, Summary, Written, WsPath,
};

use crate::{
    Fault, Frame, Packet, Results,
    codec::{In, Out, UNKNOWN, Wire, fields},
    request::put,
};

/// One answer. Most requests have one; a listing, a search, a watch and a run have
/// several, of which the last ends them.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each means what the method of its request gives")]
pub enum Answer {
    /// The call failed, or was refused; it is over.
    Refused(Error),
    /// The call did what there was to do. A ping is answered so, and a watch and a
    /// tree that is prepared begin with it.
    Done,
    Told(Told),
    /// Some of a directory's entries; more follow.
    Names(Vec<Named>),
    /// The end of a listing: how many entries the directory has in all.
    Listed(u64),
    Content(Content),
    Written(Written),
    Made(Made),
    Removed(Removed),
    Renamed(Renamed),
    /// Some of a search's results; more follow.
    Found(Results),
    Summary(Summary),
    Events(Vec<Event>),
    /// The number of a process that runs now; the report follows.
    Announced(ProcessId),
    Report(Report),
    Started(ProcessId),
    Printed(Printed),
    Processes(Vec<Process>),
    Ended(Ended),
    /// What a link says, or what a file of a tree holds that is prepared.
    Bytes(Bytes),
    Landed(Landed),
}

/// What is told of an entry whose path the caller knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// What it is.
    pub kind: Kind,
    /// Its size.
    pub size: u64,
    /// When its content last changed.
    pub modified: Option<SystemTime>,
    /// Its permission bits.
    pub mode: Option<u32>,
}

/// An entry by its name in a directory that the caller knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name: one component of a path.
    pub name: Bytes,
    /// What it is.
    pub told: Told,
}

fields! {
    Told { kind, size, modified, mode }
    Named { name, told }
}

impl Told {
    /// What is told of an entry.
    #[must_use]
    pub fn of(entry: &Entry) -> Self {
        let Entry { kind, size, modified, mode, .. } = *entry;
        Self { kind, size, modified, mode }
    }

    /// The entry that this is told of.
    #[must_use]
    pub fn at(self, path: WsPath) -> Entry {
        let Self { kind, size, modified, mode } = self;
        Entry { path, kind, size, modified, mode: mode.map(|mode| mode & 0o7777) }
    }
}

impl Answer {
    /// The answer as it is sent.
    #[must_use]
    pub fn encode(&self) -> Packet {
        let mut out = Out::new();
        self.put(&mut out);
        out.finish()
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// `Malformed` for anything but a whole answer.
    pub fn decode(frame: Frame) -> Result<Self, Fault> {
        let mut from = In::new(frame.head, frame.body);
        let answer = Self::take(&mut from)?;
        from.end()?;
        Ok(answer)
    }
}

/// What comes before the results of a search.
pub(crate) const FOUND: u8 = 10;

impl Wire for Answer {
    fn put(&self, out: &mut Out) {
        match self {
            Self::Refused(error) => put!(out, 0, error),
            Self::Done => out.byte(1),
            Self::Told(told) => put!(out, 2, told),
            Self::Names(names) => put!(out, 3, names),
            Self::Listed(total) => put!(out, 4, total),
            Self::Content(content) => put!(out, 5, content),
            Self::Written(written) => put!(out, 6, written),
            Self::Made(made) => put!(out, 7, made),
            Self::Removed(removed) => put!(out, 8, removed),
            Self::Renamed(renamed) => put!(out, 9, renamed),
            Self::Found(results) => put!(out, 10, results),
            Self::Summary(summary) => put!(out, 11, summary),
            Self::Events(events) => put!(out, 12, events),
            Self::Announced(id) => put!(out, 13, id),
            Self::Report(report) => put!(out, 14, report),
            Self::Started(id) => put!(out, 15, id),
            Self::Printed(printed) => put!(out, 16, printed),
            Self::Processes(processes) => put!(out, 17, processes),
            Self::Ended(ended) => put!(out, 18, ended),
            Self::Bytes(bytes) => put!(out, 19, bytes),
            Self::Landed(landed) => put!(out, 20, landed),
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(match from.byte()? {
            0 => Self::Refused(Wire::take(from)?),
            1 => Self::Done,
            2 => Self::Told(Wire::take(from)?),
            3 => Self::Names(Wire::take(from)?),
            4 => Self::Listed(Wire::take(from)?),
            5 => Self::Content(Wire::take(from)?),
            6 => Self::Written(Wire::take(from)?),
            7 => Self::Made(Wire::take(from)?),
            8 => Self::Removed(Wire::take(from)?),
            9 => Self::Renamed(Wire::take(from)?),
            FOUND => Self::Found(Wire::take(from)?),
            11 => Self::Summary(Wire::take(from)?),
            12 => Self::Events(Wire::take(from)?),
            13 => Self::Announced(Wire::take(from)?),
            14 => Self::Report(Wire::take(from)?),
            15 => Self::Started(Wire::take(from)?),
            16 => Self::Printed(Wire::take(from)?),
            17 => Self::Processes(Wire::take(from)?),
            18 => Self::Ended(Wire::take(from)?),
            19 => Self::Bytes(Wire::take(from)?),
            20 => Self::Landed(Wire::take(from)?),
            _ => return Err(UNKNOWN),
        })
    }
}
