//! A workspace in RAM: one immutable tree behind one short lock.
//!
//! A reader takes the current root and works on it without a lock. A change is
//! computed as a new root beside the old one and takes its place if nobody was
//! faster, so every call sees and leaves a whole tree, and a dropped future
//! leaves nothing.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use garth_contract::{Aliases, Policy, Result, WsPath};

use crate::{
    blocking,
    fence::Fence,
    tree::{DIR_MODE, Dir, Node},
    watch::Feeds,
};

/// How often a change is computed anew without the lock when others were faster;
/// then it is computed under it, so that nobody waits for ever.
const TRIES: usize = 4;

type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// The files of one workspace, in RAM.
///
/// A fork or a snapshot costs the same for one file as for a million, and shares
/// all content with the original until one of the two changes it.
pub struct Memory {
    pub(crate) fence: Arc<Fence>,
    clock: Clock,
    state: Arc<Mutex<State>>,
}

/// What a workspace's files were at one moment.
#[derive(Clone)]
pub struct Snapshot(Arc<Dir>);

struct State {
    root: Arc<Dir>,
    feeds: Feeds,
}

/// A change that has been computed and not yet made.
pub(crate) struct Plan<T> {
    /// The tree after it.
    pub(crate) root: Arc<Dir>,
    /// What is different in it.
    pub(crate) changes: Vec<Difference>,
    /// What the caller is told.
    pub(crate) answer: T,
}

/// One path at which two trees differ.
pub(crate) struct Difference {
    pub(crate) path: WsPath,
    pub(crate) old: Option<Node>,
    pub(crate) new: Option<Node>,
}

impl Memory {
    /// An empty workspace under a policy.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a glob of the policy that is wrong.
    pub fn new(policy: Policy) -> Result<Self> {
        let clock: Clock = Arc::new(SystemTime::now);
        let root = Arc::new(Dir::empty(clock(), DIR_MODE));
        Ok(Self::assemble(Arc::new(Fence::new(policy)?), clock, root))
    }

    /// The same workspace with the absolute paths that its links may begin with.
    #[must_use]
    pub fn with_aliases(mut self, aliases: Aliases) -> Self {
        Arc::make_mut(&mut self.fence).aliases = aliases;
        self
    }

    /// The same workspace with another clock for the times of its files.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    fn assemble(fence: Arc<Fence>, clock: Clock, root: Arc<Dir>) -> Self {
        let state = State { root, feeds: Feeds::default() };
        Self { fence, clock, state: Arc::new(Mutex::new(state)) }
    }

    /// The same files under another policy: what one handle changes, both see.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a glob of the policy that is wrong.
    pub fn under(&self, policy: Policy) -> Result<Self> {
        let aliases = self.fence.aliases.clone();
        let fence = Arc::new(Fence { aliases, ..Fence::new(policy)? });
        Ok(Self { fence, clock: Arc::clone(&self.clock), state: Arc::clone(&self.state) })
    }

    /// The same workspace, for who must own a handle on it.
    pub(crate) fn handle(&self) -> Self {
        let (fence, clock) = (Arc::clone(&self.fence), Arc::clone(&self.clock));
        Self { fence, clock, state: Arc::clone(&self.state) }
    }

    /// A second workspace with the same files and policy, from now on independent.
    ///
    /// Watches stay with the original.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self::assemble(Arc::clone(&self.fence), Arc::clone(&self.clock), self.root())
    }

    /// Keeps what the files are now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.root())
    }

    /// Makes the files what they were, in one step.
    ///
    /// It is the operator's act, so it works on a read-only workspace too. Every
    /// watch is told to list again.
    ///
    /// # Errors
    /// `QUOTA_EXCEEDED` when a snapshot of another workspace has no room here.
    pub fn restore(&self, snapshot: &Snapshot) -> Result<()> {
        let mut state = self.lock();
        self.fence.check_room(&state.root, &snapshot.0, &WsPath::root())?;
        let old = std::mem::replace(&mut state.root, Arc::clone(&snapshot.0));
        state.feeds.restart(&snapshot.0);
        drop(state);
        blocking::discard(Node::Dir(old));
        Ok(())
    }

    pub(crate) fn now(&self) -> SystemTime {
        (self.clock)()
    }

    /// The tree as it is now; it stays so for whoever holds it.
    pub(crate) fn root(&self) -> Arc<Dir> {
        Arc::clone(&self.lock().root)
    }

    /// Computes a change and makes it, in one step for all others.
    pub(crate) fn change<T>(&self, plan: impl Fn(&Arc<Dir>) -> Result<Plan<T>>) -> Result<T> {
        for _ in 0..TRIES {
            let seen = self.root();
            let planned = plan(&seen)?;
            let state = self.lock();
            if Arc::ptr_eq(&state.root, &seen) {
                return Ok(commit(state, planned));
            }
        }
        let state = self.lock();
        let planned = plan(&state.root)?;
        Ok(commit(state, planned))
    }

    /// Opens a watch on the tree as it is at this instant.
    pub(crate) fn with_feeds<T>(
        &self,
        open: impl FnOnce(&Arc<Dir>, &mut Feeds) -> Result<T>,
    ) -> Result<T> {
        let mut state = self.lock();
        let State { root, feeds } = &mut *state;
        open(root, feeds)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked left the old root or the new one, both whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts a new root in place and tells the watches.
fn commit<T>(mut state: MutexGuard<'_, State>, plan: Plan<T>) -> T {
    let old = std::mem::replace(&mut state.root, plan.root);
    let State { root, feeds } = &mut *state;
    feeds.tell(&old, root, &plan.changes);
    drop(state);
    drop(old);
    for node in plan.changes.into_iter().filter_map(|change| change.old) {
        blocking::discard(node);
    }
    plan.answer
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sums = self.root().below;
        f.debug_struct("Memory")
            .field("entries", &sums.entries)
            .field("bytes", &sums.bytes)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("entries", &self.0.below.entries)
            .field("bytes", &self.0.below.bytes)
            .finish()
    }
}
