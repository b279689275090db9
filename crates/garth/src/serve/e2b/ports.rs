//! Ports of programs in a sandbox: a request is passed on to what listens there, and its
//! answer back.
//!
//! A WebSocket is a request too, whose connection then goes both ways until one side ends it.
//!
//! A sandbox has a loopback of its own, which is reached by a command inside that holds
//! the connection; nothing in the sandbox has to be set up for it, and it ends with the
//! answer. Whoever asks needs the sandbox's secret, or the one for its ports.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use axum::{
    body::Body,
    http::{self, HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header, request::Parts},
    response::Response,
};
use bytes::Bytes;
use garth_contract::{
    Ask, Code, Command, Input, ProcessId, Program, Signal, Stdin, Stream, Timeout,
};
use garth_workspace::Workspace;
use hyper::{body::Incoming, client::conn::http1, upgrade::OnUpgrade};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::io::{
    AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, copy_bidirectional, duplex,
    split,
};

use super::{
    door::{PROOFS, closed, enter_port},
    envd::{Inside, pass_over},
    life::E2b,
    line,
    refuse::{Kind, Result, Wrong},
    user::User,
};
use crate::serve::app::App;

/// How long what listens may take until it begins to answer.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long a connection may last altogether.
const LONGEST: Duration = Duration::from_secs(24 * 3_600);
/// Bytes on their way, in each direction.
const MOST_UNDERWAY: usize = 256 << 10;
/// How long is waited for more of an answer at a time.
const LOOK: Duration = Duration::from_secs(10);
/// How long is waited before more is sent to what does not read.
const PAUSE: Duration = Duration::from_millis(20);
/// What a connection can become.
const WEBSOCKET: &str = "websocket";
/// What is about one connection and not about the request.
const HOP: [HeaderName; 8] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// Passes a request on to a port of a sandbox.
pub(super) async fn serve(
    app: Arc<App>,
    e2b: E2b,
    (mut parts, id): (Parts, Option<String>),
    (port, body): (&str, Body),
) -> Response {
    let entered = match enter_port(&app, &e2b, (&parts, id.as_deref())).await {
        Ok(entered) => entered,
        Err(wrong) => {
            pass_over(Some(body));
            return wrong.plain();
        }
    };
    let port = match port.parse::<u16>() {
        Ok(port) if port > 0 => port,
        Ok(_) | Err(_) => return closed(port).plain(),
    };
    let upgrade = parts.headers.get(header::UPGRADE).map(|value| value.as_bytes());
    let socket = upgrade.is_some_and(|value| value.eq_ignore_ascii_case(WEBSOCKET.as_bytes()));
    if upgrade.is_some() && !socket {
        let message = "connections to ports of a sandbox are upgraded to WebSockets alone";
        return Wrong::new(Kind::Unimplemented, message).plain();
    }
    let ours = parts.extensions.remove::<OnUpgrade>().filter(|_| socket);
    let inside = Inside { app, entered, parts, user: User::Usual };
    passed(inside, (port, ours), body).await.unwrap_or_else(|wrong| wrong.plain())
}

async fn passed(
    inside: Inside,
    (port, ours): (u16, Option<OnUpgrade>),
    body: Body,
) -> Result<Response> {
    let connection = open(&inside, port).await?;
    let not_open = |_| closed(&port.to_string());
    let (mut sender, driving) =
        http1::handshake(TokioIo::new(connection)).await.map_err(not_open)?;
    tokio::spawn(driving.with_upgrades());
    let mut request = request(&inside.parts, port, body)?;
    if ours.is_some() {
        upgrade(request.headers_mut());
    }
    let answering = tokio::time::timeout(PATIENCE, sender.send_request(request));
    let late = |_| Wrong::new(Kind::DeadlineExceeded, "what listens on the port does not answer");
    let answer = answering.await.map_err(late)?.map_err(not_open)?;
    if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
        let refused = || Wrong::new(Kind::Internal, "what listens switches protocols unasked");
        return Ok(switched(&inside, ours.ok_or_else(refused)?, answer));
    }
    let (mut parts, body) = answer.into_parts();
    without_hops(&mut parts.headers);
    Ok(Response::from_parts(parts, Body::new(body)))
}

/// Says of a request or its answer that the connection becomes a WebSocket.
fn upgrade(headers: &mut HeaderMap) {
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static(WEBSOCKET));
}

/// Answers as what listens did; from then on the bytes of each side are brought to the
/// other, until either ends, the sandbox stops, or the longest time is over.
fn switched(inside: &Inside, ours: OnUpgrade, mut answer: http::Response<Incoming>) -> Response {
    let theirs = hyper::upgrade::on(&mut answer);
    let sandbox = Arc::clone(&inside.entered.sandbox);
    tokio::spawn(async move {
        let joined = async {
            let (Ok(ours), Ok(theirs)) = tokio::join!(ours, theirs) else { return };
            let (mut ours, mut theirs) = (TokioIo::new(ours), TokioIo::new(theirs));
            let _ = copy_bidirectional(&mut ours, &mut theirs).await;
        };
        tokio::select! {
            () = joined => {}
            _ = sandbox.stopped() => {}
            () = tokio::time::sleep(LONGEST) => {}
        }
    });
    let (mut parts, _) = answer.into_parts();
    without_hops(&mut parts.headers);
    upgrade(&mut parts.headers);
    Response::from_parts(parts, Body::empty())
}

/// The request as what listens hears it: without what proves a right to the sandbox.
fn request(parts: &Parts, port: u16, body: Body) -> Result<Request<Body>> {
    let mut request = Request::new(body);
    *request.method_mut() = parts.method.clone();
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let wrong = |_| Wrong::invalid("the address cannot be passed on");
    *request.uri_mut() = target.parse().map_err(wrong)?;
    let mut headers = parts.headers.clone();
    without_hops(&mut headers);
    for proof in &PROOFS {
        headers.remove(proof);
    }
    let host = HeaderValue::from_str(&format!("localhost:{port}"));
    headers.insert(header::HOST, host.map_err(|_| closed(&port.to_string()))?);
    // It serves this request alone.
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    *request.headers_mut() = headers;
    Ok(request)
}

fn without_hops(headers: &mut HeaderMap) {
    for name in &HOP {
        headers.remove(name);
    }
}

/// Connects to a port inside.
async fn open(inside: &Inside, port: u16) -> Result<DuplexStream> {
    // The first program is the one that reads, so all of it ends with the answer.
    let script = format!(
        "exec 4<&0 3<>/dev/tcp/127.0.0.1/{port} || exit 1; cat <&4 >&3 & exec cat <&3 4<&-"
    );
    let mut command = Command::new(Program::script(script)?);
    command.stdin = Stdin::Open;
    command.timeout = Timeout::at_most(LONGEST);
    let asked = inside.asked(line::PORT_OPEN, json!({ "port": port.to_string() }));
    let started = line::inside(&inside.app, (asked, inside.id()), |workspace, left| async move {
        let id = workspace.inside()?.shell.start(command).await?;
        left.put_process(&workspace, id);
        Ok((Pipe { id, workspace: Arc::downgrade(&workspace) }, 0))
    });
    let pipe = Arc::new(started.await?);
    inside.entered.sandbox.hide(pipe.id);
    let (ours, theirs) = duplex(MOST_UNDERWAY);
    let (reader, writer) = split(theirs);
    tokio::spawn(Arc::clone(&pipe).up(reader));
    tokio::spawn(pipe.down(writer));
    Ok(ours)
}

/// A process through which bytes go both ways.
struct Pipe {
    id: ProcessId,
    workspace: Weak<Workspace>,
}

impl Pipe {
    /// Brings what is sent; once nobody is there any more, it ends the process.
    async fn up(self: Arc<Self>, mut from: ReadHalf<DuplexStream>) {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            let Some(bytes) = buffer.get(..count).map(Bytes::copy_from_slice) else { break };
            if !self.put(bytes).await {
                return;
            }
        }
        let Some(workspace) = self.workspace.upgrade() else { return };
        if let Ok(inside) = workspace.inside() {
            // One that ended by itself needs none.
            let _ = inside.shell.signal(self.id, Signal::KILL).await;
        }
    }

    async fn put(&self, bytes: Bytes) -> bool {
        loop {
            let Some(workspace) = self.workspace.upgrade() else { return false };
            let Ok(inside) = workspace.inside() else { return false };
            match inside.shell.input(self.id, Input::Bytes(bytes.clone())).await {
                Ok(()) => return true,
                Err(error) if error.code() == Code::RateLimitExceeded => {}
                Err(_) => return false,
            }
            drop(workspace);
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Brings what is answered, until the process ends or nobody reads it. What outran
    /// its reader by more than is kept breaks off.
    async fn down(self: Arc<Self>, mut to: WriteHalf<DuplexStream>) {
        let mut from = 0;
        loop {
            let Some(workspace) = self.workspace.upgrade() else { break };
            let Ok(inside) = workspace.inside() else { break };
            let ask = Ask { from, most: MOST_UNDERWAY, wait: LOOK };
            let Ok(printed) = inside.shell.output(self.id, ask).await else { break };
            drop(workspace);
            from = printed.next;
            if printed.missing > 0 || (printed.pieces.is_empty() && printed.ended.is_some()) {
                break;
            }
            for piece in printed.pieces.iter().filter(|piece| piece.stream == Stream::Stdout) {
                if to.write_all(&piece.bytes).await.is_err() {
                    return;
                }
            }
        }
        let _ = to.shutdown().await;
    }
}
