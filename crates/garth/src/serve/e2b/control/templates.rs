//! The routes that tell which templates there are. They are the operator's, so none is built.

use axum::{
    Json,
    extract::{Path, State},
    http::request::Parts,
    response::{IntoResponse, Response},
};
use garth_sandbox::Limits;
use serde_json::{Value, json};

use super::{Known, answered};
use crate::serve::{
    app::App,
    e2b::{
        describe::{self, ENVD_VERSION},
        door::operator,
        life::E2b,
        line::{self, Asked, about},
        refuse::{Kind, Result, Wrong},
    },
};

/// Lists them.
pub(in crate::serve::e2b) async fn all(State((app, e2b)): Known, parts: Parts) -> Response {
    let told = async {
        asked(&app, &parts).await?;
        let all: Vec<_> = e2b.options().names().into_iter().map(|name| told(&e2b, name)).collect();
        Ok(Json(all).into_response())
    };
    answered(told.await)
}

/// Tells whether there is one of a name.
pub(in crate::serve::e2b) async fn named(
    State((app, e2b)): Known,
    Path(name): Path<String>,
    parts: Parts,
) -> Response {
    let told = async {
        asked(&app, &parts).await?;
        if e2b.options().made(&name).is_none() {
            let message = format!("there is no template {name:?}");
            return Err(Wrong::new(Kind::NotFound, message));
        }
        Ok(Json(json!({ "templateID": name, "public": false })).into_response())
    };
    answered(told.await)
}

async fn asked(app: &App, parts: &Parts) -> Result<()> {
    let caller = operator(app, parts).await?;
    let asked = Asked { caller, operation: line::TEMPLATE_LIST, params: json!({}), bytes: 0 };
    Ok(about(app, asked, async { Ok(()) }).await?)
}

/// A template as the wire tells of it; its name is its id, and it is as old as the gateway.
fn told(e2b: &E2b, name: &str) -> Value {
    let limits = Limits::usual();
    let since = describe::time(e2b.since_ms());
    let count = e2b.all().iter().filter(|sandbox| sandbox.record().template == name).count();
    json!({
        "templateID": name,
        "buildID": name,
        "cpuCount": describe::processors(),
        "memoryMB": limits.memory.unwrap_or(0) >> 20,
        "diskSizeMB": limits.tmp_bytes >> 20,
        "public": false,
        "aliases": [name],
        "names": [name],
        "createdAt": since,
        "updatedAt": since,
        "createdBy": null,
        "lastSpawnedAt": null,
        "spawnCount": count,
        "buildCount": 1,
        "envdVersion": ENVD_VERSION,
        "buildStatus": "ready",
    })
}
