//! One request, from its frame to its reply.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt;
use garth_contract::{Code, Error, Result};
use garth_gateway::{Call, Caller, approvals::Hears};
use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    frame::{Request, reply},
    link::Link,
    outbox::Outbox,
    requests::Underway,
};
use crate::serve::{answer::Along, app::App, table};

/// The parameters by which a call names something that is open on its connection.
const OPEN: [&str; 3] = ["watchId", "sessionId", "uploadId"];

/// A call as the gateway takes it: whose workspace it is about, and what names it so that
/// it happens once, stand among the parameters.
///
/// # Errors
/// `INVALID_PARAMS` for parameters that are no object, and a key that is no text.
pub(super) fn call(
    request: Request,
    bytes: usize,
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
    if table::tools().iter().any(|tool| tool.name == request.method) {
        // Tools have no such parameter: elsewhere the address says it.
        params.shift_remove("agentId");
    }
    let along = Along { link: Some(Arc::clone(link)), ..Along::nothing() };
    Ok(Call {
        caller: caller.clone(),
        operation: request.method,
        agent,
        params: Value::Object(params),
        bytes: bytes as u64,
        request_id,
        hears: Hears::Waits,
        along,
    })
}

/// A request to be worked on.
pub(super) struct Job {
    pub(super) app: Arc<App>,
    pub(super) call: Call<Along>,
    pub(super) underway: Underway,
    pub(super) id: String,
    pub(super) outbox: Outbox,
    /// Who waits for one of these is not worked on yet.
    pub(super) turns: Arc<Semaphore>,
    /// Its share of what may be under way.
    pub(super) room: OwnedSemaphorePermit,
}

impl Job {
    /// Does what a request asks for, and puts the reply into the outbox.
    ///
    /// Cancel: the record says `CANCELLED`, and nobody is told.
    pub(super) async fn perform(self) {
        let Self { app, call, mut underway, id, outbox, turns, room } = self;
        let left = call.along.left.clone();
        let mut turn = None;
        let work = async {
            // Until the reply is on its way: who takes no replies gets no more of them.
            turn = turns.acquire_owned().await.ok();
            app.gateway.call(&app.table, call).await
        };
        let result = tokio::select! {
            biased;
            done = AssertUnwindSafe(work).catch_unwind() => done.unwrap_or_else(|_| {
                // What a panic says can hold anything, also what stands in files.
                Err(Error::new(Code::Internal, "the request failed in a way nobody thought of"))
            }),
            () = underway.cancelled() => Err(Error::of(Code::Cancelled)),
        };
        drop(room);
        // From now on the id can be used again.
        drop(underway);
        let (result, untold) = match result {
            Ok(done) => (done.answer.into_facts(), left.open(done.held)),
            Err(error) => (Err(garth_ops::method_failure(&error)), None),
        };
        let _ = outbox.send(reply(Some(&id), &result)).await;
        // What was left open may speak now.
        drop((untold, turn));
    }
}
