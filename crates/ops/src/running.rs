//! Runs a command and tells what came of it: what the tools of every dialect share.

use bytes::Bytes;
use garth_contract::{
    Announce, Cause, Code, Command, Detail, Ended, Error, Exit, Kind, Links, MOST_WAITING_INPUT,
    Program, Report, Result, Signal, Stdin, Timeout, WsPath,
};
use garth_redact::{Clean, CleanWriter, clean};
use garth_workspace::{Excerpt, Limits, Workspace};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    params::Env,
    words::{Counted, Ours},
};

/// What a command runs with, as a caller sent it.
#[derive(Default)]
pub(crate) struct With {
    pub(crate) workdir: Option<String>,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) env: Option<Env>,
    pub(crate) stdin: Option<String>,
}

/// What came of a command, for programs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    /// What it printed; of much, the beginning and the end.
    #[schemars(with = "String")]
    stdout: Clean,
    /// What it printed as errors; of much, the beginning and the end.
    #[schemars(with = "String")]
    stderr: Clean,
    /// Its exit code; 128 and the signal for one that ended by a signal.
    exit_code: i32,
    /// The signal that it ended by.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    /// How long it ran.
    duration_ms: u64,
    /// Whether something of what it printed is left out.
    truncated: bool,
    /// How many bytes it printed.
    stdout_bytes: u64,
    /// How many bytes it printed as errors.
    stderr_bytes: u64,
}

/// The keys of an outcome that its text says too.
pub(crate) const REPEATS: &[&str] = &["stdout", "stderr"];

/// What came of a command: for a reader, for programs, and whether it was in time.
pub(crate) struct Told {
    pub(crate) text: Clean,
    pub(crate) outcome: Outcome,
    pub(crate) late: Option<Error>,
}

/// Checks what a caller sent, before anything is run.
///
/// # Errors
/// Those of [`Workspace::shell`]; of the working directory `INVALID_PATH`,
/// `PATH_OUTSIDE_WORKSPACE`, `FILE_NOT_FOUND`, `NOT_A_DIRECTORY` and
/// `PERMISSION_DENIED`; `INVALID_PARAMS` for the rest.
pub(crate) async fn command(
    workspace: &Workspace,
    program: Program,
    with: With,
) -> Result<Command> {
    workspace.shell()?;
    let mut command = Command::new(program);
    command.keep = workspace.keep();
    command.timeout = match with.timeout_ms {
        Some(millis) => Timeout::millis(millis)?,
        None => usual(workspace.limits()),
    };
    if let Some(env) = with.env {
        command.variables = env.variables()?;
    }
    if let Some(text) = with.stdin {
        command.stdin = Stdin::Bytes(input(text)?);
    }
    if let Some(workdir) = with.workdir {
        command.workdir = directory(workspace, workdir).await?;
    }
    Ok(command)
}

/// The time of a command of which nothing is said.
pub(crate) fn usual(limits: &Limits) -> Timeout {
    let most = Timeout::MOST.duration();
    let millis = limits.command_time.min(most).as_millis();
    Timeout::millis(u64::try_from(millis).unwrap_or(0)).unwrap_or(Timeout::USUAL)
}

/// Bytes for a command to read.
///
/// # Errors
/// `INVALID_PARAMS` for more than can wait to be read.
pub(crate) fn input(text: String) -> Result<Bytes> {
    let (actual, limit) = (text.len() as u64, MOST_WAITING_INPUT as u64);
    if actual > limit {
        let message = format!("{actual} bytes are too much to be read, {limit} is the limit");
        return Err(Error::new(Code::InvalidParams, message)
            .with(Detail::Limit { limit, actual })
            .hint("Write them to a file and let the command read that."));
    }
    Ok(Bytes::from(text))
}

/// The directory that a command runs in, which is there.
async fn directory(workspace: &Workspace, workdir: String) -> Result<WsPath> {
    let path = workspace.path(workdir)?;
    if path.is_root() {
        return Ok(path);
    }
    let hint = "workdir is a directory of the workspace; without one a command runs in the root.";
    let entry = workspace.fs().stat(&path, Links::Follow).await.map_err(|e| e.hint(hint))?;
    match entry.kind {
        Kind::Dir => workspace.real_path(&path).await,
        Kind::File | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
            Err(Error::at(Code::NotADirectory, &path).hint(hint))
        }
    }
}

/// Runs a command to its end; `elsewhere` says where what is left out can be found.
///
/// # Errors
/// Those of [`Shell::run`](garth_contract::Shell::run).
/// Cancel: the command and everything that it started is killed.
pub(crate) async fn run(
    workspace: &Workspace,
    command: Command,
    announce: Announce,
    elsewhere: impl FnOnce(&Report) -> Clean,
) -> Result<(Report, Told)> {
    let timeout = command.timeout;
    let report = workspace.shell()?.run(command, announce).await?;
    let elsewhere = elsewhere(&report);
    let told = tell(workspace, &report, timeout, &elsewhere);
    Ok((report, told))
}

fn tell(workspace: &Workspace, report: &Report, timeout: Timeout, elsewhere: &Clean) -> Told {
    let (stdout, stderr) = (workspace.excerpt(&report.stdout), workspace.excerpt(&report.stderr));
    let Ended { exit, cause, ran } = report.ended;
    let outcome = Outcome {
        truncated: stdout.missing + stderr.missing > 0,
        stdout_bytes: stdout.total,
        stderr_bytes: stderr.total,
        stdout: with_marker(stdout, elsewhere),
        stderr: with_marker(stderr, elsewhere),
        exit_code: exit.code(),
        signal: signal_name(exit),
        duration_ms: u64::try_from(ran.as_millis()).unwrap_or(u64::MAX),
    };
    let late = match cause {
        Cause::Timeout => {
            let millis = timeout.duration().as_millis();
            let message = format!("the command ran out of time after {millis} ms");
            Some(Error::new(Code::CommandTimeout, message))
        }
        Cause::Quota => {
            let message = "the command was killed: the workspace's files outgrew its quota";
            Some(Error::new(Code::QuotaExceeded, message).hint("Delete files, then run it again."))
        }
        Cause::Itself | Cause::Ended => None,
    };
    Told { text: text(&outcome, exit), outcome, late }
}

/// A stream as one text, with a marker where something is left out.
fn with_marker(excerpt: Excerpt, elsewhere: &Clean) -> Clean {
    let Excerpt { head, tail, missing, .. } = excerpt;
    if missing == 0 {
        return clean![head, tail];
    }
    clean![head, "\n[… ", Counted(missing, "byte"), " left out; ", elsewhere, " …]\n", tail]
}

/// What a reader is shown: what was printed, errors apart, and how it ended.
fn text(outcome: &Outcome, exit: Exit) -> Clean {
    let mut text = CleanWriter::new();
    text.put(line(&outcome.stdout));
    if !outcome.stderr.is_empty() {
        text.put(if text.is_empty() { "[stderr]\n" } else { "\n[stderr]\n" });
        text.put(line(&outcome.stderr));
    }
    let silent = text.is_empty();
    let note = match (silent, exit) {
        (true, Exit::Code(0)) => Clean::fixed("[no output, exit code 0]"),
        (false, Exit::Code(0)) => return text.finish(),
        (true, Exit::Code(127)) => Clean::fixed("[exit code 127: there is no such program]"),
        (true, Exit::Code(126)) => Clean::fixed("[exit code 126: it cannot be run]"),
        (_, Exit::Code(_) | Exit::Signal(_)) => clean!["[", &ending(exit), "]"],
    };
    text.put(if silent { "" } else { "\n" }).put(note);
    text.finish()
}

/// A text without the line feed at its end.
fn line(text: &Clean) -> Clean {
    let whole = text.strip_suffix('\n').unwrap_or(text).len();
    text.slice(0..whole).unwrap_or_default()
}

/// How a process ended, in words.
pub(crate) fn ending(exit: Exit) -> Clean {
    let code = clean!["exit code ", exit.code()];
    match signal_name(exit) {
        Some(signal) => clean!["ended by ", Ours(signal), ", ", code],
        None => code,
    }
}

/// The name of the signal that a process ended by.
pub(crate) fn signal_name(exit: Exit) -> Option<String> {
    match exit {
        Exit::Code(_) => None,
        Exit::Signal(number) => Some(match Signal::from_number(number.into()) {
            Some(signal) => signal.to_string(),
            None => format!("signal {number}"),
        }),
    }
}
