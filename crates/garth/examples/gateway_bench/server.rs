//! The two servers, each a process of its own.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use serde_json::json;
use tokio_tungstenite::tungstenite::{client::IntoClientRequest, handshake::client::Request};

use crate::load::{Load, Socket};

/// Limits that no measurement meets.
const PLENTY: &[(&str, &str)] = &[
    ("WORKTREE_PER_MINUTE", "4000000000"),
    ("TOOLS_PER_MINUTE", "4000000000"),
    ("ADMIN_PER_MINUTE", "4000000000"),
    ("BYTES_PER_MINUTE", "1000GB"),
    ("CONCURRENT_READS", "4000000000"),
];

/// A server, until it is dropped.
pub(crate) struct Server {
    child: Child,
    address: String,
    token: Option<String>,
    query: String,
    data: tempfile::TempDir,
}

impl Server {
    /// Our own program, from beside this one.
    pub(crate) fn garth() -> Option<Self> {
        let own = std::env::current_exe().unwrap();
        let program: PathBuf = own.parent()?.parent()?.join("garth");
        if !program.exists() {
            return None;
        }
        let data = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data.path());
        for side in ["CALLER", "WORKSPACE"] {
            for (name, plenty) in PLENTY {
                command.env(format!("GARTH_LIMITS_PROGRAMS_{side}_{name}"), plenty);
            }
        }
        let (child, address) = started(command);
        let token = std::fs::read_to_string(data.path().join("operator.token")).unwrap();
        let token = Some(token.trim().to_owned());
        Some(Self { child, address, token, query: String::new(), data })
    }

    /// The echo, whose replies have this many bytes.
    pub(crate) fn echo(size: usize) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("echo");
        let (child, address) = started(command);
        let (query, data) = (format!("?size={size}"), tempfile::tempdir().unwrap());
        Self { child, address, token: None, query, data }
    }

    /// The peer for files.
    pub(crate) fn raw() -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("raw").arg(data.path());
        let (child, address) = started(command);
        Self { child, address, token: None, query: String::new(), data }
    }

    /// Where the files of the agent are.
    pub(crate) fn files(&self) -> PathBuf {
        self.data.path().join("agents/default/workspace")
    }

    /// Host and port.
    pub(crate) fn authority(&self) -> &str {
        self.address.trim_start_matches("http://").trim_end_matches('/')
    }

    /// The head of a request over HTTP, with a body of this length.
    pub(crate) fn head(&self, method: &str, path: &str, length: usize) -> String {
        let host = self.authority();
        let token = self.token.as_deref().unwrap_or_default();
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n"
        )
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

    /// A request for a WebSocket.
    pub(crate) fn request(&self) -> Request {
        let address = self.address.replace("http://", "ws://");
        let mut request = format!("{address}/v1/ws{}", self.query).into_client_request().unwrap();
        if let Some(token) = &self.token {
            let value = format!("Bearer {token}").parse().unwrap();
            request.headers_mut().insert("authorization", value);
        }
        request
    }

    /// Tells whether a client hears something before it asks.
    pub(crate) fn greets(&self) -> bool {
        self.token.is_some()
    }

    /// Writes a file into the workspace.
    pub(crate) async fn write(&self, path: &str, content: &str) {
        let params = json!({"agentId": "default", "path": path, "content": content});
        self.reply(&Load::new("worktree.write", &params)).await;
    }

    /// How long the reply to a request is.
    pub(crate) async fn reply(&self, load: &Load) -> usize {
        let mut socket = Socket::connect(self).await;
        let reply = socket.ask(load).await;
        assert!(reply.contains(r#""ok":true"#), "{reply}");
        reply.len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server, and waits until it has said where it is.
#[allow(clippy::zombie_processes, reason = "whoever has it waits for it when it is dropped")]
fn started(mut command: Command) -> (Child, String) {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let told = lines.find_map(|line| line.find("http://").map(|at| line[at..].to_owned())).unwrap();
    (child, told.split_whitespace().next().unwrap().to_owned())
}
