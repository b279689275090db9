//! The streams of a command: pipes, or a terminal for all three.

use std::os::fd::{AsRawFd, OwnedFd};

use garth_contract::{Command, Size, Stdin};
use rustix::{
    fs::{OFlags, fcntl_setfl},
    io::{Result, fcntl_dupfd_cloexec},
    pipe::{PipeFlags, pipe_with},
};

use super::{entry::Terminal, input::End, terminal};

/// Both ends of a command's streams.
pub(super) struct Streams {
    pub(super) theirs: Theirs,
    pub(super) ours: Ours,
    /// How the command learns that its input has ended.
    pub(super) end: End,
    /// Our end of its terminal, to change its size.
    pub(super) terminal: Terminal,
}

/// The command's ends; none has a number below 3.
pub(super) struct Theirs {
    /// `None` is nothing to read.
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// Our ends; none ever makes us wait.
#[derive(Debug)]
pub(super) struct Ours {
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: Option<OwnedFd>,
    pub(super) stderr: Option<OwnedFd>,
    /// The command's end of its terminal: while it is open the terminal is not hung
    /// up, even if nobody else has it open for a while.
    pub(super) held: Option<OwnedFd>,
}

/// Which of a process's files has something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Control,
    Stdout,
    Stderr,
    Stdin,
}

impl Source {
    pub(super) const ALL: [Self; 4] = [Self::Control, Self::Stdout, Self::Stderr, Self::Stdin];

    /// What the kernel is told of a file, to tell it back.
    pub(super) fn token(self, number: u64) -> u64 {
        number * Self::ALL.len() as u64 + self as u64
    }

    /// Which file of which process the kernel means.
    pub(super) fn of_token(token: u64) -> Option<(u64, Self)> {
        let count = Self::ALL.len() as u64;
        let source = usize::try_from(token % count).ok().and_then(|at| Self::ALL.get(at))?;
        Some((token / count, *source))
    }
}

/// Opens the streams that a command wants.
pub(super) fn open(command: &Command) -> Result<Streams> {
    match command.terminal {
        Some(size) => open_terminal(size),
        None => open_pipes(&command.stdin),
    }
}

/// Opens those of a command that has nothing to read and no terminal.
pub(super) fn open_plain() -> Result<Streams> {
    open_pipes(&Stdin::Empty)
}

fn open_pipes(stdin: &Stdin) -> Result<Streams> {
    let input = match stdin {
        Stdin::Empty => None,
        Stdin::Bytes(_) | Stdin::Open => Some(pipe_with(PipeFlags::CLOEXEC)?),
    };
    let (their_stdin, our_stdin) = input.unzip();
    let (stdout, their_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, their_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let theirs = Theirs {
        stdin: their_stdin.map(above_standard).transpose()?,
        stdout: above_standard(their_stdout)?,
        stderr: above_standard(their_stderr)?,
    };
    let ours = Ours {
        stdin: our_stdin.map(impatient).transpose()?,
        stdout: Some(impatient(stdout)?),
        stderr: Some(impatient(stderr)?),
        held: None,
    };
    Ok(Streams { theirs, ours, end: End::Close, terminal: Terminal::None })
}

fn open_terminal(size: Size) -> Result<Streams> {
    let terminal::Pair { master, slave } = terminal::open(size)?;
    let copy = |file: &OwnedFd| fcntl_dupfd_cloexec(file, 3);
    let theirs =
        Theirs { stdin: Some(copy(&slave)?), stdout: copy(&slave)?, stderr: copy(&slave)? };
    let ours = Ours {
        stdin: Some(copy(&master)?),
        stdout: Some(copy(&master)?),
        stderr: None,
        held: Some(slave),
    };
    Ok(Streams { theirs, ours, end: End::Character, terminal: Terminal::Open(master) })
}

/// The same file with a number above those of the standard streams.
pub(super) fn above_standard(file: OwnedFd) -> Result<OwnedFd> {
    if file.as_raw_fd() > 2 { Ok(file) } else { fcntl_dupfd_cloexec(&file, 3) }
}

/// Our end of a new pipe, which no longer makes anybody wait.
fn impatient(file: OwnedFd) -> Result<OwnedFd> {
    // A new pipe has no other flag that can be set.
    fcntl_setfl(&file, OFlags::NONBLOCK)?;
    Ok(file)
}
