//! `find`: walks a tree by directory handles, on several threads, in order.
//!
//! Every directory is opened by its name in its parent's handle and every file
//! by its name in its directory's, never through a link, so a walk cannot be led
//! out of the tree. Threads work on stretches of the tree and [`board`] puts
//! what they find back in order; nothing is opened by a path from the root.

mod board;
mod dir;
mod file;
mod ignore_files;
mod listing;
mod stretch;
mod worker;

use std::{
    num::NonZero,
    os::fd::OwnedFd,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use garth_contract::{
    Code, Error, Facts, Flow, Found, HardLinks, Order, Query, Reach, Result, Sink, Summary, Total,
    WsPath,
};
use garth_search::{Delivery, Filter, Ignores, Newest, Rules, Search};
use rustix::fs::Stat;

use self::{board::Board, worker::Worker};

/// The most threads that one search uses.
const MAX_THREADS: usize = 8;
/// How many stretches one thread works through before others are called in.
const ALONE: usize = 4;

/// Where a walk starts and what binds it.
pub(crate) struct Start<'a> {
    /// The handle of what the query's base turned out to be.
    pub(crate) base: Base,
    /// Where that is, every link on the way resolved.
    pub(crate) path: WsPath,
    /// Opens a directory of the workspace, for the ignore files above the base.
    pub(crate) open_dir: &'a dyn Fn(&WsPath) -> Result<OwnedFd>,
    /// What the workspace forbids.
    pub(crate) rules: &'a Rules,
    /// Whether a file with several names is searched.
    pub(crate) hard_links: HardLinks,
}

/// What a walk starts at.
pub(crate) enum Base {
    Dir(OwnedFd),
    File(OwnedFd, Stat),
}

/// What all threads of one search share.
struct Shared<'a> {
    filter: Filter,
    search: Option<Search>,
    rules: &'a Rules,
    hard_links: HardLinks,
    reach: Reach,
    facts: Facts,
    order: Order,
    newest: Mutex<Newest>,
    board: Board<'a>,
    cancel: &'a AtomicBool,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    searched: AtomicU64,
    binary: AtomicU64,
    unreadable: AtomicU64,
}

/// Walks a tree and pushes what matches into the sink; blocks until done.
///
/// # Errors
/// `INVALID_PATTERN` with its position; `CANCELLED` once `cancel` is set.
pub(crate) fn find(
    start: Start<'_>,
    query: &Query,
    sink: &dyn Sink,
    cancel: &AtomicBool,
) -> Result<Summary> {
    let query = &Query { base: start.path.clone(), ..query.clone() };
    let sink = Cancellable { sink, cancel };
    let shared = Shared {
        filter: Filter::compile(query)?,
        search: Search::compile(query)?,
        rules: start.rules,
        hard_links: start.hard_links,
        reach: query.reach,
        facts: query.facts,
        order: query.order,
        newest: Mutex::new(Newest::new(query)),
        board: Board::new(Delivery::new(query, &sink)),
        cancel,
        counts: Counts::default(),
    };
    match start.base {
        Base::File(file, stat) => Worker::new(&shared).base_file(&start.path, &file, &stat),
        Base::Dir(handle) => {
            let ignores = if shared.filter.reads_ignore_files() {
                ignore_files::above(&start.path, start.open_dir)
            } else {
                Ignores::none()
            };
            let mut worker = Worker::new(&shared);
            if shared.is_listing() {
                worker.list(handle, &start.path, ignores);
            } else {
                worker.base_dir(handle, &start.path, ignores);
                walk(&shared, worker);
            }
        }
    }
    if cancel.load(Ordering::Relaxed) {
        return Err(Error::of(Code::Cancelled));
    }
    Ok(shared.finish(query, &sink))
}

/// Works through the tree, alone while it is small.
fn walk(shared: &Shared<'_>, mut worker: Worker<'_, '_>) {
    while worker.steps() < ALONE || !shared.board.has_waiting() {
        if !worker.step() {
            return;
        }
    }
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    thread::scope(|scope| {
        for _ in 1..threads {
            let help = || {
                let mut worker = Worker::new(shared);
                while worker.step() {}
            };
            // Without another thread the search is slower and no less complete.
            if thread::Builder::new().spawn_scoped(scope, help).is_err() {
                break;
            }
        }
        while worker.step() {}
    });
}

impl Shared<'_> {
    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Whether results come in the order of their paths.
    fn sorts(&self) -> bool {
        self.order == Order::Path
    }

    /// Whether a directory's listing tells all that is asked about its entries.
    fn names_are_enough(&self) -> bool {
        self.facts == Facts::Names && self.order == Order::Path
    }

    /// Whether the names in one directory are all there is to it.
    fn is_listing(&self) -> bool {
        self.reach == Reach::Entries && self.search.is_none() && self.names_are_enough()
    }

    fn newest<T>(&self, act: impl FnOnce(&mut Newest) -> T) -> T {
        act(&mut self.newest.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn finish(self, query: &Query, sink: &dyn Sink) -> Summary {
        let (mut delivery, ended_early) = self.board.finish();
        let mut total = if ended_early {
            Total::AtLeast(delivery.seen())
        } else {
            Total::Exact(delivery.seen())
        };
        if query.order == Order::Newest {
            let newest = self.newest.into_inner().unwrap_or_else(PoisonError::into_inner);
            if !ended_early {
                total = Total::Exact(newest.total());
            }
            delivery = Delivery::new(query, sink);
            for hits in newest.into_hits() {
                if delivery.push(&hits) == Flow::Stop {
                    break;
                }
            }
        }
        Summary {
            given: delivery.given(),
            total,
            searched: self.counts.searched.into_inner(),
            binary: self.counts.binary.into_inner(),
            unreadable: self.counts.unreadable.into_inner(),
        }
    }
}

/// A sink that is not called again once the search is cancelled.
struct Cancellable<'a> {
    sink: &'a dyn Sink,
    cancel: &'a AtomicBool,
}

impl Sink for Cancellable<'_> {
    fn accept(&self, found: Found<'_>) -> Flow {
        if self.cancel.load(Ordering::Relaxed) {
            return Flow::Stop;
        }
        self.sink.accept(found)
    }
}
