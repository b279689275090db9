//! Roots in one line, and their calls without futures.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use garth_contract::{
    Clobber, Code, Collect, DynFilesystem, Facts, Filesystem, Guard, Hidden, Ignored, Kinds, Move,
    Order, Owned, Page, Parents, Policy, Put, Query, Reach, Renamed, Result, Span, Summary, WsPath,
};
use garth_memory::Memory;
use garth_roots::Roots;

pub(crate) const ANY: Put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
pub(crate) const ALL: Page = Page { skip: 0, take: u64::MAX };
pub(crate) const WHOLE: Span = Span::Whole { at_most: u64::MAX };
pub(crate) const KEEP: Move = Move { clobber: Clobber::Refuse, parents: Parents::Require };
pub(crate) const REPLACE: Move = Move { clobber: Clobber::Replace, parents: Parents::Require };
pub(crate) const CREATE: Move = Move { clobber: Clobber::Refuse, parents: Parents::Create };

/// Any filesystem.
pub(crate) type Files = Arc<dyn DynFilesystem>;

pub(crate) fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

/// Runs a future that never has to wait: without a runtime, memory never does.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    at_once(future).unwrap_or_else(|| panic!("a call had to wait"))
}

/// What a future has after one look at it; it is dropped after.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// Files in RAM: `d/` is a directory, `-> x` a link's content.
pub(crate) fn memory(entries: &[(&str, &str)]) -> Memory {
    let memory = Memory::new(Policy::open()).unwrap();
    fill(&memory, entries);
    memory
}

pub(crate) fn fill(memory: &Memory, entries: &[(&str, &str)]) {
    for (name, content) in entries {
        if let Some(dir) = name.strip_suffix('/') {
            now(Filesystem::make_dir(memory, &path(dir), Parents::Create)).unwrap();
        } else if let Some(target) = content.strip_prefix("-> ") {
            memory.symlink(&path(name), target.as_bytes()).unwrap();
        } else {
            let content = Bytes::copy_from_slice(content.as_bytes());
            now(Filesystem::write(memory, &path(name), content, ANY)).unwrap();
        }
    }
}

/// The same files under another handle.
pub(crate) fn again(memory: &Memory) -> Memory {
    memory.under(Policy::open()).unwrap()
}

pub(crate) fn roots<const N: usize>(named: [(&str, Files); N]) -> Roots {
    Roots::new(named.map(|(name, fs)| (name.as_bytes().to_vec(), fs)).into()).unwrap()
}

/// Two roots in RAM, `a` and `b`.
pub(crate) fn two(a: &[(&str, &str)], b: &[(&str, &str)]) -> Roots {
    roots([("a", Arc::new(memory(a))), ("b", Arc::new(memory(b)))])
}

pub(crate) fn rename(
    fs: &impl Filesystem,
    from: &str,
    to: &str,
    how: Move,
) -> Result<Renamed, Code> {
    now(fs.rename(&path(from), &path(to), how)).map_err(|error| error.code())
}

pub(crate) fn read(fs: &impl Filesystem, name: &str) -> Result<String, Code> {
    let content = now(fs.read(&path(name), WHOLE)).map_err(|error| error.code())?;
    Ok(String::from_utf8(content.bytes.to_vec()).unwrap())
}

/// Every path with the content of files, hidden ones too.
pub(crate) fn tree(fs: &impl Filesystem) -> Vec<String> {
    let (found, _) = find(fs, &everything()).unwrap();
    let line = |path: String| match read(fs, &path) {
        Ok(content) => format!("{path}={content}"),
        Err(_) => path,
    };
    found.into_iter().map(line).collect()
}

pub(crate) fn find(fs: &impl Filesystem, query: &Query) -> Result<(Vec<String>, Summary), Code> {
    let collect = Arc::new(Collect::default());
    let summary = now(fs.find(query, Arc::clone(&collect) as _)).map_err(|error| error.code())?;
    Ok((collect.take().iter().map(shown).collect(), summary))
}

/// One result as one line.
pub(crate) fn shown(found: &Owned) -> String {
    match found {
        Owned::Entry(entry) => entry.path.to_string(),
        Owned::Line(line) => format!("{}:{}:{:?}", line.path, line.number, line.kind),
        Owned::Name(path, kind) => format!("{path} {kind:?}"),
        Owned::File(path) => path.to_string(),
        Owned::Count(path, count) => format!("{path}: {count}"),
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
