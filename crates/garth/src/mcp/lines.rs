//! MCP over a pair of streams: one message a line, each of bounded length.

use std::{
    future::poll_fn,
    io,
    pin::pin,
    sync::{self, Arc, PoisonError},
    task::{Context, Poll, Waker},
};

use garth_wire::Vigil;
use rmcp::{
    RoleServer,
    model::{
        CallToolRequest, ClientNotification, ClientRequest, ErrorCode, ErrorData,
        InitializeRequest, JsonRpcMessage, JsonRpcRequest, RequestId,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde::Deserialize;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::Mutex,
};

use super::{PIPE_BYTES, long, room::Room};

/// The longest message that is read: a file of some twenty megabytes as base64.
const MOST_BYTES: usize = 32 << 20;
/// How much is read at a time.
const CHUNK: usize = 64 << 10;

/// Messages of a client, and answers to it.
pub(crate) struct Lines<R, W> {
    read: R,
    /// What was read at once, and how much of it was looked at.
    came: Vec<u8>,
    seen: usize,
    /// What has come of the current line. It outlives a read that is given up.
    line: Vec<u8>,
    /// The length of the current line when it is too long to be kept.
    passed: usize,
    write: Arc<Mutex<Out<W>>>,
    room: Arc<Room>,
    awake: Awake,
}

/// Whoever reads stays awake for a moment after an answer: a client that makes one call
/// after the other sends the next one then.
#[derive(Clone, Default)]
struct Awake(Arc<sync::Mutex<(Vigil, Option<Waker>)>>);

impl Awake {
    fn with<T>(&self, act: impl FnOnce(&mut Vigil, &mut Option<Waker>) -> T) -> T {
        let (vigil, reader) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        act(vigil, reader)
    }

    /// Says that an answer has left.
    fn answered(&self) {
        let reader = self.with(|vigil, reader| {
            vigil.begin();
            reader.take()
        });
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}

/// Where answers go, and room for the next line of it.
struct Out<W> {
    stream: W,
    line: Vec<u8>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Lines<R, W> {
    pub(crate) fn new(read: R, write: W, room: Arc<Room>) -> Self {
        let came = Vec::with_capacity(CHUNK);
        let write = Arc::new(Mutex::new(Out { stream: write, line: Vec::new() }));
        let (line, awake) = (Vec::new(), Awake::default());
        Self { read, came, seen: 0, line, passed: 0, write, room, awake }
    }

    /// Reads on to the end of a line; `None` at the end of the stream.
    ///
    /// Cancel: what was read of the line is kept.
    async fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            if self.seen == self.came.len() && self.fill().await? == 0 {
                return Ok(None);
            }
            let chunk = self.came.get(self.seen..).unwrap_or_default();
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let (part, taken) = match end {
                Some(end) => (chunk.get(..end).unwrap_or_default(), end + 1),
                None => (chunk, chunk.len()),
            };
            if self.passed > 0 || self.line.len() + part.len() > MOST_BYTES {
                self.passed += self.line.len() + part.len();
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            self.seen += taken;
            if end.is_some() {
                return Ok(Some(match std::mem::take(&mut self.passed) {
                    0 => Line::Whole,
                    length => Line::TooLong(length),
                }));
            }
        }
    }

    /// Reads what there is, and says how much.
    ///
    /// Cancel: nothing was read.
    async fn fill(&mut self) -> io::Result<usize> {
        let Self { read, came, seen, awake, .. } = self;
        came.clear();
        *seen = 0;
        let mut reading = pin!(read.read_buf(came));
        poll_fn(|context| {
            let polled = reading.as_mut().poll(context);
            awake.with(|vigil, reader| match &polled {
                Poll::Ready(_) => vigil.end(),
                Poll::Pending => {
                    vigil.linger(context);
                    *reader = Some(context.waker().clone());
                }
            });
            polled
        })
        .await
    }

    /// Makes a message of the current line, or an error to answer with.
    fn parse(&mut self) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Box<Refused>> {
        let line = std::mem::take(&mut self.line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        match message(&line) {
            Ok(message) => {
                match &message {
                    JsonRpcMessage::Request(request) => {
                        if let Some(name) = garth_ops::repeated(&line) {
                            return Err(Box::new(ambiguous(&name, request.id.clone())));
                        }
                        self.room.came(request.id.clone(), line.len());
                    }
                    JsonRpcMessage::Notification(notification) => {
                        if let ClientNotification::CancelledNotification(cancelled) =
                            &notification.notification
                            && let Some(id) = &cancelled.params.request_id
                        {
                            self.room.settled(id);
                        }
                    }
                    JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
                }
                Ok(Some(message))
            }
            Err(error) => refuse(&line, &error).map_or(Ok(None), |refused| Err(Box::new(refused))),
        }
    }

    async fn answer(&self, refused: Refused) {
        let message = TxJsonRpcMessage::<RoleServer>::error(refused.error, refused.id);
        // A client that is gone is noticed at the next read.
        let _ = write(&self.write, &message).await;
    }
}

/// Makes a message of a line.
///
/// Which of many messages it is, is found out by trying one after another, and each that
/// it is not makes an error first. So the one that comes most is tried before all others,
/// or the one that comes first where the line begins like it.
fn message(line: &[u8]) -> serde_json::Result<RxJsonRpcMessage<RoleServer>> {
    if greets(line) {
        if let Ok(hello) = serde_json::from_slice::<JsonRpcRequest<InitializeRequest>>(line) {
            let request = ClientRequest::InitializeRequest(hello.request);
            return Ok(JsonRpcMessage::Request(JsonRpcRequest::new(hello.id, request)));
        }
    } else if let Ok(call) = serde_json::from_slice::<JsonRpcRequest<CallToolRequest>>(line) {
        let request = ClientRequest::CallToolRequest(call.request);
        return Ok(JsonRpcMessage::Request(JsonRpcRequest::new(call.id, request)));
    }
    serde_json::from_slice(line)
}

/// Tells whether a line looks like the one that a client begins with. It need not be one.
fn greets(line: &[u8]) -> bool {
    const WORD: &[u8] = b"\"initialize\"";
    const NEAR: usize = 80;
    line.get(..NEAR).unwrap_or(line).windows(WORD.len()).any(|word| word == WORD)
}

enum Line {
    Whole,
    TooLong(usize),
}

/// An answer to a message that was not understood.
struct Refused {
    error: ErrorData,
    id: Option<RequestId>,
}

/// What a message says about itself, whatever else is wrong with it.
#[derive(Deserialize)]
struct Envelope {
    id: Option<RequestId>,
    method: Option<String>,
}

fn refuse(line: &[u8], error: &serde_json::Error) -> Option<Refused> {
    let Ok(envelope) = serde_json::from_slice::<Envelope>(line) else {
        let message = format!("the message is no JSON-RPC message: {error}");
        let code =
            if error.is_data() { ErrorCode::INVALID_REQUEST } else { ErrorCode::PARSE_ERROR };
        return Some(Refused { error: ErrorData::new(code, message, None), id: None });
    };
    match envelope {
        // Nobody waits for an answer to a notification, known or not.
        Envelope { id: None, method: Some(_) } => None,
        Envelope { id, method: Some(method) } => {
            let message = format!("the parameters of {method} are not understood: {error}");
            Some(Refused { error: ErrorData::new(ErrorCode::INVALID_PARAMS, message, None), id })
        }
        Envelope { id, method: None } => {
            let message = "the message has no method";
            Some(Refused { error: ErrorData::new(ErrorCode::INVALID_REQUEST, message, None), id })
        }
    }
}

/// The most characters of a caller's name that an answer repeats.
const MOST_REPEATED: usize = 100;

/// Of a name that stands twice, the client may mean either.
fn ambiguous(name: &str, id: RequestId) -> Refused {
    let name: String = name.chars().take(MOST_REPEATED).collect();
    let message = format!("the message gives {name:?} twice in one object");
    Refused { error: ErrorData::new(ErrorCode::INVALID_PARAMS, message, None), id: Some(id) }
}

async fn write<W: AsyncWrite + Unpin>(
    out: &Mutex<Out<W>>,
    message: &TxJsonRpcMessage<RoleServer>,
) -> io::Result<()> {
    let Out { stream, line } = &mut *out.lock().await;
    line.clear();
    line.shrink_to(PIPE_BYTES);
    if !long::write(message, line)? {
        serde_json::to_writer(&mut *line, message)?;
    }
    line.push(b'\n');
    stream.write_all(line).await?;
    stream.flush().await
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send + Sync,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (stream, room) = (Arc::clone(&self.write), Arc::clone(&self.room));
        let awake = self.awake.clone();
        let mut sending = Box::pin(async move {
            let written = write(&stream, &message).await;
            match &message {
                JsonRpcMessage::Response(response) => {
                    room.settled(&response.id);
                    awake.answered();
                }
                JsonRpcMessage::Error(error) => error.id.iter().for_each(|id| room.settled(id)),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
            }
            written
        });
        // Before rmcp makes a task of it: mostly the pipe has room, and the client has its answer
        // while the task is made. What is left of it looks again by itself.
        let begun = sending.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        async move {
            match begun {
                Poll::Ready(written) => written,
                Poll::Pending => sending.await,
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.room.until_free().await;
            let refused = match self.next_line().await {
                Ok(Some(Line::Whole)) => match self.parse() {
                    Ok(Some(message)) => return Some(message),
                    Ok(None) => continue,
                    Err(refused) => *refused,
                },
                Ok(Some(Line::TooLong(length))) => {
                    let message = format!(
                        "the message has {length} bytes, more than the {MOST_BYTES} that are read"
                    );
                    let error = ErrorData::new(ErrorCode::INVALID_REQUEST, message, None);
                    Refused { error, id: None }
                }
                Ok(None) | Err(_) => return None,
            };
            self.answer(refused).await;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.stream.shutdown().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_to_a_message_comes_to_the_same() {
        let hello = r#"{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"a","version":"1"},"_meta":{"k":1}}"#;
        let call = r#"{"name":"read","arguments":{"path":"initialize"}}"#;
        for (greets_us, line) in [
            (true, format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{hello}}}"#)),
            (
                false,
                format!(r#"{{"params":{hello},"jsonrpc":"2.0","id":1,"method":"initialize"}}"#),
            ),
            (
                false,
                format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{call}}}"#),
            ),
            (
                true,
                format!(
                    r#"{{"id":"initialize","jsonrpc":"2.0","method":"tools/call","params":{call}}}"#
                ),
            ),
            (true, r#"{"id":"initialize","jsonrpc":"2.0","method":"ping"}"#.to_owned()),
            (true, r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":7}"#.to_owned()),
        ] {
            assert_eq!(greets(line.as_bytes()), greets_us, "{line}");
            let whole = serde_json::from_str::<RxJsonRpcMessage<RoleServer>>(&line);
            let read = message(line.as_bytes());
            let told = |read: serde_json::Result<RxJsonRpcMessage<RoleServer>>| {
                read.map(|message| serde_json::to_value(message).unwrap())
                    .map_err(|error| error.to_string())
            };
            assert_eq!(told(read), told(whole), "{line}");
        }
    }
}
