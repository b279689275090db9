//! One connection: first who it is, then requests until either side ends it.

use std::{
    future::poll_fn,
    net::IpAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures::{
    Sink, Stream, StreamExt,
    stream::{SplitSink, SplitStream},
};
use garth_contract::{Code, Error, Result};
use garth_gateway::{Caller, Credential};
use serde_json::{Map, Value};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time::timeout,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{self, Message, protocol::frame::coding::CloseCode},
};

use super::{
    frame::{Bad, Request, reply},
    gate::{Door, was_too_much},
    hello::{self, Connect},
    outbox::{Gone, Outbox},
};
use crate::serve::{app::App, lanes::Vigil, strangers::Brought, wrong_tokens::Told};

/// How long a client may take to say who it is.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a goodbye may take, with everything that waits before it. Nothing is read
/// or begun any more meanwhile.
const GOODBYE: Duration = Duration::from_secs(3);
/// How long it is waited for the client to end its side too. A side that is dropped
/// while something comes in takes back what it sent last, the goodbye.
const LINGER: Duration = Duration::from_secs(2);

/// Why a connection ends, where it is said.
pub(super) type Why = Option<(CloseCode, &'static str)>;

/// Who is at the other end, as far as it is known.
pub(crate) struct Visitor {
    /// Whose token came with the request.
    pub(crate) known: Option<Credential>,
    /// Where it comes from.
    pub(crate) from: Option<IpAddr>,
    /// What opened the connection.
    pub(crate) by: By,
}

/// What opened a connection, as it says of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum By {
    /// Our own page, in a browser.
    Page,
    /// Anything else.
    Program,
}

/// Serves one client.
pub(crate) async fn serve<S>(
    (socket, door, vigil): (WebSocketStream<S>, Door, Vigil),
    app: Arc<App>,
    Visitor { known, from, by }: Visitor,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut frames, mut spoken) = Spoken::begin(socket, door.clone());
    let name = format!("c{}", app.number());
    let session = Session { app, outbox: spoken.outbox.clone(), door, vigil, name, from, by };
    let why = spoken.during(session.run(&mut frames, known)).await;
    drop(session);
    spoken.end(frames, why).await;
}

/// A connection that is spoken on: a place for frames that go, and what sends them.
///
/// They are sent by the task that reads: after it has worked on what came at once, all its
/// answers go out together, and no other thread is woken for them.
pub(super) struct Spoken<S> {
    pub(super) outbox: Outbox,
    door: Door,
    writing: Writing<S>,
}

/// The sending, until it has ended, and then where it was sent to.
enum Writing<S> {
    Goes(Pin<Box<dyn Future<Output = SplitSink<WebSocketStream<S>, Message>> + Send>>),
    Ended(SplitSink<WebSocketStream<S>, Message>),
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Spoken<S> {
    pub(super) fn begin(
        socket: WebSocketStream<S>,
        door: Door,
    ) -> (SplitStream<WebSocketStream<S>>, Self) {
        let (sink, frames) = socket.split();
        let (outbox, outgoing) = Outbox::new();
        let writing = Writing::Goes(Box::pin(outgoing.write(sink, door.clone())));
        (frames, Self { outbox, door, writing })
    }

    /// Does something, and sends meanwhile what is put into the outbox.
    ///
    /// Cancel: what is being done is dropped; what was to be sent is sent later.
    pub(super) async fn during<T>(&mut self, doing: impl Future<Output = T>) -> T {
        let mut doing = pin!(doing);
        poll_fn(|context| {
            if let Poll::Ready(done) = doing.as_mut().poll(context) {
                return Poll::Ready(done);
            }
            let _ = self.writing.poll(context);
            Poll::Pending
        })
        .await
    }

    /// Says goodbye, and waits a little for the client to do the same.
    pub(super) async fn end(mut self, frames: SplitStream<WebSocketStream<S>>, why: Why) {
        let (code, reason) = why.unwrap_or((CloseCode::Normal, ""));
        let outbox = self.outbox.clone();
        let _ = timeout(GOODBYE, self.during(outbox.close(code, reason))).await;
        let Self { outbox: last, door, mut writing } = self;
        drop((outbox, last));
        let _ = timeout(GOODBYE, poll_fn(|context| writing.poll(context))).await;
        if let Writing::Ended(sink) = writing {
            door.open();
            let _ = timeout(LINGER, linger(frames, sink)).await;
        }
    }
}

impl<S> Writing<S> {
    /// Sends on.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Self::Goes(writing) = self else { return Poll::Ready(()) };
        writing.as_mut().poll(context).map(|sink| *self = Self::Ended(sink))
    }
}

/// Ends our side, and passes over what still comes until the client ends its own.
async fn linger<S>(
    frames: SplitStream<WebSocketStream<S>>,
    sink: SplitSink<WebSocketStream<S>, Message>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
    WebSocketStream<S>: Sink<Message>,
{
    let Ok(socket) = frames.reunite(sink) else { return };
    let mut stream = socket.into_inner();
    let _ = stream.shutdown().await;
    let mut passed = [0; 4 << 10];
    while stream.read(&mut passed).await.is_ok_and(|count| count > 0) {}
}

/// One client.
pub(super) struct Session {
    pub(super) app: Arc<App>,
    pub(super) outbox: Outbox,
    pub(super) door: Door,
    pub(super) vigil: Vigil,
    pub(super) name: String,
    from: Option<IpAddr>,
    by: By,
}

/// What came from a client.
pub(super) enum Came {
    /// A frame of text.
    Text(tungstenite::Utf8Bytes),
    /// Something that only shows that it lives.
    Sign,
    /// The end, for this reason where it is the client's fault.
    End(Why),
}

impl Session {
    async fn run(&self, frames: &mut impl Frames, known: Option<Credential>) -> Why {
        let clock = self.app.gateway.registry().store().clock().clone();
        let challenge = hello::challenge(&self.name, clock.now_ms());
        if self.outbox.event("connect.challenge", &challenge).await.is_err() {
            return None;
        }
        let caller = match known {
            Some(credential) => {
                self.door.open();
                (Caller::new(credential.clone(), &self.name), credential)
            }
            None => match timeout(CONNECT, self.greet(frames)).await {
                Ok(Ok(caller)) => caller,
                Ok(Err(why)) => return why,
                Err(_) => return Some((CloseCode::Policy, "connect took too long")),
            },
        };
        self.requests(frames, caller).await
    }

    /// Waits for `connect`, and finds out who it is.
    async fn greet(&self, frames: &mut impl Frames) -> Result<(Caller, Credential), Why> {
        const FIRST: Why = Some((CloseCode::Policy, "connect comes first"));
        let text = loop {
            match came(frames.next().await) {
                Came::Text(text) => break text,
                Came::Sign => {}
                Came::End(why) => return Err(why),
            }
        };
        let request = match Request::read(&text) {
            Ok(request) => request,
            Err(bad) => {
                self.bad(&bad).await;
                return Err(FIRST);
            }
        };
        if request.method != "connect" {
            self.app.strangers.came(Brought::Nothing, self.from).await;
            let error = Error::new(Code::Unauthenticated, "the first request is connect");
            self.refuse(&request.id, &error).await;
            return Err(FIRST);
        }
        let connect = Connect::read(request.params);
        let brought = match connect.as_ref().ok().and_then(Connect::token) {
            Some(_) => Brought::Token,
            None => Brought::Nothing,
        };
        match self.known_by(connect).await {
            Ok((connect, credential)) => {
                self.door.open();
                let told = hello::told(&self.app, &connect, &credential, &self.name);
                self.answer(&request.id, Ok(told)).await.map_err(|Gone| None)?;
                let session = connect.session().unwrap_or(&self.name);
                Ok((Caller::new(credential.clone(), session), credential))
            }
            Err(error) => {
                let wrong = error.code() == Code::Unauthenticated;
                if wrong {
                    self.app.strangers.came(brought, self.from).await;
                }
                if !wrong || self.app.wrong_tokens.wait().await == Told::Yes {
                    self.refuse(&request.id, &error).await;
                }
                Err(Some((CloseCode::Policy, "not let in")))
            }
        }
    }

    async fn known_by(&self, connect: Result<Connect>) -> Result<(Connect, Credential)> {
        let connect = connect?;
        let token = connect.token().ok_or_else(|| Error::of(Code::Unauthenticated))?;
        let credential = self.app.gateway.callers().authenticate(token).await?;
        let credential = match self.by {
            By::Page => credential.at_the_page(),
            By::Program => credential,
        };
        Ok((connect, credential))
    }

    pub(super) async fn bad(&self, bad: &Bad) {
        let body = garth_ops::method_failure(&bad.error);
        let _ = self.outbox.send(reply(bad.id.as_deref(), &Err(body))).await;
    }

    pub(super) async fn refuse(&self, id: &str, error: &Error) {
        let _ = self.answer(id, Err(error.clone())).await;
    }

    pub(super) async fn answer(
        &self,
        id: &str,
        result: Result<Map<String, Value>>,
    ) -> Result<(), Gone> {
        let result = result.map_err(|error| garth_ops::method_failure(&error));
        self.outbox.send(reply(Some(id), &result)).await
    }
}

/// Frames as they come.
pub(super) trait Frames:
    Stream<Item = Result<Message, tungstenite::Error>> + Unpin + Send
{
}

impl<S: Stream<Item = Result<Message, tungstenite::Error>> + Unpin + Send> Frames for S {}

pub(super) fn came(next: Option<Result<Message, tungstenite::Error>>) -> Came {
    match next {
        Some(Ok(Message::Text(text))) => Came::Text(text),
        // A goodbye is answered by reading on, which then comes to the end.
        Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_) | Message::Close(_))) => {
            Came::Sign
        }
        Some(Ok(Message::Binary(_))) => {
            Came::End(Some((CloseCode::Unsupported, "frames are text")))
        }
        None => Came::End(None),
        Some(Err(tungstenite::Error::Capacity(_))) => {
            Came::End(Some((CloseCode::Size, "the frame is too large")))
        }
        Some(Err(tungstenite::Error::Io(error))) if was_too_much(&error) => {
            Came::End(Some((CloseCode::Size, "too much before connect")))
        }
        Some(Err(tungstenite::Error::Protocol(_))) => {
            Came::End(Some((CloseCode::Protocol, "the protocol was broken")))
        }
        Some(Err(tungstenite::Error::Utf8(_))) => {
            Came::End(Some((CloseCode::Invalid, "a frame of text is UTF-8")))
        }
        Some(Err(_)) => Came::End(None),
    }
}
