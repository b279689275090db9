//! The object-safe twin of [`Shell`], written by hand.

use crate::{
    Announce, Ask, BoxFuture, Command, Ended, Input, Printed, Process, ProcessId, Report, Result,
    Shell, ShellAbilities, Signal, Size,
};

/// [`Shell`] behind a pointer; each method means what its twin means.
#[allow(missing_docs, reason = "each method is specified on its twin in Shell")]
pub trait DynShell: Send + Sync {
    fn abilities(&self) -> ShellAbilities;
    fn run(&self, command: Command, announce: Announce) -> BoxFuture<'_, Result<Report>>;
    fn start(&self, command: Command) -> BoxFuture<'_, Result<ProcessId>>;
    fn output(&self, id: ProcessId, ask: Ask) -> BoxFuture<'_, Result<Printed>>;
    fn input(&self, id: ProcessId, input: Input) -> BoxFuture<'_, Result<()>>;
    fn signal(&self, id: ProcessId, signal: Signal) -> BoxFuture<'_, Result<()>>;
    fn resize(&self, id: ProcessId, size: Size) -> BoxFuture<'_, Result<()>>;
    fn list(&self) -> BoxFuture<'_, Result<Vec<Process>>>;
    fn end(&self, id: ProcessId) -> BoxFuture<'_, Result<Ended>>;
}

impl<S: Shell> DynShell for S {
    fn abilities(&self) -> ShellAbilities {
        Shell::abilities(self)
    }

    fn run(&self, command: Command, announce: Announce) -> BoxFuture<'_, Result<Report>> {
        Box::pin(Shell::run(self, command, announce))
    }

    fn start(&self, command: Command) -> BoxFuture<'_, Result<ProcessId>> {
        Box::pin(Shell::start(self, command))
    }

    fn output(&self, id: ProcessId, ask: Ask) -> BoxFuture<'_, Result<Printed>> {
        Box::pin(Shell::output(self, id, ask))
    }

    fn input(&self, id: ProcessId, input: Input) -> BoxFuture<'_, Result<()>> {
        Box::pin(Shell::input(self, id, input))
    }

    fn signal(&self, id: ProcessId, signal: Signal) -> BoxFuture<'_, Result<()>> {
        Box::pin(Shell::signal(self, id, signal))
    }

    fn resize(&self, id: ProcessId, size: Size) -> BoxFuture<'_, Result<()>> {
        Box::pin(Shell::resize(self, id, size))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Process>>> {
        Box::pin(Shell::list(self))
    }

    fn end(&self, id: ProcessId) -> BoxFuture<'_, Result<Ended>> {
        Box::pin(Shell::end(self, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twin_is_object_safe() {
        fn takes(_: Option<&dyn DynShell>) {}
        takes(None);
    }
}
