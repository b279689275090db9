//! One kernel: a process of the sandbox's own Python that runs cells, and what it says.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use bytes::Bytes;
use garth_contract::{
    Ask, Code, Command, Error, Input, ProcessId, Program, Result, Signal, Stdin, Stream, Timeout,
    Variables, WsPath,
};
use garth_workspace::Workspace;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::scan::{Heard, Scan};
use crate::serve::e2b::{envd::Inside, life::random, line};

/// What runs in the sandbox.
const PROGRAM: &str = include_str!("kernel.py");
/// How long a kernel may take to be there.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long one that was interrupted may take to end its cell.
const GRACE: Duration = Duration::from_secs(5);
/// How much of what it prints is read at a time.
const MOST_PIECE: usize = 256 << 10;
/// How long is waited for something at a time.
const LOOK: Duration = Duration::from_secs(10);

/// A kernel that is there.
pub(super) struct Kernel {
    id: ProcessId,
    workspace: Weak<Workspace>,
    out: Scan,
    err: Scan,
    /// How much of what it prints was read.
    position: u64,
    /// The last cell, and on how many streams its end is still to be told.
    cell: u64,
    open: usize,
}

/// Something that a kernel told.
pub(super) enum Told {
    /// What a cell printed.
    Printed(Stream, String),
    /// A record of the cell: its type, and its facts.
    Fact(String, Map<String, Value>),
    /// Some of what was printed was dropped before it was read.
    Lost(u64),
}

/// A record, as a kernel sends it.
#[derive(Deserialize)]
struct Record {
    #[serde(rename = "type")]
    kind: String,
    cell: u64,
    #[serde(flatten)]
    facts: Map<String, Value>,
}

impl Kernel {
    /// Starts one in a directory, and waits until it is there.
    ///
    /// # Errors
    /// `UNSUPPORTED` where the sandbox has no Python that could be one; those of a start.
    pub(super) async fn start(inside: &Inside, python: &str, directory: &WsPath) -> Result<Self> {
        let words = [python, "-c", PROGRAM].map(|word| word.as_bytes().to_vec());
        let mut command = Command::new(Program::arguments(words.to_vec())?);
        command.workdir = directory.clone();
        command.stdin = Stdin::Open;
        command.timeout = Timeout::LASTING;
        let own = [
            ("E2B_SANDBOX".to_owned(), "true".to_owned()),
            ("E2B_SANDBOX_ID".to_owned(), inside.id().to_owned()),
            ("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()),
        ];
        let variables = inside.entered.sandbox.record().variables;
        command.variables = Variables::new(own.into_iter().chain(variables))?;
        let asked = inside.asked(line::CODE_CONTEXT, json!({ "command": python }));
        let started =
            line::inside(&inside.app, (asked, inside.id()), |workspace, left| async move {
                let id = workspace.inside()?.shell.start(command).await?;
                left.put_process(&workspace, id);
                Ok(((id, Arc::downgrade(&workspace)), 0))
            });
        let (id, workspace) = started.await?;
        inside.entered.sandbox.hide(id);
        let mark = random::<16>()?;
        let (out, err) = (Scan::new(&mark), Scan::new(&mark));
        let mut kernel = Self { id, workspace, out, err, position: 0, cell: 0, open: 0 };
        let ready = tokio::time::timeout(PATIENCE, kernel.ready(&mark)).await;
        let late = Error::new(Code::CommandTimeout, "the kernel was not there in time");
        if let Err(error) = ready.unwrap_or(Err(late)) {
            kernel.kill().await;
            return Err(error);
        }
        Ok(kernel)
    }

    async fn ready(&mut self, mark: &str) -> Result<()> {
        let missing = |what: &str| {
            let message = format!(
                "code cannot be run here: {what}; name a Python that has IPython in e2b.interpreter"
            );
            Error::new(Code::Unsupported, message)
        };
        // One that has ended already says so below.
        let _ = self.input(&json!({ "mark": mark })).await;
        loop {
            let told = match self.next(LOOK).await {
                Ok(told) => told,
                Err(error) if error.code() == Code::Conflict => {
                    return Err(missing("the sandbox has no such Python"));
                }
                Err(error) => return Err(error),
            };
            for told in told {
                match told {
                    Told::Fact(kind, _) if kind == "ready" => return Ok(()),
                    Told::Fact(kind, _) if kind == "missing" => {
                        return Err(missing("the sandbox's Python has no IPython"));
                    }
                    Told::Fact(..) | Told::Printed(..) | Told::Lost(_) => {}
                }
            }
        }
    }

    /// Begins a cell.
    ///
    /// # Errors
    /// Those of the call; `INVALID_PARAMS` where the kernel has ended.
    pub(super) async fn begin(
        &mut self,
        inside: &Inside,
        (code, variables): (&str, &Value),
    ) -> Result<()> {
        let cell = self.cell + 1;
        let line = json!({ "cell": cell, "code": code, "envs": variables });
        let asked = inside
            .asked(line::CODE_RUN, json!({ "process": self.id.to_string(), "command": code }));
        let (id, input) = (self.id, request(&line));
        line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
            workspace.inside()?.shell.input(id, input).await?;
            Ok(((), 0))
        })
        .await?;
        (self.cell, self.open) = (cell, 2);
        Ok(())
    }

    /// Tells whether it has not ended.
    pub(super) async fn is_there(&self) -> bool {
        let Some(workspace) = self.workspace.upgrade() else { return false };
        let Ok(inside) = workspace.inside() else { return false };
        let ask = Ask { from: self.position, most: 1, wait: Duration::ZERO };
        matches!(inside.shell.output(self.id, ask).await, Ok(printed) if printed.ended.is_none())
    }

    /// How much of what it printed was read.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Tells whether a cell runs.
    pub(super) fn is_busy(&self) -> bool {
        self.open > 0
    }

    /// What it told next; nothing after a while.
    ///
    /// # Errors
    /// `CONFLICT` once it has ended.
    ///
    /// Cancel: nothing is lost.
    pub(super) async fn next(&mut self, within: Duration) -> Result<Vec<Told>> {
        let gone = || Error::new(Code::Conflict, "the kernel has ended");
        let workspace = self.workspace.upgrade().ok_or_else(gone)?;
        let ask = Ask { from: self.position, most: MOST_PIECE, wait: within.min(LOOK) };
        let printed = workspace.inside()?.shell.output(self.id, ask).await.map_err(|_| gone())?;
        self.position = printed.next;
        if printed.pieces.is_empty() && printed.ended.is_some() {
            return Err(gone());
        }
        let mut told = Vec::new();
        if printed.missing > 0 {
            self.out.lose();
            self.err.lose();
            told.push(Told::Lost(printed.missing));
        }
        for piece in printed.pieces {
            let scan = match piece.stream {
                Stream::Stdout => &mut self.out,
                Stream::Stderr => &mut self.err,
            };
            for heard in scan.take(&piece.bytes) {
                told.extend(self.understood(piece.stream, heard));
            }
        }
        Ok(told)
    }

    fn understood(&mut self, stream: Stream, heard: Heard) -> Option<Told> {
        let record = match heard {
            Heard::Text(text) => return Some(Told::Printed(stream, text)),
            Heard::Record(bytes) => serde_json::from_slice::<Record>(&bytes).ok()?,
        };
        if record.cell != self.cell {
            return None;
        }
        if record.kind == "end" {
            self.open = self.open.saturating_sub(1);
            return None;
        }
        Some(Told::Fact(record.kind, record.facts))
    }

    /// Interrupts its cell, and waits a little for the end of that.
    ///
    /// # Errors
    /// `CONFLICT` where it has ended; `COMMAND_TIMEOUT` where the cell goes on.
    pub(super) async fn interrupt(&mut self) -> Result<()> {
        let until = Instant::now() + GRACE;
        self.signal(Signal::INT).await;
        while self.is_busy() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::new(Code::CommandTimeout, "the cell does not end"));
            }
            self.next(left).await?;
        }
        Ok(())
    }

    /// Ends it with everything that it started.
    pub(super) async fn kill(&self) {
        self.signal(Signal::KILL).await;
    }

    async fn signal(&self, signal: Signal) {
        send(&self.workspace, self.id, signal).await;
    }

    /// Who can end it while it runs a cell.
    pub(super) fn handle(&self) -> Handle {
        Handle { id: self.id, workspace: Weak::clone(&self.workspace) }
    }

    async fn input(&self, line: &Value) -> Result<()> {
        let workspace = self.workspace.upgrade().ok_or_else(|| Error::of(Code::Cancelled))?;
        workspace.inside()?.shell.input(self.id, request(line)).await
    }
}

/// What ends a kernel from beside its cells.
#[derive(Clone)]
pub(super) struct Handle {
    id: ProcessId,
    workspace: Weak<Workspace>,
}

impl Handle {
    /// Ends it with everything that it started.
    pub(super) async fn kill(&self) {
        send(&self.workspace, self.id, Signal::KILL).await;
    }
}

/// Sends a signal to a kernel and all it started; one that has ended needs none.
async fn send(workspace: &Weak<Workspace>, id: ProcessId, signal: Signal) {
    let Some(workspace) = workspace.upgrade() else { return };
    if let Ok(inside) = workspace.inside() {
        let _ = inside.shell.signal(id, signal).await;
    }
}

fn request(line: &Value) -> Input {
    Input::Bytes(Bytes::from(format!("{line}\n")))
}
