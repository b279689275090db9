//! Walks a tree in order, one page of a directory at a time.

use std::{sync::Arc, vec};

use garth_contract::{
    DynFilesystem, Entry, Facts, Glob, Hidden, Ignored, Kind, Kinds, Order, Page, Query, Reach,
    Result, WsPath, is_temporary,
};
use garth_search::{Filter, Ignores, Met};

use super::{Packed, What, passes_over};

/// How many entries of a directory are known at a time.
const PAGE: u64 = 10_000;

/// A walk over everything below a directory that is not excluded.
pub(super) struct Walk {
    files: Arc<dyn DynFilesystem>,
    filter: Filter,
    levels: Vec<Level>,
    /// A directory that was given out and not yet gone into.
    enter: Option<WsPath>,
}

/// A directory that the walk is in.
struct Level {
    dir: WsPath,
    entries: vec::IntoIter<Entry>,
    /// How many entries were listed so far; `None` when there are no more.
    listed: Option<u64>,
    /// The last entry given out, since a page may begin anew with it.
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
        Ok(Self { files, filter, levels: Vec::new(), enter: Some(from.clone()) })
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
            if level.last.as_ref().is_some_and(|last| entry.path <= *last) {
                continue;
            }
            level.last = Some(entry.path.clone());
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
        match self.files.list(&level.dir, Page { skip, take: PAGE }).await {
            Ok(listing) => {
                let listed = skip + PAGE;
                level.listed = (listed < listing.total).then_some(listed);
                level.entries = listing.entries.into_iter();
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
