//! One process as the thread that tends it sees it: its files and how far its end is.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use garth_contract::{Cause, Ended, Exit, Stream};
use rustix::{
    event::epoll,
    io::{Errno, read},
    net::{RecvFlags, SendFlags, recv, send},
    process::{Signal, kill_process},
};

use super::{
    entry::{Entry, SOON, TO_START, Terminal},
    family::{self, Reached},
    input::After,
    lock,
    start::{Collected, Supervisor},
    streams::{Ours, Source},
    supervise::{Bond, order, report},
};

/// How long a tree has between the request to end and the kill.
const GRACE: Duration = Duration::from_secs(5);
/// How long a supervisor has to kill its tree before it is done without it.
const TO_KILL: Duration = Duration::from_secs(2);
/// How often that is then tried.
const RETRY: Duration = Duration::from_millis(50);
/// After how long a process that cannot be killed counts as ended all the same: it
/// hangs in the kernel and does nothing any more.
const TO_DIE: Duration = Duration::from_secs(10);
/// The most that is read of a stream before others have their turn.
const TURN: usize = 4;
/// The most reads of a stream that has ended: more than the largest pipe holds.
const LAST_TURN: usize = 1_024;

/// A process that is being tended.
#[derive(Debug)]
pub(super) struct Track {
    pub(super) entry: Arc<Entry>,
    pub(super) supervisor: Supervisor,
    control: OwnedFd,
    ours: Ours,
    phase: Phase,
    /// How and when the command's own process ended.
    exit: Option<(Exit, Instant)>,
    /// Whether the supervisor saw to it that nothing is left.
    over: bool,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Until its time is up.
    Runs { until: Instant },
    /// Is to be ended once it has begun, but then in any case.
    Doomed { cause: Cause, until: Instant, again: Instant },
    /// Was asked to end, and has until then.
    Ends { until: Instant },
    /// The supervisor kills it; if it has not by then, it is done for it.
    Dies { since: Instant, again: Instant },
    /// The supervisor is gone, and everything with it once it can be collected.
    Gone { again: Instant },
}

/// What came from a supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    Nothing,
    /// Nothing is left of the tree, and the supervisor ends.
    Over,
    /// The supervisor is gone.
    Gone,
}

/// What is left to do about a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    /// Its end is to be noted.
    Finish,
}

impl Track {
    pub(super) fn new(
        entry: Arc<Entry>,
        supervisor: Supervisor,
        (control, ours): (OwnedFd, Ours),
        until: Instant,
    ) -> Self {
        let phase = Phase::Runs { until };
        Self { entry, supervisor, control, ours, phase, exit: None, over: false }
    }

    /// Registers its files with the kernel.
    pub(super) fn watch(&self, poll: BorrowedFd<'_>) -> Result<(), Errno> {
        for source in Source::ALL {
            let flags = match source {
                Source::Control | Source::Stdout | Source::Stderr => epoll::EventFlags::IN,
                // Told once each time that there is room again.
                Source::Stdin => epoll::EventFlags::OUT | epoll::EventFlags::ET,
            };
            if let Some(file) = self.file(source) {
                let data = epoll::EventData::new_u64(source.token(self.entry.id.0));
                epoll::add(poll, file, data, flags)?;
            }
        }
        Ok(())
    }

    fn file(&self, source: Source) -> Option<BorrowedFd<'_>> {
        match source {
            Source::Control => Some(self.control.as_fd()),
            Source::Stdout => self.ours.stdout.as_ref().map(AsFd::as_fd),
            Source::Stderr => self.ours.stderr.as_ref().map(AsFd::as_fd),
            Source::Stdin => self.ours.stdin.as_ref().map(AsFd::as_fd),
        }
    }

    /// Has the kernel tell nothing more of a file.
    pub(super) fn forget(&self, poll: BorrowedFd<'_>, source: Source) {
        if let Some(file) = self.file(source) {
            epoll::delete(poll, file).ok();
        }
    }

    /// Closes a file. A copy of it may exist, so that the kernel has to be told.
    fn close(&mut self, poll: BorrowedFd<'_>, source: Source) {
        self.forget(poll, source);
        match source {
            Source::Control => {}
            Source::Stdout => self.ours.stdout = None,
            Source::Stderr => self.ours.stderr = None,
            Source::Stdin => self.ours.stdin = None,
        }
    }

    /// Closes all files.
    pub(super) fn close_all(&mut self, poll: BorrowedFd<'_>) {
        Source::ALL.into_iter().for_each(|source| self.close(poll, source));
        self.ours.held = None;
    }

    /// Reads what the supervisor reports.
    pub(super) fn hear(&mut self, now: Instant) -> News {
        let mut message = [0; report::SIZE];
        match recv(&self.control, &mut message[..], RecvFlags::DONTWAIT) {
            Ok((_, report::SIZE)) => {}
            Err(Errno::AGAIN | Errno::INTR) => return News::Nothing,
            Ok(_) | Err(_) => return News::Gone,
        }
        let [a, b, c, d, e, f, g, h] = message;
        let value = i32::from_ne_bytes([e, f, g, h]);
        match i32::from_ne_bytes([a, b, c, d]) {
            report::OVER => {
                self.exit = Some((exit_of(value), self.exit.map_or(now, |(_, at)| at)));
                self.over = true;
                return News::Over;
            }
            report::ENDED => {
                self.exit = Some((exit_of(value), now));
                // If it was asked to end, the rest of its tree has its time still.
                if !matches!(self.phase, Phase::Ends { .. }) {
                    self.phase = Phase::Dies { since: now, again: now + TO_KILL };
                }
            }
            _ => {}
        }
        News::Nothing
    }

    /// Reads some of a stream.
    pub(super) fn pump(
        &mut self,
        poll: BorrowedFd<'_>,
        stream: Stream,
        (buffer, make_room): (&mut [u8], &dyn Fn() -> bool),
    ) {
        let source = match stream {
            Stream::Stdout => Source::Stdout,
            Stream::Stderr => Source::Stderr,
        };
        if self.read(stream, TURN, (buffer, make_room)) == After::Close {
            self.close(poll, source);
        }
    }

    /// Reads what is left in the streams of a process that has ended.
    pub(super) fn drain(&mut self, buffer: &mut [u8], make_room: &dyn Fn() -> bool) {
        self.read(Stream::Stdout, LAST_TURN, (&mut *buffer, make_room));
        self.read(Stream::Stderr, LAST_TURN, (buffer, make_room));
        let mut output = lock(&self.entry.output);
        output.spool.rest(make_room);
        self.entry.printed.store(output.spool.total(), Ordering::Relaxed);
    }

    fn read(
        &self,
        stream: Stream,
        turns: usize,
        (buffer, make_room): (&mut [u8], &dyn Fn() -> bool),
    ) -> After {
        let file = match stream {
            Stream::Stdout => &self.ours.stdout,
            Stream::Stderr => &self.ours.stderr,
        };
        let Some(file) = file else { return After::Close };
        for _ in 0..turns {
            let count = match read(file, &mut *buffer) {
                Ok(0) => return After::Close,
                Ok(count) => count,
                Err(Errno::AGAIN) => return After::Keep,
                Err(Errno::INTR) => continue,
                // A terminal that nobody has open.
                Err(_) => return After::Close,
            };
            let bytes = buffer.get(..count).unwrap_or_default();
            let mut output = lock(&self.entry.output);
            output.add(stream, bytes, make_room);
            self.entry.printed.store(output.spool.total(), Ordering::Relaxed);
            drop(output);
            self.entry.changed.notify_waiters();
        }
        After::Keep
    }

    /// Writes what waits for it.
    pub(super) fn feed(&mut self, poll: BorrowedFd<'_>, reader: Reader) {
        let Some(file) = &self.ours.stdin else { return };
        let mut input = lock(&self.entry.input);
        let after = match reader {
            Reader::MayRead => input.flow(file.as_fd()),
            Reader::Left => {
                input.stop();
                After::Close
            }
        };
        drop(input);
        if after == After::Close {
            self.close(poll, Source::Stdin);
        }
    }

    /// Ends it, with the time that it has for that.
    pub(super) fn end(&mut self, cause: Cause, now: Instant) {
        match self.phase {
            Phase::Runs { .. } if !self.supervisor.has_begun() => {
                self.phase = Phase::Doomed { cause, until: now + TO_START, again: now + SOON };
            }
            Phase::Runs { .. } => self.ask_to_end(cause, now),
            Phase::Doomed { .. } | Phase::Ends { .. } | Phase::Dies { .. } | Phase::Gone { .. } => {
            }
        }
    }

    fn ask_to_end(&mut self, cause: Cause, now: Instant) {
        lock(&self.entry.state).cause = cause;
        self.tell(order::SPARE);
        family::signal_below(self.supervisor.pid(), Signal::TERM);
        self.phase = Phase::Ends { until: now + GRACE };
    }

    /// Kills it at once, since nobody waits for it any more.
    pub(super) fn abandon(&mut self, now: Instant) {
        lock(&self.entry.output).excerpts = None;
        self.kill(now);
    }

    /// Kills it at once, since the files of the workspace outgrew their quota.
    pub(super) fn outgrow(&mut self, now: Instant) {
        match self.phase {
            Phase::Runs { .. } | Phase::Doomed { .. } | Phase::Ends { .. } => {
                lock(&self.entry.state).cause = Cause::Quota;
                self.kill(now);
            }
            Phase::Dies { .. } | Phase::Gone { .. } => {}
        }
    }

    /// Kills it at once.
    pub(super) fn kill(&mut self, now: Instant) {
        if matches!(self.phase, Phase::Dies { .. } | Phase::Gone { .. }) {
            return;
        }
        self.tell(order::KILL);
        self.wake();
        self.phase = Phase::Dies { since: now, again: now + TO_KILL };
    }

    fn tell(&self, order: u8) {
        send(&self.control, &[order], SendFlags::NOSIGNAL | SendFlags::DONTWAIT).ok();
    }

    /// Lets a supervisor run that somebody has stopped.
    fn wake(&self) {
        kill_process(self.supervisor.pid(), Signal::CONT).ok();
    }

    /// Looks whether somebody has stopped the supervisor.
    pub(super) fn check_stopped(&self) {
        if self.supervisor.is_stopped() {
            self.wake();
        }
    }

    /// Does what the time has come for.
    pub(super) fn keep_time(&mut self, now: Instant) -> Due {
        match self.phase {
            Phase::Runs { until } if until <= now => self.end(Cause::Timeout, now),
            Phase::Doomed { cause, until, again } if again <= now => {
                if until <= now || self.supervisor.has_begun() {
                    self.ask_to_end(cause, now);
                } else {
                    self.phase = Phase::Doomed { cause, until, again: now + SOON };
                }
            }
            Phase::Ends { until } if until <= now => self.kill(now),
            Phase::Dies { since, again } if again <= now => {
                self.phase = Phase::Dies { since, again: now + RETRY };
                self.kill_without_supervisor();
                if now.saturating_duration_since(since) > TO_DIE {
                    return Due::Finish;
                }
            }
            Phase::Gone { again } if again <= now => {
                self.phase = Phase::Gone { again: now + SOON };
                if self.supervisor.collect() == Collected::Yes {
                    return Due::Finish;
                }
            }
            Phase::Runs { .. }
            | Phase::Doomed { .. }
            | Phase::Ends { .. }
            | Phase::Dies { .. }
            | Phase::Gone { .. } => {}
        }
        Due::Nothing
    }

    /// Notes that the supervisor is gone.
    pub(super) fn lose(&mut self, poll: BorrowedFd<'_>, bond: Bond, now: Instant) -> Due {
        *lock(&self.entry.supervisor) = None;
        match bond {
            Bond::Subreaper => Due::Finish,
            // What is in a namespace dies before its first process can be collected.
            Bond::Namespace => {
                self.close(poll, Source::Control);
                self.phase = Phase::Gone { again: now };
                self.keep_time(now)
            }
        }
    }

    /// When there is something to do next.
    pub(super) fn next_time(&self) -> Instant {
        match self.phase {
            Phase::Runs { until } | Phase::Ends { until } => until,
            Phase::Doomed { again, .. } | Phase::Dies { again, .. } | Phase::Gone { again } => {
                again
            }
        }
    }

    /// Kills all that is below the supervisor, and then the supervisor, which
    /// somebody stops all the time or which hangs.
    fn kill_without_supervisor(&self) {
        self.wake();
        let root = self.supervisor.pid();
        // One look at processes that come and go can miss one; nobody can come after two.
        let nobody = || family::signal_below(root, Signal::KILL) == Reached::Nobody;
        if nobody() && nobody() {
            kill_process(root, Signal::KILL).ok();
        }
    }

    /// Whether the supervisor saw to it that nothing is left.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Notes how it ended, for all who wait.
    pub(super) fn finish(&self, now: Instant) {
        // Who did not live to report was killed.
        let (exit, at) = self.exit.unwrap_or((Exit::Signal(9), now));
        let mut state = lock(&self.entry.state);
        let ran = at.saturating_duration_since(self.entry.started);
        state.ended = Some(Ended { exit, cause: state.cause, ran });
        if matches!(state.terminal, Terminal::Open(_)) {
            state.terminal = Terminal::Closed;
        }
        drop(state);
        lock(&self.entry.input).stop();
        self.entry.changed.notify_waiters();
    }
}

/// Whether there is still somebody who may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    MayRead,
    Left,
}

/// Reads a status as `wait` encodes it.
fn exit_of(status: i32) -> Exit {
    if libc::WIFEXITED(status) {
        Exit::Code(u8::try_from(libc::WEXITSTATUS(status)).unwrap_or(u8::MAX))
    } else {
        Exit::Signal(u8::try_from(libc::WTERMSIG(status)).unwrap_or(9))
    }
}
