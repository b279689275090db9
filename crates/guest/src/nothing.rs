//! A place that runs no commands.

use garth_contract::{
    Announce, Ask, Code, Command, Ended, Error, Input, Printed, Process, ProcessId, Report, Result,
    Shell, ShellAbilities, Signal, Size,
};

/// Runs nothing.
pub(crate) struct Nothing;

impl Shell for Nothing {
    fn abilities(&self) -> ShellAbilities {
        ShellAbilities { terminals: false }
    }
    async fn run(&self, _: Command, _: Announce) -> Result<Report> {
        Err(Error::of(Code::Unsupported))
    }
    async fn start(&self, _: Command) -> Result<ProcessId> {
        Err(Error::of(Code::Unsupported))
    }
    async fn output(&self, _: ProcessId, _: Ask) -> Result<Printed> {
        Err(Error::of(Code::Unsupported))
    }
    async fn input(&self, _: ProcessId, _: Input) -> Result<()> {
        Err(Error::of(Code::Unsupported))
    }
    async fn signal(&self, _: ProcessId, _: Signal) -> Result<()> {
        Err(Error::of(Code::Unsupported))
    }
    async fn resize(&self, _: ProcessId, _: Size) -> Result<()> {
        Err(Error::of(Code::Unsupported))
    }
    async fn list(&self) -> Result<Vec<Process>> {
        Ok(vec![])
    }
    async fn end(&self, _: ProcessId) -> Result<Ended> {
        Err(Error::of(Code::Unsupported))
    }
}
