//! `find`: walks one root of the tree, alone and in the order of paths.
//!
//! What counts, what is ignored and what matches is decided by `garth-search`, so
//! the answers are those of every other backend.

mod gate;

use std::sync::Arc;

use garth_contract::{
    Code, Error, Facts, Flow, Links, Order, Query, Result, Sink, Summary, WsPath,
};
use garth_search::{Delivery, FileSearch, Filter, Fold, Hits, Ignores, Met, Newest, Search};
use tokio::runtime::Handle;

use self::gate::{Gate, Waiter};
use crate::{
    fence::Fence,
    ignore::{above, below},
    resolve::{What, resolve},
    tree::{Dir, File, Node},
    walk::Walk,
};

/// Walks a tree and pushes what matches into the sink, off the runtime's threads:
/// a sink may block.
///
/// Cancel: the walk ends at the next entry; the sink is not called again.
pub(crate) async fn find(
    fence: Arc<Fence>,
    root: Arc<Dir>,
    query: Query,
    sink: Arc<dyn Sink>,
) -> Result<Summary> {
    let gate = Arc::new(Gate::new(sink));
    let waiter = Waiter::new(Arc::clone(&gate));
    let work = move || search(&fence, &root, query, &gate);
    let found = match Handle::try_current() {
        Ok(runtime) => runtime.spawn_blocking(work).await.map_err(|failure| {
            Error::of(if failure.is_cancelled() { Code::Cancelled } else { Code::Internal })
        })?,
        Err(_) => work(),
    };
    drop(waiter);
    found
}

fn search(fence: &Fence, root: &Arc<Dir>, query: Query, gate: &Gate) -> Result<Summary> {
    let asked = query.base.clone();
    let place = resolve(fence, root, &asked, Links::Follow)?;
    let query = Query { base: place.path, ..query };
    let mut finder = Finder {
        fence,
        gate,
        filter: Filter::compile(&query)?,
        search: Search::compile(&query)?.map(|search| search.start()),
        facts: query.facts,
        newest: (query.order == Order::Newest).then(|| Newest::new(&query)),
        delivery: Delivery::new(&query, gate),
        hits: Hits::new(),
        counts: Counts::default(),
    };
    let flow = match place.what {
        What::Dir(dir) => finder.walk(root, &query.base, dir),
        What::File(file) if finder.filter.counts_base() => {
            finder.meet(query.base.clone(), &Node::File(Arc::clone(file)))
        }
        What::File(_) => Flow::Continue,
        What::Link(_) => return Err(Error::at(Code::NotAFile, &asked)),
        What::Nothing { .. } => return Err(Error::at(Code::FileNotFound, &asked)),
    };
    if gate.is_shut() {
        return Err(Error::of(Code::Cancelled));
    }
    Ok(finder.finish(flow))
}

/// One walk, and what it has found so far.
struct Finder<'a> {
    fence: &'a Fence,
    gate: &'a Gate,
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
    fn walk(&mut self, root: &Dir, base: &WsPath, dir: &Dir) -> Flow {
        let ignores =
            if self.filter.reads_ignore_files() { above(root, base) } else { Ignores::none() };
        let mut levels = vec![self.enter(base.as_bytes(), dir, &ignores)];
        let mut walk = Walk::new(base, dir);
        while let Some(step) = walk.next() {
            if self.gate.is_shut() || self.wants_no_more() {
                return Flow::Stop;
            }
            levels.truncate(step.depth);
            let Some(ignores) = levels.last() else { break };
            let met = Met { path: step.path, name: step.name, kind: step.node.kind() };
            let mut judged = self.filter.judge(&met, ignores);
            if (judged.counts || judged.enters) && self.denies(&met) {
                judged.counts = false;
                judged.enters = false;
            }
            if judged.enters
                && let Node::Dir(dir) = step.node
            {
                let inside = self.enter(step.path, dir, ignores);
                levels.push(inside);
            }
            if judged.counts {
                let Ok(path) = step.name.path(step.path) else {
                    self.counts.unreadable += 1;
                    continue;
                };
                if self.meet(path, step.node) == Flow::Stop {
                    return Flow::Stop;
                }
            }
            if !judged.enters && matches!(step.node, Node::Dir(_)) {
                walk.pass_over();
            }
        }
        Flow::Continue
    }

    /// The ignore rules inside a directory.
    fn enter(&self, path: &[u8], dir: &Dir, outside: &Ignores) -> Ignores {
        if self.filter.reads_ignore_files() { below(outside, path, dir) } else { outside.clone() }
    }

    fn denies(&self, met: &Met<'_>) -> bool {
        let rules = &self.fence.rules;
        !rules.is_empty() && rules.denies_entry(met.path, Fold::Exact, met.kind.into())
    }

    fn wants_no_more(&self) -> bool {
        self.newest.is_none() && self.delivery.flow() == Flow::Stop
    }

    /// Takes an entry that counts by its name.
    fn meet(&mut self, path: WsPath, node: &Node) -> Flow {
        let matches = match (node, self.search.is_some()) {
            (_, false) => {
                match self.facts {
                    Facts::Names => self.hits.push_name(path.as_bytes(), node.kind()),
                    Facts::All => self.hits.push(node.entry(path.clone())),
                }
                1
            }
            (Node::File(file), true) => self.grep(&path, file),
            (Node::Dir(_) | Node::Link(_), true) => return Flow::Continue,
        };
        match &mut self.newest {
            Some(newest) if matches > 0 => {
                let hits = std::mem::take(&mut self.hits);
                newest.push(path, Some(node.modified()), matches, hits);
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
    fn grep(&mut self, path: &WsPath, file: &File) -> u64 {
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
        match search.bytes(path.as_bytes(), &file.content, &mut self.hits, &mut spill) {
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
