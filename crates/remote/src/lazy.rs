//! A sandbox that is made when the first command comes.

use garth_contract::{
    Announce, Ask, Command, Ended, Input, Printed, Process, ProcessId, Report, Result, Shell,
    ShellAbilities, Signal, Size,
};
use tokio::sync::OnceCell;

use crate::{Connect, Left, Link, Patience, Remote, link::lost};

/// The commands of a sandbox that is made with the first of them.
///
/// Most workspaces never run one, and their files are looked at from outside. A
/// sandbox that runs already is met when one of its processes is asked for.
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

    pub(crate) async fn remote(&self) -> Result<&Remote> {
        let make = || async {
            let link = Link::open(self.connect.clone(), ProcessId(1), self.patience).await?;
            Ok(Remote::new(link))
        };
        self.made.get_or_try_init(make).await
    }

    /// The sandbox in which this process may be.
    async fn of(&self, id: ProcessId) -> Result<&Remote> {
        if let Some(remote) = self.made.get() {
            return Ok(remote);
        }
        match self.connect.left().await? {
            Left::Nothing => Err(id.unknown()),
            Left::Runs => self.remote().await,
            Left::Lost => Err(lost(id)),
        }
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
        Shell::output(self.of(id).await?, id, ask).await
    }

    async fn input(&self, id: ProcessId, input: Input) -> Result<()> {
        Shell::input(self.of(id).await?, id, input).await
    }

    async fn signal(&self, id: ProcessId, signal: Signal) -> Result<()> {
        Shell::signal(self.of(id).await?, id, signal).await
    }

    async fn resize(&self, id: ProcessId, size: Size) -> Result<()> {
        Shell::resize(self.of(id).await?, id, size).await
    }

    async fn list(&self) -> Result<Vec<Process>> {
        if let Some(remote) = self.made.get() {
            return Shell::list(remote).await;
        }
        match self.connect.left().await? {
            Left::Nothing | Left::Lost => Ok(Vec::new()),
            Left::Runs => Shell::list(self.remote().await?).await,
        }
    }

    async fn end(&self, id: ProcessId) -> Result<Ended> {
        Shell::end(self.of(id).await?, id).await
    }
}
