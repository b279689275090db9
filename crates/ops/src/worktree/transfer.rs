//! Whole files as bytes, for interfaces that carry bytes and need no JSON around them.
//!
//! What leaves is redacted as `worktree.read` does it, and what comes is written as
//! `worktree.write` does it: the same caller may read by one and write by the other.

use bytes::Bytes;
use garth_contract::{
    Code, Content, Depth, Detail, Error, Guard, Kind, Links, Result, Span, Version, Written, WsPath,
};
use garth_text::{
    encoding::{self, Encoding},
    sniff,
};
use garth_workspace::{Part, Workspace, version_of};

use super::{
    Recall,
    wire::{encoding::text_of, entry::shown},
    write,
};
use crate::{
    recall::Extent,
    text_file::refused,
    timestamp::{http_date, rfc3339},
};

/// The largest file that is sent or taken whole, in bytes: it is in memory then.
pub const MOST_WHOLE: u64 = 256 << 20;

/// Whether secrets of texts are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// Placeholders are.
    Redacted,
    /// They are, which is an operator's right.
    Shown,
}

/// A file as it may leave.
#[derive(Clone, Debug)]
pub struct Download {
    /// The file, from the root.
    pub path: String,
    /// What is sent: all of it, or of a file that is too large the part that was asked for.
    pub bytes: Bytes,
    /// Where in the file the bytes begin; 0 for all of it.
    pub offset: u64,
    /// How long the whole is.
    pub size: u64,
    /// The version of the file, where it is known.
    pub version: Option<Version>,
    /// When it last changed, as a header of HTTP says it.
    pub modified: Option<String>,
    /// What it is.
    pub media_type: &'static str,
    /// Whether a browser may show it rather than save it.
    pub harmless: bool,
    /// The names of the secrets that placeholders stand for.
    pub redacted: Vec<String>,
}

/// A file that was written.
#[derive(Clone, Debug)]
pub struct Uploaded {
    /// The file, from the root.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it is new.
    pub created: bool,
    /// Its version now.
    pub version: Version,
    /// When it was written, in ISO 8601.
    pub modified: Option<String>,
}

/// What must hold of the file that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nothing.
    Any,
    /// There is none.
    Absent,
    /// There is one.
    Present,
    /// It is one of these.
    OneOf(Vec<Version>),
    /// It is none of these.
    NoneOf(Vec<Version>),
}

/// How many bytes a file has that can be read.
///
/// # Errors
/// Those of the path and of looking; `NOT_A_FILE` for anything but a file.
pub async fn size(workspace: &Workspace, path: &WsPath) -> Result<u64> {
    let entry = workspace.fs().stat(path, Links::Follow).await?;
    match entry.kind {
        Kind::File => Ok(entry.size),
        Kind::Dir | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
            Err(Error::at(Code::NotAFile, path))
        }
    }
}

/// Makes a file that was read whole fit to leave. It computes and waits for nothing.
///
/// # Errors
/// `PERMISSION_DENIED` where texts with secrets are held back.
pub fn given(
    workspace: &Workspace,
    path: &WsPath,
    (content, secrets): (Content, Secrets),
    recall: &Recall,
) -> Result<Download> {
    let version = version_of(&content);
    let (bytes, redacted) = match secrets {
        Secrets::Shown => {
            recall.forget(path);
            (content.bytes.clone(), Vec::new())
        }
        Secrets::Redacted => clean(workspace, path, &content, recall)?,
    };
    let (media_type, harmless) = media_type(&bytes);
    Ok(Download {
        path: shown(path),
        offset: 0,
        size: bytes.len() as u64,
        version: Some(version),
        modified: content.modified.and_then(http_date),
        media_type,
        harmless,
        bytes,
        redacted,
    })
}

/// A part of a file that is too large to be read whole.
///
/// # Errors
/// Those of reading; `FILE_TOO_LARGE` for a text, whose secrets only the whole can
/// tell, and for a part that is too large itself.
pub async fn part(
    workspace: &Workspace,
    path: &WsPath,
    (offset, length): (u64, u64),
    secrets: Secrets,
) -> Result<Download> {
    let too_large = |actual| {
        let limit = Detail::Limit { limit: MOST_WHOLE, actual };
        let hint = "Ask for a part with Range; a text can be read in parts with read.";
        Error::at(Code::FileTooLarge, path).with(limit).hint(hint)
    };
    let head = Span::Bytes { offset: 0, length: sniff::HEAD as u64 };
    let head = workspace.fs().read(path, head).await?;
    let guarded = secrets == Secrets::Redacted && workspace.redacts(path);
    if (guarded && !head.bytes.contains(&0)) || length > MOST_WHOLE {
        return Err(too_large(head.size));
    }
    let content = workspace.fs().read(path, Span::Bytes { offset, length }).await?;
    let (media_type, harmless) = media_type(&head.bytes);
    Ok(Download {
        path: shown(path),
        version: content.known,
        offset: content.offset,
        size: content.size,
        modified: content.modified.and_then(http_date),
        media_type,
        harmless,
        bytes: content.bytes,
        redacted: Vec::new(),
    })
}

/// Writes a file whole, and makes missing directories.
///
/// # Errors
/// Those of writing; `CONFLICT` or `FILE_EXISTS` for a file that is not what it must
/// be; `REDACTED_CONTENT` for placeholders that would be written over secrets.
pub async fn upload(
    workspace: &Workspace,
    path: &WsPath,
    (bytes, held): (Bytes, Held),
    recall: &Recall,
) -> Result<Uploaded> {
    let guard = guard(workspace, path, held).await?;
    let (size, written) = write::bytes(workspace, path.clone(), (bytes, guard), recall).await?;
    let Written { version, created, modified } = written;
    Ok(Uploaded { path: shown(path), size, created, version, modified: modified.map(rfc3339) })
}

/// Removes a file.
///
/// Between the look at what it is and its removal another program can change it, which
/// no guard tells; every change that goes through here waits.
///
/// # Errors
/// Those of removing; `NOT_A_FILE` for a directory; `CONFLICT` for a file that is not
/// what it must be.
pub async fn erase(
    workspace: &Workspace,
    path: &WsPath,
    held: Held,
    recall: &Recall,
) -> Result<()> {
    let _held = workspace.hold(&[path]).await;
    let entry = workspace.fs().stat(path, Links::Keep).await?;
    if entry.kind == Kind::Dir {
        return Err(Error::at(Code::NotAFile, path).hint("worktree.delete removes directories."));
    }
    if held != Held::Any {
        held.judge(path, current(workspace, path).await?)?;
    }
    workspace.fs().remove(path, Depth::One).await?;
    recall.forget(path);
    Ok(())
}

impl Held {
    /// # Errors
    /// `FILE_EXISTS` where there must be none; `CONFLICT` where it must be another.
    fn judge(&self, path: &WsPath, current: Option<Version>) -> Result<()> {
        let holds = match (self, current) {
            (Self::Any, _) | (Self::Absent | Self::NoneOf(_), None) | (Self::Present, Some(_)) => {
                true
            }
            (Self::Absent, Some(_)) => return Err(Error::at(Code::FileExists, path)),
            (Self::Present | Self::OneOf(_), None) => false,
            (Self::OneOf(versions), Some(version)) => versions.contains(&version),
            (Self::NoneOf(versions), Some(version)) => !versions.contains(&version),
        };
        if holds {
            return Ok(());
        }
        let conflict = Error::at(Code::Conflict, path);
        Err(current.map(Detail::Current).into_iter().fold(conflict, Error::with))
    }
}

/// What the write is held to, for which the file may have to be looked at.
async fn guard(workspace: &Workspace, path: &WsPath, held: Held) -> Result<Guard> {
    match &held {
        Held::Any => return Ok(Guard::Any),
        Held::Absent => return Ok(Guard::Absent),
        Held::OneOf(versions) => {
            if let [version] = versions.as_slice() {
                return Ok(Guard::Unchanged(*version));
            }
        }
        Held::Present | Held::NoneOf(_) => {}
    }
    let current = current(workspace, path).await?;
    held.judge(path, current)?;
    Ok(current.map_or(Guard::Absent, Guard::Unchanged))
}

/// The version of the file that is there, if one is.
async fn current(workspace: &Workspace, path: &WsPath) -> Result<Option<Version>> {
    match workspace.fs().read(path, Span::Whole { at_most: MOST_WHOLE }).await {
        Ok(content) => Ok(Some(version_of(&content))),
        Err(error) if error.code() == Code::FileNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The bytes of a file without the secrets of its text, and the names of those.
fn clean(
    workspace: &Workspace,
    path: &WsPath,
    content: &Content,
    recall: &Recall,
) -> Result<(Bytes, Vec<String>)> {
    let as_it_is = || Ok((content.bytes.clone(), Vec::new()));
    if !workspace.redacts(path) {
        return as_it_is();
    }
    let Some((encoding, text)) = text_of(&content.bytes) else { return as_it_is() };
    let Part { text, secrets } = workspace.part(path, &text, 0..text.len())?;
    recall.saw(path, Extent::Whole, &secrets);
    if secrets.is_empty() {
        return as_it_is();
    }
    let mut names: Vec<String> = Vec::new();
    for secret in secrets {
        if !names.contains(&secret.rule) {
            names.push(secret.rule);
        }
    }
    let bytes = encoding::encode(&text, encoding).map_err(|error| refused(path, &error))?;
    Ok((bytes.into(), names))
}

/// What bytes are, and whether a browser may show them.
fn media_type(bytes: &[u8]) -> (&'static str, bool) {
    if let Some(image) = sniff::image(bytes) {
        return (image.media_type(), true);
    }
    // What looks like a page is sent as the text that it is.
    match sniff::text(bytes).map(|(encoding, _)| encoding) {
        Some(Encoding::Utf16Le | Encoding::Utf16Be) => ("text/plain; charset=utf-16", true),
        Some(Encoding::Utf8 | Encoding::Utf8Bom | Encoding::Named(_)) => {
            ("text/plain; charset=utf-8", true)
        }
        None => (sniff::media_type(bytes), false),
    }
}
