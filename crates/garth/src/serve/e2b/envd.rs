//! What answers inside a sandbox, by the paths of its calls.

use std::{sync::Arc, time::Duration};

use axum::{
    Json,
    body::Body,
    extract::Request,
    http::{Method, StatusCode, request::Parts},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    connect::{self, MOST_MESSAGE},
    door::{Entered, Port, enter, meant},
    files, filesystem, interpreter,
    life::E2b,
    line::{self, Asked},
    ports, process,
    refuse::{Kind, Result, Wrong},
    usage,
    user::User,
    watch,
};
use crate::serve::{app::App, http::body};

/// How long a call with one answer may take that does not say.
const PATIENCE: Duration = Duration::from_secs(60);
/// The longest that one may ask for.
const LONGEST: Duration = Duration::from_secs(600);

/// What a call in a sandbox has at hand.
pub(super) struct Inside {
    pub(super) app: Arc<App>,
    pub(super) entered: Entered,
    pub(super) parts: Parts,
    /// Who it is done as.
    pub(super) user: User,
}

impl Inside {
    /// A call on the gateway's line.
    pub(super) fn asked(&self, operation: line::Named, params: Value) -> Asked {
        Asked { caller: self.entered.caller.clone(), operation, params, bytes: 0 }
    }

    /// The sandbox's id.
    pub(super) fn id(&self) -> &str {
        self.entered.sandbox.id.as_str()
    }
}

/// Tells whether a request goes into a sandbox.
pub(crate) fn is_meant(request: &Request) -> bool {
    // An address that is signed names no sandbox where all share one.
    meant(request.headers()).is_some() || request.uri().path() == "/files"
}

/// Answers a request into a sandbox.
pub(crate) async fn serve(app: Arc<App>, e2b: E2b, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let meant = meant(&parts.headers);
    let port = meant.as_ref().map_or(Port::Calls, |(_, port)| Port::of(port));
    let id = meant.map(|(id, _)| id);
    match port {
        Port::Calls => {}
        Port::Code => return interpreter::serve(app, e2b, (parts, id), body).await,
        Port::Other(port) => return ports::serve(app, e2b, (parts, id), (&port, body)).await,
    }
    let path = parts.uri.path().to_owned();
    match (&parts.method, path.as_str()) {
        (&Method::GET | &Method::POST, "/files") => files::serve(app, e2b, (parts, id), body).await,
        (&Method::GET, "/health") => health(&e2b, id.as_deref()).await,
        (&Method::POST, call) if is_call(call) => called(app, e2b, (parts, id), body).await,
        (&Method::GET | &Method::POST, _) => plain(app, e2b, (parts, id), body).await,
        _ => Wrong::new(Kind::NotFound, "there is nothing at this address").plain(),
    }
}

async fn health(e2b: &E2b, id: Option<&str>) -> Response {
    match super::door::running(e2b, id.unwrap_or_default()).await {
        Ok(_) => StatusCode::NO_CONTENT.into_response(),
        Err(wrong) => wrong.plain(),
    }
}

fn is_call(path: &str) -> bool {
    ["/process.Process/", "/filesystem.Filesystem/"].iter().any(|base| path.starts_with(base))
}

/// Calls of the protocol Connect.
async fn called(
    app: Arc<App>,
    e2b: E2b,
    (parts, id): (Parts, Option<String>),
    body: Body,
) -> Response {
    let path = parts.uri.path().to_owned();
    let streams = ["Start", "Connect", "WatchDir", "StreamInput"];
    let stream = path.rsplit('/').next().is_some_and(|name| streams.contains(&name));
    let refused = |wrong: Wrong| {
        if wrong.kind == Kind::NoSandbox {
            // What is said of a sandbox that is not there is its proxy's, not its own.
            wrong.plain()
        } else if stream && connect::is_stream(&parts.headers) {
            connect::ended(Err(wrong))
        } else {
            wrong.unary()
        }
    };
    // Taken before anything is judged: of what is left unread a client hears by a
    // connection that is closed.
    let streamed = path == "/process.Process/StreamInput";
    let (body, whole) = if streamed {
        (Some(body), None)
    } else {
        match body::whole(&app.memory, body, MOST_MESSAGE as u64).await {
            Ok(whole) => (None, Some(whole)),
            Err(error) => return refused(Wrong::from(error)),
        }
    };
    let entered = enter(&app, &e2b, (&parts, id.as_deref())).await;
    let entered = entered.and_then(|entered| {
        let user = User::asked(&parts.headers, &entered.sandbox)?;
        Ok((entered, user))
    });
    let (entered, user) = match entered {
        Ok(entered) => entered,
        Err(wrong) => {
            pass_over(body);
            return refused(wrong);
        }
    };
    if let Some(body) = body {
        return process::stream_input(Inside { app, entered, parts, user }, body).await;
    }
    let inside = Inside { app, entered, parts, user };
    let bytes = whole.as_ref().map(|whole| whole.bytes.clone()).unwrap_or_default();
    match path.as_str() {
        "/process.Process/Start" => process::start(inside, &bytes).await,
        "/process.Process/Connect" => process::connect(inside, &bytes).await,
        "/filesystem.Filesystem/WatchDir" => watch::stream(inside, &bytes).await,
        _ => {
            let within = deadline(&inside.parts);
            let doing = unary(inside, &path, bytes);
            let late = Wrong::new(Kind::DeadlineExceeded, "the call took too long");
            let done = tokio::time::timeout(within, doing).await.unwrap_or(Err(late));
            connect::answered(done)
        }
    }
}

async fn unary(inside: Inside, path: &str, bytes: Bytes) -> Result<Value> {
    match path {
        "/process.Process/List" => process::list(&inside, &bytes).await,
        "/process.Process/Update" => process::update(&inside, &bytes).await,
        "/process.Process/SendInput" => process::send_input(&inside, &bytes).await,
        "/process.Process/SendSignal" => process::send_signal(&inside, &bytes).await,
        "/process.Process/CloseStdin" => process::close_stdin(&inside, &bytes).await,
        "/filesystem.Filesystem/Stat" => filesystem::stat(&inside, &bytes).await,
        "/filesystem.Filesystem/MakeDir" => filesystem::make_dir(&inside, &bytes).await,
        "/filesystem.Filesystem/Move" => filesystem::rename(&inside, &bytes).await,
        "/filesystem.Filesystem/ListDir" => filesystem::list(&inside, &bytes).await,
        "/filesystem.Filesystem/Remove" => filesystem::remove(&inside, &bytes).await,
        "/filesystem.Filesystem/CreateWatcher" => watch::create(&inside, &bytes).await,
        "/filesystem.Filesystem/GetWatcherEvents" => watch::events(&inside, &bytes).await,
        "/filesystem.Filesystem/RemoveWatcher" => watch::remove(&inside, &bytes).await,
        _ => Err(Wrong::new(Kind::Unimplemented, "there is no such call")),
    }
}

/// Reads what is left of a body that nobody wants, within bounds, beside the answer.
pub(super) fn pass_over(body: Option<Body>) {
    drop(body.map(body::pieces));
}

/// How long a call with one answer may take.
fn deadline(parts: &Parts) -> Duration {
    timeout(parts).map_or(PATIENCE, |asked| asked.min(LONGEST))
}

/// The time that a caller gives a call, if it gives one.
pub(super) fn timeout(parts: &Parts) -> Option<Duration> {
    let text = parts.headers.get("connect-timeout-ms")?.to_str().ok()?;
    text.parse().ok().filter(|millis| *millis > 0).map(Duration::from_millis)
}

/// What is asked in plain HTTP.
async fn plain(
    app: Arc<App>,
    e2b: E2b,
    (parts, id): (Parts, Option<String>),
    body: Body,
) -> Response {
    let answer = async {
        let entered = enter(&app, &e2b, (&parts, id.as_deref())).await?;
        let method = parts.method.clone();
        let path = parts.uri.path().to_owned();
        let inside = Inside { app, entered, parts, user: User::Usual };
        match (&method, path.as_str()) {
            (&Method::GET, "/envs") => {
                Ok(Json(json!(inside.entered.sandbox.record().variables)).into_response())
            }
            (&Method::GET, "/metrics") => {
                let asked = inside.asked(line::SANDBOX_USAGE, json!({}));
                let used = usage::look(&inside.app, asked, &inside.entered.sandbox).await?;
                Ok(Json(used.own()).into_response())
            }
            (&Method::POST, "/files/compose") => files::compose(&inside, body).await,
            _ => Err(Wrong::new(Kind::NotFound, "there is nothing at this address")),
        }
    };
    let answer: Result<Response> = answer.await;
    answer.unwrap_or_else(|wrong| wrong.plain())
}
