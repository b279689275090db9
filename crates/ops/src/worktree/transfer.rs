//! Whole files as bytes, for interfaces that carry bytes and need no JSON around them.
//!
//! What leaves is redacted as `worktree.read` does it, and what comes is written as
//! `worktree.write` does it: the same caller may read by one and write by the other.

mod letters;
mod survey;
mod upload;

use bytes::Bytes;
use garth_contract::{
    Code, Content, Depth, Detail, Error, Guard, Kind, Links, PIECE, Result, Span, Version,
    VersionHasher, WsPath,
};
use garth_text::{
    encoding::{self, Encoding},
    sniff,
};
use garth_workspace::{Part, Workspace, version_of};

pub use self::{
    survey::{Plan, Survey},
    upload::{Upload, Uploaded},
};
use super::{
    Recall,
    wire::{encoding::text_of, entry::shown},
};
use crate::{recall::Extent, text_file::refused, timestamp::http_date};

/// The largest file that is read whole to be sent, in bytes. A longer one is gone
/// through in pieces, twice; this one once.
pub const MOST_WHOLE: u64 = 8 << 20;

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
    /// How many bytes leave where all of it does.
    pub size: u64,
    /// The version of the file.
    pub version: Version,
    /// When it last changed, as a header of HTTP says it.
    pub modified: Option<String>,
    /// What it is.
    pub media_type: &'static str,
    /// Whether a browser may show it rather than save it.
    pub harmless: bool,
    /// The names of the secrets that placeholders stand for.
    pub redacted: Vec<String>,
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
) -> Result<(Download, Bytes)> {
    let version = version_of(&content);
    let (bytes, redacted) = match secrets {
        Secrets::Shown => {
            recall.forget(path);
            (content.bytes.clone(), Vec::new())
        }
        Secrets::Redacted => clean(workspace, path, &content, recall)?,
    };
    let (media_type, harmless) = media_type(&bytes);
    let file = Download {
        path: shown(path),
        size: bytes.len() as u64,
        version,
        modified: content.modified.and_then(http_date),
        media_type,
        harmless,
        redacted,
    };
    Ok((file, bytes))
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

    /// What a write is held to, for which the file may have to be looked at.
    ///
    /// # Errors
    /// As for [`judge`](Self::judge), and those of reading.
    async fn guard(&self, workspace: &Workspace, path: &WsPath) -> Result<Guard> {
        match self {
            Self::Any => return Ok(Guard::Any),
            Self::Absent => return Ok(Guard::Absent),
            Self::OneOf(versions) => {
                if let [version] = versions.as_slice() {
                    return Ok(Guard::Unchanged(*version));
                }
            }
            Self::Present | Self::NoneOf(_) => {}
        }
        let current = current(workspace, path).await?;
        self.judge(path, current)?;
        Ok(current.map_or(Guard::Absent, Guard::Unchanged))
    }
}

/// The version of the file that is there, if one is.
async fn current(workspace: &Workspace, path: &WsPath) -> Result<Option<Version>> {
    let mut hasher = VersionHasher::default();
    let mut offset = 0;
    loop {
        let span = Span::Bytes { offset, length: PIECE as u64 };
        let piece = match workspace.fs().read(path, span).await {
            Ok(piece) => piece,
            Err(error) if error.code() == Code::FileNotFound && offset == 0 => return Ok(None),
            Err(error) => return Err(error),
        };
        if let Some(known) = piece.version().filter(|_| offset == 0) {
            return Ok(Some(known));
        }
        if piece.bytes.is_empty() {
            return Ok(Some(hasher.finish()));
        }
        // A file that changes meanwhile has a version that the guard then refuses.
        hasher.update(&piece.bytes);
        offset += piece.bytes.len() as u64;
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

/// The same of a file whose front alone is known.
fn media_type_of_head(head: &[u8]) -> (&'static str, bool) {
    if let Some(image) = sniff::image(head) {
        return (image.media_type(), true);
    }
    match sniff::sniff(head, sniff::Extent::Head) {
        sniff::Content::Text(Encoding::Utf16Le | Encoding::Utf16Be) => {
            ("text/plain; charset=utf-16", true)
        }
        sniff::Content::Text(Encoding::Utf8 | Encoding::Utf8Bom | Encoding::Named(_)) => {
            ("text/plain; charset=utf-8", true)
        }
        sniff::Content::Binary => (sniff::media_type(head), false),
    }
}
