//! Runs a client, for a bounded time.

use std::{
    path::Path,
    process::{Command, Output},
};

/// How many seconds a client gets: some ten times what it needs on a slow machine.
const MOST_SECONDS: &str = "90";

/// A client that is ended with all it started when its time is over.
pub(crate) fn bounded(program: &Path) -> Command {
    within(program, MOST_SECONDS)
}

/// The same for one that gets another time.
pub(crate) fn within(program: &Path, seconds: &str) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", seconds]).arg(program);
    command
}

/// Runs a client that must succeed, and gives what it printed.
pub(crate) fn printed(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(status.success(), "{status}\n{stdout}\n{stderr}");
    stdout
}

/// The same for a client that must have nothing to warn of.
pub(crate) fn printed_without_warning(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(status.success() && stderr.is_empty(), "{status}\n{stderr}");
    stdout
}
