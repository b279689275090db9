//! Whether the gateway lives and can work, for whoever looks after it.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};

use crate::serve::app::App;

/// It lives, or nobody would answer.
pub(super) async fn alive() -> &'static str {
    "ok\n"
}

/// It can work: the audit can be written and its lease is good.
pub(super) async fn ready(State(app): State<Arc<App>>) -> Response {
    let health = app.gateway.health();
    let status = if health.writable && health.leased {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    (status, Json(health)).into_response()
}
