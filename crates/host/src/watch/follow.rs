//! The thread behind a watch: waits for the kernel's events and tells the readers.

use std::{
    mem::MaybeUninit,
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::io::{Errno, Result};

use super::{
    inotify::EVENT_BUFFER,
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
/// How often in a row the kernel is asked for events before the readers are told.
const MAX_READS: usize = 16;
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
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.readers.close();
    }
}

impl Follower {
    pub(super) fn new(view: View, readers: Arc<Readers>) -> Self {
        Self { view, repair: Repair::default(), readers }
    }

    /// Runs until the last reader is gone or what is watched is.
    ///
    /// # Errors
    /// Only where waiting or reading fails, which ends the readers' streams.
    pub(super) fn run(mut self) -> Result<()> {
        let mut buffer = vec![MaybeUninit::uninit(); EVENT_BUFFER];
        let readers = Arc::clone(&self.readers);
        loop {
            match readers.stop.wait(self.view.inotify(), self.patience())? {
                Woken::Raised => return Ok(()),
                Woken::TimedOut => {}
                Woken::Readable => {
                    // The rest of the moment goes into the same read.
                    if readers.stop.rest(MOMENT)? == Woken::Raised {
                        return Ok(());
                    }
                    self.drain(&mut buffer)?;
                }
            }
            if self.view.is_root_removed() {
                self.repair.ask(Instant::now());
            }
            let rebuilt = self.repair_if_due();
            self.tell();
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

    fn drain(&mut self, buffer: &mut [MaybeUninit<u8>]) -> Result<()> {
        let inotify = Arc::clone(self.view.inotify());
        let mut reader = inotify.reader(buffer);
        let mut reads = 0;
        loop {
            if reader.is_buffer_empty() {
                reads += 1;
                if reads > MAX_READS {
                    return Ok(());
                }
            }
            if self.view.pending.len() >= EARLY {
                self.tell();
            }
            match reader.next() {
                Ok(event) => match self.view.take_in(&event) {
                    Sight::Clear => {}
                    Sight::Lost => self.repair.ask(Instant::now()),
                },
                Err(Errno::WOULDBLOCK) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
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
            Rebuilt::Partial => self.repair.failed(Instant::now()),
        }
        Some(rebuilt)
    }

    fn tell(&mut self) {
        self.readers.tell(&self.view.pending.take());
    }
}
