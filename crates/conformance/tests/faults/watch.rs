//! How the naive backend tells its watchers: the trees before and after a change
//! are compared, and every path that differs is an event.

use std::{
    cmp::Ordering,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::Stream;
use garth_conformance::model::{Node, Tree};
use garth_contract::{
    Change, Code, Error, Event, Hidden, Links, Reach, Result, Watch, WatchSpec, WsPath,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::{fault::Fault, naive::Naive, veil::Veil};

/// One watcher, as the workspace knows it.
pub(crate) struct Feed {
    spec: WatchSpec,
    veil: Arc<Veil>,
    sender: UnboundedSender<Event>,
    told: u64,
}

struct Events(UnboundedReceiver<Event>);

impl Stream for Events {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.0.poll_recv(context)
    }
}

impl Naive {
    pub(crate) fn follow(&self, spec: &WatchSpec) -> Result<Watch> {
        let tree = self.tree();
        let place = self.place(&tree, &spec.path, Links::Follow)?;
        if tree.get(&place.path).is_none() {
            return Err(Error::at(Code::FileNotFound, &spec.path));
        }
        let (sender, receiver) = unbounded_channel();
        let spec = WatchSpec { path: place.path, ..spec.clone() };
        let veil = Arc::clone(&self.veil);
        self.shared.feeds.lock().unwrap().push(Feed { spec, veil, sender, told: 0 });
        Ok(Box::pin(Events(receiver)))
    }

    /// Tells every watcher how two trees differ.
    pub(crate) fn tell(&self, before: &Tree, after: &Tree) {
        let mut feeds = self.shared.feeds.lock().unwrap();
        let changes = if feeds.is_empty() { Vec::new() } else { self.changes(before, after) };
        for feed in feeds.iter_mut() {
            for (path, change) in &changes {
                let node = after.get(path).or_else(|| before.get(path));
                if self.concerns(feed, after, (path, node)) {
                    feed.told += 1;
                    if !self.has(Fault::WatchForgets) || !feed.told.is_multiple_of(100) {
                        let event = Event::Changed { path: path.clone(), change: *change };
                        let _ = feed.sender.send(event);
                    }
                }
            }
        }
        let gone =
            |feed: &Feed| after.get(&feed.spec.path).is_none() && !self.has(Fault::WatchNeverEnds);
        feeds.retain(|feed| !gone(feed) && !feed.sender.is_closed());
    }

    /// Every path at which two trees differ; both are sorted, so one pass will do.
    fn changes(&self, before: &Tree, after: &Tree) -> Vec<(WsPath, Change)> {
        let (mut old, mut new) = (before.nodes.iter().peekable(), after.nodes.iter().peekable());
        let mut changes = Vec::new();
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return changes,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((one, _)), Some((other, _))) => one.cmp(other),
            };
            let replaced = match self.fault {
                Some(Fault::WatchSaysCreated) => Change::Created,
                _ => Change::Modified,
            };
            match order {
                Ordering::Less => {
                    changes.extend(old.next().map(|(path, _)| (path.clone(), Change::Deleted)));
                }
                Ordering::Greater => {
                    changes.extend(new.next().map(|(path, _)| (path.clone(), Change::Created)));
                }
                Ordering::Equal => {
                    let differs = old.next() != new.peek().copied();
                    let path = new.next().map(|(path, _)| path.clone());
                    changes.extend(path.filter(|_| differs).map(|path| (path, replaced)));
                }
            }
        }
    }

    fn concerns(&self, feed: &Feed, tree: &Tree, (path, node): (&WsPath, Option<&Node>)) -> bool {
        let Some(rest) = path.below(&feed.spec.path) else { return false };
        let hidden = rest.split(|byte| *byte == b'/').any(|name| name.starts_with(b"."));
        let deep = rest.contains(&b'/');
        let shows = |fault| self.has(fault);
        !((feed.spec.reach == Reach::Entries && deep)
            || (feed.spec.hidden == Hidden::Skip && hidden && !shows(Fault::WatchShowsHidden))
            || (self.ignored(tree, path, feed.spec.ignored) && !shows(Fault::WatchShowsIgnored))
            || (feed.veil.denies(path) && !shows(Fault::WatchShowsDenied))
            || (!feed.veil.denies(path)
                && feed.veil.covers(path, node)
                && !shows(Fault::WatchShowsUnallowed)))
    }
}

/// Makes a change behind the workspace's back, of which its watchers still hear.
pub(crate) fn behind(naive: &Naive, change: impl FnOnce(&mut Tree)) {
    let mut tree = naive.tree();
    let before = tree.clone();
    change(&mut tree);
    naive.tell(&before, &tree);
}

/// Puts a node at a path, with its parents.
pub(crate) fn put(tree: &mut Tree, path: &WsPath, node: Node) {
    let mut parent = path.parent();
    while let Some(dir) = parent.filter(|dir| !dir.is_root()) {
        tree.nodes.entry(dir.clone()).or_insert(Node::Dir);
        parent = dir.parent();
    }
    tree.nodes.insert(path.clone(), node);
}
