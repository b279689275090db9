//! The page at `/`: takes the ticket of the address that was printed, shows workspaces
//! and their files, and changes nothing.

use axum::response::Response;
use bytes::Bytes;

use super::docs::{page_of, sent};

/// The page.
pub(super) async fn page() -> Response {
    page_of(include_bytes!("home/page.html"))
}

/// What makes it alive.
pub(super) async fn script() -> Response {
    let script = Bytes::from_static(include_bytes!("home/page.js"));
    sent(script, "text/javascript; charset=utf-8")
}

/// What it looks like.
pub(super) async fn style() -> Response {
    sent(Bytes::from_static(include_bytes!("home/page.css")), "text/css; charset=utf-8")
}
