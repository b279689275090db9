//! One connection: first who it is, then requests until either side ends it.

use std::{sync::Arc, time::Duration};

use futures::{Stream, StreamExt};
use garth_contract::{Code, Error, Result};
use garth_gateway::{Call, Caller, Credential};
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Semaphore,
    time::{Instant, MissedTickBehavior, interval_at},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{self, Message, protocol::frame::coding::CloseCode},
};

use super::{
    frame::{Bad, Out, Request, reply},
    gate::Door,
    hello::{self, Connect},
    outbox::{Gone, Outbox},
    requests::{Requests, Underway},
};
use crate::serve::{
    answer::{Along, Answer},
    app::App,
};

/// How long a client may take to say who it is.
const CONNECT: Duration = Duration::from_secs(5);
/// Requests of one connection that may be under way; the next is not read before.
const MOST_UNDERWAY: usize = 128;
/// A client from which nothing came for so long, not even an answer to a ping, is gone.
const SILENCE: Duration = Duration::from_secs(60);
/// How often a silent client is asked whether it lives.
const PING: Duration = Duration::from_secs(25);

/// Serves one client.
pub(crate) async fn serve<S>(
    socket: WebSocketStream<S>,
    door: Door,
    app: Arc<App>,
    known: Option<Credential>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sink, frames) = socket.split();
    let (outbox, outgoing) = Outbox::new();
    let writing = tokio::spawn(outgoing.write(sink));
    let name = format!("c{}", app.number());
    let session = Session { app, outbox, door, name };
    session.run(frames, known).await;
    drop(session);
    // What was put in before the goodbye still goes out, for as long as a slow client
    // has for everything.
    let _ = writing.await;
}

struct Session {
    app: Arc<App>,
    outbox: Outbox,
    door: Door,
    name: String,
}

/// What came from a client.
enum Came {
    /// A frame of text.
    Text(tungstenite::Utf8Bytes),
    /// Something that only shows that it lives.
    Sign,
    /// The end, for this reason where it is the client's fault.
    End(Option<(CloseCode, &'static str)>),
}

impl Session {
    async fn run(&self, mut frames: impl Frames, known: Option<Credential>) {
        let now_ms = self.app.gateway.registry().store().clock().now_ms();
        let challenge = hello::challenge(&self.name, now_ms);
        if self.event("connect.challenge", &challenge).await.is_err() {
            return;
        }
        let caller = match known {
            Some(credential) => {
                self.door.open();
                (Caller::new(credential.clone(), &self.name), credential)
            }
            None => match tokio::time::timeout(CONNECT, self.greet(&mut frames)).await {
                Ok(Some(caller)) => caller,
                Ok(None) => return,
                Err(_) => {
                    return self.outbox.close(CloseCode::Policy, "connect took too long").await;
                }
            },
        };
        self.requests(frames, caller).await;
    }

    /// Waits for `connect`, and finds out who it is.
    async fn greet(&self, frames: &mut impl Frames) -> Option<(Caller, Credential)> {
        loop {
            let text = match came(frames.next().await) {
                Came::Text(text) => text,
                Came::Sign => continue,
                Came::End(why) => return self.goodbye(why).await,
            };
            let request = match Request::read(&text) {
                Ok(request) => request,
                Err(bad) => {
                    self.bad(&bad).await;
                    return self.goodbye(Some((CloseCode::Policy, "connect comes first"))).await;
                }
            };
            if request.method != "connect" {
                let message = "the first request is connect";
                let error = Error::new(Code::Unauthenticated, message);
                self.refuse(&request.id, &error).await;
                return self.goodbye(Some((CloseCode::Policy, "connect comes first"))).await;
            }
            match self.known_by(request.params).await {
                Ok((connect, credential)) => {
                    self.door.open();
                    let told = hello::told(&self.app, &connect, &credential, &self.name);
                    self.answer(&request.id, Ok(told)).await.ok()?;
                    let session = connect.session().unwrap_or(&self.name);
                    return Some((Caller::new(credential.clone(), session), credential));
                }
                Err(error) => {
                    self.refuse(&request.id, &error).await;
                    return self.goodbye(Some((CloseCode::Policy, "not let in"))).await;
                }
            }
        }
    }

    async fn known_by(&self, params: Value) -> Result<(Connect, Credential)> {
        let connect = Connect::read(params)?;
        let token = connect.token().ok_or_else(|| Error::of(Code::Unauthenticated))?;
        let credential = self.app.gateway.callers().authenticate(token).await?;
        Ok((connect, credential))
    }

    async fn requests(&self, mut frames: impl Frames, (caller, credential): (Caller, Credential)) {
        let (underway, room) = (Requests::default(), Arc::new(Semaphore::new(MOST_UNDERWAY)));
        let mut ticks = every(Duration::from_millis(hello::TICK_MS));
        let mut pings = every(PING);
        let mut heard = Instant::now();
        loop {
            let ended = tokio::select! {
                next = frames.next() => {
                    heard = Instant::now();
                    match came(next) {
                        Came::Text(text) => {
                            // Whoever asks for more than that at once waits to be read.
                            let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
                            let work = self.request(&text, &caller, &credential, &underway).await;
                            if let Some(work) = work {
                                tokio::spawn(async move {
                                    work.await;
                                    drop(place);
                                });
                            }
                            continue;
                        }
                        Came::Sign => continue,
                        Came::End(why) => why,
                    }
                }
                _ = ticks.tick() => {
                    let now_ms = self.app.gateway.registry().store().clock().now_ms();
                    let tick = json!({ "ts": now_ms });
                    self.outbox.offer(Out::Event { event: "tick", payload: &tick, seq: None }.text());
                    continue;
                }
                _ = pings.tick() => {
                    if heard.elapsed() < SILENCE {
                        self.outbox.ping();
                        continue;
                    }
                    Some((CloseCode::Away, "nothing was heard for a minute"))
                }
                () = credential.ended() => Some((CloseCode::Policy, "the token is no longer good")),
                () = self.app.stopping() => Some((CloseCode::Restart, "the gateway stops")),
            };
            let _: Option<()> = self.goodbye(ended).await;
            return;
        }
    }

    /// What a frame asks for, to be done beside others.
    async fn request(
        &self,
        text: &str,
        caller: &Caller,
        credential: &Credential,
        underway: &Requests,
    ) -> Option<impl Future<Output = ()> + Send + use<>> {
        let request = match Request::read(text) {
            Ok(request) => request,
            Err(bad) => {
                self.bad(&bad).await;
                return None;
            }
        };
        match request.method.as_str() {
            "connect" => {
                // Whoever came with a token in the head may still say hello.
                let result = Connect::read(request.params)
                    .map(|connect| hello::told(&self.app, &connect, credential, &self.name));
                let _ = self.answer(&request.id, result).await;
                return None;
            }
            "request.cancel" => {
                let id = request.params.get("id").and_then(Value::as_str);
                let cancelled = id.is_some_and(|id| underway.cancel(id));
                let mut facts = Map::new();
                facts.insert("cancelled".to_owned(), cancelled.into());
                let _ = self.answer(&request.id, Ok(facts)).await;
                return None;
            }
            _ => {}
        }
        let Some(place) = underway.begin(&request.id) else {
            let message = "a request with this id is under way";
            self.refuse(&request.id, &Error::new(Code::InvalidRequest, message)).await;
            return None;
        };
        let call = call(request.method, request.params, text.len(), caller.clone());
        Some(perform(Arc::clone(&self.app), call, place, request.id, self.outbox.clone()))
    }

    async fn bad(&self, bad: &Bad) {
        let body = garth_ops::failure(&bad.error);
        let _ = self.outbox.send(reply(bad.id.as_deref(), &Err(body))).await;
    }

    async fn refuse(&self, id: &str, error: &Error) {
        let _ = self.answer(id, Err(error.clone())).await;
    }

    async fn answer(&self, id: &str, result: Result<Map<String, Value>>) -> Result<(), Gone> {
        let result = result.map_err(|error| garth_ops::failure(&error));
        self.outbox.send(reply(Some(id), &result)).await
    }

    async fn event(&self, event: &str, payload: &Value) -> Result<(), Gone> {
        self.outbox.send(Out::Event { event, payload, seq: None }.text()).await
    }

    /// Ends the connection; there is nothing to do after.
    async fn goodbye<T>(&self, why: Option<(CloseCode, &'static str)>) -> Option<T> {
        let (code, reason) = why.unwrap_or((CloseCode::Normal, ""));
        self.outbox.close(code, reason).await;
        None
    }
}

/// A call as the gateway takes it: whose workspace it is about, and what names it so that
/// it happens once, stand among the parameters.
fn call(method: String, mut params: Value, bytes: usize, caller: Caller) -> Call<Along> {
    let agent = params.get("agentId").and_then(Value::as_str).map(ToOwned::to_owned);
    let key = params.as_object_mut().and_then(|params| params.shift_remove("idempotencyKey"));
    let request_id = key.as_ref().and_then(Value::as_str).map(ToOwned::to_owned);
    let along = Along::nothing();
    Call { caller, operation: method, agent, params, bytes: bytes as u64, request_id, along }
}

/// Does what a request asks for, and puts the reply into the outbox.
async fn perform(
    app: Arc<App>,
    call: Call<Along>,
    mut place: Underway,
    id: String,
    outbox: Outbox,
) {
    let result = tokio::select! {
        biased;
        result = app.call(call) => result.map(|done| done.answer),
        () = place.cancelled() => Err(Error::of(Code::Cancelled)),
    };
    // From now on the id can be used again.
    drop(place);
    let result = match result.map(Answer::into_facts) {
        Ok(result) => result,
        Err(error) => Err(garth_ops::failure(&error)),
    };
    let _ = outbox.send(reply(Some(&id), &result)).await;
}

fn every(period: Duration) -> tokio::time::Interval {
    let mut interval = interval_at(Instant::now() + period, period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

/// Frames as they come.
trait Frames: Stream<Item = Result<Message, tungstenite::Error>> + Unpin + Send {}

impl<S: Stream<Item = Result<Message, tungstenite::Error>> + Unpin + Send> Frames for S {}

fn came(next: Option<Result<Message, tungstenite::Error>>) -> Came {
    match next {
        Some(Ok(Message::Text(text))) => Came::Text(text),
        Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Came::Sign,
        Some(Ok(Message::Binary(_))) => {
            Came::End(Some((CloseCode::Unsupported, "frames are text")))
        }
        Some(Ok(Message::Close(_))) | None => Came::End(None),
        Some(Err(tungstenite::Error::Capacity(_))) => {
            Came::End(Some((CloseCode::Size, "the frame is too large")))
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
