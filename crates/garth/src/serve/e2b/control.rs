//! The routes by which sandboxes are made, listed, renewed, paused and ended.

mod list;
mod templates;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use axum::{
    Json,
    body::Body,
    extract::{Path, RawQuery, Request, State},
    http::{HeaderMap, StatusCode, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use garth_contract::Code;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    describe,
    door::operator,
    life::{E2b, Lives, Wanted},
    line::{self, Asked, Named, about},
    options::BASE,
    record::OnTimeout,
    refuse::{Kind, Result, Wrong},
    sandbox::{Phase, Sandbox},
};
use crate::serve::{app::App, http::body};

pub(super) use list::{list, list_all};
pub(super) use templates::{all as templates, named as template};

/// The largest body of a request about sandboxes: metadata and variables are texts.
const MOST_BODY: u64 = 256 << 10;
/// How long a sandbox lives that does not say.
const USUAL_LIFE: u64 = 15;
/// Entries of metadata, and variables, of a sandbox.
const MOST_PAIRS: usize = 256;
/// The longest name or value of either, in bytes.
const MOST_TEXT: usize = 32 << 10;

/// The longest name of a creation, in bytes.
const MOST_ONCE: usize = 200;

/// What every route knows.
pub(super) type Known = State<(Arc<App>, E2b)>;

/// What a new sandbox is to be, as it is sent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct New {
    #[serde(rename = "templateID")]
    template: Option<String>,
    timeout: Option<u64>,
    metadata: Option<BTreeMap<String, String>>,
    env_vars: Option<BTreeMap<String, String>>,
    auto_pause: Option<bool>,
    auto_resume: Option<AutoResume>,
    #[serde(rename = "allow_internet_access")]
    internet: Option<bool>,
    volume_mounts: Option<Vec<Value>>,
    mcp: Option<Value>,
    iam: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum AutoResume {
    Told { enabled: bool },
    Plain(bool),
}

/// Takes the whole body of a request before it is looked at: a connection on which some
/// of it was left unread is closed, and its client has sent the next request by then.
pub(super) async fn taken(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match body::whole(&app.memory, body, MOST_BODY).await {
        Ok(whole) => next.run(Request::from_parts(parts, Body::from(whole.bytes))).await,
        Err(error) => Wrong::from(error).plain(),
    }
}

/// Makes a sandbox.
pub(super) async fn create(State((app, e2b)): Known, parts: Parts, body: Body) -> Response {
    let made = async {
        let caller = operator(&app, &parts).await?;
        let new: New = read(&app, body).await?;
        let wanted = wanted(&e2b, &parts.headers, new, caller.id())?;
        let params = json!({ "template": wanted.template });
        let asked = Asked { caller, operation: line::SANDBOX_CREATE, params, bytes: 0 };
        let all = e2b.clone();
        let sandbox = about(&app, asked, async move { all.make(wanted).await }).await?;
        Ok((StatusCode::CREATED, Json(describe::handle(&sandbox))).into_response())
    };
    answered(made.await)
}

fn wanted(e2b: &E2b, headers: &HeaderMap, new: New, caller: &str) -> Result<Wanted> {
    for (there, what) in [
        (new.volume_mounts.is_some_and(|mounts| !mounts.is_empty()), "volumes"),
        (new.mcp.is_some_and(|mcp| !mcp.is_null()), "MCP servers beside a sandbox"),
        (new.iam.is_some_and(|iam| !iam.is_null()), "cloud identities"),
    ] {
        if there {
            return Err(absent(what));
        }
    }
    let pairs = |pairs: Option<BTreeMap<String, String>>, what: &str| {
        let pairs = pairs.unwrap_or_default();
        let long = pairs.iter().any(|(name, value)| name.len().max(value.len()) > MOST_TEXT);
        if long || pairs.len() > MOST_PAIRS {
            return Err(Wrong::invalid(format!("{what} are too many or too long")));
        }
        Ok(pairs)
    };
    let variables = pairs(new.env_vars, "envVars")?;
    garth_contract::Variables::new(variables.clone())?;
    let once = headers.get("idempotency-key").and_then(|value| value.to_str().ok());
    let auto_resume = new.auto_resume.is_some_and(|auto| match auto {
        AutoResume::Told { enabled } | AutoResume::Plain(enabled) => enabled,
    });
    Ok(Wanted {
        template: new.template.filter(|name| !name.is_empty()).unwrap_or_else(|| BASE.to_owned()),
        lives: lives(e2b, new.timeout)?,
        metadata: pairs(new.metadata, "metadata")?,
        variables,
        on_timeout: on_timeout(new.auto_pause),
        auto_resume,
        internet: new.internet,
        // One caller's names are not another's.
        once: once
            .and_then(|once| once.get(..once.floor_char_boundary(MOST_ONCE)))
            .map(|once| format!("{caller} {once}")),
    })
}

fn on_timeout(auto_pause: Option<bool>) -> OnTimeout {
    match auto_pause {
        Some(true) => OnTimeout::Pause,
        Some(false) | None => OnTimeout::Kill,
    }
}

fn lives(e2b: &E2b, seconds: Option<u64>) -> Result<Duration> {
    let lives = Duration::from_secs(seconds.unwrap_or(USUAL_LIFE));
    let longest = e2b.options().longest;
    if lives > longest {
        let most = longest.as_secs();
        return Err(Wrong::invalid(format!("Timeout cannot be greater than {most} seconds")));
    }
    Ok(lives)
}

/// Tells of one sandbox.
pub(super) async fn get(
    State((app, e2b)): Known,
    Path(id): Path<String>,
    parts: Parts,
) -> Response {
    let told = async {
        let asked = asked(&app, &parts, (line::SANDBOX_GET, &id)).await?;
        let sandbox = find(&e2b, &id)?;
        let told = about(&app, asked, async move { Ok(describe::detail(&sandbox)) }).await?;
        Ok(Json(told).into_response())
    };
    answered(told.await)
}

/// Ends a sandbox.
pub(super) async fn kill(
    State((app, e2b)): Known,
    Path(id): Path<String>,
    parts: Parts,
) -> Response {
    let killed = async {
        let asked = asked(&app, &parts, (line::SANDBOX_KILL, &id)).await?;
        let (all, sandbox) = (e2b.clone(), find(&e2b, &id)?);
        about(&app, asked, async move { all.end(&sandbox).await }).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    };
    answered(killed.await)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Life {
    timeout: Option<u64>,
    duration: Option<u64>,
    auto_pause: Option<bool>,
}

/// Lets a sandbox live for so long from now.
pub(super) async fn renew(
    State((app, e2b)): Known,
    Path(id): Path<String>,
    parts: Parts,
    body: Body,
) -> Response {
    let renewed = async {
        let asked = asked(&app, &parts, (line::SANDBOX_RENEW, &id)).await?;
        let Life { timeout, duration, .. } = read(&app, body).await?;
        let lives = lives(&e2b, timeout.or(duration))?;
        let (all, sandbox) = (e2b.clone(), find(&e2b, &id)?);
        about(&app, asked, async move { all.renew(&sandbox, lives).await }).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    };
    answered(renewed.await)
}

/// Stops everything in a sandbox.
pub(super) async fn pause(
    State((app, e2b)): Known,
    Path(id): Path<String>,
    parts: Parts,
) -> Response {
    let paused = async {
        let asked = asked(&app, &parts, (line::SANDBOX_PAUSE, &id)).await?;
        let (all, sandbox) = (e2b.clone(), find(&e2b, &id)?);
        let done = about(&app, asked, async move { all.pause(&sandbox).await }).await;
        match done {
            Err(error) if error.code() == Code::Conflict => {
                Err(Wrong::new(Kind::AlreadyExists, format!("Sandbox {id:?} is already paused")))
            }
            other => Ok(other?),
        }?;
        Ok(StatusCode::NO_CONTENT.into_response())
    };
    answered(paused.await)
}

/// Meets a sandbox, which goes on if it was paused.
pub(super) async fn connect(
    State((app, e2b)): Known,
    Path(id): Path<String>,
    parts: Parts,
    body: Body,
) -> Response {
    let met = async {
        let asked = asked(&app, &parts, (line::SANDBOX_CONNECT, &id)).await?;
        let Life { timeout, .. } = read(&app, body).await?;
        let lives = lives(&e2b, timeout)?;
        let (all, sandbox) = (e2b.clone(), find(&e2b, &id)?);
        let met = Arc::clone(&sandbox);
        let resumed = about(&app, asked, async move {
            // One that goes on has the time that is asked for; one that runs no less.
            let resumed = all.resume(&met, Lives::For(lives)).await?;
            if !resumed {
                all.extend(&met, lives).await?;
            }
            Ok(resumed)
        });
        let status = if resumed.await? { StatusCode::CREATED } else { StatusCode::OK };
        Ok((status, Json(describe::handle(&sandbox))).into_response())
    };
    answered(met.await)
}

/// Lets a paused sandbox go on, as older SDKs ask for it.
pub(super) async fn resume(
    State((app, e2b)): Known,
    Path(id): Path<String>,
    parts: Parts,
    body: Body,
) -> Response {
    let resumed = async {
        let asked = asked(&app, &parts, (line::SANDBOX_CONNECT, &id)).await?;
        let Life { timeout, auto_pause, .. } = read(&app, body).await?;
        let lives = lives(&e2b, timeout)?;
        let (all, sandbox) = (e2b.clone(), find(&e2b, &id)?);
        if sandbox.phase() == Phase::Running {
            let message = format!("Sandbox {id:?} is already running");
            return Err(Wrong::new(Kind::AlreadyExists, message));
        }
        let met = Arc::clone(&sandbox);
        about(&app, asked, async move {
            all.resume(&met, Lives::For(lives)).await?;
            if auto_pause.is_some() {
                met.change(|record| record.on_timeout = on_timeout(auto_pause));
            }
            all.renew(&met, lives).await
        })
        .await?;
        Ok((StatusCode::CREATED, Json(describe::handle(&sandbox))).into_response())
    };
    answered(resumed.await)
}

/// What a sandbox uses now.
pub(super) async fn metrics(
    State((app, e2b)): Known,
    Path(id): Path<String>,
    parts: Parts,
) -> Response {
    let told = async {
        let asked = asked(&app, &parts, (line::SANDBOX_USAGE, &id)).await?;
        let sandbox = find(&e2b, &id)?;
        if sandbox.phase() != Phase::Running {
            return Ok(Json(json!([])).into_response());
        }
        let told = super::usage::look(&app, asked, &sandbox).await?;
        Ok(Json(json!([told.metric()])).into_response())
    };
    answered(told.await)
}

/// What was logged of a sandbox: nothing, since its output belongs to its callers.
pub(super) async fn logs(
    State((app, e2b)): Known,
    Path(id): Path<String>,
    parts: Parts,
) -> Response {
    let told = async {
        let asked = asked(&app, &parts, (line::SANDBOX_GET, &id)).await?;
        find(&e2b, &id)?;
        about(&app, asked, async { Ok(()) }).await?;
        Ok(Json(json!({ "logs": [], "logEntries": [] })).into_response())
    };
    answered(told.await)
}

/// What the wire has and this does not.
pub(super) async fn not_here(
    State((app, _)): Known,
    parts: Parts,
    RawQuery(_): RawQuery,
) -> Response {
    let told = async {
        operator(&app, &parts).await?;
        let first = parts.uri.path().split('/').find(|part| part.len() > 2).unwrap_or_default();
        let last = parts.uri.path().rsplit('/').next().unwrap_or_default();
        let what = if first == "sandboxes" { last } else { first };
        Err(absent(what))
    };
    answered(told.await)
}

/// That something is not there, on purpose.
fn absent(what: &str) -> Wrong {
    let message = format!("{what}: this server has none of it; docs/e2b.md says what there is");
    Wrong::new(Kind::Unimplemented, message)
}

async fn asked(app: &App, parts: &Parts, (operation, id): (Named, &str)) -> Result<Asked> {
    let caller = operator(app, parts).await?;
    Ok(Asked { caller, operation, params: json!({ "sandbox": id }), bytes: 0 })
}

fn find(e2b: &E2b, id: &str) -> Result<Arc<Sandbox>> {
    e2b.find(id).ok_or_else(|| Wrong::unknown(id))
}

/// Reads the body of a request, which may be missing.
async fn read<T: DeserializeOwned>(app: &App, body: Body) -> Result<T> {
    let whole = body::whole(&app.memory, body, MOST_BODY).await?;
    let bytes: &[u8] = if whole.bytes.is_empty() { b"{}" } else { &whole.bytes };
    serde_json::from_slice(bytes)
        .map_err(|error| Wrong::invalid(format!("the body is not what it should be: {error}")))
}

fn answered(result: Result<Response>) -> Response {
    result.unwrap_or_else(|wrong| wrong.plain())
}
