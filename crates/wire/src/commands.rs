//! The words about commands and processes, as they stand in a message.

use bytes::Bytes;
use garth_contract::{
    Ask, Cause, Command, Ended, Exit, Input, Keep, Kept, Piece, Printed, Process, ProcessId,
    Program, Report, ShellAbilities, Signal, Size, Stdin, Stream, Timeout, Variables,
};

use crate::{
    Fault,
    codec::{BAD_VALUE, In, Out, UNKNOWN, Wire, choices, fields},
};

choices! {
    Cause { Itself = 0, Timeout = 1, Ended = 2, Quota = 3 }
    Stream { Stdout = 0, Stderr = 1 }
}

fields! {
    Command { program, workdir, variables, stdin, timeout, terminal, keep }
    Size { rows, columns }
    Keep { head, tail }
    Ask { from, most, wait }
    Ended { exit, cause, ran }
    Kept { head, tail, total }
    Report { id, ended, stdout, stderr }
    Piece { stream, bytes }
    Printed { start, pieces, next, missing, total, ended }
    Process { id, command, background, terminal, age, printed, ended }
    ShellAbilities { terminals }
}

impl Wire for ProcessId {
    fn put(&self, out: &mut Out) {
        out.number(self.0);
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(Self(from.number()?))
    }
}

impl Wire for Program {
    fn put(&self, out: &mut Out) {
        if let Some(script) = self.as_script() {
            out.byte(0);
            out.bytes(script.as_bytes());
            return;
        }
        let words = self.words();
        out.byte(1);
        out.number(words.len() as u64);
        words.iter().for_each(|word| out.bytes(word));
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        let program = match from.byte()? {
            0 => Self::script(String::take(from)?),
            1 => {
                let words: Vec<Bytes> = Wire::take(from)?;
                Self::arguments(words.into_iter().map(Vec::from).collect())
            }
            _ => return Err(UNKNOWN),
        };
        program.map_err(|_| BAD_VALUE)
    }
}

impl Wire for Variables {
    fn put(&self, out: &mut Out) {
        out.number(self.iter().count() as u64);
        for (name, value) in self.iter() {
            out.bytes(name.as_bytes());
            out.bytes(value.as_bytes());
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        let pairs: Vec<Pair> = Wire::take(from)?;
        Self::new(pairs.into_iter().map(|pair| (pair.name, pair.value))).map_err(|_| BAD_VALUE)
    }
}

/// One variable.
struct Pair {
    name: String,
    value: String,
}

fields! { Pair { name, value } }

impl Wire for Stdin {
    fn put(&self, out: &mut Out) {
        match self {
            Self::Empty => out.byte(0),
            Self::Bytes(bytes) => {
                out.byte(1);
                bytes.put(out);
            }
            Self::Open => out.byte(2),
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(match from.byte()? {
            0 => Self::Empty,
            1 => Self::Bytes(Wire::take(from)?),
            2 => Self::Open,
            _ => return Err(UNKNOWN),
        })
    }
}

impl Wire for Input {
    fn put(&self, out: &mut Out) {
        match self {
            Self::Bytes(bytes) => {
                out.byte(0);
                bytes.put(out);
            }
            Self::Close => out.byte(1),
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(match from.byte()? {
            0 => Self::Bytes(Wire::take(from)?),
            1 => Self::Close,
            _ => return Err(UNKNOWN),
        })
    }
}

impl Wire for Timeout {
    fn put(&self, out: &mut Out) {
        out.number(u64::try_from(self.duration().as_millis()).unwrap_or(u64::MAX));
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        let millis = from.number()?;
        if u128::from(millis) == Self::WHILE_THERE.duration().as_millis() {
            return Ok(Self::WHILE_THERE);
        }
        Self::millis(millis).map_err(|_| BAD_VALUE)
    }
}

impl Wire for Signal {
    fn put(&self, out: &mut Out) {
        out.byte(self.number());
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Self::from_number(from.byte()?.into()).ok_or(BAD_VALUE)
    }
}

impl Wire for Exit {
    fn put(&self, out: &mut Out) {
        let (number, value) = match *self {
            Self::Code(code) => (0, code),
            Self::Signal(signal) => (1, signal),
        };
        out.byte(number);
        out.byte(value);
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(match from.byte()? {
            0 => Self::Code(from.byte()?),
            1 => Self::Signal(from.byte()?),
            _ => return Err(UNKNOWN),
        })
    }
}
