//! A flag that a thread can wait for together with a file, and a way to wake it.

use std::{
    os::fd::{AsFd, OwnedFd},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll},
    io::{Errno, Result, read, write},
};

/// A flag that is raised once and stays up.
#[derive(Debug)]
pub(super) struct Signal {
    raised: AtomicBool,
    wake: OwnedFd,
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Woken {
    /// By the signal.
    Called,
    Readable,
    TimedOut,
}

impl Signal {
    pub(super) fn new() -> Result<Self> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { raised: AtomicBool::new(false), wake })
    }

    /// Raises the flag and wakes who waits.
    pub(super) fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Wakes who waits, to look around.
    pub(super) fn wake(&self) {
        // It fails only when the counter is full, and then the waiter is awake.
        let _ = write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// The flag alone, for walks that look at it on the way.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.raised
    }

    pub(super) fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// Waits until the signal is woken, the file can be read or time is up.
    pub(super) fn wait(&self, file: impl AsFd, limit: Option<Duration>) -> Result<Woken> {
        let file = file.as_fd();
        let mut handles =
            [PollFd::new(&self.wake, PollFlags::IN), PollFd::new(&file, PollFlags::IN)];
        self.poll(&mut handles, limit)
    }

    /// Waits until the signal is woken or time is up.
    pub(super) fn rest(&self, limit: Duration) -> Result<Woken> {
        self.poll(&mut [PollFd::new(&self.wake, PollFlags::IN)], Some(limit))
    }

    fn poll(&self, handles: &mut [PollFd<'_>], limit: Option<Duration>) -> Result<Woken> {
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        match poll(handles, limit.as_ref()) {
            // Whoever waits looks again; a moment that was cut short does no harm.
            Ok(0) | Err(Errno::INTR) => return Ok(Woken::TimedOut),
            Ok(_) => {}
            Err(errno) => return Err(errno),
        }
        let woken = handles.first().is_some_and(|handle| !handle.revents().is_empty());
        if !woken {
            return Ok(Woken::Readable);
        }
        // Empties the counter; nobody else reads it.
        let _ = read(&self.wake, &mut [0; 8]);
        Ok(Woken::Called)
    }
}
