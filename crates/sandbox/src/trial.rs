//! What runs inside a sandbox in place of a program while it is probed.
//!
//! It runs in the process that was just made, on a copy of our memory, and says what came
//! of it on its standard output, one byte for each attempt.

use rustix::{
    fd::OwnedFd,
    fs::{CWD, Mode, OFlags, ftruncate, openat},
    io::{Errno, write},
    stdio::stdout,
};

use crate::{
    Layer,
    attempt::{self, Bait, eat, fork_idle},
};

/// Said of an attempt that was not refused; the number of no error.
pub(crate) const WORKED: u8 = 0;

/// Said of an attempt that was not made.
pub(crate) const LEFT_OUT: u8 = u8::MAX;

/// What is tried.
#[derive(Debug)]
pub(crate) enum Trial {
    /// The attempts of some layers.
    Attempts(Attempts),
    /// To use so much memory.
    Memory(usize),
}

/// Attempts, and what they are made on.
#[derive(Debug)]
pub(crate) struct Attempts {
    /// What lies outside.
    pub(crate) bait: Bait,
    /// The directory of the bait's file, open: a handle that was forgotten.
    pub(crate) directory: OwnedFd,
    /// The name of the file in it.
    pub(crate) name: std::ffi::CString,
    /// The layers that are put to the test.
    pub(crate) layers: &'static [Layer],
    /// How many processes are too many, and how long a file is too long.
    pub(crate) processes: u64,
    pub(crate) file_size: u64,
}

type Row = (&'static str, Layer, fn(&Attempts) -> Result<(), Errno>);

/// What is tried and needs more than the bait.
pub(crate) const MORE: [Row; 3] = [
    ("fork-too-often", Layer::Rlimits, Attempts::fork_too_often),
    ("write-too-much", Layer::Rlimits, Attempts::write_too_much),
    ("forgotten-handle", Layer::Landlock, Attempts::use_forgotten_handle),
];

/// How many bytes it says: one for each attempt.
pub(crate) const SAID: usize = attempt::ALL.len() + MORE.len();

/// Makes the trial, and gives its exit code.
pub(crate) fn run(trial: &Trial) -> i32 {
    match trial {
        Trial::Attempts(attempts) => {
            let said = attempts.run();
            i32::from(write(stdout(), &said) != Ok(said.len()))
        }
        Trial::Memory(bytes) => match eat(*bytes) {
            Ok(()) => 0,
            Err(errno) => errno.raw_os_error(),
        },
    }
}

impl Attempts {
    fn run(&self) -> [u8; SAID] {
        let mut said = [LEFT_OUT; SAID];
        let mut places = said.iter_mut();
        for (attempt, place) in attempt::ALL.iter().zip(&mut places) {
            if self.layers.contains(&attempt.layer) {
                *place = byte(attempt.try_it(&self.bait));
            }
        }
        for ((_, layer, attempt), place) in MORE.iter().zip(&mut places) {
            if self.layers.contains(layer) {
                *place = byte(attempt(self));
            }
        }
        said
    }

    /// Processes that do nothing, and end with this one.
    fn fork_too_often(&self) -> Result<(), Errno> {
        for _ in 0..self.processes {
            fork_idle()?;
        }
        Ok(())
    }

    fn write_too_much(&self) -> Result<(), Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE;
        let file = openat(CWD, c"/tmp/garth-attempt-long", flags, Mode::RUSR)?;
        ftruncate(file, self.file_size + 1)
    }

    fn use_forgotten_handle(&self) -> Result<(), Errno> {
        openat(&self.directory, &*self.name, OFlags::RDONLY, Mode::empty()).map(drop)
    }
}

fn byte(answer: Result<(), Errno>) -> u8 {
    match answer {
        Ok(()) => WORKED,
        Err(errno) => u8::try_from(errno.raw_os_error()).unwrap_or(1),
    }
}
