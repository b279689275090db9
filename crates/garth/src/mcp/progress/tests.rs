//! Commands over the protocol: what a client hears while they run, and their end.

use std::path::Path;

use garth_contract::{Aliases, Cause, Exit, Policy, Process};
use garth_host::{Bounds, Host, Processes, Settings, Strays, Trees};
use garth_redact::Config;
use garth_workspace::{Commands, Limits, Parts};
use rmcp::ServiceExt;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};

use super::{
    super::{
        lines::Lines,
        room::Room,
        server::{Offer, Server},
    },
    *,
};

/// How long a test waits for what must come: a loaded machine takes its time.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client of a server whose commands run in a directory of its own.
struct Client {
    stream: BufReader<DuplexStream>,
    workspace: Arc<Workspace>,
    dir: TempDir,
}

impl Client {
    async fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Arc::new(workspace(dir.path()));
        let dialect = garth_ops::dialect("workspace").unwrap();
        let tools = dialect.tools.iter().collect();
        let offer = Offer { dialect, tools, instructions: String::new() };
        let room = Room::new(Arc::default());
        let server = Server::new(Arc::clone(&workspace), offer, room.clone());
        let (near, far) = duplex(1 << 20);
        tokio::spawn(async move {
            let (read, write) = split(near);
            if let Ok(service) = server.serve(Lines::new(read, write, room)).await {
                let _ = service.waiting().await;
            }
        });
        let mut client = Self { stream: BufReader::new(far), workspace, dir };
        let info = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
        client.send(&json!({"id": 0, "method": "initialize", "params": params})).await;
        assert_eq!(client.next().await["id"], 0);
        client.send(&json!({"method": "notifications/initialized"})).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        let mut message = message.clone();
        message["jsonrpc"] = "2.0".into();
        self.stream.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Sends a call of bash that asks for progress.
    async fn begin(&mut self, id: u64, arguments: &Value) {
        let params = json!({
            "name": "bash", "arguments": arguments, "_meta": {"progressToken": "token"},
        });
        self.send(&json!({"id": id, "method": "tools/call", "params": params})).await;
    }

    async fn next(&mut self) -> Value {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line);
        tokio::time::timeout(PATIENCE, read).await.expect("it must answer").unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// The answer to a call; what it heard before is passed over.
    async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    }

    /// Waits for a notification of progress whose message holds a text.
    async fn hears(&mut self, text: &str) -> Value {
        let begun = Instant::now();
        loop {
            let message = self.next().await;
            assert_eq!(message["method"], "notifications/progress", "{message}");
            assert_eq!(message["params"]["progressToken"], "token");
            if message["params"]["message"].as_str().unwrap().contains(text) {
                return message["params"].clone();
            }
            assert!(begun.elapsed() < PATIENCE, "it never hears {text}: {message}");
        }
    }

    /// Waits until the only process is in a state.
    async fn until(&self, what: &str, holds: impl Fn(&Process) -> bool) {
        let begun = Instant::now();
        loop {
            let all = self.workspace.shell().unwrap().list().await.unwrap();
            if all.first().is_some_and(&holds) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "never {what}: {all:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[allow(clippy::disallowed_methods, reason = "it is the directory of this test")]
    fn touch(&self, name: &str) {
        std::fs::write(self.dir.path().join("root").join(name), "").unwrap();
    }
}

fn workspace(dir: &Path) -> Workspace {
    let root = dir.join("root");
    #[allow(clippy::disallowed_methods, reason = "it is the directory of this test")]
    std::fs::create_dir(&root).unwrap();
    let settings = Settings {
        environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        spool: dir.join("spool"),
        bounds: Bounds::usual(),
        trees: Trees::Detect,
        strays: Strays::Leave,
        first: 1,
    };
    let limits = Limits { command_time: Duration::from_secs(3_600), ..Limits::standard() };
    let parts = Parts {
        fs: Arc::new(Host::open(&root, Policy::open(), Aliases::none()).unwrap()),
        commands: Commands::in_shell(Processes::open(&root, settings).unwrap()),
        aliases: Aliases::none(),
        redaction: Config::standard(),
        limits,
    };
    Workspace::new(parts).unwrap()
}

#[tokio::test]
async fn a_client_hears_the_last_line_of_its_command_while_it_runs() {
    let mut client = Client::start().await;
    let command = "echo one; echo token ghp_1234567890abcdefghijklmnopqrstuvwxyz; \
                   until test -e two; do sleep 0.05; done; \
                   head -c 1000 /dev/zero | tr '\\0' x; echo; \
                   until test -e go; do sleep 0.05; done; echo done; exit 3";
    client.begin(1, &json!({"command": command})).await;
    let first = client.hears(" s: token [REDACTED: ").await;
    assert!(!first.to_string().contains("ghp_"), "{first}");
    client.touch("two");
    let second = client.hears(&format!(" s: {}…", "x".repeat(MOST_CHARACTERS))).await;
    assert!(second["progress"].as_f64().unwrap() > first["progress"].as_f64().unwrap());
    client.touch("go");
    let result = client.answer(1).await;
    assert_eq!(result["isError"], false, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.ends_with("xxx\ndone\n[exit code 3]"), "{text}");
    let facts = &result["structuredContent"];
    assert_eq!((&facts["exit_code"], &facts["id"]), (&json!(3), &json!("p1")));
    assert!(facts.get("stdout").is_none(), "the text stands once: {facts}");
}

#[tokio::test]
async fn a_command_that_prints_nothing_is_told_by_its_time() {
    let mut client = Client::start().await;
    let command = "until test -e go; do sleep 0.05; done";
    client.begin(1, &json!({"command": command})).await;
    let heard = client.hears(" s").await;
    assert!(heard["message"].as_str().unwrap().ends_with(" s"), "{heard}");
    client.touch("go");
    client.answer(1).await;
}

#[tokio::test]
async fn a_call_that_is_cancelled_kills_its_command() {
    let mut client = Client::start().await;
    client.begin(1, &json!({"command": "trap '' TERM; sleep 3600"})).await;
    client.until("started", |process| process.ended.is_none()).await;
    let params = json!({"requestId": 1, "reason": "enough"});
    client.send(&json!({"method": "notifications/cancelled", "params": params})).await;
    client
        .until("killed", |process| process.ended.is_some_and(|ended| ended.exit == Exit::Signal(9)))
        .await;
    client.begin(2, &json!({"command": "echo next"})).await;
    assert_eq!(client.answer(2).await["content"][0]["text"], "next");
}

#[tokio::test]
async fn a_command_out_of_time_is_an_error_with_what_it_printed() {
    let mut client = Client::start().await;
    // A loaded machine may need more than the first of these to start it at all.
    for (id, timeout_ms) in (1..).zip([500, 2_000, 8_000, 30_000]) {
        let command = "echo begun; sleep 3600";
        client.begin(id, &json!({"command": command, "timeout_ms": timeout_ms})).await;
        let result = client.answer(id).await;
        assert_eq!(result["isError"], true, "{result}");
        let failure = &result["structuredContent"];
        assert_eq!(failure["code"], "COMMAND_TIMEOUT");
        assert_eq!(failure["details"]["exit_code"], 143);
        assert!(failure["details"].get("stdout").is_none(), "the text stands once: {failure}");
        let text = result["content"][0]["text"].as_str().unwrap();
        if text.contains("begun") {
            let expected = format!(
                "COMMAND_TIMEOUT: the command ran out of time after {timeout_ms} ms\n\
                 Allow more time with timeout_ms, or start it in the background.\n\n\
                 begun\n[ended by SIGTERM, exit code 143]"
            );
            assert_eq!(text, expected);
            return;
        }
    }
    panic!("nothing was printed in any time");
}

#[tokio::test]
async fn a_process_in_the_background_outlives_its_call() {
    let mut client = Client::start().await;
    client.begin(1, &json!({"command": "sleep 3600", "background": true})).await;
    assert_eq!(client.answer(1).await["structuredContent"], json!({"id": "p1"}));
    client.until("started", |process| process.background && process.ended.is_none()).await;
    let id = ProcessId(1);
    let ended = client.workspace.shell().unwrap().end(id).await.unwrap();
    assert_eq!(ended.cause, Cause::Ended);
}
