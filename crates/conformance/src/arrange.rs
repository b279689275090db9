//! Short ways to set a scene and to look at it, so that a check reads as a fact.

use std::{collections::BTreeMap, future::poll_fn, sync::Arc};

use bytes::Bytes;
use garth_contract::{
    Case, Clobber, Collect, Content, Depth, Durability, Entry, Facts, Grep, Guard, Hidden, Ignored,
    Kind, Kinds, LineKind, Lines, Links, Listing, Made, Move, Order, Output, Owned, Page, Parents,
    Policy, Put, Query, Reach, Removed, Renamed, Result, Sink, Span, Stage, Summary, Syntax,
    Version, Watch, Written, WsPath, escape,
};

use crate::{Subject, Verdict};

/// Replaces or creates, with parents.
pub(crate) const ANY: Put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
/// Creates only, with parents.
pub(crate) const ABSENT: Put = Put { guard: Guard::Absent, ..ANY };
/// Moves to a free place whose parent is there.
pub(crate) const KEEP: Move = Move { clobber: Clobber::Refuse, parents: Parents::Require };
/// Moves over what is there.
pub(crate) const REPLACE: Move = Move { clobber: Clobber::Replace, parents: Parents::Require };
/// The bound of a whole read that is meant to succeed.
const ENOUGH: u64 = 1 << 30;

/// Replaces this version only.
pub(crate) fn unchanged(version: Version) -> Put {
    Put { guard: Guard::Unchanged(version), ..ANY }
}

/// A path of a check; one that is malformed is refused like a caller's.
pub(crate) fn at(path: impl AsRef<[u8]>) -> Result<WsPath> {
    WsPath::from_bytes(path.as_ref())
}

/// What stands at a path of a whole tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    File(Bytes),
    Dir,
    Other(Kind),
}

/// The calls of the trait on paths as text, with the parameters most checks want.
impl Subject {
    pub(crate) async fn stat(&self, path: impl AsRef<[u8]>) -> Result<Entry> {
        self.fs.stat(&at(path)?, Links::Keep).await
    }

    pub(crate) async fn follow(&self, path: impl AsRef<[u8]>) -> Result<Entry> {
        self.fs.stat(&at(path)?, Links::Follow).await
    }

    pub(crate) async fn list(&self, path: impl AsRef<[u8]>) -> Result<Listing> {
        self.fs.list(&at(path)?, Page { skip: 0, take: u64::MAX }).await
    }

    /// The names in a directory, odd ones escaped.
    pub(crate) async fn names(&self, path: impl AsRef<[u8]>) -> Result<Vec<String>> {
        let name = |entry: &Entry| escape(entry.path.name().unwrap_or_default());
        Ok(self.list(path).await?.entries.iter().map(name).collect())
    }

    pub(crate) async fn read(&self, path: impl AsRef<[u8]>) -> Result<Bytes> {
        Ok(self.span(path, Span::Whole { at_most: ENOUGH }).await?.bytes)
    }

    pub(crate) async fn span(&self, path: impl AsRef<[u8]>, span: Span) -> Result<Content> {
        self.fs.read(&at(path)?, span).await
    }

    pub(crate) async fn write(
        &self,
        path: impl AsRef<[u8]>,
        content: impl AsRef<[u8]>,
    ) -> Result<Written> {
        self.put(path, content, ANY).await
    }

    pub(crate) async fn put(
        &self,
        path: impl AsRef<[u8]>,
        content: impl AsRef<[u8]>,
        put: Put,
    ) -> Result<Written> {
        let content = Bytes::copy_from_slice(content.as_ref());
        self.fs.write(&at(path)?, content, put).await
    }

    pub(crate) async fn make_dir(&self, path: impl AsRef<[u8]>) -> Result<Made> {
        self.fs.make_dir(&at(path)?, Parents::Create).await
    }

    pub(crate) async fn remove(&self, path: impl AsRef<[u8]>, depth: Depth) -> Result<Removed> {
        self.fs.remove(&at(path)?, depth).await
    }

    pub(crate) async fn rename(
        &self,
        from: impl AsRef<[u8]>,
        to: impl AsRef<[u8]>,
        how: Move,
    ) -> Result<Renamed> {
        self.fs.rename(&at(from)?, &at(to)?, how).await
    }

    pub(crate) async fn read_link(&self, path: impl AsRef<[u8]>) -> Result<Bytes> {
        self.fs.read_link(&at(path)?).await
    }

    pub(crate) async fn stage(&self, base: impl AsRef<[u8]>) -> Result<Box<dyn Stage>> {
        self.fs.stage(&at(base)?).await
    }

    /// What a query finds, one line of text each.
    pub(crate) async fn find(&self, query: &Query) -> Result<(Vec<String>, Summary)> {
        let sink = Arc::new(Collect::default());
        let summary = self.fs.find(query, Arc::clone(&sink) as Arc<dyn Sink>).await?;
        Ok((sink.take().iter().map(line).collect(), summary))
    }

    /// Every entry below the root, as this workspace shows it.
    pub(crate) async fn tree(&self) -> Result<BTreeMap<WsPath, Seen>> {
        let mut tree = BTreeMap::new();
        let mut open = vec![WsPath::root()];
        while let Some(dir) = open.pop() {
            let listing = self.fs.list(&dir, Page { skip: 0, take: u64::MAX }).await?;
            for entry in listing.entries {
                let seen = match entry.kind {
                    Kind::File => {
                        let span = Span::Whole { at_most: ENOUGH };
                        Seen::File(self.fs.read(&entry.path, span).await?.bytes)
                    }
                    Kind::Dir => {
                        open.push(entry.path.clone());
                        Seen::Dir
                    }
                    kind @ (Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device) => {
                        Seen::Other(kind)
                    }
                };
                tree.insert(entry.path, seen);
            }
        }
        Ok(tree)
    }
}

/// Things behind the workspace's back, on paths as text.
impl Subject {
    pub(crate) fn symlink(&self, path: &str, target: impl AsRef<[u8]>) -> Verdict {
        Ok(self.outside.symlink(&at(path)?, target.as_ref())?)
    }

    /// Writes a file that the workspace's own rules may forbid.
    pub(crate) async fn plant(&self, path: &str, content: &str) -> Verdict {
        if self.outside.write(&at(path)?, content.as_bytes()).is_err() {
            self.unruled()?.write(path, content).await?;
        }
        Ok(())
    }

    /// The same files without rules.
    pub(crate) fn unruled(&self) -> Verdict<Self> {
        let policy = Policy { durability: Durability::Fast, ..Policy::open() };
        Ok(Self { fs: self.outside.open_again(policy)?, outside: Box::new(crate::Nothing) })
    }

    /// Links `path` to something in the place beyond the workspace.
    pub(crate) fn link_out(&self, path: &str, beyond: &str) -> Verdict {
        let mut target = self.outside.beyond()?.absolute;
        target.extend_from_slice(b"/");
        target.extend_from_slice(beyond.as_bytes());
        self.symlink(path, target)
    }
}

/// The whole tree, every kind, nothing left out.
pub(crate) fn everything() -> Query {
    Query {
        base: WsPath::root(),
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
        take: u64::MAX,
        after: None,
    }
}

/// Lines that match a regular expression, in the whole tree.
pub(crate) fn lines(pattern: &str) -> Query {
    Query { kinds: Kinds::Files, grep: Some(grep(pattern)), ..everything() }
}

/// A search for a regular expression, with nothing special asked for.
pub(crate) fn grep(pattern: &str) -> Grep {
    Grep {
        pattern: pattern.into(),
        syntax: Syntax::Regex,
        case: Case::Sensitive,
        lines: Lines::Single,
        output: Output::Content,
        before: 0,
        after: 0,
    }
}

/// One result as text: `path`, `path:7:match`, `path-7-context` or `path=count`.
fn line(found: &Owned) -> String {
    match found {
        Owned::Entry(entry) => entry.path.to_string(),
        Owned::Name(path, _) | Owned::File(path) => path.to_string(),
        Owned::Count(path, count) => format!("{path}={count}"),
        Owned::Line(line) => {
            let mark = match line.kind {
                LineKind::Match => ':',
                LineKind::Context => '-',
            };
            format!("{}{mark}{}{mark}{}", line.path, line.number, escape(&line.text))
        }
    }
}

/// The next event of a watch; `None` when it has ended.
pub(crate) async fn next(watch: &mut Watch) -> Option<garth_contract::Event> {
    poll_fn(|context| watch.as_mut().poll_next(context)).await
}
