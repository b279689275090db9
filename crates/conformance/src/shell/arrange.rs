//! Short ways to run commands and to look at them, so that a check reads as a fact.

use std::{sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use garth_contract::{
    Announce, Ask, Command, Ended, Input, Kept, Piece, Printed, Process, ProcessId, Program,
    Report, Result, Size, Stdin, Stream, Timeout,
};
use tokio::{sync::oneshot, task::JoinHandle, time};

use super::Subject;
use crate::{
    Stop, Verdict,
    stop::{failed, same},
};

/// How long anything may take that will surely happen, even on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// How long one question of a loop waits; the loop asks again.
const A_WHILE: Duration = Duration::from_secs(1);
/// Between two looks at something that tells nobody when it changes.
const GLANCE: Duration = Duration::from_millis(5);
/// A terminal of the usual size.
pub(super) const TERMINAL: Size = Size { rows: 24, columns: 80 };
/// Waits in a script until the file `go` is there.
pub(super) const UNTIL_GO: &str = "until [ -e go ]; do sleep 0.02; done";

/// Stays in a script without an end, and lets a caught signal speak at once.
pub(super) const LINGER: &str = "while :; do sleep 0.1 & wait $!; done";

/// A script in the root with nothing to read and the usual bounds.
pub(super) fn script(text: impl Into<String>) -> Result<Command> {
    Ok(Command::new(Program::script(text)?))
}

/// The same with an input that stays open.
pub(super) fn open(text: impl Into<String>) -> Result<Command> {
    Ok(Command { stdin: Stdin::Open, ..script(text)? })
}

/// The same with these bytes to read.
pub(super) fn reading(text: impl Into<String>, bytes: impl Into<Bytes>) -> Result<Command> {
    Ok(Command { stdin: Stdin::Bytes(bytes.into()), ..script(text)? })
}

/// The same on a terminal, whose keyboard stays open.
pub(super) fn typing(text: impl Into<String>) -> Result<Command> {
    Ok(Command { terminal: Some(TERMINAL), ..open(text)? })
}

/// A program and its arguments.
pub(super) fn program(words: &[&str]) -> Result<Command> {
    let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
    Ok(Command::new(Program::arguments(words)?))
}

/// A process that runs in the foreground of somebody else.
pub(super) struct Running {
    /// The call; aborting it drops it.
    pub(super) task: JoinHandle<Result<Report>>,
    id: oneshot::Receiver<ProcessId>,
}

impl Running {
    /// The number, once it is announced.
    pub(super) async fn id(&mut self) -> Verdict<ProcessId> {
        match time::timeout(PATIENCE, &mut self.id).await {
            Ok(Ok(id)) => Ok(id),
            Ok(Err(_)) => Err(failed("nobody announced it")),
            Err(_) => Err(failed("it was not announced while it ran")),
        }
    }

    /// What came of it.
    pub(super) async fn report(self) -> Verdict<Report> {
        Ok(self.task.await.map_err(|error| failed(error.to_string()))??)
    }

    /// Drops the call and waits until it is dropped.
    pub(super) async fn drop(self) {
        self.task.abort();
        // Aborted or ended: either way it is no more.
        let _ = self.task.await;
    }
}

/// All that a process printed.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// Both streams, in the order in which they came.
    pub(super) both: BytesMut,
    /// The bytes of standard output.
    pub(super) stdout: BytesMut,
    /// The bytes of standard error.
    pub(super) stderr: BytesMut,
}

impl Whole {
    pub(super) fn add(&mut self, pieces: &[Piece]) {
        for Piece { stream, bytes } in pieces {
            self.both.extend_from_slice(bytes);
            match stream {
                Stream::Stdout => self.stdout.extend_from_slice(bytes),
                Stream::Stderr => self.stderr.extend_from_slice(bytes),
            }
        }
    }
}

/// The calls of the trait with the parameters most checks want.
impl Subject {
    /// Runs a script to its end.
    pub(super) async fn run(&self, text: impl Into<String>) -> Result<Report> {
        self.run_as(script(text)?).await
    }

    pub(super) async fn run_as(&self, command: Command) -> Result<Report> {
        self.shell.run(command, Announce::nobody()).await
    }

    /// Runs a command beside the check, and hears its number.
    pub(super) fn running(&self, command: Command) -> Running {
        let (tell, id) = oneshot::channel();
        // A check that has gone on without the number does not miss it.
        let announce = Announce::to(move |id| {
            let _ = tell.send(id);
        });
        let shell = Arc::clone(&self.shell);
        Running { task: tokio::spawn(async move { shell.run(command, announce).await }), id }
    }

    /// Starts a script in the background.
    pub(super) async fn start(&self, text: impl Into<String>) -> Result<ProcessId> {
        self.shell.start(script(text)?).await
    }

    /// Writes to a process's input.
    pub(super) async fn write(&self, id: ProcessId, bytes: impl Into<Bytes>) -> Result<()> {
        self.shell.input(id, Input::Bytes(bytes.into())).await
    }

    pub(super) async fn close(&self, id: ProcessId) -> Result<()> {
        self.shell.input(id, Input::Close).await
    }

    /// What there is from a position on, perhaps after a while.
    pub(super) async fn page(&self, id: ProcessId, from: u64) -> Result<Printed> {
        self.shell.output(id, Ask { from, most: Ask::MOST, wait: A_WHILE }).await
    }

    /// What there is from a position on, now.
    pub(super) async fn now(&self, id: ProcessId, from: u64, most: usize) -> Result<Printed> {
        self.shell.output(id, Ask { from, most, wait: Duration::ZERO }).await
    }

    /// Waits until a process has ended, and returns all it printed.
    pub(super) async fn whole(&self, id: ProcessId) -> Verdict<(Whole, Ended)> {
        let mut whole = Whole::default();
        let mut from = 0;
        loop {
            let printed = self.page(id, from).await?;
            whole.add(&printed.pieces);
            from = printed.next;
            match printed.ended {
                Some(ended) if printed.pieces.is_empty() => return Ok((whole, ended)),
                Some(_) | None => {}
            }
        }
    }

    /// Waits until a process has ended.
    pub(super) async fn ended(&self, id: ProcessId) -> Verdict<Ended> {
        Ok(self.whole(id).await?.1)
    }

    /// Waits until a process has printed this, on either stream; returns all it printed.
    pub(super) async fn until(&self, id: ProcessId, wanted: &str) -> Verdict<String> {
        let mut whole = Whole::default();
        let mut from = 0;
        loop {
            let printed = self.page(id, from).await?;
            whole.add(&printed.pieces);
            from = printed.next;
            let text = String::from_utf8_lossy(&whole.both).into_owned();
            if text.contains(wanted) {
                return Ok(text);
            }
            if printed.ended.is_some() && printed.pieces.is_empty() {
                return Err(failed(format!("it ended without {wanted:?}, after {text:?}")));
            }
        }
    }

    /// A process as the list has it.
    pub(super) async fn listed(&self, id: ProcessId) -> Verdict<Process> {
        let all = self.shell.list().await?;
        let found = all.into_iter().find(|process| process.id == id);
        found.ok_or_else(|| failed(format!("{id} is not listed")))
    }

    /// Makes the file that [`UNTIL_GO`] waits for.
    pub(super) async fn go(&self) -> Verdict {
        self.files.write("go", "").await?;
        Ok(())
    }

    /// Ends the check where the place lacks a program that not every place has.
    pub(super) async fn needs(&self, name: &str, cannot: &'static str) -> Verdict {
        let there = self.run(format!("command -v {name}")).await?.ended.exit.code() == 0;
        if there { Ok(()) } else { Err(Stop::Cannot(cannot)) }
    }

    /// Ends the check where the place keeps less output than it looks at.
    pub(super) fn keeps(&self, bytes: u64) -> Verdict {
        match self.traits.spool {
            Some(spool) if spool < bytes => Err(Stop::Cannot("keep so much output")),
            Some(_) | None => Ok(()),
        }
    }

    /// Runs a script that prints `ready` until its time was up after that.
    ///
    /// A busy machine may need longer to get there, and is given longer.
    pub(super) async fn overrun(&self, text: &str) -> Verdict<Report> {
        self.overrun_from(200, text).await
    }

    /// The same for one that is slow to get ready.
    pub(super) async fn overrun_from(&self, mut millis: u64, text: &str) -> Verdict<Report> {
        loop {
            let timeout = Timeout::millis(millis)?;
            let report = self.run_as(Command { timeout, ..script(text)? }).await?;
            if report.stdout.head.windows(5).any(|window| window == b"ready") {
                return Ok(report);
            }
            if millis > 30_000 {
                return Err(failed(format!("it is not ready after {millis} ms: {report:?}")));
            }
            millis *= 2;
        }
    }
}

/// What was kept of a stream, which must be all of it, as text.
#[track_caller]
pub(super) fn text(kept: &Kept) -> Verdict<String> {
    if kept.missing() > 0 || !kept.tail.is_empty() {
        return Err(failed(format!("what fits was cut: {} bytes in all", kept.total)));
    }
    String::from_utf8(kept.head.to_vec()).map_err(|_| failed("what was printed is not text"))
}

/// Claims what a command printed to its standard output, and that its code is 0.
#[track_caller]
pub(super) fn printed(report: &Report, want: &str) -> Verdict {
    let got = (report.ended.exit.code(), text(&report.stdout)?);
    same("code and standard output", got, (0, want.to_owned()))
}

/// Looks again and again until something is there.
pub(super) async fn patiently<T, F>(what: &str, mut look: impl FnMut() -> F) -> Verdict<T>
where
    F: Future<Output = Verdict<Option<T>>>,
{
    let started = time::Instant::now();
    loop {
        if let Some(found) = look().await? {
            return Ok(found);
        }
        if started.elapsed() > PATIENCE {
            return Err(failed(format!("in {PATIENCE:?} it never came that {what}")));
        }
        time::sleep(GLANCE).await;
    }
}
