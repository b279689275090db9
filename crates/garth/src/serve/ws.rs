//! The WebSocket at `/v1/ws`: requests, replies in any order, events.

pub(crate) mod approvals;
#[cfg(test)]
mod autobahn;
mod connection;
mod frame;
mod gate;
mod hello;
mod link;
mod outbox;
mod request;
mod requests;
mod serving;
mod stream;

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use garth_contract::{Code, Error};
use hyper::upgrade::OnUpgrade;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        handshake::derive_accept_key,
        protocol::{Role, WebSocketConfig},
    },
};

use super::{
    app::App,
    http::{caller::credential, metrics::Peer, refused},
    lanes::Vigil,
};
use connection::{By, Visitor};
use gate::{Door, Gate};
pub(crate) use link::{Link, Task, Thing};
pub(crate) use outbox::Outbox;
use stream::{Loose, Stream};

/// How much is read at once. Every connection has so much, also one that is idle.
const READ_BUFFER: usize = 16 << 10;
/// How much is written at once; beyond it a frame is handed on as it comes.
const WRITE_BUFFER: usize = 128 << 10;

/// A WebSocket behind its gate.
type Socket = WebSocketStream<Gate<Stream>>;

/// Turns a request into a WebSocket.
pub(crate) async fn upgrade(State(app): State<Arc<App>>, request: Request) -> Response {
    let known = match credential(&app, request.headers()).await {
        Ok(known) => known,
        Err(error) => {
            // Here everybody is told: a request without an answer is a broken server.
            let _ = app.wrong_tokens.wait().await;
            return refused(&error);
        }
    };
    // Other sites were turned away before.
    let by = if request.headers().contains_key(header::ORIGIN) { By::Page } else { By::Program };
    let visitor = Visitor { known, from: Peer::of(&request), by };
    let (most_frame, open) = (app.most_frame, app.enter());
    let lanes = Arc::clone(&app);
    switch(request, most_frame, move |loose, config| {
        let bare = loose.is_bare();
        let begin = move |vigil: Vigil| async move {
            let _open = open;
            let Some((socket, door)) = socket(loose, config).await else { return };
            connection::serve((socket, door, vigil), app, visitor).await;
        };
        if bare {
            lanes.lanes.serve(begin);
        } else {
            // What is in between belongs to the threads that all others share.
            tokio::spawn(begin(Vigil::default()));
        }
    })
}

/// Makes a connection a WebSocket of the thread that calls; `None` where it is broken.
async fn socket(loose: Loose, config: WebSocketConfig) -> Option<(Socket, Door)> {
    let (stream, door) = (loose.settle().ok()?, Door::new());
    let gate = Gate::new(stream, door.clone());
    let socket = WebSocketStream::from_raw_socket(gate, Role::Server, Some(config)).await;
    Some((socket, door))
}

/// Answers a handshake, and hands the connection on once it is a WebSocket's.
fn switch(
    mut request: Request,
    most_frame: usize,
    hand_on: impl FnOnce(Loose, WebSocketConfig) + Send + 'static,
) -> Response {
    let Some(key) = wanted(request.headers()) else {
        let message = "this address is for WebSockets, version 13";
        let mut response = refused(&Error::new(Code::InvalidRequest, message));
        *response.status_mut() = StatusCode::UPGRADE_REQUIRED;
        let headers = response.headers_mut();
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        return response;
    };
    let Some(upgrade) = request.extensions_mut().remove::<OnUpgrade>() else {
        return refused(&Error::new(Code::InvalidRequest, "this connection cannot be upgraded"));
    };
    let accept = derive_accept_key(key.as_bytes());
    tokio::spawn(async move {
        // Who went away before the upgrade is not missed.
        let Ok(upgraded) = upgrade.await else { return };
        let Ok(loose) = Loose::of(upgraded) else { return };
        let config = WebSocketConfig::default()
            .max_message_size(Some(most_frame))
            .max_frame_size(Some(most_frame))
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(WRITE_BUFFER)
            .max_write_buffer_size(usize::MAX);
        hand_on(loose, config);
    });
    let headers = [
        (header::CONNECTION, HeaderValue::from_static("upgrade")),
        (header::UPGRADE, HeaderValue::from_static("websocket")),
        (
            header::SEC_WEBSOCKET_ACCEPT,
            HeaderValue::from_str(&accept).unwrap_or(HeaderValue::from_static("")),
        ),
    ];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

/// The key of a handshake, if this is one.
fn wanted(headers: &HeaderMap) -> Option<String> {
    let lists =
        |name, wanted: &str| {
            headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).any(|value| {
                value.split(',').any(|token| token.trim().eq_ignore_ascii_case(wanted))
            })
        };
    let upgrade = lists(header::CONNECTION, "upgrade") && lists(header::UPGRADE, "websocket");
    let version = headers.get(header::SEC_WEBSOCKET_VERSION)?.as_bytes() == b"13";
    let key = headers.get(header::SEC_WEBSOCKET_KEY)?.to_str().ok()?;
    (upgrade && version).then(|| key.to_owned())
}
