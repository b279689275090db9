//! Agents and their workspaces over HTTP.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    response::Response,
};
use serde_json::{Map, Value};

use super::{
    asked::{Asked, Named},
    query::{self, Field, Kind},
    tools::{answered, operate},
};
use crate::serve::app::App;

/// What a list is asked with.
const PAGED: &[Field] =
    &[Field { name: "cursor", kind: Kind::Text }, Field { name: "limit", kind: Kind::Number }];

/// Lists agents by id.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
    asked: Asked,
) -> Response {
    let paged = |params: &mut Map<String, Value>| {
        params.extend(query::read(query.as_deref(), PAGED)?);
        Ok(None)
    };
    answered(operate(&app, &asked, Body::empty(), "agents.list", paged).await)
}

/// Makes an agent and its workspace.
pub(super) async fn create(State(app): State<Arc<App>>, asked: Asked, body: Body) -> Response {
    let split = |params: &mut Map<String, Value>| {
        let id = params.shift_remove("id").unwrap_or_default();
        settle(params, id);
        Ok(None)
    };
    answered(operate(&app, &asked, body, "agents.create", split).await)
}

/// One agent.
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Named(id): Named<String>,
    asked: Asked,
) -> Response {
    let named = |params: &mut Map<String, Value>| {
        params.insert("agentId".to_owned(), id.into());
        Ok(None)
    };
    answered(operate(&app, &asked, Body::empty(), "agents.get", named).await)
}

/// Changes what was set up.
pub(super) async fn update(
    State(app): State<Arc<App>>,
    Named(id): Named<String>,
    asked: Asked,
    body: Body,
) -> Response {
    let split = |params: &mut Map<String, Value>| {
        settle(params, id.into());
        Ok(None)
    };
    answered(operate(&app, &asked, body, "agents.update", split).await)
}

/// Forgets an agent; its files are left.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    Named(id): Named<String>,
    asked: Asked,
) -> Response {
    let named = |params: &mut Map<String, Value>| {
        params.insert("agentId".to_owned(), id.into());
        Ok(None)
    };
    answered(operate(&app, &asked, Body::empty(), "agents.delete", named).await)
}

/// What was sent are settings, of this agent.
fn settle(params: &mut Map<String, Value>, id: Value) {
    let settings = std::mem::take(params);
    params.insert("agentId".to_owned(), id);
    params.insert("settings".to_owned(), settings.into());
}
