//! The OpenAPI document, and a page to browse it that asks nobody else for anything.

use std::sync::LazyLock;

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;

use crate::serve::openapi;

/// What the page may load: what stands here beside it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// It never changes while we run.
static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| openapi::document().to_string().into());

/// The document.
pub(super) async fn document() -> Response {
    sent(DOCUMENT.clone(), "application/json")
}

/// The page.
pub(super) async fn page() -> Response {
    page_of(include_bytes!("docs/page.html"))
}

/// A page that may load what stands beside it.
pub(super) fn page_of(page: &'static [u8]) -> Response {
    let mut response = sent(Bytes::from_static(page), "text/html; charset=utf-8");
    let policy = HeaderValue::from_static(POLICY);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// What makes it alive.
pub(super) async fn script() -> Response {
    let script = Bytes::from_static(include_bytes!("docs/page.js"));
    sent(script, "text/javascript; charset=utf-8")
}

/// What it looks like.
pub(super) async fn style() -> Response {
    sent(Bytes::from_static(include_bytes!("docs/page.css")), "text/css; charset=utf-8")
}

pub(super) fn sent(bytes: Bytes, kind: &'static str) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], bytes).into_response()
}
