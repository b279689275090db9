//! The processes behind a link.

use garth_contract::{
    Announce, Ask, Code, Command, Ended, Error, Input, Printed, Process, ProcessId, Report, Result,
    Shell, ShellAbilities, Signal, Size,
};
use garth_wire::{Answer, Request};

use crate::{
    Remote,
    call::{Call, Nature},
    check::{self, beside, lie},
};

impl Remote {
    /// Begins a call about one process.
    async fn about(&self, id: ProcessId, request: &Request, nature: Nature) -> Result<Call> {
        let connection = self.link.connection().await?;
        self.link.known(&connection, id)?;
        Call::begin(connection, request, nature).await
    }

    /// Makes a call about one process that is answered with `Done`.
    async fn tell(&self, id: ProcessId, request: &Request) -> Result<()> {
        let mut call = self.about(id, request, Nature::Change).await?;
        let Answer::Done = call.answer(0).await? else { return Err(beside()) };
        call.finish();
        Ok(())
    }
}

impl Shell for Remote {
    fn abilities(&self) -> ShellAbilities {
        self.link.abilities().1
    }

    async fn run(&self, mut command: Command, announce: Announce) -> Result<Report> {
        command.keep = check::keep(command.keep);
        let keep = command.keep;
        let connection = self.link.connection().await?;
        let request = Request::Run(Box::new(command));
        let mut call = Call::begin(connection.clone(), &request, Nature::LastingChange).await?;
        drop(request);
        let mut announced = None;
        let mut announce = Some(announce);
        loop {
            let answer = call.answer(check::most_of_report(keep)).await?;
            if let Answer::Announced(id) = answer {
                self.link.note(&connection, id)?;
                let announce = announce.take().ok_or_else(|| lie("it runs a command twice"))?;
                announced = Some(id);
                announce.tell(id);
                continue;
            }
            let Answer::Report(report) = answer else { return Err(beside()) };
            self.link.note(&connection, report.id)?;
            if announced.is_some_and(|announced| announced != report.id) {
                return Err(lie("it reports of another command"));
            }
            call.finish();
            return Ok(check::report(report, keep));
        }
    }

    async fn start(&self, command: Command) -> Result<ProcessId> {
        let connection = self.link.connection().await?;
        let request = Request::Start(Box::new(command));
        let mut call = Call::begin(connection.clone(), &request, Nature::Change).await?;
        let Answer::Started(id) = call.answer(0).await? else { return Err(beside()) };
        self.link.note(&connection, id)?;
        call.finish();
        Ok(id)
    }

    async fn output(&self, id: ProcessId, ask: Ask) -> Result<Printed> {
        let ask = check::ask(ask);
        let nature = if ask.wait.is_zero() { Nature::Quick } else { Nature::Lasting };
        let mut call = self.about(id, &Request::Output(id, ask), nature).await?;
        let answer = call.answer(ask.most as u64).await?;
        let Answer::Printed(printed) = answer else { return Err(beside()) };
        call.finish();
        check::printed(printed, ask)
    }

    async fn input(&self, id: ProcessId, input: Input) -> Result<()> {
        self.tell(id, &Request::Input(id, input)).await
    }

    async fn signal(&self, id: ProcessId, signal: Signal) -> Result<()> {
        self.tell(id, &Request::Signal(id, signal)).await
    }

    async fn resize(&self, id: ProcessId, size: Size) -> Result<()> {
        self.tell(id, &Request::Resize(id, size)).await
    }

    async fn list(&self) -> Result<Vec<Process>> {
        let connection = self.link.connection().await?;
        let mut call = Call::begin(connection.clone(), &Request::Processes, Nature::Quick).await?;
        let Answer::Processes(processes) = call.answer(0).await? else { return Err(beside()) };
        call.finish();
        for process in &processes {
            self.link.note(&connection, process.id)?;
        }
        Ok(processes.into_iter().map(check::process).collect())
    }

    /// Goes on when its caller does not: an end that was asked for comes.
    async fn end(&self, id: ProcessId) -> Result<Ended> {
        let remote = self.clone();
        let end = tokio::spawn(async move {
            let mut call = remote.about(id, &Request::End(id), Nature::LastingChange).await?;
            let Answer::Ended(ended) = call.answer(0).await? else { return Err(beside()) };
            call.finish();
            Ok(ended)
        });
        end.await.map_err(|_| Error::of(Code::Internal))?
    }
}
