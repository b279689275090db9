//! A call whose answer comes as events: what its command prints, then the result.
//!
//! A client that goes away gives the call up, and its command ends.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};
use bytes::Bytes;
use futures::{Stream, stream};
use garth_contract::{Code, Error, Result};
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinHandle};

use super::{
    asked::Asked,
    refused,
    tools::{Prepared, prepare},
};
use crate::serve::{
    answer::{Along, Answer},
    app::App,
    live::{Live, Told},
};

/// How often something is sent so that nobody on the way takes the connection for dead.
const QUIET: Duration = Duration::from_secs(15);

/// Tells whether a client wants events.
pub(super) fn wanted(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepts.flat_map(|accept| accept.split(',')).any(|accept| {
        let accept = accept.split(';').next().unwrap_or_default().trim();
        accept.eq_ignore_ascii_case("text/event-stream")
    })
}

/// Calls an operation; what refuses it before it begins is answered as ever.
pub(super) async fn run(
    app: Arc<App>,
    asked: &Asked,
    body: Body,
    (operation, agent): (&str, String),
) -> Response {
    let prepared = prepare(&app, asked, body, operation, |_| Ok(Some(agent))).await;
    let mut prepared = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return refused(&error),
    };
    let (live, mut told) = Live::new();
    prepared.call.along = Along::telling(live);
    let mut running = Running(tokio::spawn(async move { Prepared::run(prepared, &app).await }));
    match told.recv().await {
        Some(_) => respond(stream::unfold(Some((running, told)), next)),
        // It was refused, or is an answer that was given before.
        None => match running.ended().await {
            Ok(answer) => respond(stream::iter([last(Ok(answer))])),
            Err(error) => refused(&error),
        },
    }
}

/// A call under way, which ends with this.
struct Running(JoinHandle<Result<Answer>>);

impl Running {
    async fn ended(&mut self) -> Result<Answer> {
        (&mut self.0).await.unwrap_or_else(|_| Err(Error::of(Code::Internal)))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

type State = Option<(Running, mpsc::Receiver<Told>)>;

async fn next(state: State) -> Option<(Result<Bytes, std::convert::Infallible>, State)> {
    let (mut running, mut told) = state?;
    let frame = loop {
        tokio::select! {
            biased;
            piece = told.recv() => match piece {
                Some(Told::Begun) => {}
                Some(Told::Printed(printed)) => break event("output", &printed),
                None => return Some((last(running.ended().await), None)),
            },
            () = tokio::time::sleep(QUIET) => break Bytes::from_static(b":\n\n"),
        }
    };
    Some((Ok(frame), Some((running, told))))
}

/// The event that ends a stream.
fn last(answer: Result<Answer>) -> Result<Bytes, std::convert::Infallible> {
    let facts = match answer {
        Ok(answer) => answer.into_facts(),
        Err(error) => Err(garth_ops::failure(&error)),
    };
    Ok(match facts {
        Ok(facts) => event("result", &Value::Object(facts)),
        Err(body) => event("error", &json!({ "error": body })),
    })
}

/// JSON has no line feeds, so that it is one line of data.
fn event(name: &str, data: &Value) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

fn respond(
    frames: impl Stream<Item = Result<Bytes, std::convert::Infallible>> + Send + 'static,
) -> Response {
    let mut response = Response::new(Body::from_stream(frames));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // Some proxies keep a stream until it has ended.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
