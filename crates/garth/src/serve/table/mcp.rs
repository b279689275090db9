//! What MCP over HTTP asks for beside tools: resources, completions, and what a model is
//! told about the workspace. The answers are those of the server over standard streams.

use std::sync::Arc;

use garth_contract::{BoxFuture, Code, Error, Result};
use garth_embed::Place;
use garth_gateway::{
    Access, At, Family, Gateway, Operation, Registry, Run, Summary, Takes, approvals::Reach,
};
use rmcp::model::CompleteRequestParams;
use serde::Deserialize;
use serde_json::{Value, json};

use super::row::{facts, read};
use crate::{
    mcp::{resources, updates::Followed, uri},
    serve::answer::{Along, Answer},
};

/// The rows.
pub(super) fn rows(gateway: &Gateway) -> Vec<Operation<Answer>> {
    let registry = gateway.registry().clone();
    vec![
        row(
            "mcp.resources.list",
            |_| Summary::default().path("/", Reach::This),
            |at, params| Box::pin(list(at, params)),
        ),
        row("mcp.resources.read", addressed, |at, params| Box::pin(show(at, params))),
        row("mcp.complete", |_| Summary::default(), |at, params| Box::pin(complete(at, params))),
        row(
            "mcp.instructions",
            |_| Summary::default(),
            move |at, params| Box::pin(instructions(registry.clone(), at, params)),
        ),
        Operation {
            name: "mcp.listen",
            access: Access::Read,
            family: Family::Tool,
            takes: Takes::Watch,
            describe: Arc::new(all_addressed),
            run: Run::on_workspace(|at, params, along: Along| Box::pin(listen(at, params, along))),
        },
    ]
}

fn row(
    name: &'static str,
    describe: fn(&Value) -> Summary,
    run: impl for<'a> Fn(At<'a>, Value) -> BoxFuture<'a, Result<Answer>> + Send + Sync + 'static,
) -> Operation<Answer> {
    Operation {
        name,
        access: Access::Read,
        family: Family::Tool,
        takes: Takes::Read,
        describe: Arc::new(describe),
        run: Run::on_workspace(move |at, params, _: Along| run(at, params)),
    }
}

/// The path of an address, where it is one.
fn addressed(params: &Value) -> Summary {
    let path = params.get("uri").and_then(Value::as_str).and_then(|uri| uri::path(uri).ok());
    match path {
        Some(path) => Summary::default().path(path.to_string(), Reach::This),
        None => Summary::default(),
    }
}

/// The paths of several addresses, with all that is below them.
fn all_addressed(params: &Value) -> Summary {
    let uris = params.get("uris").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let paths = uris.iter().filter_map(|uri| uri::path(uri.as_str()?).ok());
    paths.fold(Summary::default(), |summary, path| summary.path(path.to_string(), Reach::Tree))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Following {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    uris: Vec<String>,
}

async fn listen(at: At<'_>, params: Value, along: Along) -> Result<Answer> {
    let Following { uris, .. } = read(params)?;
    let Some(follows) = along.follows else {
        let message = "changes of resources are told to clients of MCP";
        return Err(Error::new(Code::Unsupported, message).hint("Use worktree.watch."));
    };
    let followed = Followed::all(at.workspace, uris).await?;
    let count = followed.len();
    follows.put(followed);
    facts(&json!({ "followed": count })).map(Answer::Facts)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    cursor: Option<String>,
}

async fn list(at: At<'_>, params: Value) -> Result<Answer> {
    let Listed { cursor, .. } = read(params)?;
    facts(&resources::list(at.workspace, cursor).await?).map(Answer::Facts)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Addressed {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
    uri: String,
}

async fn show(at: At<'_>, params: Value) -> Result<Answer> {
    let Addressed { uri, .. } = read(params)?;
    facts(&resources::read(at.workspace, &uri).await?).map(Answer::Facts)
}

async fn complete(at: At<'_>, params: Value) -> Result<Answer> {
    let request: CompleteRequestParams = read(params)?;
    facts(&resources::complete(at.workspace, &request).await?).map(Answer::Facts)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {
    #[serde(rename = "agentId")]
    _agent: Option<String>,
}

async fn instructions(registry: Registry, at: At<'_>, params: Value) -> Result<Answer> {
    let Nothing { .. } = read(params)?;
    let policy = registry.get(at.agent).await?.settings.policy();
    let place = Place::of(at.workspace, Some(&policy));
    let told = garth_embed::instructions(&garth_ops::workspace::DIALECT, place);
    facts(&json!({ "instructions": told })).map(Answer::Facts)
}
