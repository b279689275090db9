//! The files that all contenders work on.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use crate::contender::Who;

/// A directory full of them; it goes when this is dropped.
pub(crate) struct Planted {
    _dir: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl Planted {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::write(root.join("4k.txt"), prose(4 << 10)).unwrap();
        fs::write(root.join("1m.txt"), prose(1 << 20)).unwrap();
        fs::write(root.join("secrets.txt"), secrets()).unwrap();
        // Each edits a file of its own, which holds the same.
        for who in [Who::Garth, Who::Fast, Who::RustMcp, Who::Reference, Who::Floor] {
            let half = prose(33 << 10);
            let text = format!("{half}marker = 0\n{half}");
            fs::create_dir(root.join(place(who))).unwrap();
            fs::write(root.join(place(who)).join("edited.txt"), text).unwrap();
        }
        flat(&root.join("list"), 10_000);
        deep(&root.join("tree"), 200);
        deep(&root.join("search"), 300);
        contents(&root.join("grep"));
        Self { _dir: dir, root }
    }

    /// The absolute path of a file.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}

/// The directory in which a contender writes.
pub(crate) fn place(who: Who) -> &'static str {
    match who {
        Who::Garth => "of-garth",
        Who::Fast => "of-fast",
        Who::Workspace => "of-workspace",
        Who::RustMcp => "of-rust-mcp",
        Who::Reference => "of-reference",
        Who::Floor => "of-floor",
    }
}

/// Lines of text, of about this many bytes.
pub(crate) fn prose(size: usize) -> String {
    let mut text = String::with_capacity(size + 64);
    let mut number = 0;
    while text.len() < size {
        let _ = writeln!(text, "    line {number} of a \"text\" that says nothing, at length;");
        number += 1;
    }
    text
}

/// Empty files in one directory.
fn flat(at: &Path, count: usize) {
    fs::create_dir(at).unwrap();
    for number in 0..count {
        fs::write(at.join(format!("file-{number:05}.txt")), "").unwrap();
    }
}

/// A hundred entries for each directory, itself among them: 98 files and a Kconfig.
fn deep(at: &Path, directories: usize) {
    for number in 0..directories {
        let dir = at.join(format!("group-{}/part-{number:03}", number % 10));
        fs::create_dir_all(&dir).unwrap();
        for number in 0..98 {
            fs::write(dir.join(format!("source_{number:02}.c")), "").unwrap();
        }
        fs::write(dir.join("Kconfig"), "").unwrap();
    }
}

/// Four thousand sources of 12 KB; one in a hundred has the line that is looked for.
fn contents(at: &Path) {
    let filler = prose(12 << 10);
    for number in 0..4_000 {
        let dir = at.join(format!("driver-{:02}", number % 40));
        fs::create_dir_all(&dir).unwrap();
        let hit = if number % 100 == 7 { "\tcase PM_RESUME:\n" } else { "\tcase PM_SUSPEND:\n" };
        let text = format!("{filler}{hit}");
        fs::write(dir.join(format!("source_{number:04}.c")), text).unwrap();
    }
}

/// A text in which every rule of redaction is tried.
fn secrets() -> String {
    const KEYWORDS: &[&str] = &[
        "hooks.slack.com/",
        "AccountKey=",
        "SharedAccessKey=",
        "-----BEGIN ",
        "---- BEGIN ",
        "LS0tLS1CRUdJTi",
        "Private-Lines: ",
        "eyJ",
        "AKIA",
        "ASIA",
        "ABIA",
        "ACCA",
        "A3T",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "sk-ant-",
        "sk-",
        "xoxb-",
        "AIza",
        "bearer ",
        "basic ",
        "https://a:",
        "postgres://a:",
        "postgresql://a:",
        "mysql://a:",
        "identified by ",
        "requirepass ",
        "aws_secret=",
        "awssecret=",
        "aws-secret=",
        "pass=",
        "pwd=",
        "passphrase=",
        "password=",
        "passwd=",
        "passwort=",
        "api_key=",
        "api-key=",
        "apikey=",
        "secret=",
        "token=",
        "credential=",
        "some_key=",
        "some-key=",
    ];
    let mut text = String::new();
    for keyword in KEYWORDS {
        let _ = writeln!(text, "{keyword}T4kZ9qLw7XbN2vRc8MfJ3hGd6SyP1uAe@host/x");
    }
    text.push_str("hooks.slack.com/services/T4kZ9qLw7XbN2vRc8MfJ3hGd6SyP1uAe4444\n");
    text
}
