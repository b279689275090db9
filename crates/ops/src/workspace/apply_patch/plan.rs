//! What a patch makes of the files it names, computed before anything is written.

use std::borrow::Cow;

use bytes::Bytes;
use garth_contract::{Code, Content, Detail, Error, Result, WsPath};
use garth_text::patch::{self, ApplyError, Change, Chunk, FileError, Level, Line, Misfit, Tag};
use garth_workspace::{After, PlanAll, Workspace};

use crate::{
    change::{self, Side},
    params::invalid,
    placeholders,
    segments::{Segments, check_hidden},
    text_file::{TextFile, refused},
};

/// What a patch does.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) touched: Vec<Touched>,
}

/// What a patch does to one file.
#[derive(Debug)]
pub(super) struct Touched {
    pub(super) path: WsPath,
    pub(super) act: Act,
    /// Whether a file that was at the path is replaced by another.
    pub(super) replaced: bool,
    /// Whether some lines matched only with something forgiven.
    pub(super) forgiven: bool,
    pub(super) change: change::Change,
}

/// What is done to a file.
#[derive(Debug)]
pub(super) enum Act {
    Added,
    Updated,
    Deleted,
    Moved(WsPath),
}

impl Touched {
    /// The sign of what is done, as version control writes it.
    pub(super) fn mark(&self) -> &'static str {
        match self.act {
            Act::Added => "A",
            Act::Updated => "M",
            Act::Deleted => "D",
            Act::Moved(_) => "R",
        }
    }
}

/// Every path that a patch names, once.
///
/// # Errors
/// `INVALID_PATH`, `PATH_OUTSIDE_WORKSPACE`.
pub(super) fn paths_of(workspace: &Workspace, changes: &[Change<'_>]) -> Result<Vec<WsPath>> {
    let mut paths = Vec::new();
    let mut note = |text: &str| -> Result<()> {
        let path = workspace.path(text)?;
        if !paths.contains(&path) {
            paths.push(path);
        }
        Ok(())
    };
    for change in changes {
        match change {
            Change::Add { path, .. } | Change::Delete { path } => note(path)?,
            Change::Update { path, to, .. } => {
                note(path)?;
                to.map(&mut note).transpose()?;
            }
        }
    }
    Ok(paths)
}

/// Applies a patch to what its files hold now.
///
/// # Errors
/// `FILE_NOT_FOUND` for a file that is to be updated or deleted,
/// `TEXT_NOT_FOUND` and `AMBIGUOUS_MATCH` for lines that do not fit,
/// `UNSUPPORTED_ENCODING`, `REDACTED_CONTENT`.
pub(super) fn plan(
    workspace: &Workspace,
    changes: &[Change<'_>],
    paths: &[WsPath],
    current: &[Option<Content>],
) -> Result<PlanAll<Planned>> {
    let files = paths.iter().zip(current).map(|(path, content)| Draft {
        path,
        now: content.as_ref().map(|content| content.bytes.clone()),
        mode: content.as_ref().and_then(|content| content.mode),
        moved: false,
    });
    let mut desk = Desk {
        workspace,
        files: files.collect(),
        touched: Vec::new(),
        lines_left: workspace.limits().diff_lines,
    };
    for change in changes {
        match change {
            Change::Add { path, content } => desk.add(path, content)?,
            Change::Delete { path } => desk.delete(path)?,
            Change::Update { path, to, chunks } => desk.update(path, *to, chunks)?,
        }
    }
    let files = desk.files.iter().zip(current).map(|(file, before)| file.after(before.as_ref()));
    Ok(PlanAll { files: files.collect(), facts: Planned { touched: desk.touched } })
}

/// The files of a patch, as the changes so far leave them.
struct Desk<'a> {
    workspace: &'a Workspace,
    files: Vec<Draft<'a>>,
    touched: Vec<Touched>,
    /// How many lines of diffs still fit into the reply.
    lines_left: usize,
}

/// One file on its way.
struct Draft<'a> {
    path: &'a WsPath,
    now: Option<Bytes>,
    mode: Option<u32>,
    /// Whether what stands here now came from another path, with its mode.
    moved: bool,
}

impl Draft<'_> {
    fn after(&self, before: Option<&Content>) -> After {
        match (&self.now, before) {
            (Some(now), Some(before)) if *now == before.bytes && !self.moved => After::Same,
            (Some(now), _) => {
                After::Content { bytes: now.clone(), mode: self.mode.filter(|_| self.moved) }
            }
            (None, Some(_)) => After::Gone,
            (None, None) => After::Same,
        }
    }
}

impl Desk<'_> {
    fn add(&mut self, path: &str, content: &str) -> Result<()> {
        let path = self.workspace.path(path)?;
        let old = self.bytes(&path);
        // What is replaced is text or not; only as text can it hold a placeholder.
        let old_text = old.as_deref().and_then(|old| TextFile::of(&path, old, None).ok());
        let old_text = old_text.map(|old| old.text.into_owned());
        let before = old_text.as_deref().unwrap_or_default();
        placeholders::check(self.workspace, &path, before, content)?;
        let change = self.difference(Some((&path, before)), Some((&path, content)))?;
        self.put(&path, content.to_owned().into(), None);
        let replaced = old.is_some();
        self.touched.push(Touched { path, act: Act::Added, replaced, forgiven: false, change });
        Ok(())
    }

    fn delete(&mut self, path: &str) -> Result<()> {
        let path = self.workspace.path(path)?;
        let bytes = self.bytes(&path).ok_or_else(|| Error::at(Code::FileNotFound, &path))?;
        let old = TextFile::of(&path, &bytes, None).map(|file| file.text.into_owned());
        let old = old.unwrap_or_default();
        let change = self.difference(Some((&path, &old)), None)?;
        self.remove(&path);
        let (act, replaced) = (Act::Deleted, false);
        self.touched.push(Touched { path, act, replaced, forgiven: false, change });
        Ok(())
    }

    fn update(&mut self, path: &str, to: Option<&str>, chunks: &[Chunk<'_>]) -> Result<()> {
        let path = self.workspace.path(path)?;
        let to = to.map(|to| self.workspace.path(to)).transpose()?.filter(|to| *to != path);
        let bytes = self.bytes(&path).ok_or_else(|| Error::at(Code::FileNotFound, &path))?;
        let (bytes, change, forgiven) = if chunks.is_empty() {
            // A file that only moves may hold anything.
            (bytes, change::Change::none(), false)
        } else {
            self.apply(&path, &bytes, (to.as_ref().unwrap_or(&path), chunks))?
        };
        let Some(to) = to else {
            self.put(&path, bytes, None);
            let (act, replaced) = (Act::Updated, false);
            self.touched.push(Touched { path, act, replaced, forgiven, change });
            return Ok(());
        };
        let replaced = self.bytes(&to).is_some();
        let mode = self.draft(&path).and_then(|draft| draft.mode);
        self.remove(&path);
        self.put(&to, bytes, Some(mode));
        let act = Act::Moved(path);
        self.touched.push(Touched { path: to, act, replaced, forgiven, change });
        Ok(())
    }

    /// The content of a file after the chunks of an update, and what that changes.
    fn apply(
        &mut self,
        path: &WsPath,
        bytes: &[u8],
        (to, chunks): (&WsPath, &[Chunk<'_>]),
    ) -> Result<(Bytes, change::Change, bool)> {
        let file = TextFile::of(path, bytes, None)?;
        let restored = restored(self.workspace, path, &file.text, chunks)?;
        let chunks = restored.as_ref().map_or_else(
            || Cow::Borrowed(chunks),
            |restored| {
                Cow::Owned(
                    chunks.iter().zip(restored).map(|(chunk, lines)| put(chunk, lines)).collect(),
                )
            },
        );
        let applied = patch::apply_to_file(bytes, file.encoding, &chunks)
            .map_err(|error| self.refusal(path, &error, &chunks))?;
        let after = TextFile::of(path, &applied.bytes, Some(file.encoding))?;
        placeholders::check(self.workspace, path, &file.text, &after.text)?;
        let sent = chunks.iter().flat_map(|chunk| &chunk.lines).map(|line| line.text);
        let sent: Vec<&str> = if restored.is_some() { Vec::new() } else { sent.collect() };
        check_hidden(self.workspace, path, (&file.text, &after.text), &sent)?;
        let change = self.difference(Some((path, &file.text)), Some((to, &after.text)))?;
        let forgiven = applied.chunks.iter().any(|chunk| chunk.level != Level::Exact);
        Ok((applied.bytes.into(), change, forgiven))
    }

    fn difference(
        &mut self,
        old: Option<(&WsPath, &str)>,
        new: Option<(&WsPath, &str)>,
    ) -> Result<change::Change> {
        let Some((path, _)) = old.or(new) else { return Ok(change::Change::none()) };
        let name = |side: Option<(&WsPath, &str)>| {
            side.map_or_else(|| "/dev/null".to_owned(), |(path, _)| path.to_string())
        };
        // A file that is not there yet has no lines, and no name.
        let absent = old.is_some_and(|(path, _)| self.bytes(path).is_none());
        let (old_name, new_name) = (name(old.filter(|_| !absent)), name(new));
        let (old_path, old_text) = old.unwrap_or((path, ""));
        let (new_path, new_text) = new.unwrap_or((path, ""));
        let change = change::Change::between(
            self.workspace,
            Side { name: &old_name, path: old_path, text: old_text.as_bytes() },
            Side { name: &new_name, path: new_path, text: new_text.as_bytes() },
            self.lines_left,
        )?;
        self.lines_left = self.lines_left.saturating_sub(change.diff.lines().count());
        Ok(change)
    }

    /// An error of the patch engine, under a code of the table.
    fn refusal(&self, path: &WsPath, error: &FileError, chunks: &[Chunk<'_>]) -> Error {
        let ApplyError { chunk, why, .. } = match error {
            FileError::Patch(error) => error,
            FileError::Encoding(error) => return refused(path, error),
        };
        let message = format!("{error}: {path}");
        let lines = chunks.get(*chunk).map_or(&[][..], |chunk| &chunk.lines);
        let mut kept = lines.iter().filter(|line| line.tag != Tag::Added);
        let redacted = kept.any(|line| placeholders::has_any(line.text));
        match why {
            Misfit::NotFound if redacted && self.workspace.redacts(path) => {
                placeholders::refused(path)
            }
            Misfit::NotFound | Misfit::HeaderNotFound => Error::new(Code::TextNotFound, message)
                .hint("Read the file again and copy the lines around the change exactly."),
            Misfit::Ambiguous { lines } => Error::new(Code::AmbiguousMatch, message)
                .with(Detail::Lines(lines.iter().map(|line| *line as u64).collect()))
                .hint("Give more lines around the change, or the line before it after @@."),
            Misfit::TooMuchWork => invalid(message).hint("Send the chunks in several patches."),
        }
        .with(Detail::Edit(*chunk as u64))
    }

    fn draft(&self, path: &WsPath) -> Option<&Draft<'_>> {
        self.files.iter().find(|file| file.path == path)
    }

    fn bytes(&self, path: &WsPath) -> Option<Bytes> {
        self.draft(path)?.now.clone()
    }

    /// Puts a content at a path; `moved` is the mode that came with it.
    fn put(&mut self, path: &WsPath, bytes: Bytes, moved: Option<Option<u32>>) {
        let Some(draft) = self.files.iter_mut().find(|file| file.path == path) else { return };
        draft.now = Some(bytes);
        if let Some(mode) = moved {
            (draft.mode, draft.moved) = (mode, true);
        }
    }

    fn remove(&mut self, path: &WsPath) {
        let Some(draft) = self.files.iter_mut().find(|file| file.path == path) else { return };
        draft.now = None;
    }
}

/// The lines of every chunk, with secrets where the caller was shown placeholders; nothing where
/// it sent none.
fn restored(
    workspace: &Workspace,
    path: &WsPath,
    file: &str,
    chunks: &[Chunk<'_>],
) -> Result<Option<Vec<Vec<String>>>> {
    let mut lines = chunks.iter().flat_map(|chunk| &chunk.lines);
    if !workspace.redacts(path) || !lines.any(|line| placeholders::has_any(line.text)) {
        return Ok(None);
    }
    let mut segments = Segments::of(workspace, path, file);
    let mut all = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let side = |without: Tag| {
            let kept = chunk.lines.iter().filter(|line| line.tag != without).map(|line| line.text);
            kept.collect::<Vec<_>>().join("\n")
        };
        let (old, new) = (side(Tag::Added), side(Tag::Removed));
        let (old, new) = segments.restore(&old, &new)?;
        let (mut old, mut new) = (old.split('\n'), new.split('\n'));
        let mut texts = Vec::with_capacity(chunk.lines.len());
        for line in &chunk.lines {
            let text = match line.tag {
                Tag::Context => old.next().filter(|text| new.next() == Some(text)),
                Tag::Removed => old.next(),
                Tag::Added => new.next(),
            };
            let text = text.ok_or_else(|| placeholders::refused(path))?;
            texts.push(text.strip_suffix('\r').unwrap_or(text).to_owned());
        }
        all.push(texts);
    }
    Ok(Some(all))
}

/// A chunk with other texts for its lines.
fn put<'a>(chunk: &Chunk<'a>, texts: &'a [String]) -> Chunk<'a> {
    let lines = chunk.lines.iter().zip(texts);
    let lines = lines.map(|(line, text)| Line { tag: line.tag, text }).collect();
    Chunk { line: chunk.line, headers: chunk.headers.clone(), lines, place: chunk.place }
}
