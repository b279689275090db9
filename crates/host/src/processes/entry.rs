//! One process as those who ask about it share it with the thread that tends it.

use std::{
    os::fd::OwnedFd,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use garth_contract::{
    Ask, Cause, Code, Ended, Error, Input as Fed, Kept, Printed, Process, ProcessId, Report,
    Result, Signal, Size, Stream,
};
use rustix::process::Pid;
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};

use super::{
    excerpt::Excerpt,
    family,
    input::Input,
    lock,
    spool::{Part, Spool},
    terminal,
};
use crate::blocking;

/// How long a signal waits for a command that is about to start.
pub(super) const TO_START: Duration = Duration::from_secs(1);
/// How often is looked whether it has.
pub(super) const SOON: Duration = Duration::from_millis(1);

/// Who waits for a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ground {
    /// Its caller, for a report.
    Fore,
    /// Nobody.
    Back,
}

/// A process.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: ProcessId,
    pub(super) command: String,
    pub(super) ground: Ground,
    pub(super) started: Instant,
    pub(super) output: Mutex<Output>,
    pub(super) printed: AtomicU64,
    pub(super) input: Mutex<Input>,
    pub(super) state: Mutex<State>,
    /// The supervisor while it has not been collected. Who holds the lock can count on
    /// the number.
    pub(super) supervisor: Mutex<Option<Pid>>,
    /// Raised once the command's own process becomes its program, or cannot.
    pub(super) begun: Arc<AtomicBool>,
    /// Told when something was printed, and at the end.
    pub(super) changed: Notify,
}

/// What a process printed.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) spool: Spool,
    /// For the report, of both streams.
    pub(super) excerpts: Option<[Excerpt; 2]>,
}

/// How far a process has come.
#[derive(Debug)]
pub(super) struct State {
    /// Our end of its terminal, until it ends.
    pub(super) terminal: Terminal,
    pub(super) cause: Cause,
    pub(super) ended: Option<Ended>,
    /// Whether the place was stopped under it.
    pub(super) lost: bool,
}

/// Whether a process has a terminal.
#[derive(Debug)]
pub(super) enum Terminal {
    None,
    Open(OwnedFd),
    Closed,
}

impl Output {
    /// Adds what a stream brought.
    pub(super) fn add(&mut self, stream: Stream, bytes: &[u8], make_room: &dyn Fn() -> bool) {
        self.spool.add(stream, bytes, make_room);
        if let Some([stdout, stderr]) = &mut self.excerpts {
            match stream {
                Stream::Stdout => stdout.add(bytes),
                Stream::Stderr => stderr.add(bytes),
            }
        }
    }
}

impl Entry {
    /// How it ended, if it has.
    pub(super) fn ended(&self) -> Option<Ended> {
        lock(&self.state).ended
    }

    /// As a list shows it.
    pub(super) fn listed(&self, now: Instant) -> Process {
        let state = lock(&self.state);
        Process {
            id: self.id,
            command: self.command.clone(),
            background: self.ground == Ground::Back,
            terminal: !matches!(state.terminal, Terminal::None),
            age: now.saturating_duration_since(self.started),
            printed: self.printed.load(Ordering::Relaxed),
            ended: state.ended,
        }
    }

    /// Waits for its end.
    pub(super) async fn end(&self) -> Result<Ended> {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            {
                let state = lock(&self.state);
                if state.lost {
                    return Err(stopped());
                }
                if let Some(ended) = state.ended {
                    return Ok(ended);
                }
            }
            changed.await;
        }
    }

    /// What its caller hears in the end.
    pub(super) fn report(&self, ended: Ended) -> Report {
        let excerpts = lock(&self.output).excerpts.take();
        let [stdout, stderr] =
            excerpts.map_or([Kept::default(), Kept::default()], |both| both.map(Excerpt::finish));
        Report { id: self.id, ended, stdout, stderr }
    }

    /// Reads from what it printed, and waits while there is nothing.
    pub(super) async fn read(&self, ask: Ask) -> Result<Printed> {
        let most = ask.most.min(Ask::MOST);
        let wait = self.wait_for_output(ask.from, most);
        let part = match timeout(ask.wait.min(Ask::LONGEST), wait).await {
            Ok(part) => part?,
            Err(_) => self.part(ask.from, most)?,
        };
        // The end is looked at before the output, or what came between is missed.
        let (ended, part) = part;
        let (start, missing, total) = (part.start, part.missing, part.total);
        let pieces =
            if part.is_stored() { blocking::run(move || part.read()).await? } else { part.read()? };
        let count: usize = pieces.iter().map(|piece| piece.bytes.len()).sum();
        Ok(Printed { start, pieces, next: start + count as u64, missing, total, ended })
    }

    async fn wait_for_output(&self, from: u64, most: usize) -> Result<(Option<Ended>, Part)> {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            let (ended, part) = self.part(from, most)?;
            if ended.is_some() || !part.is_empty() {
                return Ok((ended, part));
            }
            if lock(&self.state).lost {
                return Err(stopped());
            }
            changed.await;
        }
    }

    fn part(&self, from: u64, most: usize) -> Result<(Option<Ended>, Part)> {
        let ended = self.ended();
        Ok((ended, lock(&self.output).spool.part(from, most)?))
    }

    /// Puts something into its input.
    pub(super) fn feed(&self, fed: Fed) -> Result<()> {
        self.check_running()?;
        let mut input = lock(&self.input);
        match fed {
            Fed::Bytes(bytes) => input.add(self.id, bytes),
            Fed::Close => input.close(self.id),
        }
    }

    /// Changes the size of its terminal.
    pub(super) fn resize(&self, size: Size) -> Result<()> {
        let state = lock(&self.state);
        match &state.terminal {
            Terminal::Open(master) => {
                terminal::resize(master, size).map_err(|_| Error::of(Code::Internal))
            }
            Terminal::Closed => Err(over(self.id)),
            Terminal::None => {
                let message = format!("process {} has no terminal", self.id);
                Err(Error::new(Code::InvalidParams, message))
            }
        }
    }

    /// Waits until the command runs, but not for long.
    pub(super) async fn wait_for_start(&self) {
        let latest = Instant::now() + TO_START;
        while !self.begun.load(Ordering::Acquire)
            && self.ended().is_none()
            && Instant::now() < latest
        {
            sleep(SOON).await;
        }
    }

    /// Sends a signal to everything of its tree; reads much of `/proc`.
    pub(super) fn signal(&self, signal: Signal) -> Result<()> {
        let signal = rustix::process::Signal::from_named_raw(i32::from(signal.number()))
            .ok_or_else(|| Error::new(Code::InvalidParams, "there is no such signal"))?;
        let supervisor = lock(&self.supervisor);
        match *supervisor {
            Some(root) => {
                family::signal_below(root, signal);
                Ok(())
            }
            None => Err(over(self.id)),
        }
    }

    /// Refuses what cannot be done to a process that has ended.
    pub(super) fn check_running(&self) -> Result<()> {
        if self.ended().is_some() { Err(over(self.id)) } else { Ok(()) }
    }
}

fn over(id: ProcessId) -> Error {
    Error::new(Code::InvalidParams, format!("process {id} has ended"))
}

/// That no processes are run here any more.
pub(super) fn stopped() -> Error {
    Error::new(Code::ProviderUnavailable, "the processes of the workspace were stopped")
}
