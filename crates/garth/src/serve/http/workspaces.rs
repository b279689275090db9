//! Agents and their workspaces over HTTP.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Path, RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use serde_json::{Map, Value};

use super::tools::{answered, operate};
use crate::serve::app::App;

/// Lists agents by id.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let paged = |params: &mut Map<String, Value>| {
        for pair in query.as_deref().unwrap_or_default().split('&') {
            match pair.split_once('=') {
                Some(("cursor", cursor)) => {
                    params.insert("cursor".to_owned(), cursor.into());
                }
                Some(("limit", limit)) => {
                    let limit = limit.parse::<u32>().map_or(Value::from(limit), Value::from);
                    params.insert("limit".to_owned(), limit);
                }
                Some(_) | None => {}
            }
        }
        None
    };
    answered(operate(&app, &headers, Body::empty(), "agents.list", paged).await)
}

/// Makes an agent and its workspace.
pub(super) async fn create(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let split = |params: &mut Map<String, Value>| {
        let id = params.shift_remove("id").unwrap_or_default();
        settle(params, id);
        None
    };
    answered(operate(&app, &headers, body, "agents.create", split).await)
}

/// One agent.
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let named = |params: &mut Map<String, Value>| {
        params.insert("agentId".to_owned(), id.into());
        None
    };
    answered(operate(&app, &headers, Body::empty(), "agents.get", named).await)
}

/// Changes what was set up.
pub(super) async fn update(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let split = |params: &mut Map<String, Value>| {
        settle(params, id.into());
        None
    };
    answered(operate(&app, &headers, body, "agents.update", split).await)
}

/// Forgets an agent; its files are left.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let named = |params: &mut Map<String, Value>| {
        params.insert("agentId".to_owned(), id.into());
        None
    };
    answered(operate(&app, &headers, Body::empty(), "agents.delete", named).await)
}

/// What was sent are settings, of this agent.
fn settle(params: &mut Map<String, Value>, id: Value) {
    let settings = std::mem::take(params);
    params.insert("agentId".to_owned(), id);
    params.insert("settings".to_owned(), settings.into());
}
