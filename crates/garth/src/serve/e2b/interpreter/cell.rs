//! Runs one cell, and tells what comes of it line by line.
//!
//! Whoever goes away ends the cell: that is how SDKs end one whose time is over. The
//! context lives on with all its state, unless the cell does not let itself be ended.

use std::{
    io,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::stream;
use garth_contract::{Code, Error, Stream};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::{
    contexts::{Context, Turn},
    kernel::{Kernel, Told},
};
use crate::serve::e2b::{envd::Inside, refuse::Wrong};

/// Lines that wait for a client to read them.
const MOST_WAITING: usize = 16;
/// Bytes that one cell may tell: what somebody reads, and more than a page shows.
const MOST_TOLD: usize = 16 << 20;
/// How often something is said where nothing else is.
const SIGN: Duration = Duration::from_secs(10);
/// What a kernel may say of a cell; the rest is for us.
const FACTS: &[&str] = &["result", "error", "number_of_executions"];

/// A cell.
pub(super) struct Cell {
    pub(super) code: String,
    /// Variables of this one alone.
    pub(super) variables: Value,
    /// The Python to start where there is no kernel.
    pub(super) python: String,
}

/// Runs a cell in its turn.
///
/// # Errors
/// Those of a start, where the turn is there at once; later ones are told as lines.
pub(super) async fn run(
    inside: Inside,
    context: Arc<Context>,
    cell: Cell,
) -> Result<Response, Wrong> {
    let turn = match context.turn_now() {
        Some(mut turn) => {
            ready(&inside, &context, (&mut turn, &cell)).await?;
            Some(turn)
        }
        // Another cell runs, and what can be said now is that this one waits.
        None => None,
    };
    let (sender, receiver) = mpsc::channel(MOST_WAITING);
    tokio::spawn(async move {
        let lines = Lines { sender, left: MOST_TOLD };
        tokio::select! {
            () = work(&inside, &context, (turn, &cell), lines.clone()) => {}
            // Whoever reads hears of it by a connection that breaks off.
            _ = inside.entered.sandbox.stopped() => {
                let broken = lines.sender.send(Err(io::ErrorKind::ConnectionAborted.into()));
                let _ = tokio::time::timeout(SIGN, broken).await;
            }
        }
    });
    let lines = stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|line| (line, receiver))
    });
    let mut response = Body::from_stream(lines).into_response();
    let kind = HeaderValue::from_static("application/x-ndjson");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

/// Sees to it that a context has a kernel that waits for a cell.
pub(super) async fn ready(
    inside: &Inside,
    context: &Context,
    (turn, cell): (&mut Turn, &Cell),
) -> Result<(), Wrong> {
    let lost = match turn.as_mut() {
        None => false,
        // A cell that was stopped with its sandbox, and goes on with it, is nobody's.
        Some(kernel) if kernel.is_busy() => kernel.interrupt().await.is_err(),
        Some(kernel) => !kernel.is_there().await,
    };
    if let Some(kernel) = turn.take_if(|_| lost) {
        kernel.kill().await;
        context.remember(None);
    }
    if turn.is_none() {
        let kernel = Kernel::start(inside, &cell.python, &context.directory).await?;
        context.remember(Some(&kernel));
        **turn = Some(kernel);
    }
    Ok(())
}

async fn work(
    inside: &Inside,
    context: &Context,
    (turn, cell): (Option<Turn>, &Cell),
    mut lines: Lines,
) {
    let mut turn = match turn {
        Some(turn) => turn,
        None => {
            let mut turn = tokio::select! {
                turn = context.turn() => turn,
                () = lines.gone() => return,
            };
            if let Err(wrong) = ready(inside, context, (&mut turn, cell)).await {
                return lines.failed("KernelError", &wrong.message).await;
            }
            turn
        }
    };
    let Some(kernel) = turn.as_mut() else { return };
    if let Err(error) = kernel.begin(inside, (&cell.code, &cell.variables)).await {
        return lines.failed("KernelError", error.message()).await;
    }
    let reader = lines.clone();
    let ended = tokio::select! {
        ended = tell(kernel, &mut lines) => ended,
        () = reader.gone() => kernel.interrupt().await,
    };
    if let Err(error) = ended {
        kernel.kill().await;
        *turn = None;
        context.remember(None);
        let message = if error.code() == Code::Conflict {
            "the kernel ended before the cell did, and its state is lost"
        } else {
            error.message()
        };
        lines.failed("KernelDied", message).await;
    }
}

/// Tells what comes of a cell until it ends.
///
/// Cancel: the cell goes on.
async fn tell(kernel: &mut Kernel, lines: &mut Lines) -> Result<(), Error> {
    while kernel.is_busy() {
        let before = kernel.position();
        let told = kernel.next(SIGN).await?;
        // The end of one of its streams is nothing that is told, and no silence either.
        if kernel.position() == before {
            lines.send(json!({ "type": "keepalive" })).await;
        }
        for told in told {
            match told {
                Told::Printed(stream, text) => lines.printed(stream, &text).await,
                Told::Lost(count) => {
                    let said = format!("[{count} bytes of output came too fast and are lost]\n");
                    lines.printed(Stream::Stderr, &said).await;
                }
                Told::Fact(kind, facts) if FACTS.contains(&kind.as_str()) => {
                    lines.fact(&kind, facts).await;
                }
                Told::Fact(..) => {}
            }
        }
    }
    lines.end().await;
    Ok(())
}

/// Whoever reads the lines, and how much more is told.
#[derive(Clone)]
struct Lines {
    sender: mpsc::Sender<io::Result<Bytes>>,
    left: usize,
}

impl Lines {
    async fn printed(&mut self, stream: Stream, text: &str) {
        let kind = match stream {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        };
        self.bounded(json!({ "type": kind, "text": text, "timestamp": nanoseconds() })).await;
    }

    async fn fact(&mut self, kind: &str, mut facts: Map<String, Value>) {
        facts.insert("type".to_owned(), kind.into());
        if kind == "error" {
            // How it failed is told however much was told before.
            return self.send(Value::Object(facts)).await;
        }
        self.bounded(Value::Object(facts)).await;
    }

    async fn failed(&mut self, name: &str, message: &str) {
        let error =
            json!({ "type": "error", "name": name, "value": message, "traceback": message });
        self.send(error).await;
        self.end().await;
    }

    async fn end(&self) {
        self.send(json!({ "type": "end_of_execution" })).await;
    }

    /// Sends a line while there is room for it; that there is none is said once.
    async fn bounded(&mut self, line: Value) {
        let size = line.to_string().len();
        if size <= self.left {
            self.left -= size;
            return self.send(line).await;
        }
        if std::mem::take(&mut self.left) > 0 {
            let said = format!("[the cell told {MOST_TOLD} bytes, and the rest is left out]\n");
            let timestamp = nanoseconds();
            self.send(json!({ "type": "stderr", "text": said, "timestamp": timestamp })).await;
        }
    }

    async fn send(&self, line: Value) {
        // Whoever went away is seen to elsewhere.
        let _ = self.sender.send(Ok(Bytes::from(format!("{line}\n")))).await;
    }

    async fn gone(&self) {
        self.sender.closed().await;
    }
}

fn nanoseconds() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}
