//! The sizes of files whose unsaved text is known, in what beneath tells of them.

use std::sync::Arc;

use garth_contract::{Code, Entry, Flow, Found, Kind, Links, Listing, Page, Result, Sink, WsPath};

use crate::{
    Editor,
    known::{Look, Whose},
    look::{Seen, Unsaved},
    resolve::Place,
};

impl Editor {
    /// Looks at one entry, and at the buffer of a file that is nowhere else.
    pub(crate) async fn stat_entry(&self, path: &WsPath, links: Links) -> Result<Entry> {
        let found = self.beneath.stat(path, links).await;
        let real = || async {
            match links {
                Links::Keep => self.resolve_entry(path).await.ok().flatten(),
                Links::Follow => match self.resolve(path).await {
                    Ok(Place::Real(real)) => Some(real),
                    Ok(Place::Unknown) | Err(_) => None,
                },
            }
        };
        match found {
            Ok(entry) if entry.kind != Kind::File || self.session.known().is_empty() => Ok(entry),
            Ok(entry) => Ok(match real().await {
                Some(real) => self.sized(&real, entry),
                None => entry,
            }),
            Err(error) if error.code() == Code::FileNotFound => match real().await {
                Some(real) => self.only_in_a_buffer(&real, path).await?.ok_or(error),
                None => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    /// A file that a client took and has not put beneath, as far as that is known.
    async fn only_in_a_buffer(&self, real: &WsPath, path: &WsPath) -> Result<Option<Entry>> {
        let note = self.root.absolute(real).and_then(|name| self.session.known().get(&name));
        if !note.is_some_and(|note| note.unsaved.is_some() && note.whose != Whose::Left) {
            return Ok(None);
        }
        let Seen::Unsaved(Unsaved { text, .. }) = self.look(real).await? else { return Ok(None) };
        let (path, size) = (path.clone(), text.len() as u64);
        Ok(Some(Entry { path, kind: Kind::File, size, modified: None, mode: None }))
    }

    pub(crate) async fn list_dir(&self, path: &WsPath, page: Page) -> Result<Listing> {
        let mut listing = self.beneath.list(path, page).await?;
        if self.session.known().is_empty() {
            return Ok(listing);
        }
        let Ok(Place::Real(dir)) = self.resolve(path).await else { return Ok(listing) };
        for entry in &mut listing.entries {
            let real = entry.path.name().and_then(|name| dir.join(name).ok());
            if let Some(size) = real.and_then(|real| self.unsaved_size(&real, entry)) {
                entry.size = size;
            }
        }
        Ok(listing)
    }

    /// The entry of a real path with the size that it shows.
    fn sized(&self, real: &WsPath, entry: Entry) -> Entry {
        match self.unsaved_size(real, &entry) {
            Some(size) => Entry { size, ..entry },
            None => entry,
        }
    }

    /// How long the unsaved text of a file is, where that is known and the file
    /// beneath looks as it did then.
    fn unsaved_size(&self, real: &WsPath, entry: &Entry) -> Option<u64> {
        if entry.kind != Kind::File {
            return None;
        }
        let note = self.session.known().get(&self.root.absolute(real)?)?;
        note.unsaved.filter(|_| note.whose != Whose::Left && note.disk == Some(Look::at(entry)))
    }
}

/// A sink that tells the sizes that files show.
pub(crate) struct Sized {
    pub(crate) editor: Editor,
    /// Where the search begins: as it was named, and where that leads.
    pub(crate) base: (WsPath, WsPath),
    pub(crate) sink: Arc<dyn Sink>,
}

impl Sink for Sized {
    fn accept(&self, found: Found<'_>) -> Flow {
        let Found::Entry(entry) = found else { return self.sink.accept(found) };
        let (named, real) = &self.base;
        let below = entry.path.below(named).and_then(|below| WsPath::from_bytes(below).ok());
        let real = below.and_then(|below| below.under(real).ok());
        match real.and_then(|real| self.editor.unsaved_size(&real, entry)) {
            Some(size) => self.sink.accept(Found::Entry(&Entry { size, ..entry.clone() })),
            None => self.sink.accept(found),
        }
    }
}
