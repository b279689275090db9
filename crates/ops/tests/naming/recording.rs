//! Files in memory that note every path they are asked for.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use garth_contract::{
    Abilities, Aliases, Code, Content, Depth, Entry, Filesystem, Guard, Links, Listing, Made, Move,
    Page, Parents, Policy, Put, Query, Reach, Removed, Renamed, Result, Sink, Span, Summary, Watch,
    WatchSpec, Written, WsPath,
};
use garth_memory::{Memory, Snapshot};
use garth_ops::{Tool, worktree};
use garth_redact::Config;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use serde_json::Value;
use tokio::runtime::Runtime;

/// A path that was asked for, and how.
pub(crate) type Seen = (WsPath, How);

/// How a path was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Whether it is there, or that it be: also on the way to something below it.
    Way,
    /// What it is or holds.
    This,
    /// Everything below it too.
    Tree,
}

/// The files, and what was asked of them.
struct Recording {
    files: Arc<Memory>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Recording {
    fn way(&self, path: &WsPath) {
        self.seen.lock().unwrap().push((path.clone(), How::Way));
    }

    fn this(&self, path: &WsPath) {
        self.seen.lock().unwrap().push((path.clone(), How::This));
    }

    fn tree(&self, path: &WsPath) {
        self.seen.lock().unwrap().push((path.clone(), How::Tree));
    }
}

impl Filesystem for Recording {
    fn abilities(&self) -> Abilities {
        Filesystem::abilities(&*self.files)
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        self.way(path);
        Filesystem::stat(&*self.files, path, links).await
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        self.this(path);
        Filesystem::list(&*self.files, path, page).await
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        self.this(path);
        Filesystem::read(&*self.files, path, span).await
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        self.this(path);
        Filesystem::write(&*self.files, path, content, put).await
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        self.way(path);
        Filesystem::make_dir(&*self.files, path, parents).await
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        match depth {
            Depth::One => self.this(path),
            Depth::All => self.tree(path),
        }
        Filesystem::remove(&*self.files, path, depth).await
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        self.tree(from);
        self.tree(to);
        Filesystem::rename(&*self.files, from, to, how).await
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        match query.reach {
            Reach::Entries => self.this(&query.base),
            Reach::Tree => self.tree(&query.base),
        }
        Filesystem::find(&*self.files, query, sink).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        Filesystem::watch(&*self.files, spec).await
    }
}

/// A workspace that is as it was before each call.
pub(crate) struct Stage {
    pub(crate) workspace: Workspace,
    runtime: Runtime,
    files: Arc<Memory>,
    before: Snapshot,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Stage {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let aliases = Aliases::none().with(b"/workspace");
        let memory = Memory::new(Policy::open()).unwrap().with_aliases(aliases.clone());
        let memory = Arc::new(memory);
        for (path, text) in files {
            let path = garth_contract::RawPath::new(*path).resolve(&aliases).unwrap();
            let put = Put { guard: Guard::Absent, parents: Parents::Create, mode: None };
            let written = Filesystem::write(&*memory, &path, Bytes::from((*text).to_owned()), put);
            runtime.block_on(written).unwrap();
        }
        let seen = Arc::new(Mutex::new(Vec::new()));
        let fs = Arc::new(Recording { files: Arc::clone(&memory), seen: Arc::clone(&seen) });
        let (commands, limits) = (Commands::None, Limits::standard());
        // What is shown of a file does not matter here, and takes longest.
        let redaction = Config { enabled: false, ..Config::standard() };
        let parts = Parts { fs, commands, aliases, redaction, limits };
        let workspace = Workspace::new(parts).unwrap();
        let before = memory.snapshot();
        Self { workspace, runtime, files: memory, before, seen }
    }

    /// Calls a tool: how it ended, and what it touched.
    pub(crate) fn call(&self, tool: &Tool, params: &Value) -> (Result<(), Code>, Vec<Seen>) {
        self.files.restore(&self.before).unwrap();
        self.seen.lock().unwrap().clear();
        let call = (tool.run)(&self.workspace, params.clone().into());
        let ended = self.runtime.block_on(call).map(drop).map_err(|failure| failure.code());
        (ended, self.seen.lock().unwrap().clone())
    }

    /// Fails unless everything that was touched was named.
    pub(crate) fn compare(&self, tool: &Tool, params: &Value, seen: &[Seen]) {
        let named = (tool.names)(params).paths;
        for (path, how) in seen {
            let covered = named.iter().any(|touch| {
                let root = self.workspace.path(touch.path.clone()).unwrap();
                match (touch.reach, how) {
                    (worktree::Reach::This, How::This) => root == *path,
                    (worktree::Reach::This, How::Tree) => false,
                    (worktree::Reach::Tree, How::This | How::Tree) => path.below(&root).is_some(),
                    // A rule for a directory holds for all below it, so what is below speaks
                    // for what is above.
                    (worktree::Reach::This, How::Way) => root.below(path).is_some(),
                    (worktree::Reach::Tree, How::Way) => {
                        root.below(path).is_some() || path.below(&root).is_some()
                    }
                }
            });
            assert!(covered, "{} {params} touched {path} {how:?} and named {named:?}", tool.name);
        }
    }
}
