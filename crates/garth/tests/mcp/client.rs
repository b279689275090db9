//! A client that sends what it likes: whole messages, halves, floods.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// How long an answer may take before the server counts as hung.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server and the two ends of its streams.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    lines: Option<Receiver<Value>>,
    last: u64,
}

impl Client {
    /// Starts a server on a directory and does the handshake.
    pub(crate) fn start(root: &Path, options: &[&str]) -> Self {
        let mut client = Self::bare(root, options);
        assert_eq!(client.greet()["serverInfo"]["name"], "garth");
        client
    }

    /// Starts a server and says nothing to it.
    pub(crate) fn bare(root: &Path, options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
        command.arg("mcp").args(options);
        command.args(Some(root).filter(|_| !options.contains(&"--memory")));
        Self::of(&mut command)
    }

    /// Starts any server and says nothing to it.
    pub(crate) fn of(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Self { child, input, output, lines: None, last: 0 }
    }

    /// Does the handshake and gives what the server says of itself.
    pub(crate) fn greet(&mut self) -> Value {
        let named = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": named});
        self.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
        self.read_on();
        let said = self.next()["result"].take();
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        said
    }

    /// Begins to read what the server says; until then nobody does.
    pub(crate) fn read_on(&mut self) {
        let Some(output) = self.output.take() else { return };
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap();
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        self.lines = Some(lines);
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Sends a call of a tool and gives its id.
    pub(crate) fn begin(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.last += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
        id
    }

    /// Calls a tool and waits for its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.begin(tool, arguments);
        self.answer(id)["result"].take()
    }

    /// Asks for something and waits for the answer, result or error.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer(id)
    }

    /// Passes over other messages to the answer with an id.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The next message.
    pub(crate) fn next(&mut self) -> Value {
        match self.lines.as_ref().unwrap().recv_timeout(PATIENCE) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => panic!("the server does not answer"),
            Err(RecvTimeoutError::Disconnected) => panic!("the server has ended"),
        }
    }

    /// Kills the server, which cannot do anything about it.
    #[allow(dead_code, reason = "only the tests of commands need it")]
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The most memory that the server has had, in megabytes.
    pub(crate) fn peak_megabytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
    }

    /// Closes the server's input, and gives what it still says and how it ends.
    pub(crate) fn close(mut self) -> (Vec<Value>, Option<i32>) {
        drop(self.input.take());
        self.read_on();
        let rest = self.lines.take().unwrap().iter().collect();
        (rest, self.child.wait().unwrap().code())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
