//! A workspace beside a directory that must stay untouched and unseen.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    future::Future,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use garth_contract::{
    Aliases, Clobber, Code, Collect, Depth, DynFilesystem, Facts, Filesystem, Guard, Hidden,
    Ignored, Kinds, Links, Move, Order, Page, Parents, Policy, Put, Query, RawPath, Reach, Result,
    Span, WatchSpec, WsPath,
};
use garth_host::{Host, Resolver};
use tempfile::TempDir;

/// What every file outside holds; no answer may ever show it.
pub(crate) const SECRET: &str = "outside-secret-7d1f";
/// Far more than any call needs; a call that takes it hangs.
const HANG: Duration = Duration::from_secs(20);

pub(crate) struct Yard {
    _dir: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) out: PathBuf,
    pub(crate) host: Host,
    resolver: Resolver,
    before: BTreeMap<PathBuf, String>,
}

impl Yard {
    pub(crate) fn new(resolver: Resolver) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        let out = dir.path().join("OUT");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::create_dir_all(out.join("sub")).unwrap();
        std::fs::create_dir_all(out.join(".ssh")).unwrap();
        std::fs::create_dir_all(dir.path().join("root_evil")).unwrap();
        std::fs::write(root.join("a/in.txt"), "inside").unwrap();
        for file in ["OUT/secret", "OUT/sub/secret", "root_evil/secret"] {
            std::fs::write(dir.path().join(file), SECRET).unwrap();
        }
        let host = Host::open(&root, Policy::open(), Aliases::none().with(b"/workspace"))
            .unwrap()
            .with_resolver(resolver);
        let before = survey(dir.path(), &root);
        Self { _dir: dir, root, out, host, resolver, before }
    }

    /// The same yard under other rules.
    pub(crate) fn with_policy(&self, policy: Policy) -> Host {
        Host::open(&self.root, policy, Aliases::none().with(b"/workspace"))
            .unwrap()
            .with_resolver(self.resolver)
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, at: &str) {
        symlink(target, self.root.join(at)).unwrap();
    }

    /// A path as a caller would send it.
    pub(crate) fn path(&self, text: &str) -> Result<WsPath> {
        let aliases = Aliases::none().with(b"/workspace").with(self.root.as_os_str().as_bytes());
        RawPath::new(text).resolve(&aliases)
    }

    pub(crate) async fn read(&self, text: &str) -> Result<Vec<u8>, Code> {
        let read = async {
            let path = self.path(text)?;
            Filesystem::read(&self.host, &path, Span::Whole { at_most: 1 << 20 }).await
        };
        held(text, read).await.map(|content| content.bytes.to_vec()).map_err(|error| error.code())
    }

    pub(crate) async fn write(&self, text: &str, content: &str) -> Result<(), Code> {
        let write = async {
            let path = self.path(text)?;
            Filesystem::write(&self.host, &path, Bytes::from(content.to_owned()), put()).await
        };
        held(text, write).await.map(drop).map_err(|error| error.code())
    }

    /// Runs all ten operations on a path and gives each one's outcome.
    ///
    /// Panics when an answer shows the secret or a call hangs.
    pub(crate) async fn all_operations(
        &self,
        text: &str,
    ) -> BTreeMap<&'static str, Result<(), Code>> {
        let mut outcomes = BTreeMap::new();
        let path = match self.path(text) {
            Ok(path) => path,
            Err(error) => {
                outcomes.insert("resolve", Err(error.code()));
                return outcomes;
            }
        };
        let fs: &dyn DynFilesystem = &self.host;
        let new = path.join(b"new.txt").unwrap_or_else(|_| path.clone());
        let inside = self.path("a/in.txt").unwrap();
        let elsewhere = self.path("elsewhere").unwrap();
        let page = Page { skip: 0, take: 100 };
        let whole = Span::Whole { at_most: 1 << 20 };
        let how = Move { clobber: Clobber::Replace, parents: Parents::Create };
        let mut note = |name, outcome: Result<String>| {
            if let Ok(shown) = &outcome {
                assert!(!shown.contains(SECRET), "{name} {text} shows what is outside: {shown}");
            }
            outcomes.insert(name, outcome.map(drop).map_err(|error| error.code()));
        };
        note("stat", held(text, fs.stat(&path, Links::Follow)).await.map(show));
        note("list", held(text, fs.list(&path, page)).await.map(show));
        note("read", held(text, fs.read(&path, whole)).await.map(show));
        note("find", self.find(&path).await);
        note("watch", held(text, fs.watch(&watch_spec(&path))).await.map(|_| String::new()));
        note("write", held(text, fs.write(&path, Bytes::from("x"), put())).await.map(show));
        note("write below", held(text, fs.write(&new, Bytes::from("x"), put())).await.map(show));
        note("make_dir", held(text, fs.make_dir(&new, Parents::Create)).await.map(show));
        note("rename in", held(text, fs.rename(&inside, &new, how)).await.map(show));
        note("rename out", held(text, fs.rename(&new, &elsewhere, how)).await.map(show));
        note("remove", held(text, fs.remove(&new, Depth::All)).await.map(show));
        outcomes
    }

    async fn find(&self, base: &WsPath) -> Result<String> {
        let query = Query {
            base: base.clone(),
            reach: Reach::Tree,
            include: Vec::new(),
            exclude: Vec::new(),
            kinds: Kinds::All,
            hidden: Hidden::Include,
            ignored: Ignored::Include,
            grep: None,
            facts: Facts::All,
            order: Order::Path,
            skip: 0,
            take: 1000,
            after: None,
        };
        let sink = Arc::new(Collect::default());
        held("find", Filesystem::find(&self.host, &query, sink.clone())).await?;
        Ok(format!("{:?}", sink.take()))
    }

    pub(crate) fn assert_outside_is_untouched(&self, attack: &str) {
        let now = survey(self.root.parent().unwrap(), &self.root);
        assert_eq!(now, self.before, "{attack} changed something outside");
    }
}

/// Waits for a call that must not hang.
pub(crate) async fn held<T>(what: &str, call: impl Future<Output = Result<T>>) -> Result<T> {
    let done = tokio::time::timeout(HANG, call).await;
    done.unwrap_or_else(|_| panic!("a call on {what:?} hangs"))
}

pub(crate) fn put() -> Put {
    Put { guard: Guard::Any, parents: Parents::Create, mode: None }
}

pub(crate) fn codes(outcomes: &BTreeMap<&'static str, Result<(), Code>>) -> Vec<Code> {
    outcomes.values().filter_map(|outcome| outcome.err()).collect()
}

fn watch_spec(path: &WsPath) -> WatchSpec {
    WatchSpec {
        path: path.clone(),
        reach: Reach::Tree,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
    }
}

fn show(value: impl Debug) -> String {
    format!("{value:?}")
}

/// Everything outside the root: each path with its type, size, time and content.
fn survey(top: &Path, root: &Path) -> BTreeMap<PathBuf, String> {
    let mut seen = BTreeMap::new();
    let mut left = vec![top.to_owned()];
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path == root {
                continue;
            }
            let metadata = path.symlink_metadata().unwrap();
            let content = if metadata.is_file() {
                std::fs::read_to_string(&path).unwrap()
            } else {
                String::new()
            };
            let facts = (metadata.permissions(), metadata.modified().unwrap(), content);
            if metadata.is_dir() {
                left.push(path.clone());
            }
            seen.insert(path, format!("{facts:?}"));
        }
    }
    seen
}
