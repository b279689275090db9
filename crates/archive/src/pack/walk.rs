//! Walks a tree in order, one page of a directory at a time.
//!
//! The directory that comes next is listed while those who read are at the files of
//! this one, so that they do not wait for it. Those beside it that come after it are
//! listed along with it where that is no more than to read their names: to have another
//! thread do that takes longer than it does.

use std::{collections::VecDeque, sync::Arc, vec};

use garth_contract::{
    DynFilesystem, Facts, Folder, Glance, Glimpse, Glob, Hidden, Ignored, Kind, Kinds, Order, Page,
    Query, Reach, Result, WsPath, is_temporary,
};
use garth_search::{Filter, Ignores, Met};

use super::{Packed, Task, What, off_thread, passes_over, unless_gone};

/// How many entries of a directory are known at a time.
const PAGE: u64 = 10_000;

/// How far the next directory is looked for: it is soon enough to list it later if it
/// is behind so many files.
const LOOKED_AT: usize = 1000;

/// How many directories are listed at once, and how many are known before the walk comes
/// to them.
const AT_ONCE: usize = 8;
const MOST_KNOWN: usize = 64;

/// How closely a walk looks.
#[derive(Clone, Copy)]
pub(super) enum Looks {
    /// At everything.
    Closely,
    /// At files only where that is no more work: who reads them sees what they are.
    PastFiles,
}

impl Looks {
    /// A directory to glance at, if it is at hand.
    fn folder(self, files: &dyn DynFilesystem, dir: &WsPath) -> Option<Box<dyn Folder>> {
        match self {
            Self::Closely => None,
            Self::PastFiles => files.folder(dir),
        }
    }
}

/// A walk over everything below a directory that is not excluded.
pub(super) struct Walk {
    files: Arc<dyn DynFilesystem>,
    filter: Filter,
    looks: Looks,
    levels: Vec<Level>,
    /// A directory that was given out and not yet gone into.
    enter: Option<WsPath>,
    ahead: Option<Ahead>,
    /// What is known of directories that the walk comes to, the next one first.
    known: VecDeque<Known>,
}

/// Directories that are being listed, the one that the walk comes to next first.
struct Ahead {
    next: WsPath,
    pages: Task<Result<Vec<Known>>>,
}

/// A directory that the walk is not in yet, and its first page.
struct Known {
    dir: WsPath,
    page: Glance,
}

/// A directory that the walk is in.
struct Level {
    dir: WsPath,
    entries: vec::IntoIter<Glimpse>,
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
        (exclude, looks): (&[String], Looks),
    ) -> Result<Self> {
        let filter = Filter::compile(&query(from, exclude))?;
        let enter = Some(from.clone());
        let (levels, known) = (Vec::new(), VecDeque::new());
        Ok(Self { files, filter, looks, levels, enter, ahead: None, known })
    }

    /// The next entry, a directory before what is in it.
    ///
    /// A directory that cannot be listed is noted, and passed over.
    pub(super) async fn next(&mut self, packed: &mut Packed) -> Result<Option<Glimpse>> {
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
            if entry.kind() == Kind::Dir {
                self.enter = Some(entry.path().clone());
            }
            return Ok(Some(entry));
        }
    }

    async fn turn_page(&mut self, skip: u64, packed: &mut Packed) -> Result<()> {
        let listed = self.page(skip).await;
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        match listed {
            Ok(listing) => {
                let listed = skip + PAGE;
                level.listed = (listed < listing.total).then_some(listed);
                let mut entries = listing.entries;
                if let Some(last) = &level.last {
                    entries.retain(|entry| entry.path() > last);
                }
                if level.listed.is_some()
                    && let Some(entry) = entries.last()
                {
                    level.last = Some(entry.path().clone());
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

    /// A page of the directory that the walk is in.
    async fn page(&mut self, skip: u64) -> Result<Glance> {
        let Some(dir) = self.levels.last().map(|level| level.dir.clone()) else {
            return Ok(Glance { entries: Vec::new(), total: 0 });
        };
        let ahead = self.ahead.take().filter(|ahead| skip == 0 && ahead.next == dir);
        if let Some(mut ahead) = ahead {
            // They come before what was known already.
            for known in unless_gone((&mut ahead.pages.0).await)?.into_iter().rev() {
                self.known.push_front(known);
            }
            self.known.truncate(MOST_KNOWN);
        }
        if skip == 0
            && let Some(at) = self.known.iter().position(|known| known.dir == dir)
            && let Some(known) = self.known.drain(..=at).next_back()
        {
            return Ok(known.page);
        }
        list(&self.files, &dir, (self.looks, skip)).await
    }

    /// Has the directory listed that the walk comes to next, and some beside it.
    fn look_ahead(&mut self) {
        let Some((next, beside)) = self.next_dirs() else { return };
        if self.known.front().is_some_and(|known| known.dir == next) {
            return;
        }
        let row = list_row(Arc::clone(&self.files), (next.clone(), beside), self.looks);
        self.ahead = Some(Ahead { next, pages: Task(tokio::spawn(row)) });
    }

    /// The directory that the walk comes to next, and some that come after it beside it.
    fn next_dirs(&self) -> Option<(WsPath, Vec<WsPath>)> {
        let mut left = LOOKED_AT;
        for level in self.levels.iter().rev() {
            let row = level.entries.as_slice().iter().take(left);
            left -= row.len();
            let dirs = row.filter(|entry| entry.kind() == Kind::Dir && self.wanted(entry));
            let mut dirs = dirs.map(|entry| entry.path().clone());
            if let Some(next) = dirs.next() {
                return Some((next, dirs.take(AT_ONCE - 1).collect()));
            }
        }
        None
    }

    fn wanted(&self, entry: &Glimpse) -> bool {
        let name = entry.path().name().unwrap_or_default();
        let met = Met { path: entry.path().as_bytes(), name, kind: entry.kind() };
        !is_temporary(name) && self.filter.judge(&met, &Ignores::none()).counts
    }
}

/// Lists a page of a directory.
async fn list(
    files: &Arc<dyn DynFilesystem>,
    dir: &WsPath,
    (looks, skip): (Looks, u64),
) -> Result<Glance> {
    let page = Page { skip, take: PAGE };
    if let Some(folder) = looks.folder(&**files, dir) {
        return off_thread(move || folder.glance(page)).await?;
    }
    let listing = files.list(dir, page).await?;
    let entries = listing.entries.into_iter().map(Glimpse::Entry).collect();
    Ok(Glance { entries, total: listing.total })
}

/// Lists the first pages of a directory and, where they are at hand, of those beside it,
/// until there are enough entries.
async fn list_row(
    files: Arc<dyn DynFilesystem>,
    (dir, beside): (WsPath, Vec<WsPath>),
    looks: Looks,
) -> Result<Vec<Known>> {
    let Some(folder) = looks.folder(&*files, &dir) else {
        let page = list(&files, &dir, (looks, 0)).await?;
        return Ok(vec![Known { dir, page }]);
    };
    off_thread(move || {
        let first = Page { skip: 0, take: PAGE };
        let page = folder.glance(first)?;
        let mut entries = page.entries.len();
        let mut row = vec![Known { dir, page }];
        for dir in beside {
            if entries >= LOOKED_AT {
                break;
            }
            // What is wrong with this one is told when the walk comes to it.
            let Some(folder) = looks.folder(&*files, &dir) else { break };
            let Ok(page) = folder.glance(first) else { break };
            entries += page.entries.len();
            row.push(Known { dir, page });
        }
        Ok(row)
    })
    .await?
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
