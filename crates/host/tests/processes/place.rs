//! A workspace that runs commands, for one test.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use garth_contract::{
    Announce, Ask, Command, Printed, ProcessId, Program, Report, Shell, Stream, Timeout,
};
use garth_host::{Bounds, Processes, Settings, Strays, Trees};

/// How long a test waits for what must come: a loaded machine takes its time.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A workspace and its processes.
pub(crate) struct Place {
    pub(crate) shell: Processes,
    dir: tempfile::TempDir,
}

/// A place with the usual bounds.
pub(crate) fn place() -> Place {
    place_with(Bounds::usual(), Trees::Detect)
}

/// A place with bounds of one's own.
pub(crate) fn place_with(bounds: Bounds, trees: Trees) -> Place {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("root")).unwrap();
    let settings = settings(dir.path(), bounds, trees);
    let shell = Processes::open(&dir.path().join("root"), settings).unwrap();
    Place { shell, dir }
}

/// The settings of a place in a directory.
pub(crate) fn settings(dir: &Path, bounds: Bounds, trees: Trees) -> Settings {
    let environment = vec![
        ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ("PLACE".to_owned(), "test".to_owned()),
    ];
    let (spool, strays) = (dir.join("spool"), Strays::Leave);
    Settings { environment, spool, bounds, trees, strays, first: 1 }
}

/// A script with the most time there is, so that a slow machine does not end it.
pub(crate) fn script(text: &str) -> Command {
    let mut command = Command::new(Program::script(text).unwrap());
    command.timeout = Timeout::MOST;
    command
}

impl Place {
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

    /// Starts a script in the background.
    pub(crate) async fn start(&self, text: &str) -> ProcessId {
        self.shell.start(script(text)).await.unwrap()
    }

    /// What a process has printed from a position on, once there is something.
    pub(crate) async fn output(&self, id: ProcessId, from: u64) -> Printed {
        let ask = Ask { from, most: Ask::MOST, wait: PATIENCE };
        self.shell.output(id, ask).await.unwrap()
    }

    /// Reads standard output until it holds a text.
    pub(crate) async fn await_text(&self, id: ProcessId, text: &str) -> String {
        let mut all = String::new();
        let mut from = 0;
        while !all.contains(text) {
            let printed = self.output(id, from).await;
            from = printed.next;
            all.push_str(&String::from_utf8_lossy(&bytes_of(&printed, Stream::Stdout)));
            let over = printed.ended.is_some() && from == printed.total;
            assert!(!over || all.contains(text), "it ended without {text:?}: {all:?}");
        }
        all
    }
}

/// What is in an answer of one stream.
pub(crate) fn bytes_of(printed: &Printed, stream: Stream) -> Vec<u8> {
    let pieces = printed.pieces.iter().filter(|piece| piece.stream == stream);
    pieces.flat_map(|piece| piece.bytes.to_vec()).collect()
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process of this number runs; a dead one that nobody has collected does not.
pub(crate) fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    state.is_some_and(|state| !"ZX".contains(state))
}
