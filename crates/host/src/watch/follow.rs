//! The thread behind a watch: waits for the kernel's events and tells the readers.

use std::{
    mem::MaybeUninit,
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::io::{Errno, Result};

use super::{
    inotify::{EVENT_BUFFER, size_of_event},
    queue::Readers,
    repair::Repair,
    signal::Woken,
    view::{Rebuilt, Sight, View},
};

/// How long changes are gathered before they are told.
///
/// Long enough for a file to be made, written and closed; it is most of the time
/// between a change and its event.
const MOMENT: Duration = Duration::from_millis(1);
/// How many changes are told early, so that a burst does not wait for its end.
const EARLY: usize = 1024;
/// How often the root is looked at while it is empty.
///
/// Nothing tells of its removal while somebody holds its handle, as the workspace
/// does.
const ROOT_CHECK: Duration = Duration::from_millis(500);

/// Follows the changes of one watch until nobody reads them.
#[derive(Debug)]
pub(super) struct Follower {
    view: View,
    repair: Repair,
    readers: Arc<Readers>,
    /// Where the kernel writes its events.
    buffer: Vec<MaybeUninit<u8>>,
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.readers.close();
    }
}

impl Follower {
    /// Prepares to follow, from now on: what happened while the watches were set is
    /// in the view and is not told.
    ///
    /// # Errors
    /// Only where reading fails.
    pub(super) fn new(view: View, readers: Arc<Readers>, sight: Sight) -> Result<Self> {
        let buffer = vec![MaybeUninit::uninit(); EVENT_BUFFER];
        let mut follower = Self { view, repair: Repair::default(), readers, buffer };
        follower.heed(sight);
        follower.drain(|_| {})?;
        drop(follower.view.pending.take());
        Ok(follower)
    }

    /// Runs until the last reader is gone or what is watched is.
    ///
    /// # Errors
    /// Only where waiting or reading fails, which ends the readers' streams.
    pub(super) fn run(mut self) -> Result<()> {
        let readers = Arc::clone(&self.readers);
        loop {
            let woken = readers.stop.wait(self.view.inotify(), self.patience())?;
            // The rest of the moment goes into the same read.
            if woken == Woken::Readable {
                readers.stop.rest(MOMENT)?;
            }
            if readers.stop.is_raised() {
                return Ok(());
            }
            let newcomers = readers.newcomers();
            self.drain(Self::tell)?;
            if self.view.is_root_removed() {
                self.repair.ask(Instant::now());
            }
            let rebuilt = self.repair_if_due();
            self.tell();
            readers.admit(newcomers);
            if rebuilt == Some(Rebuilt::Gone) {
                return Ok(());
            }
        }
    }

    /// How long to wait for an event before something else is to be done.
    fn patience(&self) -> Option<Duration> {
        let check = self.view.is_root_empty().then_some(ROOT_CHECK);
        [self.repair.due_in(Instant::now()), check].into_iter().flatten().min()
    }

    /// Takes in the events there are by now, and calls `tell` when they have become
    /// many; those that come meanwhile are for the next time.
    fn drain(&mut self, tell: impl Fn(&mut Self)) -> Result<()> {
        let inotify = Arc::clone(self.view.inotify());
        let mut left = inotify.waiting()?;
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut reader = inotify.reader(&mut buffer);
        while left > 0 || !reader.is_buffer_empty() {
            if self.view.pending.len() >= EARLY {
                tell(self);
            }
            match reader.next() {
                Ok(event) => {
                    left = left.saturating_sub(size_of_event(&event));
                    let sight = self.view.take_in(&event);
                    self.heed(sight);
                }
                Err(Errno::WOULDBLOCK) => break,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
        self.buffer = buffer;
        Ok(())
    }

    fn heed(&mut self, sight: Sight) {
        match sight {
            Sight::Clear => {}
            Sight::Lost => self.repair.ask(Instant::now()),
        }
    }

    fn repair_if_due(&mut self) -> Option<Rebuilt> {
        let started = Instant::now();
        if self.repair.due_in(started) != Some(Duration::ZERO) {
            return None;
        }
        let rebuilt = self.view.rebuild();
        match rebuilt {
            Rebuilt::Complete | Rebuilt::Gone => self.repair.succeeded(started, Instant::now()),
            Rebuilt::Torn => {
                self.repair.succeeded(started, Instant::now());
                self.repair.ask(Instant::now());
            }
            Rebuilt::Partial => self.repair.failed(Instant::now()),
        }
        Some(rebuilt)
    }

    fn tell(&mut self) {
        self.readers.tell(&self.view.pending.take());
    }
}
