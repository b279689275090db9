//! Names of files as they may be shown, and the way back from a shown name to its file.
//!
//! A name can hold a secret as well as a text can. Every path of a workspace that anybody is told
//! comes from its filesystem, and every path that anybody gives goes back to it; so the names are
//! changed there, once, and no operation knows of it. A shown name leads to its file where it can
//! mean only one. Patterns of a query are matched with the names that the files really have, and a
//! shown name in the part of one that is no pattern stands for those.

use std::{
    borrow::Cow,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_core::Stream;
use garth_contract::{
    Abilities, Code, Content, Depth, DynFilesystem, Entry, Error, Event, Filesystem, Flow, Found,
    Gathered, Incoming, Line, Links, Listing, MAX_NAME, Made, Move, Page, Parents, Put, Query,
    Removed, Renamed, Result, Sink, Span, Stage, Summary, Watch, WatchSpec, Written, WsPath,
};
use garth_redact::{Redactor, placeholders};

mod arriving;
mod patterns;

/// So many entries of a directory are looked at to find the one that is meant.
const MOST: u64 = 100_000;

/// The files of a workspace under the names that may be shown.
pub(crate) struct Named {
    files: Arc<dyn DynFilesystem>,
    names: Names,
}

/// How a name is shown.
#[derive(Clone)]
pub(crate) struct Names {
    redactor: Redactor,
}

impl Names {
    /// The path as it may be shown; `None` where that is the path itself.
    pub(crate) fn shown(&self, path: &WsPath) -> Option<WsPath> {
        let text = String::from_utf8_lossy(path.as_bytes());
        // Nearly every path ends here.
        if !self.redactor.may_hold(&text) || self.redactor.excludes(&text) {
            return None;
        }
        let bytes = self.shown_names(path.as_bytes())?;
        // With its placeholders a path may be too long for one.
        let short = || WsPath::from_bytes(b"[REDACTED]").unwrap_or_else(|_| WsPath::root());
        Some(WsPath::from_bytes(&bytes).unwrap_or_else(|_| short()))
    }

    /// Names joined by slashes as they may be shown; `None` where nothing changes.
    pub(crate) fn shown_names(&self, path: &[u8]) -> Option<Vec<u8>> {
        let mut changed = false;
        let mut shown = Vec::with_capacity(path.len());
        for (index, name) in path.split(|byte| *byte == b'/').enumerate() {
            if index > 0 {
                shown.push(b'/');
            }
            match self.shown_name(name) {
                Some(other) => {
                    changed = true;
                    shown.extend_from_slice(other.as_bytes());
                }
                None => shown.extend_from_slice(name),
            }
        }
        changed.then_some(shown)
    }

    /// One name as it may be shown; `None` where that is the name itself.
    fn shown_name(&self, name: &[u8]) -> Option<String> {
        let text = String::from_utf8_lossy(name);
        let secrets = self.redactor.find(&text);
        let whole = format!("[REDACTED: {}]", secrets.first()?.rule);
        // Bytes that are no text cannot be kept beside a placeholder.
        if matches!(text, Cow::Owned(_)) {
            return Some(whole);
        }
        let mut shown = String::new();
        let mut at = 0;
        for secret in &secrets {
            shown.push_str(text.get(at..secret.start).unwrap_or_default());
            match secret.nth {
                1 => shown.push_str(&format!("[REDACTED: {}]", secret.rule)),
                nth => shown.push_str(&format!("[REDACTED: {}#{nth}]", secret.rule)),
            }
            at = secret.end;
        }
        shown.push_str(text.get(at..).unwrap_or_default());
        Some(if shown.len() > MAX_NAME { whole } else { shown })
    }

    /// The error as it may be told, by somebody who asked for the file at `real`.
    pub(crate) fn told(&self, error: Error, real: &WsPath) -> Error {
        let mut told = error;
        for path in [told.path().cloned(), Some(real.clone())].into_iter().flatten() {
            if let Some(shown) = self.shown(&path) {
                told = renamed(&told, &path, &shown);
            }
        }
        told
    }

    fn entry(&self, mut entry: Entry) -> Entry {
        if let Some(shown) = self.shown(&entry.path) {
            entry.path = shown;
        }
        entry
    }
}

/// The same error about a file that goes by another name.
fn renamed(error: &Error, real: &WsPath, shown: &WsPath) -> Error {
    let (real_text, shown_text) = (real.to_string(), shown.to_string());
    let instead = |text: &str| text.replace(&real_text, &shown_text);
    let at = if error.path() == Some(real) { Some(shown) } else { error.path() };
    let fresh = match at {
        Some(path) => Error::at(error.code(), path),
        None => Error::of(error.code()),
    };
    let fresh = fresh.reword(instead(error.message())).hint(instead(error.advice()));
    error.details().iter().cloned().fold(fresh, Error::with)
}

/// Whether a placeholder stands in the bytes of a name.
fn has_placeholder(name: &[u8]) -> bool {
    placeholders(&String::from_utf8_lossy(name)).next().is_some()
}

fn refused(path: &WsPath) -> Error {
    Error::at(Code::RedactedContent, path).hint(
        "A placeholder in a name stands for a secret that you were not shown, and no single file \
         goes by this name here. List the directory; where several names look the same, a command \
         can rename one of them.",
    )
}

impl Named {
    pub(crate) fn over(files: Arc<dyn DynFilesystem>, redactor: Redactor) -> Self {
        Self { files, names: Names { redactor } }
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// The path that a shown one stands for.
    pub(crate) async fn real<'p>(&self, path: &'p WsPath) -> Result<Cow<'p, WsPath>> {
        if !has_placeholder(path.as_bytes()) {
            return Ok(Cow::Borrowed(path));
        }
        let mut real = WsPath::root();
        for name in path.components() {
            real = match has_placeholder(name) {
                true => real.join(&self.meant(&real, name, path).await?)?,
                false => real.join(name)?,
            };
        }
        Ok(Cow::Owned(real))
    }

    /// The one name in a directory that is shown as `name`.
    async fn meant(&self, dir: &WsPath, name: &[u8], path: &WsPath) -> Result<Vec<u8>> {
        let listing = match self.files.list(dir, Page { skip: 0, take: MOST }).await {
            Ok(listing) => listing,
            Err(error) if error.code() == Code::FileNotFound => return Err(refused(path)),
            Err(error) => return Err(self.names.told(error, dir)),
        };
        let is_meant = |entry: &&[u8]| {
            *entry == name || self.names.shown_name(entry).is_some_and(|it| it.as_bytes() == name)
        };
        let names = listing.entries.iter().filter_map(|entry| entry.path.name());
        let mut meant = names.filter(is_meant);
        match (meant.next(), meant.next(), listing.total <= MOST) {
            (Some(one), None, true) => Ok(one.to_vec()),
            _ => Err(refused(path)),
        }
    }

    /// Where something is to be moved: it keeps its own name where the shown one is given for it.
    async fn destination<'p>(
        &self,
        (from, real_from): (&WsPath, &WsPath),
        to: &'p WsPath,
    ) -> Result<Cow<'p, WsPath>> {
        match (to.split(), from.name(), real_from.name()) {
            (Some((dir, name)), Some(shown), Some(real)) if name == shown && shown != real => {
                Ok(Cow::Owned(self.real(&dir).await?.join(real)?))
            }
            _ => self.real(to).await,
        }
    }

    fn told<T>(&self, result: Result<T>, real: &WsPath) -> Result<T> {
        result.map_err(|error| self.names.told(error, real))
    }
}

impl Filesystem for Named {
    fn abilities(&self) -> Abilities {
        self.files.abilities()
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        let real = self.real(path).await?;
        let entry = self.told(self.files.stat(&real, links).await, &real)?;
        Ok(self.names.entry(entry))
    }

    fn stat_now(&self, path: &WsPath, links: Links) -> Option<Entry> {
        if has_placeholder(path.as_bytes()) {
            return None;
        }
        self.files.stat_now(path, links).map(|entry| self.names.entry(entry))
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        let real = self.real(path).await?;
        let mut listing = self.told(self.files.list(&real, page).await, &real)?;
        for entry in &mut listing.entries {
            if let Some(shown) = self.names.shown(&entry.path) {
                entry.path = shown;
            }
        }
        Ok(listing)
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        let real = self.real(path).await?;
        self.told(self.files.read(&real, span).await, &real)
    }

    fn read_now(&self, path: &WsPath, span: Span) -> Option<Content> {
        if has_placeholder(path.as_bytes()) {
            return None;
        }
        self.files.read_now(path, span)
    }

    async fn gather(&self, path: &WsPath, span: Span, into: &mut Vec<u8>) -> Result<Gathered> {
        let real = self.real(path).await?;
        self.told(self.files.gather(&real, span, into).await, &real)
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        let real = self.real(path).await?;
        self.told(self.files.write(&real, content, put).await, &real)
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        let real = self.real(path).await?;
        self.told(self.files.make_dir(&real, parents).await, &real)
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        let real = self.real(path).await?;
        self.told(self.files.remove(&real, depth).await, &real)
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        let real_from = self.real(from).await?;
        let real_to = self.destination((from, &real_from), to).await?;
        let moved = self.told(self.files.rename(&real_from, &real_to, how).await, &real_from);
        self.told(moved, &real_to)
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        let base = self.real(&query.base).await?;
        let after = match &query.after {
            Some(after) => Some(self.real(after).await?),
            None => None,
        };
        let sink = Arc::new(Showing { sink, names: self.names.clone() });
        let globs = || query.include.iter().chain(&query.exclude);
        let shown = globs().any(|glob| has_placeholder(patterns::text(glob).as_bytes()));
        let found = match (&base, &after) {
            (Cow::Borrowed(_), None | Some(Cow::Borrowed(_))) if !shown => {
                self.files.find(query, sink).await
            }
            (base, after) => {
                let include = self.patterns(base, &query.include).await;
                let exclude = self.patterns(base, &query.exclude).await;
                let (base, after) = (base.clone().into_owned(), after.as_deref().cloned());
                let query = Query { base, after, include, exclude, ..query.clone() };
                self.files.find(&query, sink).await
            }
        };
        self.told(found, &base)
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        let path = self.real(&spec.path).await?.into_owned();
        let spec = WatchSpec { path, ..spec.clone() };
        let watch = self.told(self.files.watch(&spec).await, &spec.path)?;
        Ok(Box::pin(Watching { watch, names: self.names.clone() }))
    }

    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        let real = self.real(path).await?;
        let target = self.told(self.files.read_link(&real).await, &real)?;
        Ok(self.names.shown_names(&target).map_or(target, Bytes::from))
    }

    async fn stage(&self, base: &WsPath) -> Result<Box<dyn Stage>> {
        let real = self.real(base).await?;
        let stage = self.told(self.files.stage(&real).await, &real)?;
        Ok(arriving::stage(stage, self.names.clone(), real.into_owned()))
    }

    async fn receive(&self, path: &WsPath) -> Result<Box<dyn Incoming>> {
        let real = self.real(path).await?;
        let incoming = self.told(self.files.receive(&real).await, &real)?;
        Ok(arriving::incoming(incoming, self.names.clone(), real.into_owned()))
    }
}

/// Gives results on under the names that are shown.
struct Showing {
    sink: Arc<dyn Sink>,
    names: Names,
}

impl Sink for Showing {
    fn accept(&self, found: Found<'_>) -> Flow {
        let path = match found {
            Found::Entry(entry) => &entry.path,
            Found::Line(line) => line.path,
            Found::Name(path, _) | Found::File(path) | Found::Count(path, _) => path,
        };
        let Some(shown) = self.names.shown(path) else { return self.sink.accept(found) };
        match found {
            Found::Entry(entry) => {
                self.sink.accept(Found::Entry(&Entry { path: shown, ..entry.clone() }))
            }
            Found::Line(line) => self.sink.accept(Found::Line(Line { path: &shown, ..line })),
            Found::Name(_, kind) => self.sink.accept(Found::Name(&shown, kind)),
            Found::File(_) => self.sink.accept(Found::File(&shown)),
            Found::Count(_, count) => self.sink.accept(Found::Count(&shown, count)),
        }
    }
}

/// Tells changes under the names that are shown.
struct Watching {
    watch: Watch,
    names: Names,
}

impl Stream for Watching {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        let polled = self.watch.as_mut().poll_next(context);
        polled.map(|event| {
            event.map(|event| match event {
                Event::Changed { path, change } => {
                    let path = self.names.shown(&path).unwrap_or(path);
                    Event::Changed { path, change }
                }
                Event::Overflow => Event::Overflow,
            })
        })
    }
}

#[cfg(test)]
mod tests;
