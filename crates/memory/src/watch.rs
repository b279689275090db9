//! Tells watches what a change did, without ever waiting for who reads them.

mod queue;

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError, Weak},
    task::{Context, Poll},
};

use futures_core::Stream;
use garth_contract::{
    Change, Code, Detail, Error, Event, Facts, Flow, Kinds, Links, Order, Query, Result, Watch,
    WatchSpec, WsPath,
};
use garth_search::Filter;

use crate::{
    fence::Fence,
    ignore::Judge,
    memory::Difference,
    resolve::{What, resolve},
    tree::{Dir, Node},
    walk::Walk,
};
use queue::Queue;

/// The most watches on one workspace, since each change looks at each of them.
const MAX_WATCHES: usize = 1024;

/// The open watches of one workspace.
#[derive(Default)]
pub(crate) struct Feeds(Vec<Weak<Feed>>);

/// One watch, from the side of the changes.
struct Feed {
    fence: Arc<Fence>,
    /// The real path of what is watched.
    base: WsPath,
    /// The path by which the watcher knows it.
    shown: WsPath,
    filter: Filter,
    judge: Mutex<Judge>,
    queue: Queue,
}

impl Feeds {
    /// Opens a watch on the tree as it is now.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND`; `QUOTA_EXCEEDED` when there are too many watches.
    pub(crate) fn open(
        &mut self,
        fence: &Arc<Fence>,
        root: &Arc<Dir>,
        spec: &WatchSpec,
    ) -> Result<Watch> {
        let place = resolve(fence, root, &spec.path, Links::Follow)?;
        if let What::Nothing { .. } = place.what {
            return Err(Error::at(Code::FileNotFound, &spec.path));
        }
        self.0.retain(|feed| feed.strong_count() > 0);
        if self.0.len() >= MAX_WATCHES {
            let limit = MAX_WATCHES as u64;
            let error = Error::new(Code::QuotaExceeded, "too many watches on the workspace");
            return Err(error.with(Detail::Limit { limit, actual: limit + 1 }));
        }
        let feed = Arc::new(Feed {
            fence: Arc::clone(fence),
            filter: Filter::compile(&everything(&place.path, spec))?,
            base: place.path,
            shown: spec.path.clone(),
            judge: Mutex::default(),
            queue: Queue::default(),
        });
        self.0.push(Arc::downgrade(&feed));
        Ok(Box::pin(Subscription(feed)))
    }

    /// Tells every watch what differs between two trees.
    pub(crate) fn tell(&mut self, old: &Arc<Dir>, new: &Arc<Dir>, changes: &[Difference]) {
        self.each(|feed| {
            for change in changes {
                // A watch that overflowed will list again and needs to hear no more.
                if feed.tell(old, new, change) == Flow::Stop {
                    break;
                }
            }
            feed.end_if_gone(new);
        });
    }

    /// Tells every watch to list again, since the tree was exchanged.
    pub(crate) fn restart(&mut self, new: &Dir) {
        self.each(|feed| {
            feed.queue.overflow();
            feed.end_if_gone(new);
        });
    }

    fn each(&mut self, visit: impl Fn(&Feed)) {
        self.0.retain(|feed| match feed.upgrade() {
            Some(feed) => {
                visit(&feed);
                true
            }
            None => false,
        });
    }
}

impl Drop for Feeds {
    fn drop(&mut self) {
        self.each(|feed| feed.queue.end());
    }
}

impl Feed {
    fn tell(&self, old: &Dir, new: &Dir, change: &Difference) -> Flow {
        let trees = Trees { old, new };
        if change.path.below(&self.base).is_some() {
            return self.differ(&trees, &change.path, (change.old.as_ref(), change.new.as_ref()));
        }
        if self.base.below(&change.path).is_some() {
            // A directory above was moved or removed, and what is watched with it.
            return self.differ(&trees, &self.base, (old.get(&self.base), new.get(&self.base)));
        }
        Flow::Continue
    }

    fn differ(
        &self,
        trees: &Trees<'_>,
        path: &WsPath,
        (old, new): (Option<&Node>, Option<&Node>),
    ) -> Flow {
        let own = match (old, new) {
            (None, None) => return Flow::Continue,
            (None, Some(node)) => (node, trees.new, Change::Created),
            (Some(_), Some(node)) => (node, trees.new, Change::Modified),
            (Some(node), None) => (node, trees.old, Change::Deleted),
        };
        if self.below(trees.old, path, old, Change::Deleted) == Flow::Stop {
            return Flow::Stop;
        }
        let (node, tree, change) = own;
        if self.report(tree, path.as_bytes(), node, change) == Flow::Stop {
            return Flow::Stop;
        }
        self.below(trees.new, path, new, Change::Created)
    }

    /// Reports everything below a directory.
    fn below(&self, tree: &Dir, path: &WsPath, node: Option<&Node>, change: Change) -> Flow {
        let Some(Node::Dir(dir)) = node else { return Flow::Continue };
        let mut walk = Walk::new(path, dir);
        while let Some(step) = walk.next() {
            if self.report(tree, step.path, step.node, change) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }

    fn report(&self, tree: &Dir, path: &[u8], node: &Node, change: Change) -> Flow {
        let Ok(path) = WsPath::from_bytes(path) else { return Flow::Continue };
        let Some(rest) = path.below(&self.base) else { return Flow::Continue };
        let mut judge = self.judge.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = judge.finds(&self.filter, (tree, &self.base), &path, node.kind());
        drop(judge);
        if !wanted || self.fence.denies(path.as_bytes(), node.kind().into()) {
            return Flow::Continue;
        }
        self.queue.push(self.shown(&path, rest), change)
    }

    /// The path as the watcher knows it, who may have come through a link.
    fn shown(&self, path: &WsPath, rest: &[u8]) -> WsPath {
        if self.base == self.shown {
            return path.clone();
        }
        let names = [self.shown.as_bytes(), rest];
        let given: Vec<&[u8]> = names.into_iter().filter(|name| !name.is_empty()).collect();
        WsPath::from_bytes(&given.join(&b'/')).unwrap_or_else(|_| path.clone())
    }

    fn end_if_gone(&self, root: &Dir) {
        if !self.base.is_root() && root.get(&self.base).is_none() {
            self.queue.end();
        }
    }
}

/// The query whose results are the entries that a watch reports on.
fn everything(base: &WsPath, spec: &WatchSpec) -> Query {
    Query {
        base: base.clone(),
        reach: spec.reach,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::All,
        hidden: spec.hidden,
        ignored: spec.ignored,
        grep: None,
        facts: Facts::Names,
        order: Order::Path,
        skip: 0,
        take: u64::MAX,
        after: None,
    }
}

/// The trees before and after a change.
struct Trees<'a> {
    old: &'a Dir,
    new: &'a Dir,
}

/// One watch, from the side of its reader. Dropping it ends the watch.
struct Subscription(Arc<Feed>);

impl Stream for Subscription {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.0.queue.poll(context)
    }
}
