//! Tools over HTTP: one address each, their parameters as the body.

use std::sync::Arc;

use axum::{
    Json,
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use garth_contract::{Code, Error, Result};
use garth_gateway::{Call, Credential, Moment, approvals::Hears};
use serde_json::{Map, Value};

use super::{
    asked::{Asked, Named},
    body::{self, Whole},
    caller::{Known, known},
    events, refused, said,
};
use crate::serve::{
    answer::{Along, Answer},
    app::App,
    memory::Taken,
    table,
};

/// What a client names a call, so that it happens at most once.
const IDEMPOTENCY: &str = "idempotency-key";

/// Runs a tool.
pub(super) async fn run(
    State(app): State<Arc<App>>,
    Named((id, tool)): Named<(String, String)>,
    asked: Asked,
    body: Body,
) -> Response {
    // Nothing in the table begins so, and the record still has what was asked for.
    let known = table::tools().iter().any(|row| row.name == tool);
    let operation = if known { tool } else { format!("/{tool}") };
    if events::wanted(&asked.headers) {
        return events::run(app, &asked, body, (&operation, id)).await;
    }
    answered(operate(&app, &asked, body, &operation, |_| Ok(Some(id))).await.map(listed))
}

/// What is read of a directory is its listing, which only the text of a reply has.
fn listed(mut answer: Answer) -> Answer {
    if let Answer::Tool(reply) = &mut answer
        && reply.payload.contains_key("listing")
        && !reply.payload.contains_key("content")
    {
        reply.payload.insert("content".to_owned(), reply.text.to_string().into());
    }
    answer
}

/// A method of the table by its name, as a WebSocket has it.
pub(super) async fn method(
    State(app): State<Arc<App>>,
    Named(method): Named<String>,
    asked: Asked,
    body: Body,
) -> Response {
    let agent = |params: &mut Map<String, Value>| {
        Ok(params.get("agentId").and_then(Value::as_str).map(ToOwned::to_owned))
    };
    match operate(&app, &asked, body, &method, agent).await {
        Err(error) => said(error.code(), &garth_ops::method_failure(&error)),
        answer => answered(answer),
    }
}

/// Calls an operation with a body as its parameters.
pub(super) async fn operate(
    app: &App,
    asked: &Asked,
    body: Body,
    operation: &str,
    agent: impl FnOnce(&mut Map<String, Value>) -> Result<Option<String>>,
) -> Result<Answer> {
    prepare(app, asked, body, operation, agent).await?.run(app).await
}

/// A call that was read, and not yet looked at.
pub(super) struct Prepared {
    pub(super) call: Call<Along>,
    pub(super) credential: Credential,
    pub(super) taken: Option<Taken>,
}

impl Prepared {
    /// Runs it, as long as its caller's credential is good.
    ///
    /// # Errors
    /// Those of the gateway, and `UNAUTHENTICATED` once the credential was taken back.
    ///
    /// Cancel: as for [`App::call`].
    pub(super) async fn run(self, app: &App) -> Result<Answer> {
        let Self { call, credential, taken } = self;
        let result = tokio::select! {
            biased;
            result = app.call(call) => result.map(|done| done.answer),
            () = credential.ended() => Err(Error::of(Code::Unauthenticated)),
        };
        drop(taken);
        result
    }
}

/// Reads a call whose parameters are the body.
pub(super) async fn prepare(
    app: &App,
    asked: &Asked,
    body: Body,
    operation: &str,
    agent: impl FnOnce(&mut Map<String, Value>) -> Result<Option<String>>,
) -> Result<Prepared> {
    let Known { caller, credential } = known(app, asked).await?;
    let Whole { bytes, taken } = body::whole(&app.memory, body, app.most_frame as u64).await?;
    let mut params = body::object(&asked.headers, &bytes)?;
    let agent = agent(&mut params)?;
    let call = Call {
        caller,
        operation: operation.to_owned(),
        agent,
        params: Value::Object(params),
        bytes: bytes.len() as u64,
        request_id: request_id(asked)?,
        hears: Hears::Waits,
        arrived: Moment::now(),
        along: Along::nothing(),
    };
    Ok(Prepared { call, credential, taken: Some(taken) })
}

/// What the client named the call.
///
/// # Errors
/// `INVALID_REQUEST` for a name that is empty, too long or no text.
pub(super) fn request_id(asked: &Asked) -> Result<Option<String>> {
    const MOST: usize = 256;
    let Some(value) = asked.headers.get(IDEMPOTENCY) else { return Ok(None) };
    let graphic = |text: &&str| text.bytes().all(|byte| byte.is_ascii_graphic());
    let named = value.to_str().ok().filter(|text| (1..=MOST).contains(&text.len()));
    let named = named.filter(graphic);
    let wrong = || {
        Error::new(Code::InvalidRequest, "Idempotency-Key is 1 to 256 letters of ASCII, no spaces")
    };
    Ok(Some(named.ok_or_else(wrong)?.to_owned()))
}

/// An answer as a response.
pub(super) fn answered(answer: Result<Answer>) -> Response {
    match answer {
        Ok(Answer::Failed(failure)) => said(failure.code(), &failure.body()),
        Ok(answer) => match answer.into_facts() {
            Ok(facts) => Json(facts).into_response(),
            Err(body) => said(Code::Unsupported, &body),
        },
        Err(error) => refused(&error),
    }
}
