//! `/metrics`, for whoever looks after the gateway.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use axum::{
    Extension,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use garth_contract::{Code, Error, Result};
use garth_gateway::Role;

use super::{caller::credential, refused};
use crate::serve::{app::App, metrics, settings::MetricsFor};

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(super) SocketAddr);

impl Peer {
    /// The address of whoever sends a request.
    pub(crate) fn of<B>(request: &axum::http::Request<B>) -> Option<IpAddr> {
        request.extensions().get().map(|Self(peer)| peer.ip().to_canonical())
    }
}

/// Everything that is counted.
pub(super) async fn page(
    State(app): State<Arc<App>>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
) -> Response {
    match may_read(&app, peer, &headers).await {
        Ok(()) => {
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            ([(header::CONTENT_TYPE, kind)], metrics::page(&app)).into_response()
        }
        Err(error) => refused(&error),
    }
}

/// # Errors
/// `UNAUTHENTICATED` or `PERMISSION_DENIED` for whoever may not.
async fn may_read(app: &App, peer: SocketAddr, headers: &HeaderMap) -> Result<()> {
    match app.metrics.readers {
        MetricsFor::Loopback if peer.ip().to_canonical().is_loopback() => return Ok(()),
        MetricsFor::Loopback | MetricsFor::Operator => {}
        MetricsFor::Nobody => return Err(Error::of(Code::UnknownMethod)),
    }
    let credential = credential(app, headers).await?;
    match credential.ok_or_else(|| Error::of(Code::Unauthenticated))?.role() {
        Role::Operator => Ok(()),
        Role::Agent(_) | Role::User => Err(Error::of(Code::PermissionDenied)),
    }
}
