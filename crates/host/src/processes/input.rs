//! What waits to be read by a process.

use std::{collections::VecDeque, os::fd::BorrowedFd};

use bytes::{Buf, Bytes};
use garth_contract::{Code, Detail, Error, MOST_WAITING_INPUT, ProcessId, Result, Stdin};
use rustix::io::{Errno, write};

use super::terminal::END_OF_FILE;

/// A queue of bytes on their way to a process.
#[derive(Debug)]
pub(super) struct Input {
    waiting: VecDeque<Bytes>,
    bytes: usize,
    mouth: Mouth,
    end: End,
}

/// Whether more may be put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mouth {
    Open,
    Closed,
}

/// How a process learns that there is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The pipe is closed.
    Close,
    /// The terminal gets a character.
    Character,
}

/// What is to be done with the file after some was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    Keep,
    Close,
}

impl Input {
    /// What a command reads from the beginning.
    pub(super) fn new(stdin: &Stdin, end: End) -> Self {
        let mouth = if *stdin == Stdin::Open { Mouth::Open } else { Mouth::Closed };
        let mut input = Self { waiting: VecDeque::new(), bytes: 0, mouth, end };
        if let Stdin::Bytes(bytes) = stdin {
            input.push(bytes.clone());
        }
        if mouth == Mouth::Closed && end == End::Character {
            // In the middle of a line the first one only ends the line.
            let midline = matches!(stdin, Stdin::Bytes(bytes) if !bytes.ends_with(b"\n") && !bytes.is_empty());
            input.push(Bytes::from_static(END_OF_FILE));
            if midline {
                input.push(Bytes::from_static(END_OF_FILE));
            }
        }
        input
    }

    /// Puts bytes in, all or none.
    pub(super) fn add(&mut self, id: ProcessId, bytes: Bytes) -> Result<()> {
        self.check_open(id)?;
        let all = self.bytes.saturating_add(bytes.len());
        if all > MOST_WAITING_INPUT {
            let message = format!("process {id} does not read, and too much waits for it");
            let limit = Detail::Limit { limit: MOST_WAITING_INPUT as u64, actual: all as u64 };
            return Err(Error::new(Code::RateLimitExceeded, message)
                .with(limit)
                .hint("Wait until the process reads, or send less at once."));
        }
        self.push(bytes);
        Ok(())
    }

    /// Ends it, after what waits.
    pub(super) fn close(&mut self, id: ProcessId) -> Result<()> {
        match self.end {
            // A terminal goes on after that character.
            End::Character => self.add(id, Bytes::from_static(END_OF_FILE)),
            End::Close => {
                self.check_open(id)?;
                self.mouth = Mouth::Closed;
                Ok(())
            }
        }
    }

    /// Writes as much as the file takes without waiting.
    pub(super) fn flow(&mut self, file: BorrowedFd<'_>) -> After {
        while let Some(first) = self.waiting.front_mut() {
            match write(file, first) {
                Ok(written) => {
                    first.advance(written.min(first.len()));
                    self.bytes = self.bytes.saturating_sub(written);
                    if first.is_empty() {
                        self.waiting.pop_front();
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return After::Keep,
                // Nobody reads any more.
                Err(_) => {
                    self.stop();
                    return After::Close;
                }
            }
        }
        match (self.mouth, self.end) {
            (Mouth::Closed, End::Close) => After::Close,
            (Mouth::Open, _) | (Mouth::Closed, End::Character) => After::Keep,
        }
    }

    /// Nothing is read any more.
    pub(super) fn stop(&mut self) {
        self.waiting = VecDeque::new();
        self.bytes = 0;
        self.mouth = Mouth::Closed;
    }

    fn push(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            self.bytes += bytes.len();
            self.waiting.push_back(bytes);
        }
    }

    fn check_open(&self, id: ProcessId) -> Result<()> {
        match self.mouth {
            Mouth::Open => Ok(()),
            Mouth::Closed => {
                let message = format!("the input of process {id} is closed");
                Err(Error::new(Code::InvalidParams, message))
            }
        }
    }
}
