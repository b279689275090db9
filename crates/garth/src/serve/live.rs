//! What a command prints, told while it runs.

use std::time::Duration;

use garth_contract::{Announce, Ask, BoxFuture, ProcessId, Stream};
use garth_workspace::{Stretch, Workspace};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

/// Pieces that wait to be sent; then the reading of the output waits, and the command
/// does not.
const WAITING: usize = 16;
/// The most bytes of one piece.
const PIECE: usize = 32 << 10;
/// How long a line may stay unfinished before it is told all the same.
const UNFINISHED: Duration = Duration::from_secs(1);

/// Something to tell before the answer.
pub(crate) enum Told {
    /// The call was let through, and its operation begins.
    Begun,
    /// A piece of what the command prints.
    Printed(Value),
}

/// Whom it is told to.
pub(crate) struct Live(mpsc::Sender<Told>);

impl Live {
    /// A teller, and what it tells.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Told>) {
        let (sender, told) = mpsc::channel(WAITING);
        (Self(sender), told)
    }

    /// Runs a tool, and tells what its command prints until it has ended.
    ///
    /// Cancel: the tool is cancelled.
    pub(crate) async fn during<'a, T>(
        self,
        workspace: &'a Workspace,
        run: impl FnOnce(Announce) -> BoxFuture<'a, T>,
    ) -> T {
        let (heard, number) = oneshot::channel();
        let announce = Announce::to(move |id| {
            // Who does not listen any more need not hear it.
            let _ = heard.send(id);
        });
        // Who went away is noticed by whoever serves the call.
        let _ = self.0.send(Told::Begun).await;
        let (result, ()) = tokio::join!(run(announce), self.follow(workspace, number));
        result
    }

    /// Ends with the process, or where its output cannot be read: the answer says why.
    async fn follow(&self, workspace: &Workspace, number: oneshot::Receiver<ProcessId>) {
        let Ok(id) = number.await else { return };
        let mut from = 0;
        loop {
            let ask = Ask { from, most: PIECE, wait: UNFINISHED };
            let Ok(stretch) = workspace.follow(id, ask).await else { return };
            let Stretch { told, start, next, total, ended, missing } = stretch;
            for piece in told {
                let stream = match piece.stream {
                    Stream::Stdout => "stdout",
                    Stream::Stderr => "stderr",
                };
                let printed = json!({
                    "stream": stream,
                    "text": piece.text.into_string(),
                    "position": start,
                    "next": next,
                    "missing_bytes": missing,
                });
                if self.0.send(Told::Printed(printed)).await.is_err() {
                    return;
                }
            }
            if ended.is_some() && next >= total {
                return;
            }
            from = next;
        }
    }
}
