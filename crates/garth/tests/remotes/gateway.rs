//! A gateway with a token in a file beside its directory, whose log can be read.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::{Reply, Request},
    server::CANARY,
};

/// How long anything may take that is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Gateway {
    child: Child,
    directory: TempDir,
    data: PathBuf,
    address: String,
    operator: String,
}

impl Gateway {
    pub(crate) fn start(configuration: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        std::fs::create_dir(&data).unwrap();
        std::fs::write(directory.path().join("token"), format!("{CANARY}\n")).unwrap();
        std::fs::write(data.join("garth.toml"), configuration).unwrap();
        let log = std::fs::File::create(directory.path().join("log")).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_garth"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(&data)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = loop {
            let Some(Ok(line)) = lines.next() else {
                let log = std::fs::read_to_string(directory.path().join("log")).unwrap();
                panic!("the gateway did not start: {log}");
            };
            if let Some((_, address)) = line.split_once("listens on http://") {
                break address.to_owned();
            }
        };
        // Nobody may wait because nobody reads.
        thread::spawn(move || lines.for_each(drop));
        let token = data.join("operator.token");
        eventually("the operator has a token", || token.exists());
        let operator = std::fs::read_to_string(token).unwrap().trim().to_owned();
        Self { child, directory, data, address, operator }
    }

    /// Its own directory.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// What it logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("log")).unwrap()
    }

    /// What it recorded.
    pub(crate) fn audit(&self) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_garth"))
            .args(["audit", "export", "--data"])
            .arg(&self.data)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A request by the operator.
    pub(crate) fn ask(&self, method: &'static str, path: &str) -> Request<'_> {
        Request::new(&self.address, method, path).token(&self.operator)
    }

    /// Runs a tool on an agent's workspace.
    pub(crate) fn tool(&self, agent: &str, name: &str, params: &Value) -> Reply {
        self.ask("POST", &format!("/v1/workspaces/{agent}/{name}")).json(params).send()
    }

    /// The same for a call that must be answered.
    pub(crate) fn told(&self, agent: &str, name: &str, params: &Value) -> Value {
        let reply = self.tool(agent, name, params);
        assert_eq!(reply.status, 200, "{name} {params}: {}", reply.text());
        reply.value()
    }

    /// Tells whether commands run here, and says so where they do not.
    pub(crate) fn runs_commands(&self, agent: &str) -> bool {
        let reply = self.tool(agent, "bash", &json!({"command": "git --version"}));
        if reply.status == 200 && reply.text().contains("git version") {
            return true;
        }
        println!("skipped: no git runs in a sandbox here: {}", reply.text());
        false
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let until = Instant::now() + PATIENCE;
        while self.child.try_wait().ok().flatten().is_none() {
            if Instant::now() > until {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Looks again until something holds.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "not in time: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
