//! Kills what runs while the files of the workspace outgrow its quota.
//!
//! No file system that can be counted on knows quotas for a directory, so the files are
//! counted: again and again while something runs, and at once when the disk shrinks by
//! more than there was room for. While they are too large nothing is started, or each
//! command could add a little; files are removed by other means than commands then.

use std::{
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use garth_contract::{Code, Detail, Error, Result};
use rustix::fs::fstatvfs;

use super::{Shared, engine::Order, lock};
use crate::usage::measure;

/// How often is looked at the disk while something runs.
const LOOK: Duration = Duration::from_millis(50);
/// How often the files are counted at least.
const COUNT: Duration = Duration::from_millis(500);
/// Counting takes at most one part in so many of the time.
const SHARE: u32 = 10;

/// Wakes who waits for a process to be started, or for the end.
#[derive(Debug, Default)]
pub(super) struct Bell {
    rung: Mutex<Rung>,
    heard: Condvar,
    /// The files were too large when they were last counted.
    outgrown: AtomicBool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rung {
    #[default]
    Not,
    /// Something was started.
    Started,
    /// All is over.
    Over,
}

impl Bell {
    /// Tells that something is being started.
    pub(super) fn ring(&self) {
        let mut rung = lock(&self.rung);
        if *rung == Rung::Not {
            *rung = Rung::Started;
            self.heard.notify_all();
        }
    }

    /// Tells whether nothing may be started before the files were counted again.
    pub(super) fn is_outgrown(&self) -> bool {
        self.outgrown.load(Ordering::Relaxed)
    }

    fn end(&self) {
        *lock(&self.rung) = Rung::Over;
        self.heard.notify_all();
    }

    /// Waits until something is started; tells whether it is not the end.
    fn wait(&self) -> bool {
        let waiting = self.heard.wait_while(lock(&self.rung), |rung| *rung == Rung::Not);
        let mut rung = waiting.unwrap_or_else(PoisonError::into_inner);
        if *rung == Rung::Started {
            *rung = Rung::Not;
        }
        *rung != Rung::Over
    }

    /// Waits for a while; tells whether it is not the end.
    fn pause(&self, pause: Duration) -> bool {
        let waiting =
            self.heard.wait_timeout_while(lock(&self.rung), pause, |rung| *rung != Rung::Over);
        let (rung, _) = waiting.unwrap_or_else(PoisonError::into_inner);
        *rung != Rung::Over
    }
}

/// The thread that counts, until this is dropped.
#[derive(Debug)]
pub(super) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Begins to watch over the files.
    ///
    /// # Errors
    /// `QUOTA_EXCEEDED` where the system has no room for a thread; those of counting.
    pub(super) fn start(shared: Arc<Shared>, quota: u64) -> Result<Self> {
        // Before anything can run: what is too large is known then.
        shared.started.outgrown.store(measure(&shared.tree)? > quota, Ordering::Relaxed);
        let counting = Counting { shared: Arc::clone(&shared), most: quota };
        let thread = thread::Builder::new().name("quota".to_owned());
        let thread = thread
            .spawn(move || counting.run())
            .map_err(|_| Error::new(Code::QuotaExceeded, "the system has no room for a thread"))?;
        Ok(Self { shared, thread: Some(thread) })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.started.end();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

struct Counting {
    shared: Arc<Shared>,
    /// How many bytes there may be.
    most: u64,
}

impl Counting {
    fn run(self) {
        while self.shared.started.wait() {
            let mut last = self.count();
            while lock(&self.shared.table).running() > 0 {
                if !self.shared.started.pause(LOOK) {
                    return;
                }
                if last.is_old() || last.may_be_outgrown(self.free(), self.most) {
                    last = self.count();
                }
            }
            // What the last of them left.
            self.count();
        }
    }

    /// Counts, and has everything killed that runs if it is too much.
    fn count(&self) -> Count {
        let (begun, free) = (Instant::now(), self.free());
        // What cannot be counted, for example a tree that is being torn down, is
        // counted again in a moment.
        let bytes = measure(&self.shared.tree).unwrap_or(0);
        let outgrown = bytes > self.most;
        self.shared.started.outgrown.store(outgrown, Ordering::Relaxed);
        if outgrown {
            self.shared.order(Order::Outgrown);
        }
        Count { bytes, free, taken: Instant::now(), took: begun.elapsed() }
    }

    /// How many bytes are free on the disk.
    fn free(&self) -> u64 {
        fstatvfs(self.shared.tree.root())
            .map_or(u64::MAX, |disk| disk.f_bfree.saturating_mul(disk.f_frsize))
    }
}

/// Counts again where the files were too large.
///
/// # Errors
/// `QUOTA_EXCEEDED` while they are.
pub(super) fn check(shared: &Shared) -> Result<()> {
    let Some(limit) = shared.bounds.files else { return Ok(()) };
    let actual = measure(&shared.tree)?;
    if actual > limit {
        let message = "no command is run while the workspace's files are larger than its quota";
        return Err(Error::new(Code::QuotaExceeded, message)
            .with(Detail::Limit { limit, actual })
            .hint("Delete files first, with the tools for files."));
    }
    shared.started.outgrown.store(false, Ordering::Relaxed);
    Ok(())
}

/// What was counted.
struct Count {
    bytes: u64,
    free: u64,
    taken: Instant,
    took: Duration,
}

impl Count {
    fn is_old(&self) -> bool {
        self.taken.elapsed() >= COUNT.max(self.took * SHARE)
    }

    /// Tells whether the disk has shrunk by more than there was room for.
    fn may_be_outgrown(&self, free: u64, most: u64) -> bool {
        self.free.saturating_sub(free) > most.saturating_sub(self.bytes)
            && self.taken.elapsed() >= self.took
    }
}
