//! The gateway that is measured, a process of its own.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

/// Limits that no measurement meets.
const PLENTY: &[&str] = &["ADMIN_PER_MINUTE", "SANDBOX_PER_MINUTE", "BYTES_PER_MINUTE"];

/// A gateway, until it is dropped.
pub(crate) struct Server {
    child: Child,
    /// Host and port.
    pub(crate) address: String,
    /// The operator's.
    pub(crate) token: String,
    _data: tempfile::TempDir,
}

impl Server {
    /// Our own program, from beside this one.
    #[allow(clippy::zombie_processes, reason = "whoever has it waits for it when it is dropped")]
    pub(crate) fn garth() -> Option<Self> {
        let own = std::env::current_exe().unwrap();
        // An example lies in a directory beside the programs.
        let program = own.parent()?.parent()?.join("garth");
        if !program.exists() {
            return None;
        }
        let data = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command.args(["serve", "--e2b", "--listen", "127.0.0.1:0", "--data"]).arg(data.path());
        for side in ["CALLER", "WORKSPACE"] {
            for name in PLENTY {
                command.env(format!("GARTH_LIMITS_PROGRAMS_{side}_{name}"), "4000000000");
            }
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let told =
            lines.find_map(|line| line.split_once("http://").map(|(_, rest)| rest.to_owned()));
        let address = told.unwrap().split(['/', ' ']).next().unwrap().to_owned();
        // What is printed later goes nowhere, and its writer must not wait.
        std::thread::spawn(move || lines.for_each(drop));
        let token = std::fs::read_to_string(data.path().join("operator.token")).unwrap();
        Some(Self { child, address, token: token.trim().to_owned(), _data: data })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
