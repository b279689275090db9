//! The protocol's own Python library as the client, over its own pipes.

use std::{
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use bytes::Bytes;
use garth_conformance::{Backend, Directory, Subject};
use garth_contract::{Code, DynFilesystem, Policy, Result, Span};
use garth_editor::{
    Bounds, Editor, Offers, Pipe, Rest, Root, Session,
    schema::{InitializeRequest, InitializeResponse, NewSessionRequest},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{net::UnixStream, sync::OnceCell};

use crate::{
    conformance::{EXCEPT, every_check_holds},
    fixture::{ANY, at, beneath, lines_with},
};

/// How many seconds the client gets in all; only one that hangs needs them.
const MOST_SECONDS: &str = "1200";
/// A client in Python is slow on a busy machine.
const PATIENT: Bounds = Bounds { deadline: Duration::from_secs(110), ..crate::fixture::PATIENT };

#[test]
fn every_check_holds_with_the_python_library() {
    let Some(python) = python() else { return };
    let client = Started::new(&python, "files", &std::env::temp_dir());
    let edited = InPython { stream: Mutex::new(Some(client.connected())), agent: OnceCell::new() };
    every_check_holds(&edited, EXCEPT);
    drop(edited);
    client.succeeds();
}

#[tokio::test]
async fn a_prompted_agent_works_in_the_buffers_of_the_python_library() {
    let Some(python) = python() else { return };
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("typed.txt"), "saved\n").unwrap();
    let client = Started::new(&python, "unsaved", dir.path());
    let stream = UnixStream::from_std(client.connected()).unwrap();
    let mut agent = Agent::greet(stream).await;
    let session = Session::new(agent.pipe.clone(), "session-1", agent.offers, PATIENT);
    let root = Root::new(&agent.cwd).unwrap();
    let files = Editor::over(session, root, beneath(dir.path(), Policy::open()));
    let prompt = agent.request("session/prompt").await;
    let scene = work(&files).await;
    agent.say(&format!("read: {}", scene.0)).await;
    agent.say(&format!("found: {}", scene.1)).await;
    agent.answer(&prompt, json!({ "stopReason": "end_turn" })).await;
    tokio::task::spawn_blocking(move || client.succeeds()).await.unwrap();
}

/// What the agent does: reads, finds, replaces under a guard, makes a file.
async fn work(files: &Editor) -> (String, String) {
    let shared: &dyn DynFilesystem = files;
    let typed = at("typed.txt");
    let content = shared.read(&typed, Span::Whole { at_most: 100 }).await.unwrap();
    let found = Arc::new(garth_contract::Collect::default());
    shared.find(&lines_with("not saved"), Arc::clone(&found) as _).await.unwrap();
    let found = found.take();
    let garth_contract::Owned::Line(line) = &found[0] else { panic!("{found:?}") };
    let guard = garth_contract::Guard::Holding(content.bytes.clone());
    let put = garth_contract::Put { guard, ..ANY };
    shared.write(&typed, Bytes::from("typed and written\n"), put.clone()).await.unwrap();
    let stale = shared.write(&typed, Bytes::from("again\n"), put).await;
    assert_eq!(stale.unwrap_err().code(), Code::Conflict);
    shared.write(&at("new/file.txt"), Bytes::from("new\n"), ANY).await.unwrap();
    let text = String::from_utf8(content.bytes.to_vec()).unwrap();
    (text, format!("{}:{}", line.path, line.number))
}

/// The interpreter that has the library, or why the test is skipped.
fn python() -> Option<PathBuf> {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache");
    let python = cache.join("py/acp/bin/python");
    if python.exists() {
        return Some(python);
    }
    println!("skipped: acp is not installed; scripts/test installs it");
    None
}

/// A client that was started, and the socket that its agent is behind.
struct Started {
    child: Child,
    listener: UnixListener,
    _dir: TempDir,
}

impl Started {
    fn new(python: &Path, scene: &str, root: &Path) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("agent");
        let listener = UnixListener::bind(&socket).unwrap();
        let client = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/editor/python/client.py");
        let child = Command::new("timeout")
            .args(["--kill-after=5", MOST_SECONDS])
            .arg(python)
            // No bytecode is left beside the client.
            .args(["-B", client, scene])
            .arg(root)
            .arg(env!("CARGO_BIN_EXE_garth-editor-relay"))
            .arg(&socket)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Self { child, listener, _dir: dir }
    }

    /// The connection of the agent that the client started.
    fn connected(&self) -> std::os::unix::net::UnixStream {
        self.listener.set_nonblocking(true).unwrap();
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(true).unwrap();
                    return stream;
                }
                Err(error) => assert!(Instant::now() < deadline, "no client came: {error}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn succeeds(mut self) {
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The agent's side of a connection, after the greeting.
struct Agent {
    pipe: Pipe,
    rest: Rest,
    offers: Offers,
    cwd: PathBuf,
}

impl Agent {
    /// Takes the client's greeting and its session, as any agent does.
    async fn greet(stream: UnixStream) -> Self {
        let (reader, writer) = stream.into_split();
        let (pipe, rest) = Pipe::open(reader, writer, PATIENT);
        let mut agent = Self { pipe, rest, offers: Offers::Nothing, cwd: PathBuf::new() };
        let request = agent.request("initialize").await;
        let greeting: InitializeRequest =
            serde_json::from_value(request["params"].clone()).unwrap();
        agent.offers = Offers::of(&greeting.client_capabilities);
        let answer = InitializeResponse::new(greeting.protocol_version);
        agent.answer(&request, serde_json::to_value(answer).unwrap()).await;
        let request = agent.request("session/new").await;
        let session: NewSessionRequest = serde_json::from_value(request["params"].clone()).unwrap();
        agent.cwd = session.cwd;
        agent.answer(&request, json!({ "sessionId": "session-1" })).await;
        agent
    }

    /// The client's next request, which is this one.
    async fn request(&mut self, method: &str) -> Value {
        let request = self.rest.next().await.unwrap();
        assert_eq!(request["method"], method);
        request
    }

    async fn answer(&self, request: &Value, result: Value) {
        let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        self.pipe.send(&answer).await.unwrap();
    }

    async fn say(&self, text: &str) {
        let update = json!({
            "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text },
        });
        let params = json!({ "sessionId": "session-1", "update": update });
        let message = json!({ "jsonrpc": "2.0", "method": "session/update", "params": params });
        self.pipe.send(&message).await.unwrap();
    }
}

/// Workspaces in one editor in Python.
struct InPython {
    stream: Mutex<Option<std::os::unix::net::UnixStream>>,
    /// The agent, once there is a runtime to run it on.
    agent: OnceCell<Agent>,
}

impl Backend for InPython {
    fn name(&self) -> &str {
        "editor on the Python library"
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let agent = self.agent.get_or_init(async || {
            let stream = self.stream.lock().unwrap().take().unwrap();
            Agent::greet(UnixStream::from_std(stream).unwrap()).await
        });
        let agent = agent.await;
        assert_eq!(agent.offers, Offers::Both);
        let session = Session::new(agent.pipe.clone(), "session-1", agent.offers, PATIENT);
        let again = session.clone();
        let directory = Directory::new(move |root, policy| {
            let root_of = Root::new(root)?;
            Ok(Arc::new(Editor::over(again.clone(), root_of, beneath(root, policy))))
        });
        let root = directory.root();
        let files = Editor::over(session, Root::new(&root)?, beneath(&root, policy));
        Ok(Subject::new(files).with(directory))
    }
}
