//! The trait that every place which can run commands implements.

mod command;
mod dynamic;
mod process;
mod signal;

pub use command::{
    Announce, Command, Keep, MOST_WAITING_INPUT, Program, Size, Stdin, Timeout, Variables,
};
pub use dynamic::DynShell;
pub use process::{
    Ask, Cause, Ended, Exit, Kept, MOST_COMMAND_SHOWN, Piece, Printed, Process, ProcessId, Report,
    Stream,
};
pub use signal::Signal;

use std::future::Future;

use bytes::Bytes;

use crate::Result;

/// The processes of one workspace.
///
/// Eight methods, and each one's comment is its specification, as with
/// [`Filesystem`](crate::Filesystem). A command and everything it starts, however
/// it detaches itself, is one *tree*; a tree ends as one.
///
/// Common to all: a process that is not known, or no longer kept, is
/// `INVALID_PARAMS`; a sandbox that is gone is `PROVIDER_UNAVAILABLE`, within a
/// second; no call waits for a process that does not read or write.
pub trait Shell: Send + Sync + 'static {
    /// Says what this place can do. The answer never changes.
    fn abilities(&self) -> ShellAbilities;

    /// Runs a command to its end.
    ///
    /// `announce` hears the number of the process once it runs, so that its output
    /// can be followed meanwhile.
    ///
    /// *Errors*: `FILE_NOT_FOUND` and `NOT_A_DIRECTORY` for the working directory,
    /// `PATH_OUTSIDE_WORKSPACE` where it leaves through a link; `QUOTA_EXCEEDED`
    /// when there are too many processes; `UNSUPPORTED` for a terminal where there
    /// are none. A program that is missing is no error: the report has code 127,
    /// one that may not be run 126, as a shell has it.
    /// *After*: nothing of its tree runs; the report holds what was printed, cut to
    /// what the command keeps, and the whole can be asked for with `output`.
    /// A timeout is no error: the report says so and holds what was printed.
    /// *Cancel*: its tree is killed at once.
    fn run(
        &self,
        command: Command,
        announce: Announce,
    ) -> impl Future<Output = Result<Report>> + Send;

    /// Starts a command in the background.
    ///
    /// *Errors*: as for `run`.
    /// *After*: it runs until it ends, its time is up, it is ended, or the workspace
    /// stops; whoever started it may go away.
    /// *Cancel*: it runs and is listed, or it was never started.
    fn start(&self, command: Command) -> impl Future<Output = Result<ProcessId>> + Send;

    /// Reads what a process printed, from a position on.
    ///
    /// Both streams share one count of bytes, in the order in which they came, so a
    /// reader that asks again from `next` misses nothing and sees nothing twice.
    ///
    /// *Errors*: `INVALID_PARAMS` for a position beyond what was printed.
    /// *After*: at most `ask.most` bytes; none only if nothing was printed within
    /// `ask.wait` or the process has ended and all was read. What was dropped from a
    /// full spool before them is counted in `missing`.
    /// *Cancel*: nothing is left.
    fn output(&self, id: ProcessId, ask: Ask) -> impl Future<Output = Result<Printed>> + Send;

    /// Writes to a process's standard input, or closes it.
    ///
    /// *Errors*: `INVALID_PARAMS` for a process that ended, or whose input is
    /// closed; `RATE_LIMIT_EXCEEDED` when it does not read and too much waits.
    /// *After*: the bytes are on their way in order; none were taken on an error.
    /// *Cancel*: all of the bytes are on their way, or none.
    fn input(&self, id: ProcessId, input: Input) -> impl Future<Output = Result<()>> + Send;

    /// Sends a signal to everything of a process's tree.
    ///
    /// *Errors*: `INVALID_PARAMS` for a process that ended.
    /// *Cancel*: it was sent or it was not.
    fn signal(&self, id: ProcessId, signal: Signal) -> impl Future<Output = Result<()>> + Send;

    /// Changes the size of a process's terminal.
    ///
    /// *Errors*: `INVALID_PARAMS` for a process that has none, or ended.
    /// *Cancel*: it was changed or it was not.
    fn resize(&self, id: ProcessId, size: Size) -> impl Future<Output = Result<()>> + Send;

    /// Lists the processes that run, and those whose output is still kept, oldest
    /// first.
    ///
    /// *Cancel*: nothing is left.
    fn list(&self) -> impl Future<Output = Result<Vec<Process>>> + Send;

    /// Ends a process: `SIGTERM` to everything of its tree, five seconds, `SIGKILL`.
    ///
    /// *After*: nothing of its tree runs. One that had ended says how it did.
    /// *Cancel*: it ends all the same.
    fn end(&self, id: ProcessId) -> impl Future<Output = Result<Ended>> + Send;
}

/// What one place that runs commands can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShellAbilities {
    /// Gives a command a terminal.
    pub terminals: bool,
}

/// What goes to a process's standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// These bytes.
    Bytes(Bytes),
    /// Its end; on a terminal, the end-of-file character.
    Close,
}
