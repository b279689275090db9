//! The port of a sandbox where code is run in contexts that keep their state, as SDKs of
//! the code interpreter ask for it.
//!
//! A context is a process of the sandbox's own Python, which runs a program of ours with
//! IPython; there is no server in the sandbox.

mod cell;
mod contexts;
mod kernel;
mod scan;

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Json,
    body::Body,
    http::{Method, StatusCode, request::Parts},
    response::{IntoResponse, Response},
};
use garth_contract::{Links, Variables};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use self::{
    cell::Cell,
    contexts::{Context, LANGUAGE},
};
use super::{
    door::{enter_port, path, shown},
    envd::Inside,
    life::E2b,
    line,
    refuse::{Kind, Result, Wrong},
    user::User,
};
use crate::serve::{app::App, http::body};

pub(super) use contexts::Contexts;

/// The largest body of a request: a cell, which a person or a model wrote.
const MOST_BODY: u64 = 4 << 20;

/// Answers a request to this port.
pub(super) async fn serve(
    app: Arc<App>,
    e2b: E2b,
    (parts, id): (Parts, Option<String>),
    body: Body,
) -> Response {
    // Taken before anything is judged, so that the connection can be used again.
    let whole = match body::whole(&app.memory, body, MOST_BODY).await {
        Ok(whole) => whole,
        Err(error) => return Wrong::from(error).plain(),
    };
    if parts.uri.path() == "/health" {
        return match super::door::running(&e2b, id.as_deref().unwrap_or_default()).await {
            Ok(_) => Json("OK").into_response(),
            Err(wrong) => wrong.plain(),
        };
    }
    let answer = async {
        let entered = enter_port(&app, &e2b, (&parts, id.as_deref())).await?;
        let python = e2b.options().interpreter.clone();
        answered(Inside { app, entered, parts, user: User::Usual }, python, &whole.bytes).await
    };
    answer.await.unwrap_or_else(|wrong: Wrong| wrong.plain())
}

async fn answered(inside: Inside, python: String, bytes: &[u8]) -> Result<Response> {
    let path = inside.parts.uri.path().trim_matches('/').to_owned();
    let names: Vec<&str> = path.split('/').collect();
    match (&inside.parts.method.clone(), names.as_slice()) {
        (&Method::POST, ["execute"]) => execute(inside, python, read(bytes)?).await,
        (&Method::POST, ["contexts"]) => create(inside, python, read(bytes)?).await,
        (&Method::GET, ["contexts"]) => list(&inside).await,
        (&Method::DELETE, ["contexts", id]) => remove(&inside, id).await,
        (&Method::POST, ["contexts", id, "restart"]) => restart(inside, python, id).await,
        _ => Err(Wrong::new(Kind::NotFound, "there is nothing at this address")),
    }
}

#[derive(Deserialize)]
struct Execute {
    code: String,
    context_id: Option<String>,
    language: Option<String>,
    env_vars: Option<BTreeMap<String, String>>,
}

/// Runs a cell, and tells what comes of it.
async fn execute(inside: Inside, python: String, asked: Execute) -> Result<Response> {
    if asked.context_id.is_some() && asked.language.is_some() {
        return Err(Wrong::invalid("a context or a language is named, not both"));
    }
    check(asked.language.as_deref())?;
    let variables = asked.env_vars.unwrap_or_default();
    Variables::new(variables.clone())?;
    let contexts = &inside.entered.sandbox.contexts;
    let context = contexts.find(asked.context_id.as_deref(), &path("", User::Usual)?)?;
    let cell = Cell { code: asked.code, variables: json!(variables), python };
    cell::run(inside, context, cell).await
}

#[derive(Deserialize)]
struct Create {
    language: Option<String>,
    cwd: Option<String>,
}

/// Makes a context, with its kernel.
async fn create(inside: Inside, python: String, asked: Create) -> Result<Response> {
    check(asked.language.as_deref())?;
    let directory = path(asked.cwd.as_deref().unwrap_or_default(), inside.user)?;
    let call = inside.asked(line::FILE_STAT, json!({ "path": shown(&directory) }));
    let looked = directory.clone();
    let kind = line::inside(&inside.app, (call, inside.id()), |workspace, _| async move {
        Ok((workspace.inside()?.files.stat(&looked, Links::Follow).await?.kind, 0))
    });
    // That a context is not found is what another status says.
    let kind = kind
        .await
        .map_err(|error| Wrong::from(error).into_kind(Kind::NotFound, Kind::InvalidArgument))?;
    if kind != garth_contract::Kind::Dir {
        return Err(Wrong::invalid(format!("not a directory: {}", shown(&directory))));
    }
    let contexts = &inside.entered.sandbox.contexts;
    let context = contexts.make(directory)?;
    if let Err(wrong) = begin(&inside, python, &context).await {
        let _ = contexts.remove(&context.id);
        return Err(wrong);
    }
    Ok(Json(context.told()).into_response())
}

/// Lists the contexts that there are.
async fn list(inside: &Inside) -> Result<Response> {
    let sandbox = Arc::clone(&inside.entered.sandbox);
    let asked = inside.asked(line::CODE_LIST, json!({}));
    let all = line::inside(&inside.app, (asked, inside.id()), |_, _| async move {
        Ok((sandbox.contexts.all(), 0))
    });
    let told: Vec<Value> = all.await?.iter().map(|context| context.told()).collect();
    Ok(Json(told).into_response())
}

/// Ends a context with its kernel and all that it started.
async fn remove(inside: &Inside, id: &str) -> Result<Response> {
    let context = inside.entered.sandbox.contexts.remove(id)?;
    end(inside, &context).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Gives a context a new kernel.
async fn restart(inside: Inside, python: String, id: &str) -> Result<Response> {
    let context = inside.entered.sandbox.contexts.find(Some(id), &path("", User::Usual)?)?;
    end(&inside, &context).await?;
    begin(&inside, python, &context).await?;
    Ok(Json(context.told()).into_response())
}

async fn begin(inside: &Inside, python: String, context: &Context) -> Result<()> {
    let nothing = Cell { code: String::new(), variables: Value::Null, python };
    let mut turn = context.turn().await;
    cell::ready(inside, context, (&mut turn, &nothing)).await
}

/// Ends the kernel of a context, also while a cell runs, and waits until that was told.
async fn end(inside: &Inside, context: &Arc<Context>) -> Result<()> {
    let asked = inside.asked(line::CODE_END, json!({}));
    let ended = Arc::clone(context);
    let done = line::inside(&inside.app, (asked, inside.id()), |_, _| async move {
        ended.kill().await;
        *ended.turn().await = None;
        ended.remember(None);
        Ok(((), 0))
    });
    done.await.map_err(Wrong::from)
}

/// Checks that a language is the one that there is.
fn check(language: Option<&str>) -> Result<()> {
    match language {
        None | Some(LANGUAGE | "python3" | "") => Ok(()),
        Some(other) => {
            let message = format!("code is run in {LANGUAGE} alone, and not in {other:?}");
            Err(Wrong::new(Kind::Unimplemented, message))
        }
    }
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes)
        .map_err(|error| Wrong::invalid(format!("the body is not what it should be: {error}")))
}
