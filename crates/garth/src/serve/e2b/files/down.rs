//! A file that leaves: whole, or a part of it, packed where that is asked for.

use std::{io::Write, sync::Weak};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use futures::stream;
use garth_contract::{Code, Content, Entry, Error, Links, Span, WsPath};
use garth_workspace::Workspace;
use serde_json::json;

use super::Query;
use crate::serve::{
    e2b::{
        door::{path, shown},
        entry,
        envd::Inside,
        life::blocking,
        line,
        refuse::{Kind, Result, Wrong},
    },
    memory::Taken,
};

/// What is read of a file at a time.
const PIECE: u64 = 1 << 20;
/// The largest file that is packed: packing keeps all of it in memory.
const MOST_PACKED: u64 = 16 << 20;

/// A file that is being sent.
struct Leaving {
    workspace: Weak<Workspace>,
    path: WsPath,
    entry: Entry,
    at: u64,
    end: u64,
    _taken: Taken,
}

/// Sends a file.
pub(super) async fn send(inside: &Inside, query: &Query) -> Result<Response> {
    let path = path(query.get("path").unwrap_or_default(), inside.user)?;
    let packs = packs(&inside.parts.headers)?;
    let asked = inside.asked(line::FILE_READ, json!({ "path": shown(&path) }));
    let at = path.clone();
    let found = line::inside(&inside.app, (asked, inside.id()), move |workspace, _| async move {
        let files = &workspace.inside()?.files;
        let entry = files.stat(&at, Links::Follow).await?;
        match entry.kind {
            garth_contract::Kind::File => {}
            garth_contract::Kind::Dir => {
                let message = format!("path '{}' is a directory", shown(&at));
                return Err(Error::new(Code::NotAFile, message));
            }
            garth_contract::Kind::Symlink
            | garth_contract::Kind::Fifo
            | garth_contract::Kind::Socket
            | garth_contract::Kind::Device => return Err(Error::at(Code::NotAFile, &at)),
        }
        // A first piece, so that one that may not be read is refused and not broken off.
        let first = files.read(&at, Span::Bytes { offset: 0, length: PIECE }).await?;
        let count = entry.size;
        Ok(((entry, first, std::sync::Arc::downgrade(&workspace)), count))
    });
    let (entry, first, workspace) = found.await.map_err(|error| {
        let missing = error.code() == Code::FileNotFound;
        let wrong = Wrong::from(error);
        let message = format!("path '{}' does not exist", shown(&path));
        if missing { Wrong::new(Kind::NotFound, message) } else { wrong }
    })?;
    let taken = inside.app.memory.take(PIECE * 2).await?;
    // What has no size of its own is what was read: files of the kernel, in /proc.
    let size = first.size.max(first.bytes.len() as u64);
    let part = match range(&inside.parts.headers, size) {
        Ok(part) => part,
        Err(()) => return Ok(outside(size)),
    };
    let (start, end) = part.unwrap_or((0, size));
    if packs && part.is_none() && size <= MOST_PACKED {
        let all = whole(&workspace, &path, &first).await?;
        return packed(&path, all).await;
    }
    let leaving = Leaving { workspace, path: path.clone(), entry, at: start, end, _taken: taken };
    let body = if start == 0 && end <= first.bytes.len() as u64 {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        Body::from(first.bytes.slice(..end.min(first.bytes.len())))
    } else {
        Body::from_stream(stream::try_unfold(leaving, next))
    };
    let mut response = Response::new(body);
    if part.is_some() {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let range = format!("bytes {start}-{}/{size}", end.saturating_sub(1));
        let range = HeaderValue::from_str(&range).ok();
        response.headers_mut().extend(range.map(|range| (header::CONTENT_RANGE, range)));
    }
    describe(response.headers_mut(), &path);
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(end - start));
    Ok(response)
}

/// The next piece; one that is of another file than the first breaks it off.
async fn next(
    mut leaving: Leaving,
) -> std::result::Result<Option<(Bytes, Leaving)>, std::io::Error> {
    if leaving.at >= leaving.end {
        return Ok(None);
    }
    let broken = |_| std::io::Error::other("the file was changed while it was sent");
    let workspace = leaving.workspace.upgrade().ok_or(()).map_err(broken)?;
    let length = PIECE.min(leaving.end - leaving.at);
    let span = Span::Bytes { offset: leaving.at, length };
    let inside = workspace.inside().map_err(|_| ()).map_err(broken)?;
    let read = inside.files.read(&leaving.path, span).await.map_err(|_| ()).map_err(broken)?;
    let same = read.size == leaving.entry.size && read.modified == leaving.entry.modified;
    if !same || read.bytes.is_empty() {
        return Err(broken(()));
    }
    leaving.at += read.bytes.len() as u64;
    Ok(Some((read.bytes, leaving)))
}

async fn whole(workspace: &Weak<Workspace>, path: &WsPath, first: &Content) -> Result<Bytes> {
    if !first.more_follows() {
        return Ok(first.bytes.clone());
    }
    let workspace = workspace.upgrade().ok_or_else(Wrong::no_sandbox)?;
    let span = Span::Whole { at_most: MOST_PACKED };
    Ok(workspace.inside()?.files.read(path, span).await?.bytes)
}

async fn packed(path: &WsPath, bytes: Bytes) -> Result<Response> {
    let packed = blocking(move || {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        Ok(encoder.write_all(&bytes).and_then(|()| encoder.finish()).ok())
    });
    let packed = packed.await?;
    let packed = packed.ok_or_else(|| Wrong::new(Kind::Internal, "a file was not packed"))?;
    let mut response = Response::new(Body::from(packed));
    describe(response.headers_mut(), path);
    response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Ok(response)
}

fn describe(headers: &mut HeaderMap, path: &WsPath) {
    let bytes = HeaderValue::from_static("application/octet-stream");
    headers.insert(header::CONTENT_TYPE, bytes);
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    let name = entry::name(path);
    let name = percent_encoding::utf8_percent_encode(&name, percent_encoding::NON_ALPHANUMERIC);
    let disposition = HeaderValue::from_str(&format!("attachment; filename*=UTF-8''{name}")).ok();
    headers.extend(disposition.map(|value| (header::CONTENT_DISPOSITION, value)));
}

/// What is asked for lies behind the end.
fn outside(size: u64) -> Response {
    let mut response = StatusCode::RANGE_NOT_SATISFIABLE.into_response();
    let range = HeaderValue::from_str(&format!("bytes */{size}")).ok();
    response.headers_mut().extend(range.map(|range| (header::CONTENT_RANGE, range)));
    response
}

/// Whether a file is to be packed.
///
/// # Errors
/// `NotAcceptable` where neither packed nor plain is wanted.
fn packs(headers: &HeaderMap) -> Result<bool> {
    let Some(said) = headers.get(header::ACCEPT_ENCODING) else { return Ok(false) };
    let said = said.to_str().unwrap_or_default().to_ascii_lowercase();
    let weight = |name: &str| {
        let found =
            said.split(',').find(|part| part.split(';').next().map(str::trim) == Some(name));
        found.map(|part| !part.replace(' ', "").ends_with(";q=0"))
    };
    let any = weight("*");
    let gzip = weight("gzip").unwrap_or(false);
    let plain = weight("identity").unwrap_or(any != Some(false));
    if !gzip && !plain {
        let message = "no acceptable encoding found, supported: [identity, gzip]";
        return Err(Wrong::new(Kind::NotAcceptable, message));
    }
    Ok(gzip)
}

/// The part that is asked for: its first byte, and the one behind its last. Only one
/// part is given; who asks for several gets all.
fn range(headers: &HeaderMap, size: u64) -> std::result::Result<Option<(u64, u64)>, ()> {
    let said = headers.get(header::RANGE).and_then(|value| value.to_str().ok());
    let Some(asked) = said.and_then(|said| said.strip_prefix("bytes=")) else { return Ok(None) };
    let Some((first, last)) = asked.split_once('-').filter(|_| !asked.contains(',')) else {
        return Ok(None);
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match (number(first), number(last)) {
        (Some(first), _) if first >= size => Err(()),
        (Some(first), Some(last)) if last >= first => {
            Ok(Some((first, last.saturating_add(1).min(size))))
        }
        (Some(first), None) if last.trim().is_empty() => Ok(Some((first, size))),
        (None, Some(0)) if first.trim().is_empty() => Err(()),
        (None, Some(last)) if first.trim().is_empty() => {
            Ok(Some((size.saturating_sub(last), size)))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn one_part_of_a_file_can_be_asked_for() {
        for (said, expected) in [
            ("bytes=0-3", Ok(Some((0, 4)))),
            ("bytes=5-", Ok(Some((5, 10)))),
            ("bytes=-4", Ok(Some((6, 10)))),
            ("bytes=2-99", Ok(Some((2, 10)))),
            ("bytes=10-", Err(())),
            ("bytes=-0", Err(())),
            ("bytes=0-1,3-4", Ok(None)),
            ("lines=1-2", Ok(None)),
            ("bytes=4-2", Ok(None)),
        ] {
            assert_eq!(range(&with(header::RANGE, said), 10), expected, "{said}");
        }
    }

    #[test]
    fn a_file_is_packed_where_that_is_wanted() {
        let asked = |said| packs(&with(header::ACCEPT_ENCODING, said)).ok();
        assert_eq!(asked("gzip, deflate"), Some(true));
        assert_eq!(asked("identity"), Some(false));
        assert_eq!(asked("gzip;q=0"), Some(false));
        assert_eq!(asked("br, identity;q=0"), None);
        assert_eq!(asked("*;q=0"), None);
    }
}
