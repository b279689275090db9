//! `find` for a backend that can list and read and no more.
//!
//! What counts, what is ignored and what matches is decided by `garth-search`, so
//! the answers are those of every other backend.

mod level;

use std::sync::Arc;

use garth_contract::{
    Code, DynFilesystem, Entry, Error, Facts, Flow, Kind, Links, Order, Query, Result, Sink, Span,
    Summary,
};
use garth_search::{Delivery, FileSearch, Filter, Hits, Met, Newest, Search};
use tokio::task::coop::consume_budget;

use self::level::{Level, ignores_above};

/// The largest file that is searched; a larger one counts as unreadable.
const MOST_BYTES: u64 = 64 << 20;

/// Answers a query by listing directories and reading files, one after another.
///
/// It is what a backend's own `find` can call. Files are searched where the call
/// runs, so it is for places of thousands of files rather than of millions.
///
/// # Errors
/// Those of [`find`](garth_contract::Filesystem::find).
///
/// Cancel: the walk ends; the sink is not called again.
pub async fn find_by_listing(
    files: &dyn DynFilesystem,
    query: &Query,
    sink: Arc<dyn Sink>,
) -> Result<Summary> {
    let mut finder = Finder {
        files,
        filter: Filter::compile(query)?,
        search: Search::compile(query)?.map(|search| search.start()),
        facts: query.facts,
        newest: (query.order == Order::Newest).then(|| Newest::new(query)),
        delivery: Delivery::new(query, &*sink),
        hits: Hits::new(),
        counts: Counts::default(),
    };
    let base = files.stat(&query.base, Links::Follow).await?;
    let flow = match base.kind {
        Kind::Dir => finder.walk(&Entry { path: query.base.clone(), ..base }).await?,
        Kind::File if finder.filter.counts_base() => finder.meet(base).await,
        Kind::File => Flow::Continue,
        Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
            return Err(Error::at(Code::NotAFile, &query.base));
        }
    };
    Ok(finder.finish(flow))
}

/// One walk, and what it has found so far.
struct Finder<'a> {
    files: &'a dyn DynFilesystem,
    filter: Filter,
    search: Option<FileSearch>,
    facts: Facts,
    /// Where results wait that come newest first.
    newest: Option<Newest>,
    delivery: Delivery<'a>,
    hits: Hits,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    searched: u64,
    binary: u64,
    unreadable: u64,
}

impl Finder<'_> {
    async fn walk(&mut self, base: &Entry) -> Result<Flow> {
        let above = ignores_above(self.files, &self.filter, &base.path).await;
        let first = Level::open(self.files, &self.filter, &base.path, &above).await?;
        let mut levels = vec![first];
        while let Some(level) = levels.last_mut() {
            if self.wants_no_more() {
                return Ok(Flow::Stop);
            }
            let Some(entry) = level.next(self.files).await else {
                self.counts.unreadable += level.lost();
                levels.pop();
                continue;
            };
            let name = entry.path.name().unwrap_or_default();
            let met = Met { path: entry.path.as_bytes(), name, kind: entry.kind };
            let judged = self.filter.judge(&met, level.ignores());
            let inside = if judged.enters && entry.kind == Kind::Dir {
                Some(Level::open(self.files, &self.filter, &entry.path, level.ignores()).await)
            } else {
                None
            };
            if judged.counts && self.meet(entry).await == Flow::Stop {
                return Ok(Flow::Stop);
            }
            match inside {
                Some(Ok(inside)) => levels.push(inside),
                Some(Err(_)) => self.counts.unreadable += 1,
                None => {}
            }
        }
        Ok(Flow::Continue)
    }

    fn wants_no_more(&self) -> bool {
        self.newest.is_none() && self.delivery.flow() == Flow::Stop
    }

    /// Takes an entry that counts by its name.
    async fn meet(&mut self, entry: Entry) -> Flow {
        // A place that answers at once would otherwise keep the thread to the end.
        consume_budget().await;
        let (path, modified) = (entry.path.clone(), entry.modified);
        let matches = match (entry.kind, self.search.is_some()) {
            (_, false) => {
                match self.facts {
                    Facts::Names => self.hits.push_name(entry.path.as_bytes(), entry.kind),
                    Facts::All => self.hits.push(entry),
                }
                1
            }
            (Kind::File, true) => self.grep(&entry).await,
            (Kind::Dir | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device, true) => {
                return Flow::Continue;
            }
        };
        match &mut self.newest {
            Some(newest) if matches > 0 => {
                newest.push(path, modified, matches, std::mem::take(&mut self.hits));
            }
            Some(_) => {}
            None => {
                self.delivery.push(&self.hits);
            }
        }
        self.hits.clear();
        if self.wants_no_more() { Flow::Stop } else { Flow::Continue }
    }

    /// Searches a file and says how many results it has.
    async fn grep(&mut self, entry: &Entry) -> u64 {
        let Ok(content) = self.files.read(&entry.path, Span::Whole { at_most: MOST_BYTES }).await
        else {
            self.counts.unreadable += 1;
            return 0;
        };
        let Some(search) = &mut self.search else { return 0 };
        let (delivery, in_order) = (&mut self.delivery, self.newest.is_none());
        let mut spill = |hits: &mut Hits| {
            if !in_order {
                return Flow::Continue;
            }
            let flow = delivery.push(hits);
            hits.clear();
            flow
        };
        self.counts.searched += 1;
        let path = entry.path.as_bytes();
        match search.bytes(path, &content.bytes, &mut self.hits, &mut spill) {
            Ok(searched) => {
                self.counts.binary += u64::from(searched.binary);
                searched.matches
            }
            Err(_) => {
                self.counts.unreadable += 1;
                0
            }
        }
    }

    fn finish(self, flow: Flow) -> Summary {
        let mut delivery = self.delivery;
        let total = delivery.finish(self.newest, flow);
        let Counts { searched, binary, unreadable } = self.counts;
        Summary { given: delivery.given(), total, searched, binary, unreadable }
    }
}
