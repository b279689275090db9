//! A tree over HTTP: as the body of an answer, and from the body of a request.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::{HeaderValue, header},
    response::Response,
};
use garth_archive::Format;
use garth_gateway::{Call, Moment, approvals::Hears};
use serde_json::Value;

use super::{
    asked::{Asked, Named},
    body,
    caller::{Known, known},
    query::{self, Field, Kind},
    tools::{Prepared, answered, request_id},
};
use crate::serve::{
    answer::{Along, Answer, Archive, Coming},
    app::App,
};

/// How an archive is asked for.
const PACKED: &[Field] = &[
    Field { name: "path", kind: Kind::Text },
    Field { name: "format", kind: Kind::Text },
    Field { name: "redact", kind: Kind::Switch },
];
/// How one is restored.
const RESTORED: &[Field] = &[
    Field { name: "path", kind: Kind::Text },
    Field { name: "format", kind: Kind::Text },
    Field { name: "overwrite", kind: Kind::Switch },
    Field { name: "strip", kind: Kind::Number },
    Field { name: "skipUnfit", kind: Kind::Switch },
];

/// Sends a tree.
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Named(id): Named<String>,
    RawQuery(query): RawQuery,
    asked: Asked,
) -> Response {
    let answer = async {
        let Known { caller, credential } = known(&app, &asked).await?;
        let call = Call {
            caller,
            operation: "worktree.archive".to_owned(),
            agent: Some(id),
            params: Value::Object(query::read(query.as_deref(), PACKED)?),
            bytes: 0,
            request_id: None,
            hears: Hears::Waits,
            arrived: Moment::now(),
            along: Along::nothing(),
        };
        Prepared { call, credential, taken: None }.run(&app).await
    };
    match answer.await {
        Ok(Answer::Archive(archive)) => sent(*archive),
        other => answered(other),
    }
}

fn sent(archive: Archive) -> Response {
    let media_type = match archive.format {
        Format::Tar => "application/x-tar",
        Format::TarZst => "application/zstd",
        Format::Zip => "application/zip",
    };
    // Letters that a header can hold; a browser needs no more to name the file.
    let plain =
        |byte: char| if byte.is_ascii_alphanumeric() || "._-".contains(byte) { byte } else { '_' };
    let name: String = archive.name.chars().map(plain).collect();
    // An error in the middle breaks the answer off, so that nobody takes it for whole.
    let mut response = Response::new(Body::from_stream(archive));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

/// Restores a tree, whole or not at all.
pub(super) async fn restore(
    State(app): State<Arc<App>>,
    Named(id): Named<String>,
    RawQuery(query): RawQuery,
    asked: Asked,
    body: Body,
) -> Response {
    let answer = async {
        let Known { caller, credential } = known(&app, &asked).await?;
        let coming: Coming = Box::pin(body::pieces(body));
        let call = Call {
            caller,
            operation: "worktree.restore".to_owned(),
            agent: Some(id),
            params: Value::Object(query::read(query.as_deref(), RESTORED)?),
            bytes: 0,
            request_id: request_id(&asked)?,
            hears: Hears::Waits,
            arrived: Moment::now(),
            along: Along { coming: Some(coming), ..Along::nothing() },
        };
        Prepared { call, credential, taken: None }.run(&app).await
    };
    answered(answer.await)
}
