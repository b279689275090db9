//! A directory, and the program run on it.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Scene {
    pub(crate) root: TempDir,
}

/// What a run of the program did.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Scene {
    #[allow(clippy::disallowed_methods, reason = "the test lays out its own directory")]
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        Self { root }
    }

    pub(crate) fn path(&self) -> &Path {
        self.root.path()
    }

    #[allow(clippy::disallowed_methods, reason = "the test looks at its own directory")]
    pub(crate) fn content(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// Runs `garth tool` with these arguments on the directory.
    pub(crate) fn tool(&self, arguments: &[&str]) -> Run {
        let root = self.path().to_str().unwrap();
        garth(&[&["tool"], arguments, &["--root", root]].concat(), "")
    }

    /// Runs a tool that must succeed with `--json` and gives its payload.
    pub(crate) fn payload(&self, arguments: &[&str]) -> Value {
        let run = self.tool(&[arguments, &["--json"]].concat());
        let body: Value = serde_json::from_str(&run.stdout).expect(&run.stdout);
        assert_eq!((run.code, &body["ok"]), (0, &Value::Bool(true)), "{run:?}");
        body["payload"].clone()
    }

    /// Runs a tool that must be refused with `--json` and gives the error.
    pub(crate) fn error(&self, arguments: &[&str]) -> Value {
        let run = self.tool(&[arguments, &["--json"]].concat());
        let body: Value = serde_json::from_str(&run.stdout).expect(&run.stdout);
        assert_eq!((run.code, &body["ok"]), (1, &Value::Bool(false)), "{run:?}");
        assert_eq!(run.stderr, "", "a program reads one stream");
        body["error"].clone()
    }
}

/// Runs the program with this text on its standard input.
pub(crate) fn garth(arguments: &[&str], input: &str) -> Run {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let Output { status, stdout, stderr } = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that does not read its input may be gone by now.
            let _ = stdin.write_all(input.as_bytes());
        });
        child.wait_with_output().unwrap()
    });
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: status.code().unwrap(), stdout: text(stdout), stderr: text(stderr) }
}

#[allow(clippy::disallowed_methods, reason = "the program under test is started")]
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
    command.args(arguments).env_remove("NO_COLOR");
    for name in ["GARTH_CONFIG", "GARTH_DATA", "GARTH_LISTEN", "GARTH_TOKEN", "GARTH_URL"] {
        command.env_remove(name);
    }
    command
}
