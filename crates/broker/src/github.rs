//! GitHub's API, as far as an app needs it: where it is installed, tokens, and who its
//! commits are by.

use std::time::SystemTime;

use garth_contract::{Code, Error, Result};
use garth_git::Identity;
use hyper::Method;
use serde_json::{Value, json};

use crate::{
    credential::App,
    http::{Answer, Ask, Client, asked_too_often},
    moment,
    secret::Secret,
};

/// How long to wait where GitHub does not say how long.
const USUAL_WAIT: std::time::Duration = std::time::Duration::from_secs(60);

/// A token for one repository.
#[derive(Clone, Debug)]
pub(crate) struct Minted {
    pub(crate) token: Secret,
    pub(crate) expires: SystemTime,
}

/// Has a token made that may read and write the contents of one repository, and nothing
/// else.
///
/// Errors: `PERMISSION_DENIED` where the app is not installed or may not write;
/// `RATE_LIMIT_EXCEEDED`; `PROVIDER_UNAVAILABLE`; `GIT_FAILED` where GitHub does not know
/// the app's key.
pub(crate) async fn mint(
    client: &Client,
    app: &App,
    (owner, name): (&str, &str),
    now: SystemTime,
) -> Result<Minted> {
    let statement = app.key.state(&app.client_id, now)?;
    let path = format!("repos/{owner}/{name}/installation");
    let found = ask(client, app, Method::GET, &path, &statement, None).await?;
    let installation = accepted(found)?;
    let number = installation.get("id").and_then(Value::as_u64).ok_or_else(odd)?;
    let wanted = json!({ "repositories": [name], "permissions": { "contents": "write" } });
    let path = format!("app/installations/{number}/access_tokens");
    let made = ask(client, app, Method::POST, &path, &statement, Some(wanted)).await?;
    let made = accepted(made)?;
    let text = |name: &str| made.get(name).and_then(Value::as_str);
    let granted = made.get("permissions").and_then(|all| all.get("contents"));
    if granted.and_then(Value::as_str) != Some("write") {
        return Err(refused());
    }
    let token = Secret::new(text("token").ok_or_else(odd)?).map_err(|_| odd())?;
    let expires = text("expires_at").and_then(moment::parse).ok_or_else(odd)?;
    Ok(Minted { token, expires })
}

/// Has a token end before its time.
pub(crate) async fn revoke(client: &Client, app: &App, token: &Secret) -> Result<()> {
    let answer = ask(client, app, Method::DELETE, "installation/token", token, None).await?;
    match answer.status {
        // One that has ended is not known.
        401 | 404 => Ok(()),
        _ => accepted(answer).map(drop),
    }
}

/// Who the commits of an app are by.
pub(crate) async fn identity(
    client: &Client,
    app: &App,
    (host, now): (&str, SystemTime),
) -> Result<Identity> {
    let statement = app.key.state(&app.client_id, now)?;
    let itself = accepted(ask(client, app, Method::GET, "app", &statement, None).await?)?;
    let slug = itself.get("slug").and_then(Value::as_str).ok_or_else(odd)?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if slug.is_empty() || slug.len() > 100 || !slug.bytes().all(plain) {
        return Err(odd());
    }
    // The brackets of the name are no part of an address as they stand. Everybody may ask.
    let path = format!("users/{slug}%5Bbot%5D");
    let asked = Ask { method: Method::GET, api: &app.api, path: &path, bearer: None, body: None };
    let user = accepted(client.ask(asked).await?)?;
    let number = user.get("id").and_then(Value::as_u64).ok_or_else(odd)?;
    let name = format!("{slug}[bot]");
    Identity::new(&name, &format!("{number}+{name}@users.noreply.{host}"))
}

async fn ask(
    client: &Client,
    app: &App,
    method: Method,
    path: &str,
    bearer: &Secret,
    body: Option<Value>,
) -> Result<Answer> {
    client.ask(Ask { method, api: &app.api, path, bearer: Some(bearer), body }).await
}

/// What was answered, where it was not refused.
fn accepted(answer: Answer) -> Result<Value> {
    match answer.status {
        200..=299 => Ok(answer.body),
        429 => Err(asked_too_often(answer.wait.unwrap_or(USUAL_WAIT))),
        403 if answer.wait.is_some() => Err(asked_too_often(answer.wait.unwrap_or(USUAL_WAIT))),
        401 => Err(Error::new(Code::GitFailed, "GitHub does not accept the app's key")
            .hint("Ask the operator to look at git.credentials and at the gateway's clock.")),
        404 => Err(Error::new(
            Code::PermissionDenied,
            "the GitHub App is not installed for this repository",
        )
        .hint("Ask the operator to install it there.")),
        403 | 422 => Err(refused()),
        500..=599 => Err(Error::new(Code::ProviderUnavailable, "GitHub's API is not available")
            .hint("Try again later.")),
        _ => Err(odd()),
    }
}

fn refused() -> Error {
    Error::new(Code::PermissionDenied, "the GitHub App may not write to this repository")
        .hint("Ask the operator to give it the permission contents: write.")
}

fn odd() -> Error {
    Error::new(Code::GitFailed, "GitHub's API answered something odd")
        .hint("Ask the operator to look at git.credentials.")
}
