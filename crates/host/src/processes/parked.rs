//! The processes of a command that is yet to come.
//!
//! A supervisor and the process that becomes the program cost more to make than to send
//! on, above all where the kernel is itself a program. So they are made while the command
//! before runs, for a plain command in the same directory: nothing to read, and no
//! terminal. After a while without commands there are none.

use std::{
    os::fd::{AsFd, OwnedFd},
    time::{Duration, Instant},
};

use garth_contract::{Command, Stdin, WsPath};
use rustix::{
    fs::fstat,
    io::Errno,
    net::{RecvFlags, recv},
};

use super::{
    Shared,
    engine::Order,
    lock,
    spawn::{self, Waiting},
    start::Supervisor,
    streams,
    supervise::Bond,
};

/// How long they wait: commands that follow each other at once are what they are for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A directory in which commands run.
#[derive(Debug)]
pub(super) enum Workdir {
    /// The root.
    Root,
    /// One below it, as it was when it was opened; its number is above 2.
    Below(WsPath, OwnedFd),
}

impl Workdir {
    /// Where a command runs.
    pub(super) fn of(command: &Command, opened: OwnedFd) -> Self {
        match command.workdir.is_root() {
            true => Self::Root,
            false => Self::Below(command.workdir.clone(), opened),
        }
    }
}

/// Processes that wait.
#[derive(Debug)]
pub(super) struct Parked {
    waiting: Waiting,
    workdir: Workdir,
    until: Instant,
}

impl Parked {
    /// Makes some.
    pub(super) fn new(shared: &Shared, workdir: Workdir, now: Instant) -> Option<Self> {
        let there = match &workdir {
            Workdir::Root => shared.root.as_fd(),
            Workdir::Below(_, opened) => opened.as_fd(),
        };
        let waiting = spawn::prepare(shared, streams::open_plain().ok()?, there).ok()?;
        Some(Self { waiting, workdir, until: now + PATIENCE })
    }

    /// When they are let go of.
    pub(super) fn until(&self) -> Instant {
        self.until
    }

    /// Lets go of them: the supervisor ends by itself.
    pub(super) fn into_supervisor(self) -> Supervisor {
        self.waiting.supervisor
    }

    /// Whether they are where a command is to run.
    fn is_at(&self, path: &WsPath, opened: Option<&OwnedFd>) -> bool {
        match (&self.workdir, opened) {
            (Workdir::Root, _) => path.is_root(),
            (Workdir::Below(..), None) => false,
            (Workdir::Below(name, there), Some(opened)) => {
                // Another directory may have taken the name.
                let same = || {
                    let (there, opened) = (fstat(there).ok()?, fstat(opened).ok()?);
                    Some((there.st_dev, there.st_ino) == (opened.st_dev, opened.st_ino))
                };
                name == path && same().unwrap_or(false)
            }
        }
    }

    /// Whether nobody has killed one of them.
    fn live(&self, bond: Bond) -> bool {
        match bond {
            Bond::Subreaper => {
                let mut news = [0; 1];
                let heard = recv(&self.waiting.control, &mut news[..], RecvFlags::DONTWAIT);
                matches!(heard, Err(Errno::AGAIN))
            }
            // From a namespace beside theirs they cannot be seen.
            Bond::Namespace => true,
        }
    }
}

/// The processes that wait for a command like this one, if there are any.
pub(super) fn take(
    shared: &Shared,
    command: &Command,
    opened: Option<&OwnedFd>,
) -> Option<Waiting> {
    if command.stdin != Stdin::Empty || command.terminal.is_some() {
        return None;
    }
    let parked = lock(&shared.parked).take_if(|parked| parked.is_at(&command.workdir, opened))?;
    if parked.live(shared.bond) {
        return Some(parked.waiting);
    }
    shared.order(Order::Collect(parked.into_supervisor()));
    None
}
