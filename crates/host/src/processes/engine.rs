//! The thread that tends all processes of a workspace.
//!
//! It reads what they print, writes what they are to read, keeps their time, and
//! notes their ends. It waits for files and times only, never for a process, and
//! is the only one that ends or collects a supervisor; everybody else gives it
//! orders.

use std::{
    collections::HashMap,
    os::fd::AsFd,
    sync::Arc,
    time::{Duration, Instant},
};

use garth_contract::{Cause, ProcessId, Stream};
use rustix::{
    buffer::spare_capacity,
    event::{Timespec, epoll},
    io::read,
    process::{Pid, WaitOptions, wait},
};

use super::{
    Shared, Strays,
    entry::SOON,
    family::{self, Reached},
    kernel, lock,
    parked::{Parked, Workdir},
    start::{Collected, Supervisor},
    streams::Source,
    supervise::Bond,
    track::{Due, News, Reader, Track},
};

/// What the thread is asked to do.
#[derive(Debug)]
pub(super) enum Order {
    /// Tend a process, which runs in this directory.
    Adopt(Box<Track>, Workdir),
    /// Collect a supervisor that ends by itself.
    Collect(Supervisor),
    /// Something waits for a process to read it.
    Feed(ProcessId),
    /// End a process.
    End(ProcessId),
    /// Kill a process whose caller is gone.
    Kill(ProcessId),
    /// Kill all, since the files outgrew the quota.
    Outgrown,
    /// Kill all and end.
    Stop,
}

/// What the kernel tells back when there are orders.
pub(super) const ORDERS: u64 = u64::MAX;

/// How many bytes are read at once: what a pipe holds.
const READ: usize = 64 << 10;
/// How many files that have something are told of at once.
const EVENTS: usize = 64;
/// How often is looked for supervisors that were stopped, and for stray processes.
const TICK: Duration = Duration::from_secs(1);
/// How long all processes have to die when the place stops.
const TO_STOP: Duration = Duration::from_secs(5);
/// How often a tree without supervisor is looked for.
const HUNTS: usize = 200;

/// The thread's own state.
pub(super) struct Engine {
    shared: Arc<Shared>,
    tracks: HashMap<u64, Track>,
    /// Supervisors whose process is accounted for.
    ending: Vec<Ending>,
    buffer: Vec<u8>,
    tick: Instant,
    stop_by: Option<Instant>,
}

impl Engine {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            tracks: HashMap::new(),
            ending: Vec::new(),
            buffer: vec![0; READ],
            tick: Instant::now(),
            stop_by: None,
        }
    }

    /// Tends the processes until all is stopped.
    pub(super) fn run(mut self) {
        // Handlers of others shall not run here, nor a broken pipe end us.
        kernel::ignore_signals();
        let mut events = Vec::with_capacity(EVENTS);
        loop {
            let now = Instant::now();
            self.obey(now);
            self.keep_time(now);
            if self.is_done(now) {
                break;
            }
            let pause = self.pause(Instant::now());
            // What fails here is tried again: the kernel was interrupted, or is short of memory.
            epoll::wait(&self.shared.poll, spare_capacity(&mut events), pause.as_ref()).ok();
            for event in events.drain(..) {
                self.attend(event.data.u64(), event.flags);
            }
        }
        self.leave();
    }

    /// Does as it was told.
    fn obey(&mut self, now: Instant) {
        let orders = lock(&self.shared.orders).as_mut().map(std::mem::take);
        for order in orders.into_iter().flatten() {
            match order {
                Order::Adopt(track, workdir) => {
                    self.adopt(*track, now);
                    self.park(workdir, now);
                }
                Order::Collect(supervisor) => self.let_end(supervisor, now),
                Order::Feed(id) => self.feed(id.0, Reader::MayRead),
                Order::End(id) => {
                    if let Some(track) = self.tracks.get_mut(&id.0) {
                        track.end(Cause::Ended, now);
                    }
                }
                Order::Kill(id) => {
                    if let Some(track) = self.tracks.get_mut(&id.0) {
                        track.abandon(now);
                    }
                }
                Order::Outgrown => {
                    self.tracks.values_mut().for_each(|track| track.outgrow(now));
                }
                Order::Stop => {
                    self.stop_by.get_or_insert(now + TO_STOP);
                    self.unpark(now);
                    self.tracks.values_mut().for_each(|track| track.kill(now));
                }
            }
        }
    }

    fn adopt(&mut self, mut track: Track, now: Instant) {
        // Without the kernel's help it can be neither read nor ended later.
        if track.watch(self.shared.poll.as_fd()).is_err() || self.stop_by.is_some() {
            track.kill(now);
        }
        let number = track.entry.id.0;
        self.tracks.insert(number, track);
        self.feed(number, Reader::MayRead);
    }

    /// Makes the processes of the next command, if it may run in the same directory.
    fn park(&mut self, workdir: Workdir, now: Instant) {
        if self.stop_by.is_some() {
            return;
        }
        self.unpark(now);
        // Where there is no room for them, the next command hears of that.
        let parked = Parked::new(&self.shared, workdir, now);
        *lock(&self.shared.parked) = parked;
    }

    /// Lets go of processes that wait for a command.
    fn unpark(&mut self, now: Instant) {
        let parked = lock(&self.shared.parked).take();
        if let Some(parked) = parked {
            self.let_end(parked.into_supervisor(), now);
        }
    }

    fn let_end(&mut self, supervisor: Supervisor, now: Instant) {
        self.ending.push(Ending { supervisor, again: now, pause: SOON });
    }

    fn attend(&mut self, token: u64, flags: epoll::EventFlags) {
        if token == ORDERS {
            let mut count = [0; 8];
            read(&self.shared.wake, &mut count).ok();
            return;
        }
        let Some((number, source)) = Source::of_token(token) else { return };
        match source {
            Source::Control => self.hear(number),
            Source::Stdout | Source::Stderr if !flags.contains(epoll::EventFlags::IN) => {
                self.still(number, source);
            }
            Source::Stdout => self.pump(number, Stream::Stdout),
            Source::Stderr => self.pump(number, Stream::Stderr),
            Source::Stdin if flags.contains(epoll::EventFlags::ERR) => {
                self.feed(number, Reader::Left);
            }
            Source::Stdin => self.feed(number, Reader::MayRead),
        }
    }

    fn feed(&mut self, number: u64, reader: Reader) {
        if let Some(track) = self.tracks.get_mut(&number) {
            track.feed(self.shared.poll.as_fd(), reader);
        }
    }

    fn pump(&mut self, number: u64, stream: Stream) {
        let shared = &*self.shared;
        let make_room = || lock(&shared.table).make_room();
        if let Some(track) = self.tracks.get_mut(&number) {
            track.pump(shared.poll.as_fd(), stream, (&mut self.buffer, &make_room));
        }
    }

    /// Notes that nothing comes from a stream any more: most often the end is next, which
    /// shall not wait for it to be closed.
    fn still(&mut self, number: u64, source: Source) {
        if let Some(track) = self.tracks.get(&number) {
            track.forget(self.shared.poll.as_fd(), source);
        }
    }

    fn hear(&mut self, number: u64) {
        let now = Instant::now();
        let Some(track) = self.tracks.get_mut(&number) else { return };
        let (poll, bond) = (self.shared.poll.as_fd(), self.shared.bond);
        let due = match track.hear(now) {
            News::Nothing => Due::Nothing,
            News::Over => Due::Finish,
            News::Gone => track.lose(poll, bond, now),
        };
        if due == Due::Finish {
            self.finish(number, now);
        }
    }

    /// Does what the time has come for.
    fn keep_time(&mut self, now: Instant) {
        if now >= self.tick + TICK {
            self.tick = now;
            self.tracks.values().for_each(Track::check_stopped);
            self.collect_strays();
        }
        if lock(&self.shared.parked).as_ref().is_some_and(|parked| parked.until() <= now) {
            self.unpark(now);
        }
        // Dropped once the table is free: what they printed has to be given back.
        let forgotten = lock(&self.shared.table).trim(now);
        drop(forgotten);
        let due = |(number, track): (&u64, &mut Track)| {
            (track.keep_time(now) == Due::Finish).then_some(*number)
        };
        let finished: Vec<u64> = self.tracks.iter_mut().filter_map(due).collect();
        finished.into_iter().for_each(|number| self.finish(number, now));
        self.collect_ending(now);
    }

    /// Notes the end of a process, whose supervisor is gone or hangs.
    fn finish(&mut self, number: u64, now: Instant) {
        let Some(mut track) = self.tracks.remove(&number) else { return };
        *lock(&track.entry.supervisor) = None;
        if !track.is_over() && self.shared.bond == Bond::Subreaper {
            self.hunt(track.supervisor.session());
        }
        let shared = &*self.shared;
        track.drain(&mut self.buffer, &|| lock(&shared.table).make_room());
        // Who hears of this end finds no more that ended than are kept.
        let mut table = lock(&shared.table);
        table.note_end(track.entry.id, now);
        let forgotten = table.trim(now);
        drop(table);
        drop(forgotten);
        // Who waits for one that was killed with all others hears that, and no report.
        lock(&track.entry.state).lost = self.stop_by.is_some();
        track.finish(now);
        // Nobody waits for the rest.
        track.close_all(shared.poll.as_fd());
        self.let_end(track.supervisor, now);
        self.collect_ending(now);
    }

    /// Kills what a supervisor left that was killed.
    fn hunt(&self, session: Option<Pid>) {
        for _ in 0..HUNTS {
            let of_session = session.map_or(Reached::Nobody, family::kill_session);
            let strays = match self.shared.strays {
                Strays::Kill => family::kill_children(&lock(&self.shared.supervisors)),
                Strays::Leave => Reached::Nobody,
            };
            self.collect_strays();
            if of_session == Reached::Nobody && strays == Reached::Nobody {
                return;
            }
            std::thread::sleep(SOON);
        }
    }

    /// Collects what has fallen to us and died. Supervisors are not among it: those
    /// have to be asked for.
    fn collect_strays(&self) {
        if self.shared.strays == Strays::Kill {
            while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        }
    }

    /// Collects the supervisors that have ended.
    fn collect_ending(&mut self, now: Instant) {
        let supervisors = &self.shared.supervisors;
        self.ending.retain_mut(|ending| {
            if ending.again > now {
                return true;
            }
            // While it is locked, none can be started that gets the number of this one.
            let mut supervisors = lock(supervisors);
            let collected = ending.supervisor.collect();
            if collected == Collected::Yes {
                supervisors.remove(&ending.supervisor.pid());
            }
            ending.again = now + ending.pause;
            ending.pause = (ending.pause * 2).min(TICK);
            collected == Collected::No
        });
    }

    /// How long there is nothing to do.
    fn pause(&self, now: Instant) -> Option<Timespec> {
        let ticks = !self.tracks.is_empty() || self.shared.strays == Strays::Kill;
        let tick = ticks.then_some(self.tick + TICK);
        let trim = lock(&self.shared.table).next_trim();
        let parked = lock(&self.shared.parked).as_ref().map(Parked::until);
        let times = self.tracks.values().map(Track::next_time);
        let times = times.chain(self.ending.iter().map(|ending| ending.again));
        let next = times.chain(tick).chain(trim).chain(parked).chain(self.stop_by).min()?;
        let pause = next.saturating_duration_since(now);
        // A time that has come is not waited for; one that has nearly come is not spun for.
        let pause = if pause.is_zero() { pause } else { pause.max(SOON) };
        Timespec::try_from(pause).ok()
    }

    fn is_done(&self, now: Instant) -> bool {
        let Some(stop_by) = self.stop_by else { return false };
        let empty = lock(&self.shared.table).running() == 0 && self.ending.is_empty();
        empty || now >= stop_by
    }

    /// Tells all who wait that there is nothing to wait for any more.
    fn leave(mut self) {
        let entries = lock(&self.shared.table).clear();
        for entry in entries {
            lock(&entry.state).lost = true;
            lock(&entry.output).spool.drop_stored();
            entry.changed.notify_waiters();
        }
        // Their controls are closed here, so what could not be killed yet still is; and
        // what comes too late is dropped as it comes.
        *lock(&self.shared.orders) = None;
        self.tracks.clear();
        self.shared.store.remove_directory();
    }
}

/// A supervisor that has ended, or soon will.
struct Ending {
    supervisor: Supervisor,
    again: Instant,
    pause: Duration,
}
