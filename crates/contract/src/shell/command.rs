//! What is to be run, and how: checked once, here.

use std::{fmt, time::Duration};

use bytes::Bytes;

use crate::{Code, Detail, Error, ProcessId, Result, WsPath};

/// A command, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What is run.
    pub program: Program,
    /// Where it runs, from the workspace's root.
    pub workdir: WsPath,
    /// Variables beside the place's own clean ones, which they override.
    pub variables: Variables,
    /// What it reads.
    pub stdin: Stdin,
    /// How long it may run.
    pub timeout: Timeout,
    /// The size of its terminal, if it gets one.
    pub terminal: Option<Size>,
    /// How much of its output a report holds.
    pub keep: Keep,
}

impl Command {
    /// A script in the root, with nothing to read and the usual bounds.
    #[must_use]
    pub fn new(program: Program) -> Self {
        Self {
            program,
            workdir: WsPath::root(),
            variables: Variables::none(),
            stdin: Stdin::Empty,
            timeout: Timeout::USUAL,
            terminal: None,
            keep: Keep::USUAL,
        }
    }
}

/// A script for bash, or a program with its arguments; never empty, never with NUL.
#[derive(Clone, PartialEq, Eq)]
pub struct Program(Kind);

#[derive(Clone, PartialEq, Eq)]
enum Kind {
    Script(String),
    Arguments(Vec<Vec<u8>>),
}

/// The longest script, or all arguments together, in bytes: the kernel's bound of
/// one argument, less what `bash -c` needs.
const MOST_PROGRAM: usize = 128 * 1024 - 64;

/// The most arguments of a program.
const MOST_ARGUMENTS: usize = 4_096;

impl Program {
    /// A script that `bash -c` runs; no login shell, no profile. It is `/bin/bash`, or the
    /// one of `PATH` where that is not there or a variable of the command's is `PATH`.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for an empty script, one with NUL, or one that is too long.
    pub fn script(script: impl Into<String>) -> Result<Self> {
        let script = script.into();
        if script.trim().is_empty() {
            return Err(Error::new(Code::InvalidParams, "the command is empty"));
        }
        whole(script.as_bytes(), "the command")?;
        fits(script.len(), MOST_PROGRAM, "the command")?;
        Ok(Self(Kind::Script(script)))
    }

    /// A program by its name or path, and its arguments.
    ///
    /// # Errors
    /// `INVALID_PARAMS` where there is none, for NUL, and where they are too long.
    pub fn arguments(arguments: Vec<Vec<u8>>) -> Result<Self> {
        if arguments.first().is_none_or(Vec::is_empty) {
            return Err(Error::new(Code::InvalidParams, "there is no program to run"));
        }
        fits(arguments.len(), MOST_ARGUMENTS, "the list of arguments")?;
        arguments.iter().try_for_each(|argument| whole(argument, "an argument"))?;
        fits(arguments.iter().map(Vec::len).sum(), MOST_PROGRAM, "the arguments together")?;
        Ok(Self(Kind::Arguments(arguments)))
    }

    /// What is executed: the program and its arguments.
    #[must_use]
    pub fn words(&self) -> Vec<&[u8]> {
        match &self.0 {
            Kind::Script(script) => vec![b"bash", b"-c", script.as_bytes()],
            Kind::Arguments(arguments) => arguments.iter().map(Vec::as_slice).collect(),
        }
    }

    /// The script, where it is one.
    #[must_use]
    pub fn as_script(&self) -> Option<&str> {
        match &self.0 {
            Kind::Script(script) => Some(script),
            Kind::Arguments(_) => None,
        }
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A command may hold what nobody should read in a log.
        write!(f, "Program({} words)", self.words().len())
    }
}

/// Environment variables whose names and sizes are right.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Variables(Vec<(String, String)>);

/// The most bytes that all variables of a command have together.
const MOST_VARIABLES: usize = 64 * 1024;

impl Variables {
    /// No variables.
    #[must_use]
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// These variables; of one that is there twice the last counts.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for an empty name, a name with `=`, for NUL, and where they
    /// are too large together.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        let mut kept: Vec<(String, String)> = Vec::new();
        let mut size = 0;
        for (name, value) in pairs {
            if name.is_empty() || name.contains('=') {
                let message = format!("not the name of a variable: {name:?}");
                return Err(Error::new(Code::InvalidParams, message));
            }
            whole(name.as_bytes(), "the name of a variable")?;
            whole(value.as_bytes(), "a variable")?;
            size += name.len() + value.len() + 2;
            fits(size, MOST_VARIABLES, "the environment")?;
            kept.retain(|(there, _)| *there != name);
            kept.push((name, value));
        }
        Ok(Self(kept))
    }

    /// Name and value of each.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values are often secrets.
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// What a command reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing: its end at once.
    Empty,
    /// These bytes and then the end.
    Bytes(Bytes),
    /// What `input` brings, until it closes it.
    Open,
}

/// The most bytes that wait for a process to read them.
pub const MOST_WAITING_INPUT: usize = 16 << 20;

/// How long a command may run: a millisecond to an hour, or as long as its place is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timeout(Duration);

impl Timeout {
    /// Two minutes.
    pub const USUAL: Self = Self(Duration::from_secs(120));
    /// An hour.
    pub const MOST: Self = Self(Duration::from_secs(3_600));
    /// Thirty days: for what runs as long as its place is there, and is ended by whoever
    /// started it. No place is there for longer.
    pub const LASTING: Self = Self(Duration::from_secs(30 * 24 * 3_600));

    /// So many milliseconds.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for none, or for more than an hour.
    pub fn millis(millis: u64) -> Result<Self> {
        if millis == 0 {
            return Err(Error::new(Code::InvalidParams, "a timeout of 0 leaves no time at all"));
        }
        let most = 3_600_000;
        if millis > most {
            let message = format!("the timeout of {millis} ms is over the limit of {most} ms");
            let limit = Detail::Limit { limit: most, actual: millis };
            return Err(Error::new(Code::InvalidParams, message).with(limit));
        }
        Ok(Self(Duration::from_millis(millis)))
    }

    /// So much, cut to what a command can have at most.
    #[must_use]
    pub fn at_most(time: Duration) -> Self {
        Self(time.clamp(Duration::from_millis(1), Self::LASTING.0))
    }

    /// The time.
    #[must_use]
    pub fn duration(self) -> Duration {
        self.0
    }
}

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its lines.
    pub rows: u16,
    /// Its columns.
    pub columns: u16,
}

/// How much of each stream a report holds: of its beginning and of its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Bytes of the beginning.
    pub head: usize,
    /// Bytes of the end.
    pub tail: usize,
}

impl Keep {
    /// The first 20 KB and the last 30 KB.
    pub const USUAL: Self = Self { head: 20 * 1024, tail: 30 * 1024 };
    /// The most that can be asked for, of each.
    pub const MOST: usize = 16 << 20;
}

/// Hears the number of a process once it runs.
#[derive(Default)]
pub struct Announce(Option<Box<dyn FnOnce(ProcessId) + Send>>);

impl Announce {
    /// Nobody wants to know.
    #[must_use]
    pub fn nobody() -> Self {
        Self(None)
    }

    /// Tells this function, which must not block.
    #[must_use]
    pub fn to(hear: impl FnOnce(ProcessId) + Send + 'static) -> Self {
        Self(Some(Box::new(hear)))
    }

    /// Tells it.
    pub fn tell(self, id: ProcessId) {
        if let Some(hear) = self.0 {
            hear(id);
        }
    }
}

impl fmt::Debug for Announce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Announce(somebody)" } else { "Announce(nobody)" })
    }
}

fn whole(bytes: &[u8], what: &str) -> Result<()> {
    match bytes.iter().position(|&byte| byte == 0) {
        None => Ok(()),
        Some(at) => Err(Error::new(Code::InvalidParams, format!("{what} holds a NUL byte"))
            .with(Detail::Position(at as u64))),
    }
}

fn fits(actual: usize, limit: usize, what: &str) -> Result<()> {
    if actual <= limit {
        return Ok(());
    }
    let message = format!("{what} is too large: {actual}, and {limit} is the limit");
    let limit = Detail::Limit { limit: limit as u64, actual: actual as u64 };
    Err(Error::new(Code::InvalidParams, message).with(limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused<T>(result: Result<T>) -> Code {
        result.err().unwrap().code()
    }

    #[test]
    fn a_script_is_neither_empty_nor_broken_nor_endless() {
        assert_eq!(refused(Program::script("")), Code::InvalidParams);
        assert_eq!(refused(Program::script(" \n")), Code::InvalidParams);
        assert_eq!(refused(Program::script("a\0b")), Code::InvalidParams);
        assert_eq!(refused(Program::script("x".repeat(MOST_PROGRAM + 1))), Code::InvalidParams);
        let script = Program::script("x".repeat(MOST_PROGRAM)).unwrap();
        assert_eq!(script.words().len(), 3);
    }

    #[test]
    fn arguments_name_a_program() {
        assert_eq!(refused(Program::arguments(vec![])), Code::InvalidParams);
        assert_eq!(refused(Program::arguments(vec![vec![]])), Code::InvalidParams);
        assert_eq!(refused(Program::arguments(vec![b"a\0".to_vec()])), Code::InvalidParams);
        let program = Program::arguments(vec![b"ls".to_vec(), b"".to_vec()]).unwrap();
        assert_eq!(program.words(), [&b"ls"[..], b""]);
    }

    #[test]
    fn variables_have_names_and_a_bound_and_the_last_counts() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        for name in ["", "A=B", "A\0"] {
            assert_eq!(refused(Variables::new([pair(name, "x")])), Code::InvalidParams);
        }
        assert_eq!(refused(Variables::new([pair("A", "x\0")])), Code::InvalidParams);
        let large = "x".repeat(MOST_VARIABLES);
        assert_eq!(refused(Variables::new([pair("A", &large)])), Code::InvalidParams);
        let twice = Variables::new([pair("A", "1"), pair("B", "2"), pair("A", "3")]).unwrap();
        assert_eq!(twice.iter().collect::<Vec<_>>(), [("B", "2"), ("A", "3")]);
    }

    #[test]
    fn a_timeout_is_between_a_millisecond_and_an_hour() {
        assert_eq!(refused(Timeout::millis(0)), Code::InvalidParams);
        assert_eq!(refused(Timeout::millis(3_600_001)), Code::InvalidParams);
        assert_eq!(Timeout::millis(3_600_000).unwrap(), Timeout::MOST);
    }

    #[test]
    fn what_may_be_secret_is_not_in_a_debug_text() {
        let mut command = Command::new(Program::script("echo hunter2").unwrap());
        command.variables = Variables::new([("K".to_owned(), "hunter2".to_owned())]).unwrap();
        assert!(!format!("{command:?}").contains("hunter2"));
    }
}
