//! The requests of a client that was let in, until either side ends it.
//!
//! Reading, looking after the client and hearing that it must go are three things that
//! go on beside each other: a client that takes no answers is not read on, and is still
//! shut out the moment its token is taken back.

use std::{
    future::poll_fn,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::Duration,
};

use futures::StreamExt;
use garth_contract::{Code, Detail, Error};
use garth_gateway::{Caller, Credential, Role};
use serde_json::{Map, Value, json};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    task::{
        JoinSet,
        coop::{consume_budget, unconstrained},
    },
    time::{Instant, MissedTickBehavior, interval_at, timeout},
};
use tokio_tungstenite::tungstenite::{Utf8Bytes, protocol::frame::coding::CloseCode};
use tokio_util::sync::ReusableBoxFuture;

use super::{
    approvals,
    connection::{Came, Frames, Session, Why, came},
    frame::{Out, Request},
    gate::Door,
    hello::{self, Connect},
    link::{Link, Task},
    outbox::Outbox,
    request::{self, Line, Told, Worked, Working},
    requests::Requests,
};
use crate::serve::{app::App, left::Left};

/// Requests of one connection that are worked on at a time.
const MOST_AT_A_TIME: usize = 128;
/// Requests of one connection that may be under way, those that wait for their turn
/// among them; more are refused.
const MOST_UNDERWAY: usize = 1_024;
/// Bytes of requests that may be under way; the next is not read before there is room.
const MOST_BYTES: usize = 52_428_800;
/// A longer request is read and worked on by the threads that all share: to read it takes longer
/// than those may wait who are served by this thread.
const AT_ONCE: usize = 64 << 10;
/// What to wait for when too many requests are under way: a time in which some end.
const TOO_MANY: Duration = Duration::from_millis(100);
/// A client from which nothing came for so long, not even an answer to a ping, is gone.
const SILENCE: Duration = Duration::from_secs(60);
/// How often a client is asked whether it lives.
const PING: Duration = Duration::from_secs(25);
/// A client that takes more than this from ping to ping lives, whatever it says: its
/// answer to a ping comes only when it has read all that was sent before.
const TAKES: u64 = 16 << 10;
/// How long requests may go on when the gateway stops.
const DRAIN: Duration = Duration::from_secs(8);

impl Session {
    /// Serves requests until the end, and says why it is.
    pub(super) async fn requests(
        &self,
        frames: &mut impl Frames,
        (caller, credential): (Caller, Credential),
    ) -> Why {
        let link = Arc::new(Link::new(self.outbox.clone()));
        let _asked = match credential.role() {
            Role::Operator => {
                let events = self.app.gateway.approvals().watch();
                Some(Task::spawn(approvals::tell(events, self.outbox.clone())))
            }
            Role::Agent(_) | Role::User => None,
        };
        let mut serving = Serving {
            session: self,
            line: Line::of(&self.app),
            caller,
            credential: &credential,
            link: Arc::clone(&link),
            underway: Requests::default(),
            turns: Arc::new(Semaphore::new(MOST_AT_A_TIME)),
            room: Arc::new(Semaphore::new(MOST_BYTES)),
            jobs: JoinSet::new(),
            spare: None,
        };
        let heard = Arc::new(Heard::now());
        // In a task of its own: all it waits for would be looked at anew with every frame.
        let (end, ended) = oneshot::channel();
        let guard = Guard {
            app: Arc::clone(&self.app),
            outbox: self.outbox.clone(),
            door: self.door.clone(),
            credential: credential.clone(),
            heard: Arc::clone(&heard),
        };
        let _guard = Task::spawn(async move {
            let _ = end.send(guard.end().await);
        });
        let why = tokio::select! {
            biased;
            Ok(why) = ended => why,
            why = serving.read(frames, &heard) => why,
        };
        if let Some((CloseCode::Restart, _)) = why {
            tokio::select! {
                _ = timeout(DRAIN, serving.drain()) => {}
                () = credential.ended() => {}
                () = self.outbox.closed() => {}
            }
        }
        // Requests that are under way are cancelled with the tasks that they run in.
        drop(serving);
        link.close();
        why
    }
}

/// What ends a connection from our side.
struct Guard {
    app: Arc<App>,
    outbox: Outbox,
    door: Door,
    credential: Credential,
    heard: Arc<Heard>,
}

impl Guard {
    /// Waits until the connection is to end, and says why.
    async fn end(&self) -> Why {
        tokio::select! {
            why = self.look_after() => why,
            () = self.credential.ended() => Some((CloseCode::Policy, "the token is no longer good")),
            () = self.outbox.closed() => None,
            () = self.app.stopping() => Some((CloseCode::Restart, "the gateway stops")),
        }
    }

    /// Lets the client know that the gateway lives, and finds out whether it does.
    async fn look_after(&self) -> Why {
        let mut ticks = every(Duration::from_millis(hello::TICK_MS));
        let mut pings = every(PING);
        let mut taken = self.door.taken();
        loop {
            tokio::select! {
                _ = ticks.tick() => {
                    let now_ms = self.app.gateway.registry().store().clock().now_ms();
                    let tick = json!({ "ts": now_ms });
                    self.outbox.offer(Out::Event { event: "tick", payload: &tick, seq: None }.text());
                }
                _ = pings.tick() => {
                    let before = std::mem::replace(&mut taken, self.door.taken());
                    if self.heard.silence() >= SILENCE && taken.saturating_sub(before) < TAKES {
                        return Some((CloseCode::Away, "nothing was heard for a minute"));
                    }
                    self.outbox.ping();
                }
            }
        }
    }
}

/// A request that was begun.
struct Begun {
    id: String,
    working: ReusableBoxFuture<'static, Worked>,
    left: Left,
    /// The room that it waited for, and how much that is.
    room: Option<OwnedSemaphorePermit>,
    bytes: u32,
}

/// A client whose requests are served.
struct Serving<'a> {
    session: &'a Session,
    line: Line,
    caller: Caller,
    credential: &'a Credential,
    link: Arc<Link>,
    underway: Requests,
    turns: Arc<Semaphore>,
    room: Arc<Semaphore>,
    jobs: JoinSet<()>,
    /// The memory that the last request was worked on in, for the next one: it is more than the
    /// allocator has at hand.
    spare: Option<ReusableBoxFuture<'static, Worked>>,
}

impl Serving<'_> {
    async fn read(&mut self, frames: &mut impl Frames, heard: &Heard) -> Why {
        loop {
            let next = tokio::select! {
                biased;
                Some(_) = self.jobs.join_next() => continue,
                next = frames.next() => next,
            };
            match came(next) {
                Came::Text(text) => {
                    // While this waits nothing is read, so nothing can be heard either.
                    heard.nothing_expected();
                    // Others have their turn too, and between two requests nothing is half done.
                    consume_budget().await;
                    self.session.vigil.stir();
                    self.take(&text).await;
                    heard.something();
                }
                Came::Sign => heard.something(),
                Came::End(why) => return why,
            }
        }
    }

    /// Takes a frame: answers it, or lets it be worked on beside others.
    async fn take(&mut self, text: &Utf8Bytes) {
        let session = self.session;
        let read = if text.len() > AT_ONCE {
            let text = text.clone();
            let reading = session.app.runtime.spawn(async move { Request::read(&text) });
            // Nobody asks for an answer any more where the threads are gone.
            let Ok(read) = reading.await else { return };
            read
        } else {
            Request::read(text)
        };
        let request = match read {
            Ok(request) => request,
            Err(bad) => return session.bad(&bad).await,
        };
        match request.method.as_str() {
            // Whoever came with a token in the head may still say hello.
            "connect" => {
                let hello = Connect::read(request.params);
                let result = hello.map(|connect| {
                    hello::told(&session.app, &connect, self.credential, &session.name)
                });
                let _ = session.answer(&request.id, result).await;
            }
            "request.cancel" => {
                let id = request.params.get("id").and_then(Value::as_str);
                let result = id.map(|id| self.underway.cancel(id));
                let result = result.ok_or_else(|| {
                    Error::new(Code::InvalidParams, "id names the request to cancel")
                });
                let result = result.map(|cancelled| {
                    let mut facts = Map::new();
                    facts.insert("cancelled".to_owned(), cancelled.into());
                    facts
                });
                let _ = session.answer(&request.id, result).await;
            }
            _ => self.begin(request, text.len()).await,
        }
    }

    async fn begin(&mut self, mut request: Request, size: usize) {
        let session = self.session;
        if self.jobs.len() >= MOST_UNDERWAY {
            let message = "too many requests of this connection are under way";
            let error = Error::new(Code::RateLimitExceeded, message);
            let error = error.with(Detail::RetryAfter(TOO_MANY));
            return session.refuse(&request.id, &error).await;
        }
        if self.underway.has(&request.id) {
            let message = "a request with this id is under way";
            return session.refuse(&request.id, &Error::new(Code::InvalidRequest, message)).await;
        }
        let id = std::mem::take(&mut request.id);
        let call = match request::call(
            request,
            (size, session.door.arrived()),
            &self.caller,
            &self.link,
        ) {
            Ok(call) => call,
            Err(error) => return session.refuse(&id, &error).await,
        };
        let size = size.clamp(1, MOST_BYTES);
        let bytes = u32::try_from(size).unwrap_or(u32::MAX);
        // Where there is room it is taken only for what takes its time: nobody else takes any.
        let mut room = None;
        if self.room.available_permits() < size {
            let waits = unconstrained(Arc::clone(&self.room).acquire_many_owned(bytes));
            let Ok(waited) = waits.await else { return };
            room = Some(waited);
        }
        let left = call.along.left.clone();
        let work = match request::work(&self.line, call, &self.turns) {
            Working::Done(worked) => return self.tell(&id, worked, &left),
            Working::Goes(work) => work,
        };
        let mut working = match self.spare.take() {
            Some(mut spare) => {
                spare.set(work);
                spare
            }
            None => ReusableBoxFuture::new(work),
        };
        let polled = if size > AT_ONCE {
            let begun = session.app.runtime.spawn(async move {
                let polled = futures::poll!(unconstrained(&mut working));
                (working, polled)
            });
            // The next request is begun after this one: some go on with what it did.
            let Ok((begun, polled)) = begun.await else { return };
            working = begun;
            polled
        } else {
            begun_here(&session.app.runtime, &mut working).await
        };
        self.settle(polled, Begun { id, working, left, room, bytes });
    }

    /// Answers a request that is done, and lets the others go on beside each other.
    fn settle(&mut self, polled: Poll<Worked>, begun: Begun) {
        let Begun { id, working, left, room, bytes } = begun;
        match polled {
            // Most are done at once, and need no task of their own, nor can they be cancelled:
            // nothing else is read meanwhile.
            Poll::Ready(worked) => {
                self.spare = Some(working);
                drop(room);
                self.tell(&id, worked, &left);
            }
            Poll::Pending => {
                let Some(mut underway) = self.underway.begin(&id) else { return };
                let outbox = self.session.outbox.clone();
                let room =
                    room.or_else(|| Arc::clone(&self.room).try_acquire_many_owned(bytes).ok());
                let work = async move {
                    let worked = tokio::select! {
                        biased;
                        worked = working => worked,
                        () = underway.cancelled() => Worked::cancelled(),
                    };
                    drop(room);
                    // From now on the id can be used again.
                    drop(underway);
                    Told::of(&id, worked, &left).send(&outbox).await;
                };
                self.jobs.spawn_on(work, &self.session.app.runtime);
            }
        }
    }

    /// Answers a request that is done; where there is no room for the reply, a task waits for it.
    fn tell(&mut self, id: &str, worked: Worked, left: &Left) {
        let Session { app, outbox, .. } = self.session;
        if let Some(told) = Told::of(id, worked, left).send_now(outbox, &self.turns) {
            let outbox = outbox.clone();
            self.jobs.spawn_on(async move { told.send(&outbox).await }, &app.runtime);
        }
    }

    /// Waits for what is under way.
    async fn drain(&mut self) {
        while self.jobs.join_next().await.is_some() {}
    }
}

/// Begins a request on this thread, and does all of it that need not wait.
async fn begun_here(
    elsewhere: &Handle,
    working: &mut ReusableBoxFuture<'static, Worked>,
) -> Poll<Worked> {
    poll_fn(|context| {
        // What it begins beside itself is begun where that does not keep others waiting.
        let _elsewhere = elsewhere.enter();
        // One that need not wait is not to be put off in the middle for want of a turn.
        Poll::Ready(pin!(unconstrained(&mut *working)).poll(context))
    })
    .await
}

/// When something was last heard from a client.
struct Heard {
    began: Instant,
    /// In milliseconds since then; `NOTHING` while nothing can be heard.
    at: AtomicU64,
}

impl Heard {
    const NOTHING: u64 = u64::MAX;

    fn now() -> Self {
        Self { began: Instant::now(), at: AtomicU64::new(0) }
    }

    fn something(&self) {
        let since = u64::try_from(self.began.elapsed().as_millis());
        self.at.store(since.unwrap_or(Self::NOTHING), Ordering::Relaxed);
    }

    /// Nothing can be heard, since nobody listens.
    fn nothing_expected(&self) {
        self.at.store(Self::NOTHING, Ordering::Relaxed);
    }

    fn silence(&self) -> Duration {
        match self.at.load(Ordering::Relaxed) {
            Self::NOTHING => Duration::ZERO,
            at => self.began.elapsed().saturating_sub(Duration::from_millis(at)),
        }
    }
}

fn every(period: Duration) -> tokio::time::Interval {
    let mut interval = interval_at(Instant::now() + period, period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
