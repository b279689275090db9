//! A workspace that runs commands, for one test.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use garth_contract::{
    Announce, Ask, Code, Command, Error, Printed, ProcessId, Program, Report, Shell, Stream,
    Timeout,
};
use garth_host::{Bounds, Processes, Settings, Strays, Trees};

/// How long a test waits for what must come: a loaded machine takes its time.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A workspace and its processes.
pub(crate) struct Place {
    pub(crate) shell: Processes,
    mark: Mark,
    dir: tempfile::TempDir,
}

/// By which the processes of a place are known: a variable that all of them have.
pub(crate) struct Mark(String);

/// A place with the usual bounds.
pub(crate) fn place() -> Place {
    place_with(Bounds::usual(), Trees::Detect)
}

/// A place with bounds of one's own.
pub(crate) fn place_with(bounds: Bounds, trees: Trees) -> Place {
    let dir = tempfile::tempdir().unwrap();
    let (root, settings) = settings(dir.path(), bounds, trees);
    let shell = Processes::open(&root, settings).unwrap();
    Place { shell, mark: Mark::of(dir.path()), dir }
}

/// The root and the settings of a place in a directory.
pub(crate) fn settings(dir: &Path, bounds: Bounds, trees: Trees) -> (PathBuf, Settings) {
    let root = dir.join("root");
    fs::create_dir(&root).unwrap();
    let environment = vec![
        ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ("PLACE".to_owned(), dir.to_str().unwrap().to_owned()),
    ];
    let (spool, strays) = (dir.join("spool"), Strays::Leave);
    (root, Settings { environment, spool, bounds, trees, strays, first: 1 })
}

/// A script with the most time there is, so that a slow machine does not end it.
pub(crate) fn script(text: &str) -> Command {
    let mut command = Command::new(Program::script(text).unwrap());
    command.timeout = Timeout::MOST;
    command
}

/// A program with its arguments, likewise.
pub(crate) fn program(words: &[&str]) -> Command {
    let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
    let mut command = Command::new(Program::arguments(words).unwrap());
    command.timeout = Timeout::MOST;
    command
}

impl Place {
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    /// Runs a script to its end.
    pub(crate) async fn run(&self, text: &str) -> Report {
        self.run_command(script(text)).await
    }

    /// Runs a command to its end.
    pub(crate) async fn run_command(&self, command: Command) -> Report {
        let run = self.shell.run(command, Announce::nobody());
        tokio::time::timeout(PATIENCE, run).await.expect("it must end").unwrap()
    }

    /// Runs a command that is refused.
    pub(crate) async fn refused(&self, command: Command) -> Code {
        self.shell.run(command, Announce::nobody()).await.unwrap_err().code()
    }

    /// Starts a script in the background.
    pub(crate) async fn start(&self, text: &str) -> ProcessId {
        self.shell.start(script(text)).await.unwrap()
    }

    /// What a process has printed from a position on, once there is something.
    pub(crate) async fn output(&self, id: ProcessId, from: u64) -> Printed {
        self.ask(id, Ask { from, most: Ask::MOST, wait: PATIENCE }).await.unwrap()
    }

    pub(crate) async fn ask(&self, id: ProcessId, ask: Ask) -> Result<Printed, Error> {
        self.shell.output(id, ask).await
    }

    /// Reads standard output until it holds a text.
    pub(crate) async fn await_text(&self, id: ProcessId, text: &str) -> String {
        let (mut all, mut from, begun) = (String::new(), 0, Instant::now());
        while !all.contains(text) {
            assert!(begun.elapsed() < PATIENCE, "never: {text:?} in {all:?}");
            let printed = self.output(id, from).await;
            from = printed.next;
            all.push_str(&String::from_utf8_lossy(&bytes_of(&printed, Stream::Stdout)));
            let over = printed.ended.is_some() && from == printed.total;
            assert!(!over || all.contains(text), "it ended without {text:?}: {all:?}");
        }
        all
    }

    /// All that a process prints until its end.
    pub(crate) async fn whole(&self, id: ProcessId) -> (Vec<u8>, Vec<u8>) {
        let (mut out, mut err, mut from) = (Vec::new(), Vec::new(), 0);
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < 2 * PATIENCE, "it never ends, and printed {from} bytes");
            let printed = self.output(id, from).await;
            from = printed.next;
            out.extend(bytes_of(&printed, Stream::Stdout));
            err.extend(bytes_of(&printed, Stream::Stderr));
            if printed.ended.is_some() && from == printed.total {
                return (out, err);
            }
        }
    }

    /// The numbers of the processes that this place has started and that run.
    pub(crate) fn survivors(&self) -> Vec<u32> {
        self.mark.alive()
    }
}

impl Mark {
    pub(crate) fn of(dir: &Path) -> Self {
        Self(format!("PLACE={}", dir.to_str().unwrap()))
    }

    /// The numbers of the processes with this mark that run.
    pub(crate) fn alive(&self) -> Vec<u32> {
        let names = fs::read_dir("/proc").unwrap();
        let pids = names.filter_map(|name| name.unwrap().file_name().to_str()?.parse().ok());
        pids.filter(|pid: &u32| {
            // The dead have no environment any more.
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|variable| variable == self.0.as_bytes())
        })
        .collect()
    }
}

/// What is in an answer of one stream.
pub(crate) fn bytes_of(printed: &Printed, stream: Stream) -> Vec<u8> {
    let pieces = printed.pieces.iter().filter(|piece| piece.stream == stream);
    pieces.flat_map(|piece| piece.bytes.to_vec()).collect()
}

/// Waits until something holds.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
