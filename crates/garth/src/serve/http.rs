//! HTTP: who may connect, the routes, and errors in the one shape.

mod archive;
pub(crate) mod asked;
pub(crate) mod body;
pub(crate) mod caller;
mod docs;
mod events;
mod files;
mod health;
mod home;
mod mcp;
pub(crate) mod metrics;
pub(crate) mod patient;
mod query;
mod session;
mod tools;
mod workspaces;

use std::{
    convert::Infallible, net::SocketAddr, panic::AssertUnwindSafe, sync::Arc, time::Duration,
};

use axum::{
    Json, Router,
    extract::{Request, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use futures::FutureExt;
use garth_contract::{Code, Error};
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
};

use super::{app::App, e2b, strangers::Brought, ws};
use asked::{Connected, Wire};
use patient::Patient;

/// How long a client may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// The longest head of a request, in bytes.
const MOST_HEAD: usize = 64 << 10;
/// What to wait for when no connection can be accepted, for example without handles.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Serves everybody who connects, until the gateway is asked to stop.
pub(crate) async fn listen(listener: TcpListener, app: Arc<App>) {
    let routes = routes(&app);
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                app.metrics.not_accepted(&error);
                tokio::time::sleep(ACCEPT_AGAIN).await;
                continue;
            }
        };
        if app.count() >= app.most_connections {
            app.metrics.turned_away();
            continue;
        }
        // Counted here, so that the next one finds it counted.
        let open = app.enter();
        let (routes, app) = (routes.clone(), Arc::clone(&app));
        tokio::spawn(async move {
            let _open = open;
            connection(stream, peer, routes, app).await;
        });
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, routes: Router, app: Arc<App>) {
    // Replies are small and many; waiting to fill a packet would make each wait.
    let _ = stream.set_nodelay(true);
    let Some(tls) = &app.tls else { return spoken(stream, peer, routes, &app).await };
    // Who takes longer than for a head, or speaks no TLS, is not missed.
    if let Ok(Ok(stream)) = tokio::time::timeout(HEAD, tls.accept(stream)).await {
        spoken(stream, peer, routes, &app).await;
    }
}

async fn spoken<S>(stream: S, peer: SocketAddr, routes: Router, app: &App)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(MOST_HEAD);
    let wire = if app.tls.is_some() { Wire::Tls } else { Wire::Plain };
    let connected = Connected { number: app.number(), wire };
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(metrics::Peer(peer));
        request.extensions_mut().insert(connected);
        routes.call(request)
    });
    let stream = TokioIo::new(Patient::new(stream));
    let serving = http.serve_connection(stream, service).with_upgrades();
    let mut serving = std::pin::pin!(serving);
    tokio::select! {
        // A client that breaks off is nobody's failure.
        _ = serving.as_mut() => return,
        () = app.stopping() => serving.as_mut().graceful_shutdown(),
    }
    let _ = serving.await;
}

fn routes(app: &Arc<App>) -> Router {
    let own = own_routes(app);
    let all = match &app.e2b {
        Some(e2b) => own.merge(e2b::routes(app, e2b)),
        None => own,
    };
    all.fallback(nowhere)
        .method_not_allowed_fallback(not_this_way)
        .layer(middleware::from_fn_with_state(Arc::clone(app), guarded))
}

fn own_routes(app: &Arc<App>) -> Router {
    Router::new()
        .route("/", get(home::page))
        .route("/icon.svg", get(home::part))
        .route("/assets/{*path}", get(home::part))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(metrics::page))
        .route("/v1/ws", get(ws::upgrade))
        .route("/v1/workspaces", get(workspaces::list).post(workspaces::create))
        .route(
            "/v1/workspaces/{id}",
            get(workspaces::get).patch(workspaces::update).delete(workspaces::delete),
        )
        .route("/v1/workspaces/{id}/archive", get(archive::get))
        .route("/v1/workspaces/{id}/restore", post(archive::restore))
        .route("/v1/workspaces/{id}/{tool}", post(tools::run))
        .route(
            "/v1/workspaces/{id}/files/{*path}",
            get(files::get).put(files::put).delete(files::delete),
        )
        .route("/v1/rpc/{method}", post(tools::method))
        .route("/v1/openapi.json", get(docs::document))
        .route("/mcp", any(mcp::own))
        .route("/mcp/{agent}", any(mcp::of))
        .route("/docs", get(docs::page))
        .route("/docs/page.js", get(docs::script))
        .route("/docs/page.css", get(docs::style))
        .route("/v1/session", get(session::tell).post(session::begin).delete(session::end))
        .with_state(Arc::clone(app))
}

/// Lets a request through that comes from where it may, and gives every answer the
/// headers that keep browsers careful.
async fn guarded(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, Infallible> {
    let brought = Brought::with(request.method(), request.uri().path(), request.headers());
    let from = metrics::Peer::of(&request);
    let mut response = match app.names.check(request.headers()) {
        Ok(()) => match app.e2b.clone().filter(|_| e2b::is_meant(&request)) {
            Some(e2b) => contained(e2b::serve(Arc::clone(&app), e2b, request)).await,
            None => contained(next.run(request)).await,
        },
        Err(error) => refused(&error),
    };
    if response.status() == StatusCode::UNAUTHORIZED {
        app.strangers.came(brought, from).await;
    }
    let headers = response.headers_mut();
    for (name, value) in CAREFUL {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    Ok(response)
}

/// The answer to a request, whatever happens: what nobody thought of ends it and
/// nothing else.
async fn contained(answering: impl Future<Output = Response>) -> Response {
    // What a panic leaves behind goes with the request, and nobody looks at it.
    AssertUnwindSafe(answering).catch_unwind().await.unwrap_or_else(|_| {
        let message = "the request failed in a way nobody thought of";
        refused(&Error::new(Code::Internal, message))
    })
}

const CAREFUL: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

async fn nowhere() -> Response {
    let message = "there is nothing at this address";
    refused(
        &Error::new(Code::UnknownMethod, message).hint("Routes are listed at /v1/openapi.json."),
    )
}

async fn not_this_way() -> Response {
    let error = Error::new(Code::InvalidRequest, "this address is asked with another method");
    (StatusCode::METHOD_NOT_ALLOWED, Json(json!({ "error": garth_ops::failure(&error) })))
        .into_response()
}

/// An error as every route answers it.
pub(crate) fn refused(error: &Error) -> Response {
    said(error.code(), &garth_ops::failure(error))
}

/// The same, whose JSON object is written.
fn said(code: Code, body: &Map<String, Value>) -> Response {
    let status = StatusCode::from_u16(code.row().http).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let retry = body.get("retryAfterMs").and_then(Value::as_u64);
    let mut response = (status, Json(json!({ "error": body }))).into_response();
    if let Some(seconds) = retry.map(|millis| millis.div_ceil(1_000)) {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if code == Code::Unauthenticated {
        let scheme = HeaderValue::from_static("Bearer");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
    }
    response
}
