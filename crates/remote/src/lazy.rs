//! A sandbox that is made when the first command comes.

use garth_contract::{
    Announce, Ask, Command, Ended, Input, Printed, Process, ProcessId, Report, Result, Shell,
    ShellAbilities, Signal, Size,
};
use tokio::sync::OnceCell;

use crate::{Connect, Link, Patience, Remote};

/// The commands of a sandbox that is made with the first of them.
///
/// Most workspaces never run one, and their files are looked at from outside.
pub struct Lazy<C> {
    connect: C,
    patience: Patience,
    made: OnceCell<Remote>,
}

impl<C: Connect + Clone> Lazy<C> {
    /// Commands that run where this leads to.
    #[must_use]
    pub fn new(connect: C, patience: Patience) -> Self {
        Self { connect, patience, made: OnceCell::new() }
    }

    async fn remote(&self) -> Result<&Remote> {
        let make = || async {
            let link = Link::open(self.connect.clone(), ProcessId(1), self.patience).await?;
            Ok(Remote::new(link))
        };
        self.made.get_or_try_init(make).await
    }

    /// The sandbox in which this process may be.
    fn of(&self, id: ProcessId) -> Result<&Remote> {
        self.made.get().ok_or_else(|| id.unknown())
    }
}

impl<C: Connect + Clone> Shell for Lazy<C> {
    fn abilities(&self) -> ShellAbilities {
        ShellAbilities { terminals: true }
    }

    async fn run(&self, command: Command, announce: Announce) -> Result<Report> {
        Shell::run(self.remote().await?, command, announce).await
    }

    async fn start(&self, command: Command) -> Result<ProcessId> {
        Shell::start(self.remote().await?, command).await
    }

    async fn output(&self, id: ProcessId, ask: Ask) -> Result<Printed> {
        Shell::output(self.of(id)?, id, ask).await
    }

    async fn input(&self, id: ProcessId, input: Input) -> Result<()> {
        Shell::input(self.of(id)?, id, input).await
    }

    async fn signal(&self, id: ProcessId, signal: Signal) -> Result<()> {
        Shell::signal(self.of(id)?, id, signal).await
    }

    async fn resize(&self, id: ProcessId, size: Size) -> Result<()> {
        Shell::resize(self.of(id)?, id, size).await
    }

    async fn list(&self) -> Result<Vec<Process>> {
        match self.made.get() {
            None => Ok(Vec::new()),
            Some(remote) => Shell::list(remote).await,
        }
    }

    async fn end(&self, id: ProcessId) -> Result<Ended> {
        Shell::end(self.of(id)?, id).await
    }
}
