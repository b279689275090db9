//! `find` over the top: each root in turn, under one bound.
//!
//! The roots stand in the order of their names, so results that come root by root
//! come by path. Newest first they must be merged, which `newest` does.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use garth_contract::{
    Code, Error, Facts, Flow, Found, Kind, Line, LineKind, Order, Owned, Query, Result, Sink,
    Summary, Total, WsPath,
};
use garth_search::{Filter, Ignores, Judged, Met, Search};
use tokio::runtime::Handle;

use crate::{glob::inside, newest::newest, outlet::Outlet, roots::Root};

/// Searches all roots.
///
/// Cancel: the search of the root that it is in ends, and no other begins.
pub(crate) async fn find(roots: &[Root], query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
    let filter = Filter::compile(query)?;
    // What is wrong with the pattern is told even if no root would be searched.
    Search::compile(query)?;
    let gate = Arc::new(Gate { sink, shut: AtomicBool::new(false) });
    let _waiter = Waiter(Arc::clone(&gate));
    match query.order {
        Order::Path => by_path(roots, query, (&filter, &gate)).await,
        Order::Newest => newest(roots, query, (&filter, &gate)).await,
    }
}

async fn by_path(
    roots: &[Root],
    query: &Query,
    (filter, gate): (&Filter, &Arc<Gate>),
) -> Result<Summary> {
    let mut tally = Tally::new(query);
    for root in roots {
        let judged = judge(filter, root);
        if judged.counts && query.grep.is_none() && tally.count_one() {
            tally.deliver(gate, vec![root.found(query.facts).await]).await?;
        }
        if tally.has_ended() {
            break;
        }
        if judged.enters
            && let Some(inner) = root.ask(query)?
        {
            let (skip, take) = (tally.skip, tally.take);
            let asked = Query { skip, take, ..inner };
            tally.add(root.search(&asked, Arc::clone(gate) as Arc<dyn Sink>).await?);
        }
        if tally.has_ended() {
            break;
        }
    }
    Ok(tally.summary())
}

/// Decides about a root as a walk decides about any directory.
pub(crate) fn judge(filter: &Filter, root: &Root) -> Judged {
    let name = root.path.as_bytes();
    filter.judge(&Met { path: name, name, kind: Kind::Dir }, &Ignores::none())
}

impl Root {
    /// The root itself as a result.
    async fn found(&self, facts: Facts) -> Owned {
        match facts {
            Facts::Names => Owned::Name(self.path.clone(), Kind::Dir),
            Facts::All => Owned::Entry(self.entry().await),
        }
    }

    /// What this root is to be asked; nothing when it holds nothing that counts.
    pub(crate) fn ask(&self, query: &Query) -> Result<Option<Query>> {
        let include = inside(&query.include, self.path.as_bytes())?;
        if include.is_empty() && !query.include.is_empty() {
            return Ok(None);
        }
        let exclude = inside(&query.exclude, self.path.as_bytes())?;
        let Some(after) = self.after(query)? else { return Ok(None) };
        Ok(Some(Query { include, exclude, after, ..query.clone() }))
    }

    /// Behind which of its own paths results begin; `None` where all of them stand before.
    pub(crate) fn after(&self, query: &Query) -> Result<Option<Option<WsPath>>> {
        let Some(after) = &query.after else { return Ok(Some(None)) };
        match after.below(&self.path) {
            Some(b"") => Ok(Some(None)),
            Some(below) => Ok(Some(Some(WsPath::from_bytes(below)?))),
            None if *after < self.path => Ok(Some(None)),
            None => Ok(None),
        }
    }

    /// Asks this root. One that is gone or refuses is an entry that cannot be read.
    pub(crate) async fn search(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        let outlet = Arc::new(Outlet::new(self.path.clone(), sink));
        let found = self.fs.find(query, Arc::clone(&outlet) as Arc<dyn Sink>).await;
        match self.told(found) {
            Ok(summary) => Ok(outlet.settle(summary)),
            Err(error) if is_absence(error.code()) => Ok(Summary { unreadable: 1, ..NOTHING }),
            Err(error) => Err(error),
        }
    }
}

/// What a search did that found nothing.
pub(crate) const NOTHING: Summary =
    Summary { given: 0, total: Total::Exact(0), searched: 0, binary: 0, unreadable: 0 };

fn is_absence(code: Code) -> bool {
    matches!(
        code,
        Code::FileNotFound
            | Code::WorkspaceNotFound
            | Code::NotADirectory
            | Code::NotAFile
            | Code::PermissionDenied
    )
}

/// What a search over several roots has done so far, and what is still wanted.
pub(crate) struct Tally {
    /// How many results are still to be passed over.
    pub(crate) skip: u64,
    /// How many results are still wanted.
    pub(crate) take: u64,
    given: u64,
    total: u64,
    searched: u64,
    binary: u64,
    unreadable: u64,
    ended_early: bool,
}

impl Tally {
    pub(crate) fn new(query: &Query) -> Self {
        Self {
            skip: query.skip,
            take: query.take,
            given: 0,
            total: 0,
            searched: 0,
            binary: 0,
            unreadable: 0,
            ended_early: query.take == 0,
        }
    }

    /// Tells whether no more is wanted.
    fn has_ended(&self) -> bool {
        self.ended_early
    }

    /// Counts a result of our own and tells whether it is wanted.
    fn count_one(&mut self) -> bool {
        if self.ended_early {
            return false;
        }
        self.total += 1;
        let wanted = self.skip == 0;
        self.skip = self.skip.saturating_sub(1);
        wanted
    }

    /// Hands results of our own on.
    pub(crate) async fn deliver(&mut self, gate: &Arc<Gate>, found: Vec<Owned>) -> Result<Flow> {
        let (given, flow) = deliver(gate, found).await?;
        self.given += given;
        self.take = self.take.saturating_sub(given);
        self.ended_early |= flow == Flow::Stop || self.take == 0;
        Ok(flow)
    }

    /// Takes in what the search of one root did.
    fn add(&mut self, summary: Summary) {
        let count = match summary.total {
            Total::Exact(count) => count,
            Total::AtLeast(count) => {
                self.ended_early = true;
                count
            }
        };
        self.total = self.total.saturating_add(count);
        self.skip = self.skip.saturating_sub(count);
        self.given(summary.given);
        self.look(&summary);
    }

    /// Counts results that a root handed on.
    pub(crate) fn given(&mut self, given: u64) {
        self.given = self.given.saturating_add(given);
        self.take = self.take.saturating_sub(given);
    }

    /// Counts what a root looked at.
    pub(crate) fn look(&mut self, summary: &Summary) {
        self.searched = self.searched.saturating_add(summary.searched);
        self.binary = self.binary.saturating_add(summary.binary);
        self.unreadable = self.unreadable.saturating_add(summary.unreadable);
    }

    pub(crate) fn summary(&self) -> Summary {
        let count = self.total;
        Summary {
            given: self.given,
            total: if self.ended_early { Total::AtLeast(count) } else { Total::Exact(count) },
            searched: self.searched,
            binary: self.binary,
            unreadable: self.unreadable,
        }
    }
}

/// The way to the sink, which shuts when nobody waits for the search any more.
pub(crate) struct Gate {
    sink: Arc<dyn Sink>,
    shut: AtomicBool,
}

impl Sink for Gate {
    fn accept(&self, found: Found<'_>) -> Flow {
        if self.shut.load(Ordering::SeqCst) {
            return Flow::Stop;
        }
        self.sink.accept(found)
    }
}

/// Shuts the gate when the search's future is dropped.
struct Waiter(Arc<Gate>);

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.shut.store(true, Ordering::SeqCst);
    }
}

/// Hands results to the sink, off the runtime's threads: a sink may block.
async fn deliver(gate: &Arc<Gate>, found: Vec<Owned>) -> Result<(u64, Flow)> {
    if found.is_empty() {
        return Ok((0, Flow::Continue));
    }
    let gate = Arc::clone(gate);
    let work = move || {
        let mut given = 0;
        for owned in &found {
            let counts = !matches!(owned, Owned::Line(line) if line.kind == LineKind::Context);
            given += u64::from(counts);
            if gate.accept(borrowed(owned)) == Flow::Stop {
                return (given, Flow::Stop);
            }
        }
        (given, Flow::Continue)
    };
    match Handle::try_current() {
        Ok(runtime) => runtime.spawn_blocking(work).await.map_err(|failure| {
            Error::of(if failure.is_cancelled() { Code::Cancelled } else { Code::Internal })
        }),
        Err(_) => Ok(work()),
    }
}

fn borrowed(owned: &Owned) -> Found<'_> {
    match owned {
        Owned::Entry(entry) => Found::Entry(entry),
        Owned::Name(path, kind) => Found::Name(path, *kind),
        Owned::File(path) => Found::File(path),
        Owned::Count(path, count) => Found::Count(path, *count),
        Owned::Line(line) => Found::Line(Line {
            path: &line.path,
            number: line.number,
            kind: line.kind,
            text: &line.text,
            spans: &line.spans,
        }),
    }
}
