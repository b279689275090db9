//! A gateway on a directory of its own, ended when it is dropped.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, ChildStdout, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::scene::{Run, command, garth};

/// Far longer than anything here takes, for a machine that has much else to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A data directory.
pub(crate) struct Data(TempDir);

impl Data {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn text(&self) -> &str {
        self.path().to_str().unwrap()
    }

    /// Runs a command on the directory.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        garth(&[arguments, &["--data", self.text()]].concat(), "")
    }

    /// Runs one that must be done, and gives what it printed.
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?} {run:?}");
        run.stdout
    }

    /// The same for a program.
    pub(crate) fn payload(&self, arguments: &[&str]) -> Value {
        let body = self.done(&[arguments, &["--json"]].concat());
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["ok"], true, "{body}");
        body["payload"].clone()
    }

    /// The code of one that must be refused.
    pub(crate) fn refused(&self, arguments: &[&str]) -> (i32, String) {
        let run = self.run(&[arguments, &["--json"]].concat());
        let body: Value = serde_json::from_str(&run.stdout).expect(&run.stdout);
        assert_eq!(body["ok"], false, "{body}");
        (run.code, body["error"]["code"].as_str().unwrap().to_owned())
    }

    #[allow(clippy::disallowed_methods, reason = "the test lays out its own directory")]
    pub(crate) fn put(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// Starts a gateway on it.
    pub(crate) fn serve(&self, arguments: &[&str]) -> Served {
        let fixed = ["serve", "--data", self.text(), "--listen", "127.0.0.1:0"];
        let mut child = command(&[&fixed, arguments].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let Some((_, url)) = line.trim().split_once("listens on ") else {
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            child.wait().unwrap();
            panic!("it does not serve: {line}{said}");
        };
        Served { url: url.to_owned(), child, stdout }
    }
}

/// A gateway that runs.
pub(crate) struct Served {
    pub(crate) url: String,
    pub(crate) child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Served {
    /// Asks it for something, with a token.
    pub(crate) fn ask(&self, token: &str, arguments: &[&str]) -> Run {
        let arguments = [&["rpc"], arguments, &["--url", &self.url, "--json"]].concat();
        let output = command(&arguments).env("GARTH_TOKEN", token).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits until it has ended, and gives its exit code, what else it printed and what
    /// it said on standard error.
    pub(crate) fn ended(mut self) -> (Option<i32>, String, String) {
        let status = wait(&mut self.child);
        let (mut printed, mut said) = (String::new(), String::new());
        self.stdout.read_to_string(&mut printed).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (status, printed, said)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a program that is about to end.
pub(crate) fn wait(child: &mut Child) -> Option<i32> {
    until(|| child.try_wait().unwrap()).code()
}

/// Asks again and again until there is an answer.
pub(crate) fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "it did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}
