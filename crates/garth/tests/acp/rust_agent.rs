//! An agent on the official Rust SDK: this test program, started again as one.
//!
//! It does what each line of a prompt says, as the agent on the Python SDK does.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio as Pipe},
    sync::{Arc, Mutex},
};

use agent_client_protocol::{
    Agent, Client, Result, Stdio, on_receive_notification, on_receive_request,
    v1::{
        ConnectionTo,
        schema::{
            AgentCapabilities, CancelNotification, ClientCapabilities, ContentBlock, ContentChunk,
            CreateTerminalRequest, InitializeRequest, InitializeResponse, KillTerminalRequest,
            LoadSessionRequest, LoadSessionResponse, McpServer, McpServerStdio, NewSessionRequest,
            NewSessionResponse, PermissionOption, PermissionOptionKind, PromptRequest,
            PromptResponse, ReadTextFileRequest, ReleaseTerminalRequest, RequestPermissionOutcome,
            RequestPermissionRequest, SessionId, SessionNotification, SessionUpdate, StopReason,
            TerminalOutputRequest, TextContent, ToolCall, ToolCallLocation, ToolCallStatus,
            ToolCallUpdate, ToolCallUpdateFields, ToolKind, WaitForTerminalExitRequest,
            WriteTextFileRequest,
        },
    },
};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// The variable that makes this program the agent.
const ROLE: &str = "GARTH_TEST_AGENT";

/// How the agent is started. What the harness of tests prints goes to standard error, and
/// messages to where standard output was.
pub(crate) fn command() -> Vec<String> {
    started_from(std::env::current_exe().unwrap().to_str().unwrap())
}

/// The same where this program is known by another path.
pub(crate) fn started_from(own: &str) -> Vec<String> {
    let name = "rust_agent::the_agent_that_other_tests_start";
    let script = format!("exec 3>&1 >&2; {ROLE}=1 exec \"$0\" --exact {name} --nocapture");
    ["sh", "-c", &script, own].map(str::to_owned).to_vec()
}

#[test]
fn the_agent_that_other_tests_start() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    let messages = File::options().write(true).open("/proc/self/fd/3").unwrap();
    rustix::stdio::dup2_stdout(&messages).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let served = runtime.block_on(serve());
    // The harness would print to where messages go.
    std::process::exit(i32::from(served.is_err()));
}

/// Where each session works, and with which servers.
type Sessions = HashMap<SessionId, (String, Vec<McpServer>)>;

#[derive(Clone, Default)]
struct Testy {
    sessions: Arc<Mutex<Sessions>>,
    can: Arc<Mutex<ClientCapabilities>>,
    cancelled: Arc<Notify>,
}

async fn serve() -> Result<()> {
    let testy = Testy::default();
    let [greeted, new, load, prompted, cancelled] = std::array::from_fn(|_| testy.clone());
    Agent
        .v1()
        .name("testy")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _: ConnectionTo<Client>| {
                *greeted.can.lock().unwrap() = request.client_capabilities;
                let can = AgentCapabilities::new().load_session(true);
                responder.respond(
                    InitializeResponse::new(request.protocol_version).agent_capabilities(can),
                )
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _: ConnectionTo<Client>| {
                let session =
                    new.remember(None, request.cwd.display().to_string(), request.mcp_servers);
                responder.respond(NewSessionResponse::new(session))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, client: ConnectionTo<Client>| {
                let cwd = request.cwd.display().to_string();
                let session = load.remember(Some(request.session_id), cwd, request.mcp_servers);
                say(&client, &session, "loaded")?;
                responder.respond(LoadSessionResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                let testy = prompted.clone();
                client.clone().spawn(async move {
                    let stop = testy.turn(&client, request).await?;
                    responder.respond(PromptResponse::new(stop))
                })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |_: CancelNotification, _: ConnectionTo<Client>| {
                cancelled.cancelled.notify_one();
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(Stdio::new())
        .await
}

impl Testy {
    fn remember(&self, id: Option<SessionId>, cwd: String, servers: Vec<McpServer>) -> SessionId {
        let mut sessions = self.sessions.lock().unwrap();
        let id = id.unwrap_or_else(|| SessionId::new(format!("s{}", sessions.len() + 1)));
        sessions.insert(id.clone(), (cwd, servers));
        id
    }

    async fn turn(
        &self,
        client: &ConnectionTo<Client>,
        asked: PromptRequest,
    ) -> Result<StopReason> {
        let Some(ContentBlock::Text(text)) = asked.prompt.first() else {
            return Ok(StopReason::Refusal);
        };
        let session = &asked.session_id;
        for line in text.text.lines() {
            let (verb, words) = line.split_once(' ').unwrap_or((line, ""));
            if verb == "wait" {
                say(client, session, "waiting")?;
                self.cancelled.notified().await;
                return Ok(StopReason::Cancelled);
            }
            let told = match self.does(client, session, (verb, words)).await {
                Ok(told) => told,
                Err(error) => format!("error: {}", error.message),
            };
            say(client, session, &told)?;
        }
        Ok(StopReason::EndTurn)
    }

    async fn does(
        &self,
        client: &ConnectionTo<Client>,
        session: &SessionId,
        (verb, words): (&str, &str),
    ) -> Result<String> {
        let id = session.clone();
        Ok(match verb {
            "where" => self.sessions.lock().unwrap()[session].0.clone(),
            "servers" => serde_json::to_string(&self.sessions.lock().unwrap()[session].1).unwrap(),
            "can" => {
                let can = self.can.lock().unwrap();
                let all = [can.fs.read_text_file, can.fs.write_text_file, can.terminal];
                serde_json::to_string(&all).unwrap()
            }
            // By itself, and by the tools of the last of its servers.
            "look" => match std::fs::read(words) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).replace('\0', " "),
                Err(error) => format!("not seen: {}", error.kind()),
            },
            "tool" => {
                let server = self.sessions.lock().unwrap()[session].1.last().cloned();
                let Some(McpServer::Stdio(server)) = server else { return Ok("no server".into()) };
                let (name, params) = words.split_once(' ').unwrap();
                used(&server, name, params)
            }
            "read" => {
                let call = ToolCall::new("call-1", "Read").kind(ToolKind::Read);
                let call = call.locations(vec![ToolCallLocation::new(words)]);
                tell(client, session, SessionUpdate::ToolCall(call))?;
                let asked = ReadTextFileRequest::new(id, words);
                let answer = client.send_request(asked).block_task().await?;
                let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Completed);
                let update = ToolCallUpdate::new("call-1", fields);
                tell(client, session, SessionUpdate::ToolCallUpdate(update))?;
                answer.content
            }
            "write" => {
                let (path, content) = words.split_once(' ').unwrap();
                let asked = WriteTextFileRequest::new(id, path, content);
                client.send_request(asked).block_task().await?;
                "written".to_owned()
            }
            "run" => {
                let asked = CreateTerminalRequest::new(id.clone(), "sh");
                let asked = asked.args(vec!["-c".to_owned(), words.to_owned()]);
                let name = client.send_request(asked).block_task().await?.terminal_id;
                let asked = WaitForTerminalExitRequest::new(id.clone(), name.clone());
                let ended = client.send_request(asked).block_task().await?.exit_status;
                let asked = TerminalOutputRequest::new(id.clone(), name.clone());
                let shown = client.send_request(asked).block_task().await?;
                let asked = ReleaseTerminalRequest::new(id, name);
                client.send_request(asked).block_task().await?;
                format!("{} {}", ended.exit_code.unwrap_or(999), shown.output.trim())
            }
            "stop" => {
                let asked = CreateTerminalRequest::new(id.clone(), "sleep");
                let asked = asked.args(vec!["1000".to_owned()]);
                let name = client.send_request(asked).block_task().await?.terminal_id;
                let asked = KillTerminalRequest::new(id.clone(), name.clone());
                client.send_request(asked).block_task().await?;
                let asked = WaitForTerminalExitRequest::new(id.clone(), name.clone());
                let ended = client.send_request(asked).block_task().await?.exit_status;
                let asked = ReleaseTerminalRequest::new(id, name);
                client.send_request(asked).block_task().await?;
                format!("killed: {}", ended.signal.unwrap_or_default())
            }
            "ask" => {
                let options = vec![
                    PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce),
                    PermissionOption::new("no", "No", PermissionOptionKind::RejectOnce),
                ];
                let fields = ToolCallUpdateFields::new().kind(ToolKind::Edit).title("Write");
                let call = ToolCallUpdate::new("call-2", fields);
                let asked = RequestPermissionRequest::new(id, call, options);
                let outcome = client.send_request(asked).block_task().await?.outcome;
                if let RequestPermissionOutcome::Selected(chosen) = outcome {
                    chosen.option_id.to_string()
                } else {
                    "cancelled".to_owned()
                }
            }
            _ => format!("there is no verb {verb}"),
        })
    }
}

fn say(client: &ConnectionTo<Client>, session: &SessionId, text: &str) -> Result<()> {
    let chunk = ContentChunk::new(ContentBlock::Text(TextContent::new(text)));
    tell(client, session, SessionUpdate::AgentMessageChunk(chunk))
}

fn tell(client: &ConnectionTo<Client>, session: &SessionId, update: SessionUpdate) -> Result<()> {
    client.send_notification(SessionNotification::new(session.clone(), update))
}

/// What a tool of a server answers, which is started for it.
fn used(server: &McpServerStdio, name: &str, params: &str) -> String {
    let mut command = Command::new(&server.command);
    let mut child =
        command.args(&server.args).stdin(Pipe::piped()).stdout(Pipe::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |id: u64, method: &str, params: Value| -> Value {
        let asked = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(input, "{asked}").unwrap();
        loop {
            let line = answers.next().unwrap().unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    };
    ask(
        1,
        "initialize",
        json!({ "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "testy", "version": "1" } }),
    );
    let params: Value = serde_json::from_str(params).unwrap();
    let answer = ask(2, "tools/call", json!({ "name": name, "arguments": params }));
    drop(input);
    child.wait().unwrap();
    answer["result"]["content"][0]["text"].as_str().map_or(answer.to_string(), str::to_owned)
}
