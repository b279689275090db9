//! The web page at `/` and what belongs to it, as `scripts/web` built it into the program.
//!
//! What has its hash in its name never changes and is kept for ever; the page itself is
//! asked about each time. A program that was built without it says how to get it.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;

use super::{docs::page_of, nowhere};

/// What the page may load: what came from here, pictures that it has in its memory, and nothing inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' blob:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const ASK: &str = "no-cache";

/// A file of the page.
// A program that is built without the page has none.
#[allow(dead_code)]
struct Part {
    path: &'static str,
    kind: &'static str,
    /// Another one for other bytes.
    mark: &'static str,
    plain: &'static [u8],
    brotli: &'static [u8],
}

/// All of them, by path; none where the page was not built.
static PARTS: &[Part] = include!(concat!(env!("OUT_DIR"), "/web.rs"));

/// The page, or how to get it.
pub(super) async fn page(headers: HeaderMap) -> Response {
    match found("/index.html") {
        Some(part) => part.sent(&headers),
        None => page_of(include_bytes!("home/absent.html")),
    }
}

/// What the page loads.
pub(super) async fn part(uri: Uri, headers: HeaderMap) -> Response {
    match found(uri.path()) {
        Some(part) => part.sent(&headers),
        None => nowhere().await,
    }
}

fn found(path: &str) -> Option<&'static Part> {
    let at = PARTS.binary_search_by(|part| part.path.cmp(path)).ok()?;
    PARTS.get(at)
}

impl Part {
    fn sent(&self, asked: &HeaderMap) -> Response {
        let packed = takes_brotli(asked);
        let tag = format!("\"{}{}\"", self.mark, if packed { "-br" } else { "" });
        let known = asked.get_all(header::IF_NONE_MATCH).iter();
        let known = known.filter_map(|value| value.to_str().ok()).any(|value| value.contains(&tag));
        let mut response = if known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            Bytes::from_static(if packed { self.brotli } else { self.plain }).into_response()
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        if packed && !known {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
        }
        headers.extend(HeaderValue::from_str(&tag).ok().map(|tag| (header::ETAG, tag)));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        let kept = if self.path.starts_with("/assets/") { FOR_EVER } else { ASK };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
        response
    }
}

/// Tells whether an answer may be compressed so; one who weighs it with nothing refuses it.
fn takes_brotli(asked: &HeaderMap) -> bool {
    let said = asked.get_all(header::ACCEPT_ENCODING).iter();
    said.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|one| {
        let mut words = one.split(';').map(str::trim);
        words.next() == Some("br") && !words.any(|weight| weight.trim_end_matches(".0") == "q=0")
    })
}
