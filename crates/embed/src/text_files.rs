//! Any workspace as files in two verbs.

use std::{
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use garth_contract::{BoxFuture, Code, Content, Error, Result, Span, WsPath, escape};
use garth_ops::workspace::TOOLS;
use garth_redact::Raw;
use garth_text::sniff;
use garth_workspace::{Workspace, version_of};
use serde_json::json;

use crate::{Fingerprint, FsBackend, FsError};

/// The files of a workspace for an agent that reads and writes texts only.
///
/// Paths are relative to the root, or absolute under one of the names that the
/// workspace is known by. Secrets are shown as placeholders as everywhere else in
/// this workspace, and a text that would write such a placeholder over its secret
/// is not permitted. UTF-16 and byte order marks are undone on reading and kept
/// on writing, and so are the line endings of a file that is replaced: text with
/// LF over a file with CRLF gets CRLF.
#[derive(Clone)]
pub struct TextFiles {
    workspace: Arc<Workspace>,
}

impl TextFiles {
    /// The view of a workspace.
    #[must_use]
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace }
    }

    async fn text(&self, path: &Path, line: Option<u32>, limit: Option<u32>) -> Result<String> {
        let path = self.path(path)?;
        let content = self.whole(&path, self.workspace.limits().text_bytes).await?;
        self.shown(&path, &content, (line, limit))
    }

    async fn bytes(&self, path: &Path) -> Result<Vec<u8>> {
        let path = self.path(path)?;
        let limits = self.workspace.limits();
        let content = self.whole(&path, limits.text_bytes.max(limits.image_bytes)).await?;
        if self.workspace.redacts(&path)
            && let Some((_, text)) = sniff::text(&content.bytes)
        {
            let clean = self.workspace.clean(&path, Raw::from(&*text))?;
            if *clean != *text {
                return Ok(clean.into_string().into_bytes());
            }
        }
        Ok(content.bytes.to_vec())
    }

    async fn write(&self, path: &Path, content: String) -> Result<()> {
        self.put(json!({ "path": shown_path(path), "content": content })).await
    }

    /// Writes over what was seen, with nothing in between.
    async fn replace(&self, path: &Path, seen: Fingerprint, content: String) -> Result<()> {
        let at = self.path(path)?;
        let current = self.whole(&at, self.workspace.limits().text_bytes).await?;
        if Fingerprint::of(&self.shown(&at, &current, (None, None))?) != seen {
            return Err(Error::at(Code::Conflict, &at));
        }
        let expected = version_of(&current).to_string();
        self.put(json!({
            "path": shown_path(path), "content": content, "expected_version": expected,
        }))
        .await
    }

    /// Writes as the tool does, which knows what of a replaced file is to be kept.
    async fn put(&self, params: serde_json::Value) -> Result<()> {
        let write = garth_ops::find(TOOLS, "write");
        let write = write.ok_or_else(|| Error::of(Code::Unsupported))?;
        let written = (write.run)(&self.workspace, params.into()).await;
        written.map(drop).map_err(|failure| failure.error)
    }

    fn path(&self, path: &Path) -> Result<WsPath> {
        self.workspace.path(shown_path(path))
    }

    async fn whole(&self, path: &WsPath, at_most: u64) -> Result<Content> {
        self.workspace.fs().read(path, Span::Whole { at_most }).await
    }

    /// Lines of a content as they may be shown, with their endings.
    fn shown(
        &self,
        path: &WsPath,
        content: &Content,
        (line, limit): (Option<u32>, Option<u32>),
    ) -> Result<String> {
        let text = sniff::text(&content.bytes);
        let (_, text) = text.ok_or_else(|| Error::at(Code::UnsupportedEncoding, path))?;
        let before = line.map_or(0, |line| line.saturating_sub(1) as usize);
        let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
        let rest = text.get(start..).unwrap_or_default();
        let wanted = limit.map_or(usize::MAX, |limit| limit as usize);
        let length: usize = rest.split_inclusive('\n').take(wanted).map(str::len).sum();
        let raw = rest.get(..length).unwrap_or_default();
        if !self.workspace.redacts(path) {
            return Ok(raw.to_owned());
        }
        let lines = self.workspace.lines(path, text.as_bytes(), start..start + length)?.lines;
        let mut out = String::with_capacity(length);
        for (clean, raw) in lines.iter().zip(raw.split_inclusive('\n')) {
            out.push_str(clean);
            out.push_str(ending(raw));
        }
        Ok(out)
    }
}

/// A path as the text that means it, odd names included.
fn shown_path(path: &Path) -> String {
    escape(path.as_os_str().as_bytes())
}

fn ending(line: &str) -> &'static str {
    match line {
        line if line.ends_with("\r\n") => "\r\n",
        line if line.ends_with('\n') => "\n",
        _ => "",
    }
}

impl FsBackend for TextFiles {
    fn read_text(
        &self,
        path: PathBuf,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> BoxFuture<'_, Result<String, FsError>> {
        Box::pin(async move {
            self.text(&path, line, limit).await.map_err(|error| FsError::of(error, &path))
        })
    }

    fn read_bytes(&self, path: PathBuf) -> BoxFuture<'_, Result<Vec<u8>, FsError>> {
        Box::pin(async move { self.bytes(&path).await.map_err(|error| FsError::of(error, &path)) })
    }

    fn write_text(&self, path: PathBuf, content: String) -> BoxFuture<'_, Result<(), FsError>> {
        Box::pin(async move {
            self.write(&path, content).await.map_err(|error| FsError::of(error, &path))
        })
    }

    fn replace_text(
        &self,
        path: PathBuf,
        seen: Fingerprint,
        content: String,
    ) -> BoxFuture<'_, Result<(), FsError>> {
        Box::pin(async move {
            self.replace(&path, seen, content).await.map_err(|error| FsError::of(error, &path))
        })
    }
}
