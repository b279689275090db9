//! A right shell with one fault.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use garth_contract::{
    Announce, Ask, Cause, Code, Command, DynShell, Ended, Error, Input, Kept, Piece, Printed,
    Process, ProcessId, Report, Result, Shell, ShellAbilities, Signal, Size, Stdin, Stream,
};
use tokio::task::yield_now;

use crate::{bend, fault::Fault};

/// A shell that does one thing wrong.
pub(crate) struct Faulty {
    pub(crate) inner: Arc<dyn DynShell>,
    pub(crate) fault: Fault,
    /// The variables of the place, which a fault does not override.
    pub(crate) own: Vec<(String, String)>,
    /// Whose turn it is, where a fault lets one run at a time.
    turn: tokio::sync::Mutex<()>,
    /// Which process is meant by a number that a fault used twice.
    numbers: Mutex<HashMap<ProcessId, ProcessId>>,
    /// What the command before printed.
    before: Mutex<Kept>,
    asked: AtomicBool,
}

impl Faulty {
    pub(crate) fn new(inner: Arc<dyn DynShell>, own: Vec<(String, String)>, fault: Fault) -> Self {
        if fault == Fault::OutlivesTheWorkspace {
            std::mem::forget(Arc::clone(&inner));
        }
        Self {
            inner,
            fault,
            own,
            turn: tokio::sync::Mutex::new(()),
            numbers: Mutex::default(),
            before: Mutex::default(),
            asked: AtomicBool::new(false),
        }
    }

    pub(crate) fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    /// The number that a caller is told.
    fn told(&self, id: ProcessId) -> ProcessId {
        if !self.is(Fault::ReusesNumbers) {
            return id;
        }
        let told = ProcessId(id.0 % 3);
        self.numbers.lock().unwrap().insert(told, id);
        told
    }

    /// The process that a caller means.
    fn meant(&self, id: ProcessId) -> ProcessId {
        self.numbers.lock().unwrap().get(&id).copied().unwrap_or(id)
    }

    async fn running(&self) -> Result<Vec<ProcessId>> {
        let listed = self.inner.list().await?;
        let runs = listed.iter().filter(|process| process.ended.is_none());
        Ok(runs.map(|process| process.id).collect())
    }

    /// Runs a command, perhaps in another way than told.
    async fn run_somehow(&self, command: Command, announce: Announce) -> Result<Report> {
        let inner = Arc::clone(&self.inner);
        if self.is(Fault::RunsOn) {
            let task = tokio::spawn(async move { inner.run(command, announce).await });
            return task.await.unwrap();
        }
        if self.is(Fault::AsksOnDrop) {
            return bend::asked_on_drop(inner, command).await;
        }
        if self.is(Fault::KillsAtTheTime) {
            return bend::killed_at_the_time(inner, command).await;
        }
        if self.is(Fault::AnnouncesToNobody) {
            drop(announce);
            return inner.run(command, Announce::nobody()).await;
        }
        if self.is(Fault::AnnouncesLate) {
            let report = inner.run(command, Announce::nobody()).await?;
            announce.tell(report.id);
            return Ok(report);
        }
        if self.is(Fault::AnnouncesTooSoon) {
            announce.tell(ProcessId(1));
            return inner.run(command, Announce::nobody()).await;
        }
        let again = bend::in_the_root(&command);
        match inner.run(command, announce).await {
            Err(error) if self.overlooks(&error) => inner.run(again, Announce::nobody()).await,
            answer => answer,
        }
    }

    /// Tells whether a refusal of a working directory is not heard.
    fn overlooks(&self, error: &Error) -> bool {
        match error.code() {
            Code::FileNotFound => self.is(Fault::RunsAnywhere),
            Code::PathOutsideWorkspace => self.is(Fault::FollowsLinksOut),
            _ => false,
        }
    }

    fn report(&self, mut report: Report) -> Result<Report> {
        if self.is(Fault::FailsOnTimeout) && report.ended.cause == Cause::Timeout {
            return Err(Error::of(Code::CommandTimeout));
        }
        if self.is(Fault::RefusesMissing) && report.ended.exit.code() == 127 {
            return Err(Error::of(Code::FileNotFound));
        }
        report.id = self.told(report.id);
        report.ended = self.ended(report.ended);
        if self.is(Fault::LosesErrorsOnTimeout) && report.ended.cause == Cause::Timeout {
            report.stderr = Kept::default();
        }
        if self.is(Fault::MixesReports) {
            let before = std::mem::replace(&mut *self.before.lock().unwrap(), report.stdout);
            report.stdout = before;
        }
        bend::streams(self.fault, &mut report);
        Ok(report)
    }

    fn ended(&self, ended: Ended) -> Ended {
        bend::ended(self.fault, ended)
    }

    /// Writes some of the bytes, then the others.
    async fn write_in_parts(&self, id: ProcessId, bytes: Bytes) -> Result<()> {
        for part in bytes.chunks(bytes.len().div_ceil(16).max(1)) {
            self.inner.input(id, Input::Bytes(Bytes::copy_from_slice(part))).await?;
            yield_now().await;
        }
        Ok(())
    }
}

impl Shell for Faulty {
    fn abilities(&self) -> ShellAbilities {
        let abilities = self.inner.abilities();
        let changed = self.is(Fault::ChangesItsMind) && self.asked.swap(true, Ordering::SeqCst);
        ShellAbilities { terminals: abilities.terminals != changed }
    }

    async fn run(&self, command: Command, announce: Announce) -> Result<Report> {
        let _turn = match self.fault {
            Fault::RunsOneAtATime => Some(self.turn.lock().await),
            _ => None,
        };
        if self.is(Fault::LeavesChildren) || self.is(Fault::LeavesTrees) {
            self.inner.start(bend::undying(&command)?).await?;
        }
        let command = bend::command(self, command)?;
        self.report(self.run_somehow(command, announce).await?)
    }

    async fn start(&self, command: Command) -> Result<ProcessId> {
        if self.is(Fault::LeavesStarted) {
            self.inner.start(bend::undying(&command)?).await?;
        }
        let command = bend::command(self, command)?;
        if self.is(Fault::StartsInTheForeground) {
            return Ok(self.inner.run(command, Announce::nobody()).await?.id);
        }
        match self.inner.start(command).await {
            Err(error) if self.is(Fault::RefusesNobody) && error.code() == Code::QuotaExceeded => {
                Ok(ProcessId(u64::MAX))
            }
            answer => Ok(self.told(answer?)),
        }
    }

    async fn output(&self, id: ProcessId, mut ask: Ask) -> Result<Printed> {
        let id = self.meant(id);
        let from = ask.from;
        if self.is(Fault::ReadsOneFurther) {
            ask.from = ask.from.saturating_add(1);
        }
        if self.is(Fault::IgnoresTheMost) {
            ask.most = Ask::MOST;
        }
        if self.is(Fault::WaitsNever) {
            ask.wait = Duration::ZERO;
        }
        if self.is(Fault::WaitsAlways) {
            ask.wait = Ask::LONGEST;
        }
        if self.is(Fault::SleepsOn) {
            tokio::time::sleep(ask.wait).await;
        }
        let answer = match self.inner.output(id, ask).await {
            Err(_) if self.is(Fault::KnowsEverybody) => return Ok(bend::nothing(0)),
            // At the very end there is nothing one further.
            Err(_) if self.is(Fault::ReadsOneFurther) => {
                self.inner.output(id, Ask { from, ..ask }).await
            }
            Err(_) if self.is(Fault::AnswersBeyond) => {
                let total = self.inner.output(id, Ask { from: 0, ..ask }).await?.total;
                self.inner.output(id, Ask { from: total, ..ask }).await
            }
            answer => answer,
        };
        let mut printed = answer?;
        if self.is(Fault::ForgetsTheEnded) && printed.ended.is_some() && from == 0 {
            let seen = self.asked.swap(true, Ordering::SeqCst);
            return if seen { Err(id.unknown()) } else { Ok(printed) };
        }
        bend::printed(self.fault, &mut printed);
        printed.ended = printed.ended.map(|ended| self.ended(ended));
        Ok(printed)
    }

    async fn input(&self, id: ProcessId, input: Input) -> Result<()> {
        let id = self.meant(id);
        match input {
            Input::Close if self.is(Fault::NeverCloses) => Ok(()),
            Input::Bytes(bytes) if self.is(Fault::WritesTwice) => {
                self.inner.input(id, Input::Bytes(bytes.clone())).await?;
                self.inner.input(id, Input::Bytes(bytes)).await
            }
            Input::Bytes(bytes)
                if self.is(Fault::TakesSomeOnError) || self.is(Fault::SplitsWrites) =>
            {
                self.write_in_parts(id, bytes).await
            }
            input => match self.inner.input(id, input).await {
                Err(error) if error.code() == Code::RateLimitExceeded => {
                    if self.is(Fault::TakesEverything) { Ok(()) } else { Err(error) }
                }
                Err(_) if self.is(Fault::TakesAfterTheEnd) => Ok(()),
                answer => answer,
            },
        }
    }

    async fn signal(&self, id: ProcessId, signal: Signal) -> Result<()> {
        let id = self.meant(id);
        if self.is(Fault::SignalsNobody) {
            return Ok(());
        }
        if self.is(Fault::SignalsEverybody) {
            for id in self.running().await? {
                self.inner.signal(id, signal).await?;
            }
            // The others hear it before the caller can do anything more.
            tokio::time::sleep(Duration::from_millis(500)).await;
            return Ok(());
        }
        let signal = if self.is(Fault::KillsInstead) { Signal::KILL } else { signal };
        match self.inner.signal(id, signal).await {
            Err(_) if self.is(Fault::SignalsTheEnded) => Ok(()),
            answer => answer,
        }
    }

    async fn resize(&self, id: ProcessId, size: Size) -> Result<()> {
        if self.is(Fault::NeverResizes) {
            return Ok(());
        }
        match self.inner.resize(self.meant(id), size).await {
            Err(_) if self.is(Fault::ResizesNothing) => Ok(()),
            answer => answer,
        }
    }

    async fn list(&self) -> Result<Vec<Process>> {
        let mut list = self.inner.list().await?;
        if self.is(Fault::ListsNewestFirst) {
            list.reverse();
        }
        list.retain(|process| match self.fault {
            Fault::HidesTheEnded => process.ended.is_none(),
            Fault::HidesTheForeground => process.background,
            _ => true,
        });
        for process in &mut list {
            bend::listed(self.fault, process);
            process.ended = process.ended.map(|ended| self.ended(ended));
        }
        Ok(list)
    }

    async fn end(&self, id: ProcessId) -> Result<Ended> {
        let id = self.meant(id);
        if self.is(Fault::DropsTheEnd) {
            // Whoever waits for it gives up before it has begun.
            yield_now().await;
            yield_now().await;
        }
        if self.is(Fault::EndsOnce) && self.asked.swap(true, Ordering::SeqCst) {
            return Err(id.unknown());
        }
        if self.is(Fault::KillsToEnd) {
            self.inner.signal(id, Signal::KILL).await?;
        }
        let mut ended = self.ended(self.inner.end(id).await?);
        if self.is(Fault::EndsByItself) {
            ended.cause = Cause::Itself;
        }
        Ok(ended)
    }
}

/// What a fault makes of what a process reads.
pub(crate) fn stdin(fault: Fault, stdin: Stdin) -> Stdin {
    match (fault, stdin) {
        (Fault::LeavesInputOpen, Stdin::Empty) => Stdin::Open,
        (_, stdin) => stdin,
    }
}

/// What a fault makes of the streams' names.
pub(crate) fn named(fault: Fault, piece: &mut Piece) {
    if fault == Fault::NamesOneStream {
        piece.stream = Stream::Stdout;
    }
}
