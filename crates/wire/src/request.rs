//! What a guest is asked.

use bytes::Bytes;
use garth_contract::{
    Ask, Clobber, Command, Depth, Input, Links, Move, Page, Parents, Part, ProcessId, Put, Query,
    Signal, Size, Span, WatchSpec, WsPath,
};

use crate::{
    Fault, Frame, Packet,
    codec::{In, Out, UNKNOWN, Wire},
};

/// One request: a call of `Filesystem` or `Shell`, or a word about the call that the
/// stream is busy with.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each means the method of its name")]
pub enum Request {
    /// Answered at once, to show that the guest is alive.
    Ping,
    Stat(WsPath, Links),
    List(WsPath, Page),
    Read(WsPath, Span),
    Write(WsPath, Bytes, Put),
    MakeDir(WsPath, Parents),
    Remove(WsPath, Depth),
    Rename(WsPath, WsPath, Move),
    Find(Box<Query>),
    /// The search of this stream has found enough: its summary is wanted now.
    Enough,
    Watch(WatchSpec),
    Run(Box<Command>),
    Start(Box<Command>),
    Output(ProcessId, Ask),
    Input(ProcessId, Input),
    Signal(ProcessId, Signal),
    Resize(ProcessId, Size),
    Processes,
    End(ProcessId),
    ReadLink(WsPath),
    /// Opens a tree; the stream is busy with it until it landed or was discarded.
    Stage(WsPath),
    /// More of the tree of this stream. After a refusal it is still there.
    Parts(Vec<Part>),
    /// Bytes of a file of this stream's tree: from where, and how many.
    ReadBack(WsPath, u64, u64),
    /// The tree of this stream is whole.
    Land(Clobber),
    /// The tree of this stream is not wanted.
    Discard,
}

impl Request {
    /// The request as it is sent.
    #[must_use]
    pub fn encode(&self) -> Packet {
        let mut out = Out::new();
        self.put(&mut out);
        out.finish()
    }

    /// Reads a request.
    ///
    /// # Errors
    /// `Malformed` for anything but a whole request.
    pub fn decode(frame: Frame) -> Result<Self, Fault> {
        let mut from = In::new(frame.head, frame.body);
        let request = Self::take(&mut from)?;
        from.end()?;
        Ok(request)
    }
}

/// Puts a number and then what follows it.
macro_rules! put {
    ($out:ident, $number:literal $(, $part:expr)*) => {{
        $out.byte($number);
        $($part.put($out);)*
    }};
}
pub(crate) use put;

impl Wire for Request {
    fn put(&self, out: &mut Out) {
        match self {
            Self::Ping => out.byte(0),
            Self::Stat(path, links) => put!(out, 1, path, links),
            Self::List(path, page) => put!(out, 2, path, page),
            Self::Read(path, span) => put!(out, 3, path, span),
            Self::Write(path, content, how) => put!(out, 4, path, content, how),
            Self::MakeDir(path, parents) => put!(out, 5, path, parents),
            Self::Remove(path, depth) => put!(out, 6, path, depth),
            Self::Rename(from, to, how) => put!(out, 7, from, to, how),
            Self::Find(query) => put!(out, 8, query),
            Self::Enough => out.byte(9),
            Self::Watch(spec) => put!(out, 10, spec),
            Self::Run(command) => put!(out, 11, command),
            Self::Start(command) => put!(out, 12, command),
            Self::Output(id, ask) => put!(out, 13, id, ask),
            Self::Input(id, input) => put!(out, 14, id, input),
            Self::Signal(id, signal) => put!(out, 15, id, signal),
            Self::Resize(id, size) => put!(out, 16, id, size),
            Self::Processes => out.byte(17),
            Self::End(id) => put!(out, 18, id),
            Self::ReadLink(path) => put!(out, 19, path),
            Self::Stage(base) => put!(out, 20, base),
            Self::Parts(parts) => put!(out, 21, parts),
            Self::ReadBack(path, offset, length) => put!(out, 22, path, offset, length),
            Self::Land(clobber) => put!(out, 23, clobber),
            Self::Discard => out.byte(24),
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(match from.byte()? {
            0 => Self::Ping,
            1 => Self::Stat(Wire::take(from)?, Wire::take(from)?),
            2 => Self::List(Wire::take(from)?, Wire::take(from)?),
            3 => Self::Read(Wire::take(from)?, Wire::take(from)?),
            4 => Self::Write(Wire::take(from)?, Wire::take(from)?, Wire::take(from)?),
            5 => Self::MakeDir(Wire::take(from)?, Wire::take(from)?),
            6 => Self::Remove(Wire::take(from)?, Wire::take(from)?),
            7 => Self::Rename(Wire::take(from)?, Wire::take(from)?, Wire::take(from)?),
            8 => Self::Find(Wire::take(from)?),
            9 => Self::Enough,
            10 => Self::Watch(Wire::take(from)?),
            11 => Self::Run(Wire::take(from)?),
            12 => Self::Start(Wire::take(from)?),
            13 => Self::Output(Wire::take(from)?, Wire::take(from)?),
            14 => Self::Input(Wire::take(from)?, Wire::take(from)?),
            15 => Self::Signal(Wire::take(from)?, Wire::take(from)?),
            16 => Self::Resize(Wire::take(from)?, Wire::take(from)?),
            17 => Self::Processes,
            18 => Self::End(Wire::take(from)?),
            19 => Self::ReadLink(Wire::take(from)?),
            20 => Self::Stage(Wire::take(from)?),
            21 => Self::Parts(Wire::take(from)?),
            22 => Self::ReadBack(Wire::take(from)?, Wire::take(from)?, Wire::take(from)?),
            23 => Self::Land(Wire::take(from)?),
            24 => Self::Discard,
            _ => return Err(UNKNOWN),
        })
    }
}

impl<T: Wire> Wire for Box<T> {
    fn put(&self, out: &mut Out) {
        T::put(self, out);
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        T::take(from).map(Box::new)
    }
}
