//! Tells what a process prints as it prints it, from its beginning, to its end.
//!
//! What was printed is kept by the sandbox, so whoever comes back hears all of it that is
//! still kept. Whoever goes away changes nothing for the process. Whoever listens and is
//! outrun by more than is kept hears that some of it is lost, and no more.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use axum::{http::request::Parts, response::Response};
use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::{Ask, Cause, Ended, Error, Exit, Printed, ProcessId, Stream};
use garth_workspace::Workspace;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::serve::e2b::{
    connect::{Outlet, outlet},
    envd::Inside,
    refuse::{Kind, Result, Wrong},
    sandbox::{Phase, Sandbox},
};

/// Bytes of one message; base64 makes a third more of them.
const MOST_PIECE: usize = 256 << 10;
/// How often something is said where nothing is printed and nobody asks for more.
const USUAL_SIGN: Duration = Duration::from_secs(50);
/// The shortest time that may be asked for.
const SHORTEST_SIGN: Duration = Duration::from_secs(1);

/// A process of which is told.
struct Followed {
    sandbox: Arc<Sandbox>,
    workspace: Weak<Workspace>,
    id: ProcessId,
    terminal: bool,
    sign: Duration,
    /// When the caller's time is over.
    until: Option<Instant>,
    from: From,
}

/// Since when somebody listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// Since the process was started.
    Start,
    /// Since later: of what it printed before there is what is still kept.
    Later,
}

/// Tells of a process, for so long as the caller gives it.
pub(super) fn told(
    inside: &Inside,
    (id, workspace): (ProcessId, Weak<Workspace>),
    (within, from): (Option<Duration>, From),
) -> Response {
    let (outlet, response) = outlet();
    let sandbox = Arc::clone(&inside.entered.sandbox);
    let terminal = sandbox.how(id).is_some_and(|started| started.terminal);
    let sign = sign(&inside.parts);
    let until = within.and_then(|within| Instant::now().checked_add(within));
    let followed = Followed { sandbox, workspace, id, terminal, sign, until, from };
    tokio::spawn(async move {
        let gone = outlet.clone();
        let end = tokio::select! {
            end = followed.tell(&outlet) => end,
            () = gone.gone() => return,
            phase = followed.sandbox.stopped() => Err(stopped(phase)),
        };
        drop(gone);
        outlet.end(end).await;
    });
    response
}

/// How often the caller wants a sign where there is nothing else.
fn sign(parts: &Parts) -> Duration {
    let asked = parts.headers.get("keepalive-ping-interval").and_then(|value| value.to_str().ok());
    let asked = asked.and_then(|text| text.parse().ok()).map(Duration::from_secs);
    asked.unwrap_or(USUAL_SIGN).clamp(SHORTEST_SIGN, Ask::LONGEST)
}

fn stopped(phase: Phase) -> Wrong {
    match phase {
        Phase::Paused => Wrong::new(Kind::Unavailable, "the sandbox was paused"),
        Phase::Running | Phase::Ended => {
            Wrong::new(Kind::Unavailable, "the sandbox ended before the stream did")
        }
    }
}

impl Followed {
    async fn tell(&self, outlet: &Outlet) -> Result<()> {
        let start = json!({ "event": { "start": { "pid": self.id.0 } } });
        let mut from = 0;
        let mut listens = self.from == From::Start;
        if outlet.send(&start).await.is_err() {
            return Ok(());
        }
        loop {
            let printed = self.printed(from).await?;
            from = printed.next;
            if listens && printed.missing > 0 {
                return Err(outrun(printed.missing));
            }
            listens = true;
            if printed.ended.is_none() && self.until.is_some_and(|until| until <= Instant::now()) {
                let message = "the time that was given is over";
                return Err(Wrong::new(Kind::DeadlineExceeded, message));
            }
            if printed.pieces.is_empty() && printed.ended.is_none() {
                let _ = outlet.send(&json!({ "event": { "keepalive": {} } })).await;
            }
            for piece in &printed.pieces {
                let name = match piece.stream {
                    Stream::Stdout if self.terminal => "pty",
                    Stream::Stdout => "stdout",
                    Stream::Stderr => "stderr",
                };
                let data = json!({ "event": { "data": { name: STANDARD.encode(&piece.bytes) } } });
                if outlet.send(&data).await.is_err() {
                    return Ok(());
                }
            }
            let read = printed.pieces.is_empty() || printed.next >= printed.total;
            if let Some(ended) = printed.ended.filter(|_| read) {
                if ended.cause == Cause::Timeout {
                    let message = "the time of the command was over, and all of it was ended";
                    return Err(Wrong::new(Kind::DeadlineExceeded, message));
                }
                let _ = outlet.send(&json!({ "event": { "end": told_end(ended) } })).await;
                return Ok(());
            }
        }
    }

    /// What the process printed behind a position; nothing after a while.
    async fn printed(&self, from: u64) -> Result<Printed> {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        // A little more than the caller's time: the process itself ends by it.
        let wait = left.map_or(self.sign, |left| self.sign.min(left + SHORTEST_SIGN));
        let workspace = self.workspace.upgrade().ok_or_else(Wrong::no_sandbox)?;
        let ask = Ask { from, most: MOST_PIECE, wait };
        let lost = |error: Error| Wrong::from(error);
        workspace.inside()?.shell.output(self.id, ask).await.map_err(lost)
    }
}

/// That some of what was printed is not kept any more, and was not told.
fn outrun(missing: u64) -> Wrong {
    let message = format!(
        "the process printed faster than it was read: {missing} bytes of it are lost. It goes on; \
         let it print to a file, or read faster"
    );
    Wrong::new(Kind::DataLoss, message)
}

/// How a process ended, in the words that SDKs know.
fn told_end(ended: Ended) -> Value {
    match ended.exit {
        Exit::Code(0) => json!({ "exited": true, "status": "exit status 0" }),
        Exit::Code(code) => {
            let status = format!("exit status {code}");
            json!({ "exitCode": code, "exited": true, "status": status, "error": status })
        }
        Exit::Signal(signal) => {
            let status = format!("signal: {}", named(signal));
            json!({ "exitCode": -1, "status": status, "error": status })
        }
    }
}

fn named(signal: u8) -> String {
    match signal {
        1 => "hangup".to_owned(),
        2 => "interrupt".to_owned(),
        6 => "aborted".to_owned(),
        9 => "killed".to_owned(),
        11 => "segmentation fault".to_owned(),
        13 => "broken pipe".to_owned(),
        15 => "terminated".to_owned(),
        other => format!("signal {other}"),
    }
}
