//! A gateway that a test starts, with a directory of its own, and that ends with it.

use std::{
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use garth_gateway::{AgentId, Clock, Grant, Registry, Role, Store, Token};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Reply, Request};

/// How long anything may take that is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A gateway that runs.
pub(crate) struct Gateway {
    child: Child,
    data: TempDir,
    pub(crate) address: String,
    pub(crate) ticket: String,
    pub(crate) operator: String,
}

impl Gateway {
    /// Starts one, with the agent `default`.
    pub(crate) fn start() -> Self {
        Self::start_with("")
    }

    /// Starts one that is set up by a configuration file.
    pub(crate) fn start_with(configuration: &str) -> Self {
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join("garth.toml"), configuration).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = Vec::new();
        let mut found = |mark: &str| loop {
            let Some(Ok(line)) = lines.next() else {
                let mut errors = String::new();
                let _ = child.stderr.take().unwrap().read_to_string(&mut errors);
                panic!("the gateway did not start: {said:?} {errors}");
            };
            said.push(line.clone());
            if let Some((_, rest)) = line.split_once(mark) {
                return rest.to_owned();
            }
        };
        let address = found("listens on http://");
        let ticket = found("#ticket=");
        // Nobody may wait because nobody reads.
        thread::spawn(move || lines.for_each(drop));
        let operator = std::fs::read_to_string(data.path().join("operator.token")).unwrap();
        Self { child, data, address, ticket, operator: operator.trim().to_owned() }
    }

    /// A request by the operator.
    pub(crate) fn ask(&self, method: &'static str, path: &str) -> Request<'_> {
        self.anybody(method, path).token(&self.operator)
    }

    /// A request by nobody in particular.
    pub(crate) fn anybody(&self, method: &'static str, path: &str) -> Request<'_> {
        Request::new(&self.address, method, path)
    }

    /// Runs a tool on the workspace of `default`.
    pub(crate) fn tool(&self, name: &str, params: &Value) -> Reply {
        self.ask("POST", &format!("/v1/workspaces/default/{name}")).json(params).send()
    }

    /// The same for a call that must be answered.
    pub(crate) fn told(&self, name: &str, params: &Value) -> Value {
        let reply = self.tool(name, params);
        assert_eq!(reply.status, 200, "{name}: {}", reply.text());
        reply.value()
    }

    /// Tells whether commands run here, and says so where they do not.
    pub(crate) fn runs_commands(&self) -> bool {
        let reply = self.tool("bash", &json!({"command": "true"}));
        if reply.status == 200 {
            return true;
        }
        println!("skipped: no commands run here: {}", reply.text());
        false
    }

    /// Makes an agent.
    pub(crate) fn create(&self, id: &str) {
        let reply = self.ask("POST", "/v1/workspaces").json(&json!({ "id": id })).send();
        assert_eq!(reply.status, 200, "{}", reply.text());
    }

    /// Where the files of an agent are.
    pub(crate) fn directory(&self, id: &str) -> PathBuf {
        self.data.path().join("agents").join(id).join("workspace")
    }

    /// Gives out a token, as the operator does beside a gateway that runs.
    pub(crate) fn issue(&self, role: Role) -> (String, Token) {
        let issued = self.registry(async |registry| {
            let grant = Grant { role, label: "a test".to_owned(), ttl: None };
            registry.callers().issue(grant).await.unwrap()
        });
        (issued.0.reveal(), issued.1)
    }

    /// A token of an agent.
    pub(crate) fn agent(&self, id: &str) -> String {
        self.issue(Role::Agent(AgentId::parse(id).unwrap())).0
    }

    /// Takes a token back, beside the gateway.
    pub(crate) fn revoke(&self, token: &Token) {
        self.registry(async |registry| registry.callers().revoke(&token.id).await.unwrap());
    }

    /// How much memory it has, in bytes.
    pub(crate) fn resident(&self) -> u64 {
        self.counted("VmRSS:")
    }

    /// The most that it had since the peak was forgotten.
    pub(crate) fn peak(&self) -> u64 {
        self.counted("VmHWM:")
    }

    /// Counts the most anew from here.
    pub(crate) fn forget_peak(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5").unwrap();
    }

    fn counted(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }

    /// Asks it to stop.
    pub(crate) fn stop(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }

    fn registry<T>(&self, act: impl AsyncFnOnce(Registry) -> T) -> T {
        let store = Store::open(&self.data.path().join("garth.db"), Clock::system()).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let done = act(Registry::new(store.clone())).await;
            store.close().await;
            done
        })
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // It ends its processes itself when it is asked to; a test that failed does not wait.
        self.stop();
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
