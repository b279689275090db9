//! Tells what a terminal prints, as it is printed.

use std::{sync::Weak, time::Duration};

use garth_contract::{Ask, Ended, Exit, ProcessId};
use garth_redact::Clean;
use garth_workspace::Workspace;
use serde_json::{Map, Value, json};

use crate::serve::ws::Outbox;

/// How long a line that is not finished is waited for: what a program prints at once
/// comes together, and what a person types is shown soon enough.
const LINE: Duration = Duration::from_millis(25);
/// How long it is waited for something while a workspace is held; it ends no later.
const WAIT: Duration = Duration::from_secs(1);
/// The most bytes that are told at once.
const MOST: usize = 64 << 10;

/// A terminal whose output is told.
pub(super) struct Source {
    pub(super) workspace: Weak<Workspace>,
    pub(super) process: ProcessId,
    pub(super) session: String,
}

/// How a terminal ended.
pub(super) enum End {
    /// Its process did.
    Process(Ended),
    /// Its workspace did.
    Workspace,
    /// The client went away.
    Client,
}

impl End {
    /// The same as an event tells it.
    pub(super) fn told(&self, session: &str, closed: bool) -> Value {
        let (code, signal, reason) = match self {
            Self::Process(ended) => {
                let signal = match ended.exit {
                    Exit::Code(_) => None,
                    Exit::Signal(signal) => Some(signal),
                };
                let reason = if closed { "closed" } else { "process_exit" };
                (Some(ended.exit.code()), signal, reason)
            }
            Self::Workspace => (None, None, "error"),
            Self::Client => (None, None, "disconnected"),
        };
        json!({ "sessionId": session, "exitCode": code, "signal": signal, "reason": reason })
    }
}

/// Tells what is printed until the end.
///
/// Cancel: nothing is left.
pub(super) async fn follow(source: &Source, outbox: &Outbox) -> End {
    let (mut at, mut seq) = (0, 0);
    loop {
        let Some(workspace) = source.workspace.upgrade() else { return End::Workspace };
        let Ok(shell) = workspace.shell() else { return End::Workspace };
        let something = Ask { from: at, most: 1, wait: WAIT };
        match shell.output(source.process, something).await {
            Ok(printed) if printed.pieces.is_empty() && printed.ended.is_none() => continue,
            Ok(_) => {}
            Err(_) => return End::Workspace,
        }
        let ask = Ask { from: at, most: MOST, wait: LINE };
        let Ok(stretch) = workspace.follow(source.process, ask).await else {
            return End::Workspace;
        };
        // A client that is slow must not keep the workspace.
        drop(workspace);
        let text = Clean::join(stretch.told.iter().map(|told| &told.text), "");
        if !text.is_empty() || stretch.missing > 0 {
            let mut payload = Map::new();
            payload.insert("sessionId".to_owned(), source.session.clone().into());
            payload.insert("seq".to_owned(), seq.into());
            payload.insert("data".to_owned(), text.into_string().into());
            if stretch.missing > 0 {
                payload.insert("missingBytes".to_owned(), stretch.missing.into());
            }
            let payload = Value::Object(payload);
            seq += 1;
            if outbox.event("terminal.data", &payload).await.is_err() {
                return End::Client;
            }
        }
        at = stretch.next;
        if let Some(ended) = stretch.ended.filter(|_| stretch.next >= stretch.total) {
            return End::Process(ended);
        }
    }
}
