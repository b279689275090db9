//! A workspace that `garth acp` stands before, and the record of what was done in it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::run::{bounded, printed};

/// A workspace, and where the record of what was done in it goes.
pub(crate) struct Scene {
    directory: TempDir,
    pub(crate) root: PathBuf,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap().join("project");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.txt"), "saved\n").unwrap();
        Self { directory, root }
    }

    pub(crate) fn at(&self, rest: &str) -> String {
        format!("{}/{rest}", self.root.display())
    }

    /// Where the record is.
    pub(crate) fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// `garth acp` with these options, in front of an agent.
    pub(crate) fn command(&self, options: &[&str], agent: &[String]) -> Vec<String> {
        let mut words = vec![env!("CARGO_BIN_EXE_garth").to_owned(), "acp".to_owned()];
        let data = self.data().to_str().unwrap().to_owned();
        let root = self.root.to_str().unwrap().to_owned();
        words.extend(["--data".to_owned(), data, "--root".to_owned(), root]);
        words.extend(options.iter().map(|&option| option.to_owned()));
        words.push("--".to_owned());
        words.extend(agent.iter().cloned());
        words
    }

    /// What was recorded: each operation, its outcome and what it was about.
    pub(crate) fn recorded(&self) -> Vec<(String, String, String)> {
        let mut list = bounded(Path::new(env!("CARGO_BIN_EXE_garth")));
        list.args(["audit", "list", "--json", "--limit", "1000", "--data"]);
        let told = printed(list.arg(self.data()));
        let told: Value = serde_json::from_str(&told).unwrap();
        let text = |record: &Value, name: &str| record[name].as_str().unwrap().to_owned();
        let records = told["payload"]["records"].as_array().unwrap();
        let one = |record: &Value| {
            (text(record, "operation"), text(record, "outcome"), text(record, "summary"))
        };
        records.iter().map(one).collect()
    }
}
