//! Walks a tree in order, one page of a directory at a time.
//!
//! The directory that comes next is listed while those who read are at the files of
//! this one, so that they do not wait for it.

use std::{sync::Arc, vec};

use garth_contract::{
    Code, DynFilesystem, Entry, Error, Facts, Glob, Hidden, Ignored, Kind, Kinds, Listing, Order,
    Page, Query, Reach, Result, WsPath, is_temporary,
};
use garth_search::{Filter, Ignores, Met};

use super::{Packed, Task, What, passes_over};

/// How many entries of a directory are known at a time.
const PAGE: u64 = 10_000;

/// How far the next directory is looked for: it is soon enough to list it later if it
/// is behind so many files.
const LOOKED_AT: usize = 1000;

/// A walk over everything below a directory that is not excluded.
pub(super) struct Walk {
    files: Arc<dyn DynFilesystem>,
    filter: Filter,
    levels: Vec<Level>,
    /// A directory that was given out and not yet gone into.
    enter: Option<WsPath>,
    ahead: Option<Ahead>,
}

/// The first page of a directory that the walk is not in yet.
struct Ahead {
    dir: WsPath,
    page: Task<Result<Listing>>,
}

/// A directory that the walk is in.
struct Level {
    dir: WsPath,
    entries: vec::IntoIter<Entry>,
    /// How many entries were listed so far; `None` when there are no more.
    listed: Option<u64>,
    /// The last entry of the page, if another follows: that may begin anew with it.
    last: Option<WsPath>,
}

impl Walk {
    /// Starts a walk; `INVALID_PATTERN` for a wrong glob.
    pub(super) fn new(
        files: Arc<dyn DynFilesystem>,
        from: &WsPath,
        exclude: &[String],
    ) -> Result<Self> {
        let filter = Filter::compile(&query(from, exclude))?;
        let enter = Some(from.clone());
        Ok(Self { files, filter, levels: Vec::new(), enter, ahead: None })
    }

    /// The next entry, a directory before what is in it.
    ///
    /// A directory that cannot be listed is noted, and passed over.
    pub(super) async fn next(&mut self, packed: &mut Packed) -> Result<Option<Entry>> {
        loop {
            if let Some(dir) = self.enter.take() {
                let level = Level { dir, entries: vec![].into_iter(), listed: Some(0), last: None };
                self.levels.push(level);
            }
            let Some(level) = self.levels.last_mut() else { return Ok(None) };
            let Some(entry) = level.entries.next() else {
                match level.listed {
                    Some(skip) => self.turn_page(skip, packed).await?,
                    None => {
                        self.levels.pop();
                    }
                }
                continue;
            };
            if !self.wanted(&entry) {
                continue;
            }
            if entry.kind == Kind::Dir {
                self.enter = Some(entry.path.clone());
            }
            return Ok(Some(entry));
        }
    }

    async fn turn_page(&mut self, skip: u64, packed: &mut Packed) -> Result<()> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        let ahead = self.ahead.take().filter(|ahead| skip == 0 && ahead.dir == level.dir);
        let listed = match ahead {
            Some(mut ahead) => {
                let listed = (&mut ahead.page.0).await;
                listed.unwrap_or_else(|_| Err(Error::of(Code::Internal)))
            }
            None => self.files.list(&level.dir, Page { skip, take: PAGE }).await,
        };
        match listed {
            Ok(listing) => {
                let listed = skip + PAGE;
                level.listed = (listed < listing.total).then_some(listed);
                let mut entries = listing.entries;
                if let Some(last) = &level.last {
                    entries.retain(|entry| entry.path > *last);
                }
                if level.listed.is_some()
                    && let Some(entry) = entries.last()
                {
                    level.last = Some(entry.path.clone());
                }
                level.entries = entries.into_iter();
                self.look_ahead();
                Ok(())
            }
            Err(error) if passes_over(&error) => {
                packed.note(&level.dir, What::Unreadable);
                level.listed = None;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Has the directory listed that the walk comes to next.
    fn look_ahead(&mut self) {
        let levels = self.levels.iter().rev();
        let mut entries = levels.flat_map(|level| level.entries.as_slice()).take(LOOKED_AT);
        let next = entries.find(|entry| entry.kind == Kind::Dir && self.wanted(entry));
        let Some(dir) = next.map(|entry| entry.path.clone()) else { return };
        let (files, of) = (Arc::clone(&self.files), dir.clone());
        let list = async move { files.list(&of, Page { skip: 0, take: PAGE }).await };
        self.ahead = Some(Ahead { dir, page: Task(tokio::spawn(list)) });
    }

    fn wanted(&self, entry: &Entry) -> bool {
        let name = entry.path.name().unwrap_or_default();
        let met = Met { path: entry.path.as_bytes(), name, kind: entry.kind };
        !is_temporary(name) && self.filter.judge(&met, &Ignores::none()).counts
    }
}

/// Everything below a directory but what is excluded.
fn query(from: &WsPath, exclude: &[String]) -> Query {
    Query {
        base: from.clone(),
        reach: Reach::Tree,
        include: Vec::new(),
        exclude: exclude.iter().cloned().map(Glob::Filter).collect(),
        kinds: Kinds::All,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
        grep: None,
        facts: Facts::All,
        order: Order::Path,
        skip: 0,
        take: u64::MAX,
        after: None,
    }
}
