//! One request, from its frame to its reply.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

use futures::{FutureExt, future::Either};
use garth_contract::{Code, Error, Result};
use garth_gateway::{Begun, Call, Caller, Done, Gateway, Moment, approvals::Hears};
use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::{
    frame::{Request, reply, written},
    link::Link,
    outbox::Outbox,
};
use crate::serve::{
    answer::{Along, Answer},
    app::App,
    left::Left,
    table,
};

/// The parameters by which a call names something that is open on its connection.
const OPEN: [&str; 3] = ["watchId", "sessionId", "uploadId"];

/// A call as the gateway takes it: whose workspace it is about, and what names it so that
/// it happens once, stand among the parameters.
///
/// # Errors
/// `INVALID_PARAMS` for parameters that are no object, and a key that is no text.
pub(super) fn call(
    request: Request,
    (bytes, arrived): (usize, Moment),
    caller: &Caller,
    link: &Arc<Link>,
) -> Result<Call<Along>> {
    let wrong = |message: &'static str| Err(Error::new(Code::InvalidParams, message));
    let mut params = match request.params {
        Value::Object(params) => params,
        Value::Null => Map::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return wrong("params is an object");
        }
    };
    let request_id = match params.shift_remove("idempotencyKey") {
        Some(Value::String(key)) => Some(key),
        None | Some(Value::Null) => None,
        Some(_) => return wrong("idempotencyKey is a string"),
    };
    let named = params.get("agentId").and_then(Value::as_str).map(ToOwned::to_owned);
    let open = || OPEN.iter().find_map(|name| link.owner(params.get(*name)?.as_str()?));
    let agent = named.or_else(|| open().map(|agent| agent.to_string()));
    if table::is_tool(&request.method) {
        // Tools have no such parameter: elsewhere the address says it.
        params.shift_remove("agentId");
    }
    let along = Along { link: Some(Arc::clone(link)), ..Along::nothing() };
    Ok(Call {
        caller: caller.clone().traced(request.traceparent.as_deref()),
        operation: request.method,
        agent,
        params: Value::Object(params),
        bytes: bytes as u64,
        request_id,
        hears: Hears::Waits,
        arrived,
        along,
    })
}

/// What came of a request, and the place that it has until that is told: who takes no
/// replies gets no more of them.
pub(super) struct Worked {
    result: Result<Done<Answer>>,
    turn: Option<OwnedSemaphorePermit>,
}

impl Worked {
    pub(super) fn cancelled() -> Self {
        Self { result: Err(Error::of(Code::Cancelled)), turn: None }
    }
}

/// A request that was begun.
pub(super) enum Working<F> {
    /// Nothing had to be waited for. It took no turn: whoever has to wait with its reply does.
    Done(Worked),
    /// It goes on in this future.
    Goes(F),
}

/// Does what a request asks for, once it is its turn; where that is now, it is begun when this
/// returns.
///
/// Cancel: the record says `CANCELLED`.
pub(super) fn work(
    line: &Line,
    call: Call<Along>,
    turns: &Arc<Semaphore>,
) -> Working<impl Future<Output = Worked> + Send + use<>> {
    if turns.available_permits() == 0 {
        let (line, turns) = (line.clone(), Arc::clone(turns));
        // Apart, since there is a turn most often.
        return Working::Goes(Either::Right(Box::pin(async move {
            let turn = turns.acquire_owned().await.ok();
            match line.begin(call) {
                Ok(begun) => worked(begun, turn).await,
                Err(result) => Worked { result, turn },
            }
        })));
    }
    match line.begin(call) {
        Ok(begun) => Working::Goes(Either::Left(worked(begun, turn(turns)))),
        Err(result) => Working::Done(Worked { result, turn: None }),
    }
}

/// A turn, where there is one. Only the reader of a connection takes any.
fn turn(turns: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(turns).try_acquire_owned().ok()
}

/// The gateway as one connection calls it.
#[derive(Clone)]
pub(super) struct Line {
    app: Arc<App>,
    gateway: Gateway,
}

impl Line {
    pub(super) fn of(app: &Arc<App>) -> Self {
        Self { app: Arc::clone(app), gateway: app.gateway.apart() }
    }

    /// Begins a call.
    ///
    /// # Errors
    /// What came of it, where nothing had to be waited for.
    fn begin(&self, call: Call<Along>) -> Result<Begun<Answer>, Result<Done<Answer>>> {
        let begin = || self.gateway.begin(&self.app.table, call).end_now();
        match panic::catch_unwind(AssertUnwindSafe(begin)) {
            Ok(Ok(done)) => Err(done),
            Ok(Err(begun)) => Ok(begun),
            Err(_) => Err(Err(unforeseen())),
        }
    }
}

async fn worked(begun: Begun<Answer>, turn: Option<OwnedSemaphorePermit>) -> Worked {
    let done = AssertUnwindSafe(begun.end()).catch_unwind().await;
    Worked { result: done.unwrap_or_else(|_| Err(unforeseen())), turn }
}

/// What a panic says can hold anything, also what stands in files.
fn unforeseen() -> Error {
    Error::new(Code::Internal, "the request failed in a way nobody thought of")
}

/// A reply on its way, and what may speak once it is.
pub(super) struct Told {
    text: String,
    _untold: Option<oneshot::Sender<()>>,
    _turn: Option<OwnedSemaphorePermit>,
}

impl Told {
    /// The reply to a request, and what the request left open.
    pub(super) fn of(id: &str, worked: Worked, left: &Left) -> Self {
        let Worked { result, turn } = worked;
        let (text, untold) = match result {
            Ok(Done { answer: Answer::Written(json), held, .. }) => {
                (written(id, json.text()), left.open(held))
            }
            Ok(done) => (reply(Some(id), &done.answer.into_facts()), left.open(done.held)),
            Err(error) => (reply(Some(id), &Err(garth_ops::method_failure(&error))), None),
        };
        Self { text, _untold: untold, _turn: turn }
    }

    /// Puts the reply into the outbox if there is room at once; else it comes back, with a
    /// turn.
    pub(super) fn send_now(mut self, outbox: &Outbox, turns: &Arc<Semaphore>) -> Option<Self> {
        match outbox.send_now(std::mem::take(&mut self.text)) {
            Ok(()) => None,
            Err(text) => {
                let _turn = self._turn.or_else(|| turn(turns));
                Some(Self { text, _turn, ..self })
            }
        }
    }

    /// Puts the reply into the outbox.
    ///
    /// Cancel: nobody is told.
    pub(super) async fn send(mut self, outbox: &Outbox) {
        let _ = outbox.send(std::mem::take(&mut self.text)).await;
    }
}
