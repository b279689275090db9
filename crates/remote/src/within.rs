//! Commands of a sandbox whose workspace is a directory of what its guest serves.

use std::sync::Arc;

use garth_contract::{
    Announce, Ask, Command, DynShell, Ended, Input, Printed, Process, ProcessId, Report, Result,
    Shell, ShellAbilities, Signal, Size, WsPath,
};

/// The commands of a sandbox, where the root of the workspace is this directory.
///
/// It changes where a command runs and nothing else: what keeps a command inside is the
/// sandbox, whose whole tree it can see in any case.
pub struct Within {
    shell: Arc<dyn DynShell>,
    directory: WsPath,
}

impl Within {
    /// Commands of this sandbox, from this directory of it.
    #[must_use]
    pub fn new(shell: Arc<dyn DynShell>, directory: WsPath) -> Self {
        Self { shell, directory }
    }

    fn moved(&self, mut command: Command) -> Result<Command> {
        command.workdir = command.workdir.under(&self.directory)?;
        Ok(command)
    }
}

impl Shell for Within {
    fn abilities(&self) -> ShellAbilities {
        self.shell.abilities()
    }

    async fn run(&self, command: Command, announce: Announce) -> Result<Report> {
        self.shell.run(self.moved(command)?, announce).await
    }

    async fn start(&self, command: Command) -> Result<ProcessId> {
        self.shell.start(self.moved(command)?).await
    }

    async fn output(&self, id: ProcessId, ask: Ask) -> Result<Printed> {
        self.shell.output(id, ask).await
    }

    async fn input(&self, id: ProcessId, input: Input) -> Result<()> {
        self.shell.input(id, input).await
    }

    async fn signal(&self, id: ProcessId, signal: Signal) -> Result<()> {
        self.shell.signal(id, signal).await
    }

    async fn resize(&self, id: ProcessId, size: Size) -> Result<()> {
        self.shell.resize(id, size).await
    }

    async fn list(&self) -> Result<Vec<Process>> {
        self.shell.list().await
    }

    async fn end(&self, id: ProcessId) -> Result<Ended> {
        self.shell.end(id).await
    }
}
