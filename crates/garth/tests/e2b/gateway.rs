//! A gateway that answers SDKs of E2B, on loopback, with a directory of its own.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Answer, Asked};

/// How long anything may take before it counts as hung.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Limits that nobody reaches.
const PLENTY: &str = "
[limits.programs.caller]
admin_per_minute = 1_000_000
sandbox_per_minute = 1_000_000
bytes_per_minute = 100_000_000_000
watches = 100
processes = 1_000
[limits.programs.workspace]
sandbox_per_minute = 1_000_000
bytes_per_minute = 100_000_000_000
watches = 100
processes = 1_000
";

/// A gateway, which ends with the test.
pub(crate) struct Gateway {
    child: Child,
    pub(crate) address: String,
    data: TempDir,
    /// The operator's token.
    pub(crate) key: String,
}

impl Gateway {
    /// Starts one, where a local sandbox can be had.
    pub(crate) fn start() -> Self {
        Self::with("[e2b]\nenabled = true\n")
    }

    /// Starts one with more in its configuration.
    pub(crate) fn with(configuration: &str) -> Self {
        let data = tempfile::tempdir().unwrap();
        fs::write(data.path().join("garth.toml"), format!("{PLENTY}{configuration}")).unwrap();
        let (child, address) = launched(data.path());
        let key = fs::read_to_string(data.path().join("operator.token")).unwrap();
        Self { child, address, data, key: key.trim().to_owned() }
    }

    /// Ends it as its operator would, and starts it again on the same directory.
    pub(crate) fn start_again(&mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").arg(&pid).status().unwrap().success());
        self.child.wait().unwrap();
        (self.child, self.address) = launched(self.data.path());
    }

    /// Its own directory.
    pub(crate) fn data(&self) -> &Path {
        self.data.path()
    }

    /// The variables by which an SDK finds it.
    pub(crate) fn variables(&self) -> [(&'static str, String); 2] {
        let url = format!("http://{}", self.address);
        [("E2B_API_URL", url.clone()), ("E2B_SANDBOX_URL", url)]
    }

    /// Asks a control route.
    pub(crate) fn control(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let mut asked = Asked::new(method, path).header("X-API-Key", &self.key);
        if let Some(body) = body {
            asked = asked.json(body);
        }
        asked.send(&self.address)
    }

    /// Makes a sandbox.
    pub(crate) fn sandbox(&self) -> Sandbox<'_> {
        self.sandbox_with(&json!({ "templateID": "base", "timeout": 300 }))
    }

    /// Makes a sandbox as it is described.
    pub(crate) fn sandbox_with(&self, body: &Value) -> Sandbox<'_> {
        let made = self.control("POST", "/v2/sandboxes", Some(body));
        assert_eq!(made.status, 201, "{made:?}");
        let made = made.json();
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        Sandbox { gateway: self, id: text("sandboxID"), token: text("envdAccessToken") }
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A sandbox of a gateway.
pub(crate) struct Sandbox<'a> {
    pub(crate) gateway: &'a Gateway,
    pub(crate) id: String,
    pub(crate) token: String,
}

impl Sandbox<'_> {
    /// A request into it.
    pub(crate) fn asked(&self, method: &str, path: &str) -> Asked {
        Asked::new(method, path)
            .header("E2b-Sandbox-Id", &self.id)
            .header("E2b-Sandbox-Port", "49983")
            .header("X-Access-Token", &self.token)
    }

    /// A call of Connect with one answer.
    pub(crate) fn call(&self, name: &str, message: &Value) -> Answer {
        let asked = self.asked("POST", &format!("/{name}")).header("Connect-Protocol-Version", "1");
        asked.json(message).send(&self.gateway.address)
    }

    /// Runs a script to its end, and gives what it printed.
    pub(crate) fn run(&self, script: &str) -> String {
        let told = self.stream("process.Process/Start", &started(script));
        let mut printed = Vec::new();
        for message in &told {
            if let Some(text) = message["event"]["data"]["stdout"].as_str() {
                printed.extend(decoded(text));
            }
        }
        String::from_utf8(printed).unwrap()
    }

    /// A call of Connect that is answered with a stream, to its end.
    pub(crate) fn stream(&self, name: &str, message: &Value) -> Vec<Value> {
        self.streaming(name, message).send(&self.gateway.address).messages()
    }

    /// The same, to be sent.
    pub(crate) fn streaming(&self, name: &str, message: &Value) -> Asked {
        let text = message.to_string();
        let mut body = vec![0];
        body.extend(u32::try_from(text.len()).unwrap().to_be_bytes());
        body.extend(text.as_bytes());
        self.asked("POST", &format!("/{name}"))
            .header("Content-Type", "application/connect+json")
            .body(body)
    }
}

/// What starts a script, as SDKs ask for it.
pub(crate) fn started(script: &str) -> Value {
    json!({ "process": { "cmd": "/bin/bash", "args": ["-l", "-c", script] }, "stdin": false })
}

/// Base64, undone.
pub(crate) fn decoded(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => u32::from(letter - b'A'),
        b'a'..=b'z' => u32::from(letter - b'a') + 26,
        b'0'..=b'9' => u32::from(letter - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("not base64: {other}"),
    };
    let letters: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').collect();
    let mut bytes = Vec::new();
    for some in letters.chunks(4) {
        let bits = some.iter().fold(0, |all, letter| all << 6 | value(*letter));
        let bits = bits << (6 * (4 - some.len()));
        bytes.extend(&bits.to_be_bytes()[1..some.len()]);
    }
    bytes
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn launched(data: &Path) -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data);
    command.env_remove("GARTH_CONFIG").stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    // What is printed later goes nowhere, and its writer must not wait.
    std::thread::spawn(move || lines.for_each(drop));
    let address = first.rsplit("http://").next().unwrap().trim().to_owned();
    (child, address)
}
