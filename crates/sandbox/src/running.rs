//! A sandbox that runs.

use std::{
    fmt,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rustix::process::{Signal, pidfd_send_signal};

use crate::Layer;

/// How a sandbox's program ended. Nothing that it started runs any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Killed(i32),
    /// Somehow: another part of this process asked the kernel first.
    Unknown,
}

/// A sandbox that runs. Dropping it kills everything inside at once.
pub struct Running {
    kept: Arc<Kept>,
    pid: i32,
    lacking: u16,
}

/// What the thread that keeps a sandbox shares with its handle.
pub(crate) struct Kept {
    handle: OwnedFd,
    ended: Mutex<Option<Ended>>,
    changed: Condvar,
}

impl Kept {
    /// A process that has just been made.
    pub(crate) fn new(handle: OwnedFd) -> Self {
        Self { handle, ended: Mutex::new(None), changed: Condvar::new() }
    }

    /// The kernel's handle of the process.
    pub(crate) fn handle(&self) -> &OwnedFd {
        &self.handle
    }

    /// Says how it ended.
    pub(crate) fn end(&self, how: Ended) {
        *self.lock() = Some(how);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Option<Ended>> {
        // A value of two words is whole whoever panicked.
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    pub(crate) fn new(kept: Arc<Kept>, pid: i32, lacking: u16) -> Self {
        Self { kept, pid, lacking }
    }

    /// The number that the program has outside.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// The layers that it lacks, which its spec allowed.
    #[must_use]
    pub fn lacking(&self) -> Vec<Layer> {
        Layer::ALL.into_iter().filter(|layer| self.lacking & layer.bit() != 0).collect()
    }

    /// Kills everything inside. Once, twice or after its end makes no difference.
    ///
    /// *After*: all of it will end, and nothing inside can prevent it; `wait` says when.
    pub fn kill(&self) {
        // It fails only when there is nothing left to kill.
        let _ = pidfd_send_signal(&self.kept.handle, Signal::KILL);
    }

    /// Waits for its end. Blocks the thread.
    pub fn wait(&self) -> Ended {
        let mut ended = self.kept.lock();
        loop {
            if let Some(how) = *ended {
                return how;
            }
            ended = self.kept.changed.wait(ended).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for its end, but no longer than this. Blocks the thread.
    pub fn wait_for(&self, longest: Duration) -> Option<Ended> {
        let deadline = Instant::now() + longest;
        let mut ended = self.kept.lock();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if ended.is_some() || left.is_zero() {
                return *ended;
            }
            let waited = self.kept.changed.wait_timeout(ended, left);
            (ended, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// How it ended, if it did.
    #[must_use]
    pub fn ended(&self) -> Option<Ended> {
        *self.kept.lock()
    }
}

/// The kernel's handle of the program, readable once it has ended; `wait` then answers
/// within moments.
impl AsFd for Running {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.kept.handle.as_fd()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("pid", &self.pid).field("ended", &self.ended()).finish()
    }
}
