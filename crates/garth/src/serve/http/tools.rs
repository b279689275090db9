//! Tools over HTTP: one address each, their parameters as the body.

use std::sync::Arc;

use axum::{
    Json,
    body::Body,
    extract::{Path, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use garth_contract::{Code, Error, Result};
use garth_gateway::Call;
use serde_json::{Map, Value};

use super::{body, caller::caller, refused, said};
use crate::serve::{
    answer::{Along, Answer},
    app::App,
    table,
};

/// What a client names a call, so that it happens at most once.
const IDEMPOTENCY: &str = "idempotency-key";

/// Runs a tool.
pub(super) async fn run(
    State(app): State<Arc<App>>,
    Path((id, tool)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    if table::tools().iter().all(|row| row.name != tool) {
        return refused(&Error::of(Code::UnknownMethod));
    }
    answered(operate(&app, &headers, body, &tool, |_| Some(id)).await)
}

/// Calls an operation with a body as its parameters.
pub(super) async fn operate(
    app: &App,
    headers: &HeaderMap,
    body: Body,
    operation: &str,
    agent: impl FnOnce(&mut Map<String, Value>) -> Option<String>,
) -> Result<Answer> {
    let caller = caller(app, headers).await?;
    let bytes = body::whole(body).await?;
    let mut params = body::object(&bytes)?;
    let agent = agent(&mut params);
    let request_id = headers.get(IDEMPOTENCY).and_then(|value| value.to_str().ok());
    let call = Call {
        caller,
        operation: operation.to_owned(),
        agent,
        params: Value::Object(params),
        bytes: bytes.len() as u64,
        request_id: request_id.map(ToOwned::to_owned),
        along: Along::nothing(),
    };
    app.call(call).await.map(|done| done.answer)
}

/// An answer as a response.
pub(super) fn answered(answer: Result<Answer>) -> Response {
    match answer {
        Ok(Answer::Failed(failure)) => said(failure.code(), failure.body()),
        Ok(answer) => match answer.into_facts() {
            Ok(facts) => Json(facts).into_response(),
            Err(body) => said(Code::Internal, body),
        },
        Err(error) => refused(&error),
    }
}
