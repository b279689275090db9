//! The E2B interface: the routes that its SDKs use, over workspaces of this gateway.
//!
//! A sandbox is the workspace of an agent that is made for it, mounted as the home
//! directory. Control routes make, list and end sandboxes; calls into one are told by
//! their head or by the name of their host. Each of them goes the gateway's line.

mod connect;
mod control;
mod describe;
mod door;
mod entry;
mod envd;
mod files;
mod filesystem;
mod interpreter;
mod life;
mod line;
mod metadata;
mod multipart;
mod options;
mod poll;
mod ports;
mod process;
mod record;
mod refuse;
mod sandbox;
mod settle;
mod usage;
mod user;
mod watch;

use std::sync::Arc;

use axum::{
    Router, middleware,
    routing::{any, get, post},
};

pub(crate) use envd::{is_meant, serve};
pub(crate) use life::E2b;
pub(crate) use line::{Job, rows};
pub(crate) use options::{Options, Template};

use super::app::App;

/// The control routes.
pub(crate) fn routes(app: &Arc<App>, e2b: &E2b) -> Router {
    let known = (Arc::clone(app), e2b.clone());
    let mut routes = Router::new()
        .route("/sandboxes", get(control::list_all).post(control::create))
        .route("/v2/sandboxes", get(control::list).post(control::create))
        .route("/sandboxes/{id}", get(control::get).delete(control::kill))
        .route("/sandboxes/{id}/timeout", post(control::renew))
        .route("/sandboxes/{id}/refreshes", post(control::renew))
        .route("/sandboxes/{id}/pause", post(control::pause))
        .route("/sandboxes/{id}/resume", post(control::resume))
        .route("/sandboxes/{id}/connect", post(control::connect))
        .route("/v2/sandboxes/{id}/connect", post(control::connect))
        .route("/sandboxes/{id}/metrics", get(control::metrics))
        .route("/sandboxes/{id}/logs", get(control::logs))
        .route("/v2/sandboxes/{id}/logs", get(control::logs))
        .route("/templates", get(control::templates).fallback(control::not_here))
        .route("/templates/aliases/{name}", get(control::template).fallback(control::not_here));
    for absent in ABSENT {
        routes = routes.route(absent, any(control::not_here));
    }
    let taken = middleware::from_fn_with_state(Arc::clone(app), control::taken);
    routes.layer(taken).with_state(known)
}

/// What the wire has and this does not: each is answered with that.
const ABSENT: &[&str] = &[
    "/sandboxes/{id}/fork",
    "/sandboxes/{id}/snapshots",
    "/sandboxes/{id}/network",
    "/sandboxes/metrics",
    "/snapshots",
    "/templates/{*rest}",
    "/v2/templates",
    "/v2/templates/{*rest}",
    "/v3/templates",
    "/v3/templates/{*rest}",
    "/volumes",
    "/volumes/{*rest}",
    "/volumecontent/{*rest}",
    "/secrets",
    "/secrets/{*rest}",
    "/teams",
    "/teams/{*rest}",
    "/api-keys",
    "/api-keys/{*rest}",
    "/access-tokens",
    "/access-tokens/{*rest}",
    "/nodes",
    "/nodes/{*rest}",
    "/admin/{*rest}",
];
