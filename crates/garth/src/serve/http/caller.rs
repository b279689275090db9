//! Who sends a request: by a token in its head, or by the session of a browser.

use axum::http::{HeaderMap, header};
use garth_contract::{Code, Error, Result};
use garth_gateway::{Caller, Credential};

use super::asked::Asked;
use crate::serve::app::App;

/// What a browser keeps its session in.
pub(crate) const COOKIE: &str = "garth_session";
/// What a client calls the session of its agent.
const SESSION: &str = "x-agent-session-id";
/// What trace a request is a part of.
pub(crate) const TRACE: &str = "traceparent";

/// How a request says who sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    /// By a token in its head, which no page of another site can make a browser send.
    Token,
    /// By a cookie, which a browser sends by itself.
    Cookie,
}

/// Who asks, and for how long that holds.
pub(crate) struct Known {
    pub(crate) caller: Caller,
    pub(crate) credential: Credential,
}

/// The caller of a request.
///
/// # Errors
/// `UNAUTHENTICATED`; `PERMISSION_DENIED` for a change that a browser was made to ask
/// for and does not say where from.
pub(crate) async fn known(
    app: &App,
    Asked { method, headers, connected }: &Asked,
) -> Result<Known> {
    let found = match presented(app, headers).await {
        Ok(found) => found,
        Err(error) => {
            // Everybody is told: a request without an answer is a broken server.
            let _ = app.wrong_tokens.wait().await;
            return Err(error);
        }
    };
    let (credential, means) = found.ok_or_else(|| Error::of(Code::Unauthenticated))?;
    let says_where = headers.contains_key(header::ORIGIN) || headers.contains_key("sec-fetch-site");
    if means == Means::Cookie && !method.is_safe() && !says_where {
        let message = "a change by the session of a browser must say which page asks";
        let hint = "Programs send a token in the header Authorization.";
        return Err(Error::new(Code::PermissionDenied, message).hint(hint));
    }
    let credential = if says_where { credential.at_the_page() } else { credential };
    let named = headers.get(SESSION).and_then(|value| value.to_str().ok());
    let session = named.map_or_else(|| connected.name(), ToOwned::to_owned);
    let parent = headers.get(TRACE).and_then(|value| value.to_str().ok());
    let caller = Caller::new(credential.clone(), &session).traced(parent);
    Ok(Known { caller, credential })
}

/// The credential that a request carries, if it carries any.
///
/// # Errors
/// `UNAUTHENTICATED` for one that is not good.
pub(crate) async fn credential(app: &App, headers: &HeaderMap) -> Result<Option<Credential>> {
    Ok(presented(app, headers).await?.map(|(credential, _)| credential))
}

/// The same, and how it is carried.
///
/// # Errors
/// `UNAUTHENTICATED` for one that is not good.
pub(crate) async fn presented(
    app: &App,
    headers: &HeaderMap,
) -> Result<Option<(Credential, Means)>> {
    match token(headers)? {
        Some((token, means)) => {
            let credential = app.gateway.callers().authenticate(token).await?;
            Ok(Some((credential, means)))
        }
        None => Ok(None),
    }
}

/// A token in `Authorization` goes before the cookie; one that is there and is not
/// good is never passed over.
fn token(headers: &HeaderMap) -> Result<Option<(&str, Means)>> {
    let wrong = || Error::of(Code::Unauthenticated);
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let (scheme, token) =
            value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(wrong)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(wrong());
        }
        return Ok(Some((token.trim(), Means::Token)));
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';'));
    let value = pairs.find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    Ok(value.map(|value| (value, Means::Cookie)))
}
