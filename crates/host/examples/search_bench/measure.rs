//! Starts a contender, and says what it printed or what it cost.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::Outcome;

/// Where the contenders' programs are looked for, before the usual places.
#[derive(Default)]
pub(crate) struct Tools(Vec<PathBuf>);

/// What one run cost, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) wall: f64,
    /// User and system time together.
    pub(crate) processor: f64,
}

impl Tools {
    /// Looks in a directory first.
    pub(crate) fn add(&mut self, directory: &str) {
        self.0.push(directory.into());
    }

    /// Finds a program; some are named otherwise on Debian.
    pub(crate) fn find(&self, tool: &str) -> Option<PathBuf> {
        let names: &[&str] = if tool == "fd" { &["fd", "fdfind"] } else { &[tool] };
        let path = env::var_os("PATH").unwrap_or_default();
        let usual: Vec<PathBuf> = env::split_paths(&path).collect();
        let places = self.0.iter().chain(&usual);
        let mut found = places.flat_map(|place| names.iter().map(move |name| place.join(name)));
        found.find(|program| program.is_file())
    }
}

/// Runs a command line in a directory and returns its lines, sorted.
pub(crate) fn lines(tree: &Path, command: &[String]) -> Outcome<Vec<Vec<u8>>> {
    let (program, arguments) = command.split_first().ok_or("an empty command")?;
    let output = Command::new(program)
        .args(arguments)
        .current_dir(tree)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    let mut lines: Vec<Vec<u8>> = output.stdout.split(|byte| *byte == b'\n').map(tidy).collect();
    lines.retain(|line| !line.is_empty());
    lines.sort_unstable();
    Ok(lines)
}

/// Takes off what tools add to a path or leave at the end of a line.
fn tidy(line: &[u8]) -> Vec<u8> {
    let line = line.strip_prefix(b"./").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.strip_suffix(b"/").unwrap_or(line).to_vec()
}

/// Runs a command line in a directory and measures it, start of the process included.
///
/// The shell has the one clock that also knows a child's processor time to the
/// millisecond.
pub(crate) fn cost(tree: &Path, command: &[String]) -> Outcome<Cost> {
    let script = "TIMEFORMAT='%3R %3U %3S'; time \"$@\" >/dev/null 2>&1";
    let output = Command::new("bash")
        .args(["-c", script, "bash"])
        .args(command)
        .current_dir(tree)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("bash: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let numbers: Vec<f64> =
        text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    match numbers.as_slice() {
        [wall, user, system] => Ok(Cost { wall: *wall, processor: user + system }),
        _ => Err(format!("bash: {text}")),
    }
}
