//! Who sends a request: by a token in its head, or by the session of a browser.

use axum::http::{HeaderMap, header};
use garth_contract::{Code, Error, Result};
use garth_gateway::{Caller, Credential};

use crate::serve::app::App;

/// What a browser keeps its session in.
const COOKIE: &str = "garth_session";

/// The caller of a request.
///
/// # Errors
/// `UNAUTHENTICATED`.
pub(crate) async fn caller(app: &App, headers: &HeaderMap) -> Result<Caller> {
    let credential = credential(app, headers).await?;
    let credential = credential.ok_or_else(|| Error::of(Code::Unauthenticated))?;
    let session = headers.get("x-garth-session").and_then(|value| value.to_str().ok());
    Ok(Caller::new(credential, session.unwrap_or("http")))
}

/// The credential that a request carries, if it carries any.
///
/// # Errors
/// `UNAUTHENTICATED` for one that is not good.
pub(crate) async fn credential(app: &App, headers: &HeaderMap) -> Result<Option<Credential>> {
    match token(headers)? {
        Some(token) => app.gateway.callers().authenticate(token).await.map(Some),
        None => Ok(None),
    }
}

/// A token in `Authorization` goes before the cookie; one that is there and is not
/// good is never passed over.
fn token(headers: &HeaderMap) -> Result<Option<&str>> {
    let wrong = || Error::of(Code::Unauthenticated);
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let (scheme, token) =
            value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(wrong)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(wrong());
        }
        return Ok(Some(token.trim()));
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';'));
    Ok(pairs.find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('=')))
}
