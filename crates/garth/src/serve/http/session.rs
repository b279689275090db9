//! The session of a person in a browser: a ticket for a cookie, who one is, the end.

use std::sync::Arc;

use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use garth_contract::{Code, Error, Result};
use garth_gateway::{Credential, Role, Secret, audit::Begin};
use serde_json::{Map, Value, json};

use super::{
    asked::{Asked, Connected},
    body::{self, Whole},
    caller::{COOKIE, Means, presented},
    refused,
};
use crate::serve::app::App;

/// How long a browser keeps the cookie: as long as the session lasts, in seconds.
const LASTS: u32 = 24 * 3_600;
/// The largest body: a ticket and what JSON needs around it.
const MOST: u64 = 4 << 10;

/// Takes a ticket, and gives a session in a cookie that no script can read.
pub(super) async fn begin(State(app): State<Arc<App>>, asked: Asked, body: Body) -> Response {
    match taken(&app, &asked, body).await {
        Ok((secret, said)) => {
            let mut response = Json(said).into_response();
            set(&mut response, &asked.connected, &secret.reveal(), LASTS);
            response
        }
        Err(error) => refused(&error),
    }
}

async fn taken(app: &App, asked: &Asked, body: Body) -> Result<(Secret, Value)> {
    let Whole { bytes, .. } = body::whole(&app.memory, body, MOST).await?;
    let sent = body::object(&asked.headers, &bytes)?;
    let ticket = match (sent.get("ticket").and_then(Value::as_str), sent.len()) {
        (Some(ticket), 1) => ticket,
        (_, _) => {
            let message = "the body is an object with the text ticket, and nothing else";
            return Err(Error::new(Code::InvalidParams, message));
        }
    };
    let (secret, token) = app.gateway.callers().exchange(ticket).await?;
    // Nobody has the secret yet; a session that is on no record is never told.
    let begin = Begin {
        caller: token.id.clone().into(),
        role: token.role.into(),
        session: asked.connected.name().into(),
        operation: "session.begin".into(),
        summary: format!("label: {}", token.label).into(),
        bytes_in: bytes.len() as u64,
        ..Begin::default()
    };
    app.gateway.audit().open(begin).await?.close(Ok(0)).await?;
    let said = json!({
        "id": token.id,
        "role": token.role,
        "label": token.label,
        "expiresMs": token.expires_ms,
    });
    Ok((secret, said))
}

/// Says who asks.
pub(super) async fn tell(State(app): State<Arc<App>>, asked: Asked) -> Response {
    match presented(&app, &asked.headers).await {
        Ok(Some((credential, _))) => Json(told(&credential)).into_response(),
        Ok(None) => refused(&Error::of(Code::Unauthenticated)),
        Err(error) => refused(&error),
    }
}

fn told(credential: &Credential) -> Map<String, Value> {
    let mut said = Map::new();
    said.insert("id".to_owned(), credential.id().into());
    let role = match credential.role() {
        Role::Operator => "operator",
        Role::Agent(_) => "agent",
        Role::User => "user",
    };
    said.insert("role".to_owned(), role.into());
    if let Role::Agent(agent) = credential.role() {
        said.insert("agent".to_owned(), agent.as_str().into());
    }
    said.insert("label".to_owned(), credential.label().into());
    said
}

/// Ends the session of the browser that asks; a token is taken back by its operator.
pub(super) async fn end(State(app): State<Arc<App>>, asked: Asked) -> Response {
    let ended = async {
        match presented(&app, &asked.headers).await? {
            Some((credential, Means::Cookie)) => {
                let begin = Begin {
                    caller: credential.id().to_owned().into(),
                    role: credential.role().to_string().into(),
                    session: asked.connected.name().into(),
                    operation: "session.end".into(),
                    ..Begin::default()
                };
                let record = app.gateway.audit().open(begin).await?;
                let ended = app.gateway.callers().revoke(credential.id()).await;
                record.close(ended.as_ref().map(|()| 0).map_err(Error::code)).await?;
                ended
            }
            Some((_, Means::Token)) => {
                let message = "this was asked with a token, which is no session";
                Err(Error::new(Code::InvalidRequest, message))
            }
            None => Err(Error::of(Code::Unauthenticated)),
        }
    };
    match ended.await {
        Ok(()) => {
            let mut response = Json(json!({"ended": true})).into_response();
            set(&mut response, &asked.connected, "", 0);
            response
        }
        Err(error) => {
            let mut response = refused(&error);
            if error.code() == Code::Unauthenticated {
                // One that is no longer good would stand in the way of every other way in.
                set(&mut response, &asked.connected, "", 0);
            }
            response
        }
    }
}

/// Gives the browser the cookie.
fn set(response: &mut Response, connected: &Connected, value: &str, seconds: u32) {
    let secure = if connected.is_secure() { "; Secure" } else { "" };
    let cookie =
        format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
}
