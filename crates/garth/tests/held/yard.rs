//! A workspace with a secret beside it, and a server on it.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;

/// What must never be seen inside.
pub(crate) const SECRET: &str = "the-secret-beside-the-workspace";

/// How long something may take that must happen; far more than it needs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A directory with a workspace in it, and a file beside that.
pub(crate) struct Yard {
    outer: TempDir,
}

impl Yard {
    pub(crate) fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir(outer.path().join("workspace")).unwrap();
        fs::write(outer.path().join("secret"), SECRET).unwrap();
        Self { outer }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.outer.path().join("workspace")
    }

    pub(crate) fn secret(&self) -> PathBuf {
        self.outer.path().join("secret")
    }

    /// Asserts that nothing beside the workspace was changed or added.
    pub(crate) fn untouched(&self) {
        assert_eq!(fs::read_to_string(self.secret()).unwrap(), SECRET);
        let mut names: Vec<_> = fs::read_dir(self.outer.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["secret", "workspace"]);
    }

    pub(crate) fn server(&self, options: &[&str]) -> Server {
        Server(Client::start(&self.root(), options))
    }
}

/// A server whose commands are what is tried.
pub(crate) struct Server(pub(crate) Client);

impl Server {
    /// Runs a script to its end and gives the facts of the reply and its text.
    pub(crate) fn bash(&mut self, script: &str) -> Ran {
        self.bash_with(&json!({"command": script}))
    }

    pub(crate) fn bash_with(&mut self, arguments: &Value) -> Ran {
        let result = self.0.call("bash", arguments);
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        Ran { failed: result["isError"] == true, facts: result["structuredContent"].clone(), text }
    }

    /// Starts a script in the background and gives its id.
    pub(crate) fn background(&mut self, script: &str) -> String {
        let ran = self.bash_with(&json!({"command": script, "background": true}));
        ran.facts["id"].as_str().unwrap_or_else(|| panic!("{ran:?}")).to_owned()
    }
}

#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) failed: bool,
    pub(crate) facts: Value,
    pub(crate) text: String,
}

impl Ran {
    pub(crate) fn code(&self) -> i64 {
        self.facts["exit_code"].as_i64().unwrap_or_else(|| panic!("{self:?}"))
    }

    /// Asserts that the script said `held` at its end, and the secret nowhere.
    pub(crate) fn held(&self, what: &str) {
        assert!(!self.text.contains(SECRET), "{what}: {self:?}");
        assert!(self.text.contains("held"), "{what}: {self:?}");
    }
}

/// Waits until something is so.
pub(crate) fn until(what: &str, mut so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The processes of this machine whose arguments hold this text.
pub(crate) fn processes_with(mark: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let arguments = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if pid != std::process::id() && holds(&arguments, mark.as_bytes()) {
            found.push(pid);
        }
    }
    found
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// A text that nobody else uses, for finding a process again.
pub(crate) fn mark(of: &Path) -> String {
    format!("mark-{}", of.parent().unwrap().file_name().unwrap().to_str().unwrap())
}
