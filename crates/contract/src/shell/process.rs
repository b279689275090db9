//! A process as others see it: its number, what it printed, how it ended.

use std::{fmt, time::Duration};

use bytes::Bytes;

use crate::{Code, Error, Keep, Result};

/// The number of a process in its workspace; never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId(pub u64);

impl ProcessId {
    /// Reads what a caller sent: `p7`, or `7`.
    ///
    /// # Errors
    /// `INVALID_PARAMS`.
    pub fn parse(text: &str) -> Result<Self> {
        let digits = text.strip_prefix('p').unwrap_or(text);
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse() {
            Ok(number) if plain => Ok(Self(number)),
            Ok(_) | Err(_) => {
                let message = format!("not the id of a process: {text:?}");
                Err(Error::new(Code::InvalidParams, message)
                    .hint("An id is p and a number, as the start of the process answered it."))
            }
        }
    }

    /// That there is no such process, or no longer.
    #[must_use]
    pub fn unknown(self) -> Error {
        Error::new(Code::InvalidParams, format!("there is no process {self}"))
            .hint("List the processes; the output of one that ended is kept for an hour.")
    }
}

impl fmt::Display for ProcessId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

/// How a command's own process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(u8),
    /// By this signal.
    Signal(u8),
}

impl Exit {
    /// The code as a shell has it: 128 and the signal for a death by signal.
    #[must_use]
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => i32::from(code),
            Self::Signal(signal) => 128 + i32::from(signal),
        }
    }
}

/// Why a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// By itself, or by a signal that somebody sent.
    Itself,
    /// Its time was up.
    Timeout,
    /// It was ended.
    Ended,
    /// The files of the workspace outgrew its quota while it ran.
    Quota,
}

/// The end of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How it ended.
    pub exit: Exit,
    /// Why.
    pub cause: Cause,
    /// How long it ran.
    pub ran: Duration,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its number, by which the whole output can be asked for.
    pub id: ProcessId,
    /// Its end.
    pub ended: Ended,
    /// What it printed; with a terminal, all of it.
    pub stdout: Kept,
    /// What it printed as errors.
    pub stderr: Kept,
}

/// The beginning and the end of what was printed to a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The beginning; all of it, if it fits.
    pub head: Bytes,
    /// The end, where something between is missing.
    pub tail: Bytes,
    /// How many bytes there were in all.
    pub total: u64,
}

impl Kept {
    /// How many bytes are missing between the two.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.total.saturating_sub((self.head.len() + self.tail.len()) as u64)
    }

    /// The same within what may be kept, so that what came from elsewhere is bounded.
    #[must_use]
    pub fn within(mut self, keep: Keep) -> Self {
        let whole = self.tail.is_empty();
        let most = if whole { keep.head + keep.tail } else { keep.head };
        self.head.truncate(most);
        let over = self.tail.len().saturating_sub(keep.tail);
        self.tail = self.tail.slice(over..);
        self.total = self.total.max((self.head.len() + self.tail.len()) as u64);
        self
    }
}

/// One of the two streams that a process prints to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output; with a terminal, everything.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What of a process's output is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The position to read from; 0 is the beginning.
    pub from: u64,
    /// The most bytes.
    pub most: usize,
    /// How long to wait while there is nothing.
    pub wait: Duration,
}

impl Ask {
    /// The most bytes of one answer.
    pub const MOST: usize = 1 << 20;
    /// The longest wait.
    pub const LONGEST: Duration = Duration::from_secs(60);
}

/// A stretch of what a process printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The position of its first byte; after `from` where something is missing.
    pub start: u64,
    /// What was printed, in order.
    pub pieces: Vec<Piece>,
    /// The position to ask from next.
    pub next: u64,
    /// How many bytes before `start` were asked for and are no longer kept.
    pub missing: u64,
    /// How many bytes were printed so far.
    pub total: u64,
    /// The end, if the process has ended: then `total` is final.
    pub ended: Option<Ended>,
}

/// Bytes of one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Which.
    pub stream: Stream,
    /// The bytes.
    pub bytes: Bytes,
}

/// A process in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub id: ProcessId,
    /// The script, or the program and its arguments, shortened.
    pub command: String,
    /// Whether it was started to stay in the background.
    pub background: bool,
    /// Whether it has a terminal.
    pub terminal: bool,
    /// How long ago it was started.
    pub age: Duration,
    /// How many bytes it printed.
    pub printed: u64,
    /// Its end, if it has ended.
    pub ended: Option<Ended>,
}

/// The most characters of a command in a list.
pub const MOST_COMMAND_SHOWN: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written() {
        assert_eq!(ProcessId::parse(&ProcessId(7).to_string()).unwrap(), ProcessId(7));
        assert_eq!(ProcessId::parse("7").unwrap(), ProcessId(7));
        for wrong in ["", "p", "q7", "-1", "+7", "p+7", "7 ", "p99999999999999999999"] {
            assert_eq!(ProcessId::parse(wrong).unwrap_err().code(), Code::InvalidParams);
        }
    }

    #[test]
    fn a_death_by_signal_has_a_code_over_128() {
        assert_eq!(Exit::Code(3).code(), 3);
        assert_eq!(Exit::Signal(9).code(), 137);
    }

    #[test]
    fn kept_output_stays_within_its_bound() {
        let keep = Keep { head: 2, tail: 3 };
        let whole = Kept { head: Bytes::from_static(b"1234567"), tail: Bytes::new(), total: 7 };
        assert_eq!(whole.within(keep).head, "12345");
        let cut =
            Kept { head: Bytes::from_static(b"1234"), tail: Bytes::from_static(b"6789"), total: 0 };
        let cut = cut.within(keep);
        assert_eq!((&cut.head[..], &cut.tail[..], cut.total), (&b"12"[..], &b"789"[..], 5));
    }
}
