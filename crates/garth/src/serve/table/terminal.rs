//! `terminal.*`: a shell of the workspace with a terminal, whose output comes as it is
//! printed.
//!
//! A terminal ends with the connection that opened it, unless it is asked to stay; then
//! its process is one in the background like any other, to which another connection can
//! attach a terminal again. What it prints is redacted like all output of commands.

mod follow;

use std::sync::{
    Arc, Weak,
    atomic::{AtomicBool, Ordering},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use garth_contract::{
    Code, Command, Error, Input, ProcessId, Program, Result, Signal, Size, Stdin, Timeout,
    Variables,
};
use garth_gateway::{
    Access, AgentId, At, Family, Held, Operation, Run, Summary, Takes, approvals::Reach,
};
use garth_workspace::Workspace;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use super::row::{facts, linked, read, recorded_of};
use crate::serve::{
    answer::{Along, Answer},
    left::ended,
    ws::{Link, Task, Thing},
};

/// The largest terminal, in characters of a line and in lines.
const MOST_SIZE: u16 = 2_000;

/// The rows.
pub(super) fn rows() -> Vec<Operation<Answer>> {
    let row = |name, takes, describe: fn(&Value) -> Summary, run| Operation {
        name,
        access: Access::Run,
        family: Family::Tool,
        takes,
        describe: Arc::new(describe),
        run,
    };
    let named = |params: &Value| recorded_of(params, &["sessionId"]);
    vec![
        row(
            "terminal.open",
            Takes::Process,
            opened,
            Run::on_workspace(|at, params, along| Box::pin(open(at, params, along))),
        ),
        row(
            "terminal.attach",
            Takes::Nothing,
            |params| recorded_of(params, &["processId"]),
            Run::on_workspace(|at, params, along| Box::pin(attach(at, params, along))),
        ),
        row(
            "terminal.input",
            Takes::Nothing,
            named,
            Run::on_workspace(|at, params, along| Box::pin(input(at, params, along))),
        ),
        row(
            "terminal.resize",
            Takes::Nothing,
            named,
            Run::on_workspace(|at, params, along| Box::pin(resize(at, params, along))),
        ),
        row(
            "terminal.close",
            Takes::Nothing,
            named,
            Run::on_workspace(|at, params, along| Box::pin(close(at, params, along))),
        ),
    ]
}

/// A terminal of a client. Its processes are ended when this is dropped, unless they
/// are to stay.
pub(crate) struct Terminal {
    workspace: Weak<Workspace>,
    process: ProcessId,
    stays: bool,
    closed: AtomicBool,
}

impl Terminal {
    /// Hangs up: what a terminal does that is gone. What is left after a while is ended.
    fn hang_up(&self) {
        if self.closed.swap(true, Ordering::Relaxed) {
            return;
        }
        let (workspace, process) = (self.workspace.clone(), self.process);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let Some(workspace) = workspace.upgrade() else { return };
            let Ok(shell) = workspace.shell() else { return };
            if let Ok(signal) = Signal::parse("HUP") {
                // One that has ended needs none.
                let _ = shell.signal(process, signal).await;
            }
            let _ = shell.end(process).await;
        });
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if !self.stays {
            self.hang_up();
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Open {
    #[serde(rename = "agentId")]
    _agent: String,
    cols: u16,
    rows: u16,
    /// What is run; a shell without it.
    command: Option<String>,
    /// Where it runs; in the root without it.
    workdir: Option<String>,
    /// Whether it stays when the connection ends.
    #[serde(default)]
    keep: bool,
}

fn opened(params: &Value) -> Summary {
    let mut summary = Summary::default();
    if let Some(workdir) = params.get("workdir").and_then(Value::as_str) {
        summary = summary.path(workdir, Reach::Tree);
    }
    let command = params.get("command").and_then(Value::as_str).unwrap_or("bash");
    summary.command = Some(command.to_owned());
    summary
}

async fn open(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Open = read(params)?;
    let link = linked(along.link)?;
    let size = size(params.rows, params.cols)?;
    let shell = at.workspace.shell()?;
    if !shell.abilities().terminals {
        return Err(Error::new(Code::Unsupported, "there are no terminals here"));
    }
    let program = match params.command {
        Some(command) => Program::script(command)?,
        None => Program::arguments(vec![b"bash".to_vec()])?,
    };
    let mut command = Command::new(program);
    if let Some(workdir) = params.workdir {
        command.workdir = at.workspace.path(workdir)?;
    }
    let cwd = command.workdir.to_string();
    command.workdir = at.workspace.real_path(&command.workdir).await?;
    command.variables = Variables::new([("TERM".to_owned(), "xterm-256color".to_owned())])?;
    command.stdin = Stdin::Open;
    command.timeout = Timeout::MOST;
    command.terminal = Some(size);
    let process = shell.start(command).await?;
    let terminal = Arc::new(Terminal {
        workspace: Arc::downgrade(at.workspace),
        process,
        stays: params.keep,
        closed: AtomicBool::new(false),
    });
    let session = link.name('t');
    let mut told = facts(&json!({
        "sessionId": session,
        "agentId": at.agent.as_str(),
        "shell": "bash",
        "cwd": if cwd.is_empty() { "/".to_owned() } else { cwd },
        "confined": true,
    }))?;
    if params.keep {
        told.insert("processId".to_owned(), process.to_string().into());
    }
    let agent = at.agent.clone();
    along.left.put(move |held| {
        hold(&terminal, held);
        begin(&link, session, agent, terminal)
    });
    Ok(Answer::Facts(told))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Attach {
    #[serde(rename = "agentId")]
    _agent: String,
    process_id: String,
    cols: u16,
    rows: u16,
}

/// Shows a terminal that stayed: what it printed and is still kept comes first.
async fn attach(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Attach = read(params)?;
    let link = linked(along.link)?;
    let size = size(params.rows, params.cols)?;
    let process = ProcessId::parse(&params.process_id)?;
    // This fails for what has no terminal.
    at.workspace.shell()?.resize(process, size).await?;
    let terminal = Arc::new(Terminal {
        workspace: Arc::downgrade(at.workspace),
        process,
        stays: true,
        closed: AtomicBool::new(false),
    });
    let session = link.name('t');
    let told = facts(&json!({
        "sessionId": session,
        "agentId": at.agent.as_str(),
        "processId": process.to_string(),
    }))?;
    let agent = at.agent.clone();
    // Its place in the budget is held since it was opened.
    along.left.put(move |_| begin(&link, session, agent, terminal));
    Ok(Answer::Facts(told))
}

/// Holds a terminal's place as long as its process runs, however long that is told of.
fn hold(terminal: &Terminal, held: Option<Held>) {
    let (workspace, process) = (terminal.workspace.clone(), terminal.process);
    tokio::spawn(async move {
        ended(&workspace, process).await;
        drop(held);
    });
}

/// Begins to tell what is printed, once what this gives is dropped.
fn begin(
    link: &Arc<Link>,
    session: String,
    agent: AgentId,
    terminal: Arc<Terminal>,
) -> oneshot::Sender<()> {
    let (told, answered) = oneshot::channel();
    let (outbox, weak) = (link.outbox.clone(), Arc::downgrade(link));
    let (name, followed) = (session.clone(), Arc::downgrade(&terminal));
    let (workspace, process) = (terminal.workspace.clone(), terminal.process);
    let task = Task::spawn(async move {
        let _ = answered.await;
        let source = follow::Source { workspace, process, session: name.clone() };
        let end = follow::follow(&source, &outbox).await;
        let closed = followed.upgrade().is_none_or(|terminal| terminal.is_closed());
        let _ = outbox.event("terminal.exit", &end.told(&name, closed)).await;
        if let Some(link) = weak.upgrade() {
            link.end(&name);
        }
    });
    link.keep(session, agent, Thing::Terminal(terminal), task);
    told
}

impl Terminal {
    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Type {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    session_id: String,
    data: String,
    #[serde(default)]
    encoding: Encoding,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Encoding {
    #[default]
    Utf8,
    Base64,
}

async fn input(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Type = read(params)?;
    let terminal = terminal(&linked(along.link)?, &params.session_id, at.agent)?;
    let bytes = match params.encoding {
        Encoding::Utf8 => Bytes::from(params.data),
        Encoding::Base64 => {
            let decoded = STANDARD.decode(&params.data);
            Bytes::from(decoded.map_err(|_| Error::of(Code::InvalidEncoding))?)
        }
    };
    at.workspace.shell()?.input(terminal.process, Input::Bytes(bytes)).await?;
    Ok(done())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Resize {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    session_id: String,
    cols: u16,
    rows: u16,
}

async fn resize(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Resize = read(params)?;
    let terminal = terminal(&linked(along.link)?, &params.session_id, at.agent)?;
    let size = size(params.rows, params.cols)?;
    at.workspace.shell()?.resize(terminal.process, size).await?;
    Ok(done())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Close {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    session_id: String,
}

async fn close(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let params: Close = read(params)?;
    terminal(&linked(along.link)?, &params.session_id, at.agent)?.hang_up();
    Ok(done())
}

fn terminal(link: &Arc<Link>, session: &str, agent: &AgentId) -> Result<Arc<Terminal>> {
    link.find(session, agent, |thing| match thing {
        Thing::Terminal(terminal) => Some(Arc::clone(terminal)),
        Thing::Watch | Thing::Upload(_) | Thing::Archive => None,
    })
}

fn size(rows: u16, columns: u16) -> Result<Size> {
    let fits = 1..=MOST_SIZE;
    if fits.contains(&rows) && fits.contains(&columns) {
        return Ok(Size { rows, columns });
    }
    let message = format!("a terminal has 1 to {MOST_SIZE} rows and cols");
    Err(Error::new(Code::InvalidParams, message))
}

fn done() -> Answer {
    let mut facts = Map::new();
    facts.insert("ok".to_owned(), true.into());
    Answer::Facts(facts)
}
