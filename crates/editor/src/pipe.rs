//! A connection to a client over a pipe of bytes: JSON-RPC, one message a line.
//!
//! An agent and its client share one connection. This one asks the client for texts
//! and gives everything else that comes to who holds [`Rest`]. Whatever comes is
//! bounded: the length of a line, the messages that wait, the requests under way.

mod lines;
mod pending;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, ReadTextFileRequest, ReadTextFileResponse, WriteTextFileRequest,
    WriteTextFileResponse,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task::AbortHandle,
};

use self::{
    lines::{Lines, Met},
    pending::Pending,
};
use crate::{Bounds, Buffers, Trouble};

/// Lines that wait to be written; each may hold a text.
const MOST_OUT: usize = 4;
/// Messages that wait for who holds the rest.
const MOST_REST: usize = 256;
/// Bytes of messages that wait for who holds the rest.
const MOST_REST_BYTES: u32 = 64 << 20;
/// What a character of a text can become in JSON: `\u0001`.
const WIDEST: u64 = 6;
/// What stands around a text in a message.
const ENVELOPE: u64 = 64 << 10;

/// A connection to a client.
///
/// Cloning is cheap and gives the same connection. It ends with the other side, or
/// when the last clone and the [`Rest`] are dropped.
#[derive(Clone)]
pub struct Pipe(Arc<Shared>);

/// What comes from a client and is no answer to a request for a text: its requests,
/// its notifications, its answers to requests of the agent's own.
///
/// Someone has to take them: 256 messages or 64 MiB of them may wait, then nothing
/// more is read, and requests for texts run into their deadlines. Dropping it
/// throws them away as they come.
pub struct Rest {
    messages: mpsc::Receiver<(Value, OwnedSemaphorePermit)>,
    _pipe: Arc<Shared>,
}

struct Shared {
    out: mpsc::Sender<Vec<u8>>,
    pending: Arc<Pending>,
    tasks: OnceLock<[AbortHandle; 2]>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.tasks.get().into_iter().flatten().for_each(AbortHandle::abort);
    }
}

impl Pipe {
    /// Speaks with a client over a pipe of bytes, on the runtime it is called on.
    pub fn open(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        bounds: Bounds,
    ) -> (Self, Rest) {
        let bounds = bounds.held();
        let most_line = bounds.most_text.saturating_mul(WIDEST).saturating_add(ENVELOPE);
        let (out, lines) = mpsc::channel(MOST_OUT);
        let (rest, messages) = mpsc::channel(MOST_REST);
        let pending = Arc::new(Pending::default());
        let shared =
            Arc::new(Shared { out, pending: Arc::clone(&pending), tasks: OnceLock::new() });
        let lines_in = Lines::new(reader, usize::try_from(most_line).unwrap_or(usize::MAX));
        let hearing = tokio::spawn(hear(lines_in, Arc::clone(&pending), rest)).abort_handle();
        let telling = tokio::spawn(tell(writer, lines, pending)).abort_handle();
        // It is set once, here.
        let _ = shared.tasks.set([hearing, telling]);
        (Self(Arc::clone(&shared)), Rest { messages, _pipe: shared })
    }

    /// Sends a message of the agent's own: an answer, a notification, a request whose
    /// answer then comes with the rest.
    ///
    /// The ids of such requests are the agent's to choose, but for texts that begin
    /// with `garth-`.
    ///
    /// # Errors
    /// [`Trouble::Gone`].
    ///
    /// Cancel: the message is sent whole or not at all.
    pub async fn send(&self, message: &Value) -> Result<(), Trouble> {
        let mut line = serde_json::to_vec(message).map_err(|_| Trouble::Garbled)?;
        line.push(b'\n');
        self.0.out.send(line).await.map_err(|_| Trouble::Gone)
    }

    /// Makes a request and waits for its answer.
    async fn ask(&self, method: &str, params: impl Serialize) -> Result<Value, Trouble> {
        let params = serde_json::to_value(params).map_err(|_| Trouble::Garbled)?;
        let waiting = self.0.pending.wait()?;
        let id = waiting.id();
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await?;
        waiting.answer().await
    }
}

impl Buffers for Pipe {
    async fn read(&self, request: ReadTextFileRequest) -> Result<ReadTextFileResponse, Trouble> {
        read_as(self.ask(CLIENT_METHOD_NAMES.fs_read_text_file, request).await?)
    }

    async fn write(&self, request: WriteTextFileRequest) -> Result<WriteTextFileResponse, Trouble> {
        let answer = self.ask(CLIENT_METHOD_NAMES.fs_write_text_file, request).await?;
        // Clients whose write gives nothing back say so.
        if answer.is_null() { Ok(WriteTextFileResponse::new()) } else { read_as(answer) }
    }
}

fn read_as<T: DeserializeOwned>(answer: Value) -> Result<T, Trouble> {
    // A list of values would do for serde; the protocol has objects.
    if !answer.is_object() {
        return Err(Trouble::Garbled);
    }
    serde_json::from_value(answer).map_err(|_| Trouble::Garbled)
}

impl Rest {
    /// The next message; `None` when the client is gone.
    ///
    /// Cancel: no message is lost.
    pub async fn next(&mut self) -> Option<Value> {
        self.messages.recv().await.map(|(message, _)| message)
    }
}

/// Takes in what a client says, to its end.
async fn hear(
    mut lines: Lines<impl AsyncRead + Unpin>,
    pending: Arc<Pending>,
    rest: mpsc::Sender<(Value, OwnedSemaphorePermit)>,
) {
    let room = Arc::new(Semaphore::new(MOST_REST_BYTES as usize));
    while let Some(met) = lines.next().await {
        let line = match met {
            Met::Line(line) => line,
            Met::TooLong(head) => {
                pending.spoil(&head, &Trouble::TooLarge);
                continue;
            }
        };
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            pending.spoil(&line, &Trouble::Garbled);
            continue;
        };
        let Some(message) = pending.settle(message) else { continue };
        let size = u32::try_from(line.len()).unwrap_or(u32::MAX).clamp(1, MOST_REST_BYTES);
        drop(line);
        let Ok(permit) = Arc::clone(&room).acquire_many_owned(size).await else { break };
        // Nobody may want the rest, and answers are still heard.
        let _ = rest.send((message, permit)).await;
    }
    pending.close();
}

/// Writes lines, to the end of the pipe.
async fn tell(
    mut writer: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<Vec<u8>>,
    pending: Arc<Pending>,
) {
    while let Some(line) = lines.recv().await {
        if writer.write_all(&line).await.is_err() || writer.flush().await.is_err() {
            break;
        }
    }
    pending.close();
}

impl fmt::Debug for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipe").finish_non_exhaustive()
    }
}

impl fmt::Debug for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rest").finish_non_exhaustive()
    }
}
