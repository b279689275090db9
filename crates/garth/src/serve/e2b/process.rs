//! The processes of a sandbox: started, met again, listed, spoken to, ended.

mod follow;

use std::{collections::BTreeMap, time::Duration};

use axum::{body::Body, response::Response};
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use garth_contract::{
    Code, Command, Error, Input, ProcessId, Program, Signal, Size, Stdin, Timeout, Variables,
};
use garth_workspace::Workspace;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    connect::{self, Message},
    door::{path, shown},
    envd::{Inside, timeout},
    line,
    refuse::{Kind, Result, Wrong},
    sandbox::Started,
    user::User,
};

/// The longest that anything may come in over a stream of input.
const LONGEST_INPUT: Duration = Duration::from_secs(24 * 3_600);
/// The most characters of a terminal, in either direction.
const MOST_SIZE: u32 = 10_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start {
    #[serde(default)]
    process: Config,
    pty: Option<Terminal>,
    tag: Option<String>,
    stdin: Option<bool>,
}

#[derive(Default, Deserialize)]
struct Config {
    #[serde(default)]
    cmd: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    envs: BTreeMap<String, String>,
    cwd: Option<String>,
}

#[derive(Deserialize)]
struct Terminal {
    size: Option<Columns>,
}

#[derive(Deserialize)]
struct Columns {
    #[serde(default)]
    cols: u32,
    #[serde(default)]
    rows: u32,
}

impl Terminal {
    fn size(&self) -> Result<Size> {
        let (cols, rows) = self.size.as_ref().map_or((80, 24), |size| (size.cols, size.rows));
        let fits = |number: u32| {
            let good = (1..=MOST_SIZE).contains(&number);
            u16::try_from(number).ok().filter(|_| good).ok_or_else(|| {
                Wrong::invalid(format!("a terminal has 1 to {MOST_SIZE} cols and rows"))
            })
        };
        Ok(Size { rows: fits(rows)?, columns: fits(cols)? })
    }
}

/// Starts a process and tells what it prints until it ends.
///
/// It goes on when nobody listens any more; with its time, everything it started ends.
pub(super) async fn start(inside: Inside, bytes: &[u8]) -> Response {
    let begun = async {
        let asked: Start = connect::enveloped(&inside.parts.headers, bytes)?;
        let (command, started) = command(&inside, asked)?;
        let id = begin(&inside, command, started).await?;
        Ok(id)
    };
    match begun.await {
        Ok(begun) => {
            let from = follow::From::Start;
            follow::told(&inside, begun, (timeout(&inside.parts), from))
        }
        Err(wrong) => connect::ended(Err(wrong)),
    }
}

fn command(inside: &Inside, asked: Start) -> Result<(Command, Started)> {
    let Start { process: Config { cmd, args, envs, cwd }, pty, tag, stdin } = asked;
    // Nobody inside can take another number but by this.
    let root: &[&str] = match inside.user {
        User::Usual => &[],
        User::Root => &[garth_sandbox::SUDO, "--"],
    };
    let own = std::iter::once(&cmd).chain(&args).map(String::as_str);
    let words = root.iter().copied().chain(own).map(|word| word.as_bytes().to_vec());
    let mut command = Command::new(Program::arguments(words.collect())?);
    command.workdir = path(cwd.as_deref().unwrap_or_default(), inside.user)?;
    let record = inside.entered.sandbox.record();
    let own = [
        ("E2B_SANDBOX".to_owned(), "true".to_owned()),
        ("E2B_SANDBOX_ID".to_owned(), inside.id().to_owned()),
        ("E2B_TEMPLATE_ID".to_owned(), record.template),
        ("PWD".to_owned(), shown(&command.workdir)),
    ];
    let all = own.into_iter().chain(record.variables).chain(envs.clone());
    command.variables = Variables::new(all)?;
    command.terminal = pty.as_ref().map(Terminal::size).transpose()?;
    // What does not say has one that is open, as it always was on this wire.
    command.stdin = match stdin {
        Some(false) if command.terminal.is_none() => Stdin::Empty,
        Some(_) | None => Stdin::Open,
    };
    command.timeout = timeout(&inside.parts).map_or(Timeout::LASTING, Timeout::at_most);
    let started = Started {
        program: cmd,
        arguments: args,
        variables: envs,
        directory: cwd.filter(|cwd| !cwd.is_empty()),
        tag: tag.filter(|tag| !tag.is_empty()),
        terminal: command.terminal.is_some(),
        hidden: false,
    };
    Ok((command, started))
}

async fn begin(
    inside: &Inside,
    command: Command,
    started: Started,
) -> Result<(ProcessId, std::sync::Weak<Workspace>)> {
    // What SDKs run is a shell with the command as its last argument.
    let told = started.arguments.last().unwrap_or(&started.program);
    let params = json!({ "path": shown(&command.workdir), "command": told });
    let asked = inside.asked(line::PROCESS_START, params);
    let done = line::inside(&inside.app, (asked, inside.id()), move |workspace, left| async move {
        let id = workspace.inside()?.shell.start(command).await?;
        left.put_process(&workspace, id);
        Ok(((id, std::sync::Arc::downgrade(&workspace)), 0))
    });
    let (id, workspace) = done.await.map_err(|error| {
        // The one path that a start names is its working directory.
        let missing = matches!(error.code(), Code::FileNotFound | Code::NotADirectory);
        let wrong = Wrong::from(error);
        if missing { wrong.into_kind(Kind::NotFound, Kind::InvalidArgument) } else { wrong }
    })?;
    inside.entered.sandbox.remember(id, started);
    Ok((id, workspace))
}

#[derive(Deserialize)]
struct Selected {
    process: Option<Selector>,
}

#[derive(Default, Deserialize)]
struct Selector {
    pid: Option<u64>,
    tag: Option<String>,
}

/// The process that is meant, which must run.
fn selected(inside: &Inside, selector: Option<Selector>) -> Result<ProcessId> {
    let Selector { pid, tag } = selector.unwrap_or_default();
    let found = match (pid, tag) {
        (Some(pid), _) => Some(ProcessId(pid)),
        (None, Some(tag)) => inside.entered.sandbox.tagged(&tag),
        (None, None) => return Err(Wrong::invalid("a process is named by its pid or its tag")),
    };
    found.ok_or_else(|| Wrong::new(Kind::NotFound, "there is no process of that tag"))
}

/// Tells what a process prints, with what it printed before, until it ends.
pub(super) async fn connect(inside: Inside, bytes: &[u8]) -> Response {
    let met = async {
        let Selected { process } = connect::enveloped(&inside.parts.headers, bytes)?;
        let id = selected(&inside, process)?;
        let asked = inside.asked(line::PROCESS_CONNECT, json!({ "process": id.to_string() }));
        let workspace =
            line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
                runs(&workspace, id).await?;
                Ok((std::sync::Arc::downgrade(&workspace), 0))
            });
        Ok((id, workspace.await.map_err(unknown)?))
    };
    match met.await {
        Ok(found) => {
            let from = follow::From::Later;
            follow::told(&inside, found, (timeout(&inside.parts), from))
        }
        Err(wrong) => connect::ended(Err(wrong)),
    }
}

/// Checks that a process runs.
///
/// # Errors
/// `INVALID_PARAMS` for one that does not.
async fn runs(workspace: &Workspace, id: ProcessId) -> garth_contract::Result<()> {
    let all = workspace.inside()?.shell.list().await?;
    let runs = all.iter().any(|process| process.id == id && process.ended.is_none());
    if runs { Ok(()) } else { Err(id.unknown()) }
}

/// A process that does not run is not found, to this wire.
fn unknown(error: Error) -> Wrong {
    Wrong::from(error).into_kind(Kind::InvalidArgument, Kind::NotFound)
}

/// Lists what runs.
pub(super) async fn list(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let _: Value = connect::message(&inside.parts.headers, bytes)?;
    let asked = inside.asked(line::PROCESS_LIST, json!({}));
    let all = line::inside(&inside.app, (asked, inside.id()), |workspace, _| async move {
        Ok((workspace.inside()?.shell.list().await?, 0))
    });
    let all = all.await?;
    let sandbox = &inside.entered.sandbox;
    let hidden = |id| sandbox.how(id).is_some_and(|started| started.hidden);
    let running = all.into_iter().filter(|process| process.ended.is_none() && !hidden(process.id));
    let told: Vec<Value> = running
        .map(|process| {
            let how = inside
                .entered
                .sandbox
                .how(process.id)
                .unwrap_or_else(|| Started { program: process.command, ..Started::default() });
            let mut config =
                json!({ "cmd": how.program, "args": how.arguments, "envs": how.variables });
            if let (Some(directory), Some(config)) = (how.directory, config.as_object_mut()) {
                config.insert("cwd".to_owned(), directory.into());
            }
            let mut told = json!({ "config": config, "pid": process.id.0 });
            if let (Some(tag), Some(told)) = (how.tag, told.as_object_mut()) {
                told.insert("tag".to_owned(), tag.into());
            }
            told
        })
        .collect();
    Ok(json!({ "processes": told }))
}

#[derive(Deserialize)]
struct Update {
    process: Option<Selector>,
    pty: Option<Terminal>,
}

/// Changes the size of a terminal.
pub(super) async fn update(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let Update { process, pty } = connect::message(&inside.parts.headers, bytes)?;
    let id = selected(inside, process)?;
    let Some(size) = pty.as_ref().map(Terminal::size).transpose()? else { return Ok(json!({})) };
    let asked = inside.asked(line::PROCESS_UPDATE, json!({ "process": id.to_string() }));
    let done = line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
        runs(&workspace, id).await?;
        workspace.inside()?.shell.resize(id, size).await?;
        Ok(((), 0))
    });
    done.await.map_err(unknown)?;
    Ok(json!({}))
}

#[derive(Default, Deserialize)]
struct Typed {
    stdin: Option<String>,
    pty: Option<String>,
}

impl Typed {
    fn bytes(self) -> Result<Bytes> {
        let text = self.stdin.or(self.pty).unwrap_or_default();
        let decoded = STANDARD.decode(text).map_err(|_| Wrong::invalid("input is base64"))?;
        Ok(Bytes::from(decoded))
    }
}

#[derive(Deserialize)]
struct SendInput {
    process: Option<Selector>,
    #[serde(default)]
    input: Typed,
}

/// Writes to a process.
pub(super) async fn send_input(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let SendInput { process, input } = connect::message(&inside.parts.headers, bytes)?;
    let id = selected(inside, process)?;
    put(inside, id, Input::Bytes(input.bytes()?)).await?;
    Ok(json!({}))
}

/// Closes what a process reads.
pub(super) async fn close_stdin(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let Selected { process } = connect::message(&inside.parts.headers, bytes)?;
    let id = selected(inside, process)?;
    put(inside, id, Input::Close).await?;
    Ok(json!({}))
}

async fn put(inside: &Inside, id: ProcessId, input: Input) -> Result<()> {
    let count = match &input {
        Input::Bytes(bytes) => bytes.len() as u64,
        Input::Close => 0,
    };
    let mut asked = inside.asked(line::PROCESS_INPUT, json!({ "process": id.to_string() }));
    asked.bytes = count;
    let done = line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
        runs(&workspace, id).await?;
        // One that runs and takes none has its input closed, which is another failure.
        let put = workspace.inside()?.shell.input(id, input).await;
        put.map_err(|error| error.recode(Code::InvalidParams, Code::Conflict))?;
        Ok(((), 0))
    });
    done.await.map_err(unknown)
}

#[derive(Deserialize)]
struct SendSignal {
    process: Option<Selector>,
    #[serde(default)]
    signal: Value,
}

/// Sends a signal to a process and all it started.
pub(super) async fn send_signal(inside: &Inside, bytes: &[u8]) -> Result<Value> {
    let SendSignal { process, signal } = connect::message(&inside.parts.headers, bytes)?;
    let id = selected(inside, process)?;
    let signal = match signal.as_str() {
        Some("SIGNAL_SIGTERM") => Some(Signal::TERM),
        Some("SIGNAL_SIGKILL") => Some(Signal::KILL),
        _ => signal.as_u64().and_then(|number| match number {
            15 => Some(Signal::TERM),
            9 => Some(Signal::KILL),
            _ => None,
        }),
    };
    let signal = signal.ok_or_else(|| Wrong::invalid("a signal is SIGTERM or SIGKILL"))?;
    let asked = inside.asked(line::PROCESS_SIGNAL, json!({ "process": id.to_string() }));
    let done = line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
        runs(&workspace, id).await?;
        workspace.inside()?.shell.signal(id, signal).await?;
        Ok(((), 0))
    });
    done.await.map_err(unknown)?;
    Ok(json!({}))
}

#[derive(Deserialize)]
struct Streamed {
    start: Option<Selected>,
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(default)]
    input: Typed,
}

/// Writes to a process what comes over a stream.
pub(super) async fn stream_input(inside: Inside, body: Body) -> Response {
    if !connect::is_stream(&inside.parts.headers) {
        let message = format!("this is asked as a stream: Content-Type {}", connect::STREAM);
        return Wrong::invalid(message).unary();
    }
    let within = timeout(&inside.parts).unwrap_or(LONGEST_INPUT).min(LONGEST_INPUT);
    let late = Wrong::new(Kind::DeadlineExceeded, "the input took too long");
    let done = tokio::time::timeout(within, taken(&inside, body)).await.unwrap_or(Err(late));
    connect::ended(done.map(|()| json!({})))
}

async fn taken(inside: &Inside, body: Body) -> Result<()> {
    let mut pieces = body.into_data_stream();
    let mut waiting = BytesMut::new();
    let mut process = None;
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| Wrong::new(Kind::Canceled, "the input broke off"))?;
        waiting.extend_from_slice(&piece);
        while let Some(message) = connect::take(&mut waiting)? {
            let bytes = match message {
                Message::One(bytes) => bytes,
                Message::End => return Ok(()),
            };
            let Streamed { start, data } = connect::read(&bytes)?;
            if let Some(start) = start {
                process = Some(selected(inside, start.process)?);
            }
            if let Some(data) = data {
                let id = process.ok_or_else(|| Wrong::invalid("the first message is a start"))?;
                put(inside, id, Input::Bytes(data.input.bytes()?)).await?;
            }
        }
    }
    Ok(())
}
