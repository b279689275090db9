//! A gateway of a test: the real program, with a directory of its own, on loopback.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;

/// How long anything may take before it counts as hung.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A gateway, which ends with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    data: Arc<TempDir>,
    /// The operator's token.
    pub(crate) operator: String,
}

impl Server {
    /// Starts one.
    pub(crate) fn start() -> Self {
        Self::with(&[])
    }

    /// Starts one with more options.
    pub(crate) fn with(options: &[&str]) -> Self {
        Self::set_up("", options)
    }

    /// Starts one that is set up by a configuration file, with more options.
    pub(crate) fn set_up(configuration: &str, options: &[&str]) -> Self {
        let data = tempfile::tempdir().unwrap();
        fs::write(data.path().join("garth.toml"), configuration).unwrap();
        Self::listening(data, options)
    }

    /// Starts one on a directory that is there.
    pub(crate) fn on(data: TempDir) -> Self {
        Self::listening(data, &[])
    }

    /// Starts one with these variables of the environment.
    #[allow(dead_code, reason = "not every target that has this file asks")]
    pub(crate) fn surrounded(variables: &[(&str, &str)]) -> Self {
        let data = tempfile::tempdir().unwrap();
        // Behind what is taken away from every program of a test.
        let mut command = Command::new("env");
        command.args(variables.iter().map(|(name, value)| format!("{name}={value}")));
        command.arg(env!("CARGO_BIN_EXE_garth"));
        let child = launched(command, data.path(), &[]);
        Self::listened(data, child)
    }

    /// Starts one that may have only so many open files.
    pub(crate) fn with_handles(most: u32) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        // The limits that there are at the start cannot be raised again.
        command.args(["-c", &format!("ulimit -n {most}; exec \"$0\" \"$@\"")]);
        command.arg(env!("CARGO_BIN_EXE_garth"));
        let child = launched(command, data.path(), &[]);
        Self::listened(data, child)
    }

    fn listening(data: TempDir, options: &[&str]) -> Self {
        let child = launch(data.path(), options);
        Self::listened(data, child)
    }

    fn listened(data: TempDir, child: Child) -> Self {
        let (child, address) = listening(child);
        let data = Arc::new(data);
        let operator = fs::read_to_string(data.path().join("operator.token")).unwrap();
        Self { child, address, data, operator: operator.trim().to_owned() }
    }

    /// Kills it, as nothing can prevent.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again on the same directory, after it was killed.
    pub(crate) fn start_again(&mut self) {
        (self.child, self.address) = listening(launch(self.data.path(), &[]));
    }

    /// Its own directory.
    pub(crate) fn data(&self) -> &Path {
        self.data.path()
    }

    /// A connection of the operator.
    pub(crate) fn operator(&self) -> Client {
        self.client(&self.operator)
    }

    /// A connection with a token in the head.
    pub(crate) fn client(&self, token: &str) -> Client {
        Client::with_token(&self.address, token)
    }

    /// A connection of a new agent's own token.
    pub(crate) fn agent(&self, id: &str) -> Client {
        self.client(&self.agent_token(id))
    }

    /// Makes an agent, and gives a token of its own.
    pub(crate) fn agent_token(&self, id: &str) -> String {
        let mut operator = self.operator();
        operator.ok("agents.create", json!({ "agentId": id }));
        self.token(json!({ "role": "agent", "agentId": id })).0
    }

    /// A new token, and its id.
    pub(crate) fn token(&self, grant: Value) -> (String, String) {
        let made = self.operator().ok("tokens.create", grant);
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        (text("token"), text("id"))
    }

    /// The directory of an agent's files.
    pub(crate) fn files(&self, agent: &str) -> PathBuf {
        self.data.path().join("agents").join(agent).join("workspace")
    }

    /// All that it keeps, also when it has ended.
    #[allow(dead_code, reason = "not every target that has this file asks")]
    pub(crate) fn kept(&self) -> Arc<TempDir> {
        Arc::clone(&self.data)
    }

    /// The memory that it has now, in megabytes.
    pub(crate) fn megabytes(&self) -> u64 {
        self.kilobytes() / 1_024
    }

    /// The same in kilobytes.
    pub(crate) fn kilobytes(&self) -> u64 {
        self.status("VmRSS:")
    }

    fn status(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Asks it to stop, and gives its exit code once it has.
    pub(crate) fn stop(mut self) -> Option<i32> {
        self.ended()
    }

    /// The same, and leaves its directory to be looked at.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        self.ask_to_stop();
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < until, "the gateway does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn ask_to_stop(&self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    }
}

/// Starts the program on a directory, and does not wait for it.
pub(crate) fn launch(data: &Path, options: &[&str]) -> Child {
    launched(Command::new(env!("CARGO_BIN_EXE_garth")), data, options)
}

fn launched(mut command: Command, data: &Path, options: &[&str]) -> Child {
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data).args(options);
    // Nothing of who runs the tests is to matter.
    command.env_remove("GARTH_DATA").env_remove("GARTH_CONFIG");
    command.env_remove("OTEL_EXPORTER_OTLP_ENDPOINT").env_remove("OTEL_SERVICE_NAME");
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Starts the program on a directory that it cannot use, and gives how it ended and what
/// it said.
pub(crate) fn launch_told(data: &Path) -> (Option<i32>, String) {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", "60", env!("CARGO_BIN_EXE_garth"), "serve"]);
    command.args(["--listen", "127.0.0.1:0", "--data"]).arg(data);
    let output = command.env_remove("GARTH_DATA").env_remove("GARTH_CONFIG").output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Waits until a program that was started listens, and gives its address.
fn listening(mut child: Child) -> (Child, String) {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address = loop {
        let line = lines.next().unwrap().unwrap();
        if let Some((_, rest)) = line.split_once("listens on http://") {
            break rest.trim().to_owned();
        }
    };
    // Whatever else it says is read, so that it never waits for a reader.
    std::thread::spawn(move || lines.for_each(drop));
    (child, address)
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks for the audit of a directory by the command line; it must succeed.
pub(crate) fn audit(arguments: &[&str], data: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
    command.arg("audit").args(arguments).arg("--data").arg(data);
    let output = command.env_remove("GARTH_DATA").env_remove("GARTH_CONFIG").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "it never held: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
