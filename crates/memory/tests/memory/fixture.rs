//! A workspace in one line, and its calls without futures.

use std::{
    future::Future,
    pin::pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use garth_contract::{
    Aliases, Clobber, Code, Collect, Content, Depth, Entry, Facts, Filesystem, Glob, Guard, Hidden,
    Ignored, Kind, Kinds, Links, Made, Move, Order, Owned, Page, Parents, Policy, Put, Query,
    Reach, Removed, Renamed, Result, Span, Summary, Version, Written, WsPath,
};
use garth_memory::Memory;

pub(crate) const ANY: Put = put(Guard::Any);
pub(crate) const ABSENT: Put = put(Guard::Absent);
pub(crate) const ALL: Page = Page { skip: 0, take: u64::MAX };
pub(crate) const WHOLE: Span = Span::Whole { at_most: u64::MAX };
pub(crate) const REFUSE: Move = Move { clobber: Clobber::Refuse, parents: Parents::Require };
pub(crate) const REPLACE: Move = Move { clobber: Clobber::Replace, parents: Parents::Require };

pub(crate) const fn put(guard: Guard) -> Put {
    Put { guard, parents: Parents::Create, mode: None }
}

pub(crate) fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

/// Runs a future that never has to wait: without a runtime, memory never does.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a call had to wait"),
    }
}

/// A moment, counted in seconds.
pub(crate) fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

/// A workspace whose clock goes one second further with each change.
pub(crate) struct Ws(pub(crate) Memory);

/// Makes a workspace of names and contents: `d/` is a directory, `-> x` a link's.
pub(crate) fn workspace(entries: &[(&str, &str)]) -> Ws {
    workspace_under(Policy::open(), entries)
}

/// The same, filled before the policy holds.
pub(crate) fn workspace_under(policy: Policy, entries: &[(&str, &str)]) -> Ws {
    let open = Ws(Memory::new(Policy::open()).unwrap());
    for (name, content) in entries {
        if let Some(dir) = name.strip_suffix('/') {
            now(open.0.make_dir(&path(dir), Parents::Create)).unwrap();
        } else if let Some(target) = content.strip_prefix("-> ") {
            if let Some(parent) = path(name).parent() {
                now(open.0.make_dir(&parent, Parents::Create)).unwrap();
            }
            open.0.symlink(&path(name), target.as_bytes()).unwrap();
        } else {
            open.write(name, content).unwrap();
        }
    }
    let time = Mutex::new(1_000);
    let clock = move || {
        let mut time = time.lock().unwrap();
        *time += 1;
        at(*time)
    };
    let aliases = Aliases::none().with(b"/workspace");
    let memory = Memory::new(policy).unwrap().with_aliases(aliases).with_clock(clock);
    memory.restore(&open.0.snapshot()).unwrap();
    Ws(memory)
}

impl Ws {
    pub(crate) fn put(&self, name: &str, content: &str, put: Put) -> Result<Written> {
        now(self.0.write(&path(name), Bytes::copy_from_slice(content.as_bytes()), put))
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> Result<Written, Code> {
        self.put(name, content, ANY).map_err(|error| error.code())
    }

    pub(crate) fn content(&self, name: &str, span: Span) -> Result<Content, Code> {
        now(self.0.read(&path(name), span)).map_err(|error| error.code())
    }

    pub(crate) fn read(&self, name: &str) -> Result<String, Code> {
        self.content(name, WHOLE).map(|content| String::from_utf8(content.bytes.to_vec()).unwrap())
    }

    pub(crate) fn version(&self, name: &str) -> Version {
        self.content(name, WHOLE).unwrap().version().unwrap()
    }

    pub(crate) fn stat(&self, name: &str, links: Links) -> Result<Entry, Code> {
        now(self.0.stat(&path(name), links)).map_err(|error| error.code())
    }

    pub(crate) fn kind(&self, name: &str) -> Result<Kind, Code> {
        self.stat(name, Links::Keep).map(|entry| entry.kind)
    }

    pub(crate) fn list(&self, name: &str) -> Result<Vec<String>, Code> {
        let listing = now(self.0.list(&path(name), ALL)).map_err(|error| error.code())?;
        assert_eq!(listing.total, listing.entries.len() as u64);
        Ok(listing.entries.iter().map(|entry| entry.path.to_string()).collect())
    }

    pub(crate) fn make_dir(&self, name: &str, parents: Parents) -> Result<Made, Code> {
        now(self.0.make_dir(&path(name), parents)).map_err(|error| error.code())
    }

    pub(crate) fn remove(&self, name: &str, depth: Depth) -> Result<Removed, Code> {
        now(self.0.remove(&path(name), depth)).map_err(|error| error.code())
    }

    pub(crate) fn rename(&self, from: &str, to: &str, how: Move) -> Result<Renamed, Code> {
        now(self.0.rename(&path(from), &path(to), how)).map_err(|error| error.code())
    }

    pub(crate) fn find(&self, query: &Query) -> Result<(Vec<Owned>, Summary), Code> {
        let collect = Arc::new(Collect::default());
        let summary = now(self.0.find(query, Arc::clone(&collect) as _));
        summary.map(|summary| (collect.take(), summary)).map_err(|error| error.code())
    }

    /// Every path there is, in order.
    pub(crate) fn tree(&self) -> Vec<String> {
        let (found, _) = self.find(&everything()).unwrap();
        paths(&found)
    }
}

/// A query for all there is.
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

pub(crate) fn filter(glob: &str) -> Vec<Glob> {
    vec![Glob::Filter(glob.into())]
}

/// The path of each result.
pub(crate) fn paths(found: &[Owned]) -> Vec<String> {
    let path = |found: &Owned| match found {
        Owned::Entry(entry) => entry.path.to_string(),
        Owned::Line(line) => format!("{}:{}", line.path, line.number),
        Owned::Name(path, _) | Owned::File(path) => path.to_string(),
        Owned::Count(path, count) => format!("{path}: {count}"),
    };
    found.iter().map(path).collect()
}
