//! Mounts: what comes, what is left out, what is refused, and that the source stays.

use std::{
    future::{Future, poll_fn},
    sync::Arc,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use garth_contract::{
    Abilities, Access, Code, Content, Depth, Detail, Entry, Error, Filesystem, Flow, Found, Kind,
    Links, Listing, Made, Move, Page, Parents, Policy, Put, Query, Removed, Renamed, Result, Sink,
    Span, Summary, Version, Watch, WatchSpec, Written, WsPath,
};
use garth_memory::{Memory, Mount, Mounted, Skipped};

use crate::fixture::{ANY, Ws, now, path, workspace, workspace_under};

/// A source that must not be changed, and may hold things that memory cannot.
struct Source {
    files: Memory,
    special: Vec<&'static str>,
    unreadable: Vec<&'static str>,
    /// Whether each read has to be waited for.
    slow: bool,
    /// What every file has more by the time it is read.
    growth: &'static str,
}

fn source(entries: &[(&str, &str)]) -> Source {
    let files = workspace(entries).0;
    Source { files, special: Vec::new(), unreadable: Vec::new(), slow: false, growth: "" }
}

/// Turns names of the special entries into pipes on their way to the sink.
struct Disguise {
    sink: Arc<dyn Sink>,
    special: Vec<&'static str>,
}

impl Sink for Disguise {
    fn accept(&self, found: Found<'_>) -> Flow {
        if let Found::Entry(entry) = found
            && self.special.iter().any(|name| entry.path == path(name))
        {
            let pipe = Entry { kind: Kind::Fifo, size: 0, ..entry.clone() };
            return self.sink.accept(Found::Entry(&pipe));
        }
        self.sink.accept(found)
    }
}

impl Filesystem for Source {
    fn abilities(&self) -> Abilities {
        self.files.abilities()
    }
    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        self.files.stat(path, links).await
    }
    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        self.files.list(path, page).await
    }
    async fn read(&self, at: &WsPath, span: Span) -> Result<Content> {
        if self.unreadable.iter().any(|name| *at == path(name)) {
            return Err(Error::at(Code::PermissionDenied, at));
        }
        let mut waited = !self.slow;
        poll_fn(
            |_| if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending },
        )
        .await;
        let mut content = self.files.read(at, span).await?;
        let grown = [&content.bytes[..], self.growth.as_bytes()].concat();
        content.known = Some(Version::of(&grown));
        content.size = grown.len() as u64;
        content.bytes = grown.into();
        Ok(content)
    }
    async fn write(&self, _: &WsPath, _: Bytes, _: Put) -> Result<Written> {
        panic!("the source was written")
    }
    async fn make_dir(&self, _: &WsPath, _: Parents) -> Result<Made> {
        panic!("the source got a directory")
    }
    async fn remove(&self, _: &WsPath, _: Depth) -> Result<Removed> {
        panic!("the source lost something")
    }
    async fn rename(&self, _: &WsPath, _: &WsPath, _: Move) -> Result<Renamed> {
        panic!("the source was moved about")
    }
    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        let sink = Arc::new(Disguise { sink, special: self.special.clone() });
        self.files.find(query, sink).await
    }
    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        self.files.watch(spec).await
    }
}

fn at(name: &str) -> Mount {
    Mount {
        at: path(name),
        include: Vec::new(),
        exclude: Vec::new(),
        max_bytes: 1_000,
        max_file: 100,
    }
}

fn mount(ws: &Ws, source: Source, mount: &Mount) -> Result<Mounted> {
    now(ws.0.mount(Arc::new(source), mount))
}

fn code(ws: &Ws, from: Source, how: &Mount) -> Code {
    let before = ws.tree();
    let error = mount(ws, from, how).unwrap_err();
    assert_eq!(ws.tree(), before, "a mount that failed left something");
    error.code()
}

#[test]
fn everything_comes_with_its_modes_and_times() {
    let from = source(&[("src/a", "12345"), ("empty/", ""), (".git/config", "x")]);
    let executable = Put { mode: Some(0o755), ..ANY };
    now(from.files.write(&path("run"), Bytes::from_static(b"#!"), executable)).unwrap();
    let original = |name| now(from.files.stat(&path(name), Links::Keep)).unwrap();
    let (run, dir) = (original("run"), original("src"));
    let ws = workspace(&[("here/", "")]);
    let mounted = mount(&ws, from, &at("here/deep")).unwrap();
    let expected = Mounted { files: 3, dirs: 3, bytes: 8, ..Mounted::default() };
    assert_eq!(mounted, expected);
    let came = |name| ws.stat(name, Links::Keep).unwrap();
    assert_eq!(came("here/deep/run"), Entry { path: path("here/deep/run"), ..run });
    assert_eq!(came("here/deep/src"), Entry { path: path("here/deep/src"), ..dir });
    assert_eq!(ws.list("here/deep/empty").unwrap(), Vec::<String>::new());
    assert_eq!(ws.read("here/deep/.git/config"), Ok("x".into()));
    assert_eq!(ws.version("here/deep/src/a"), Version::of(b"12345"));
}

#[test]
fn the_workspace_changes_and_the_source_does_not() {
    let from = source(&[("d/a", "1"), ("d/b", "2")]);
    let files = from.files.fork();
    let ws = workspace(&[]);
    mount(&ws, from, &at("")).unwrap();
    ws.write("d/a", "changed").unwrap();
    ws.remove("d/b", Depth::One).unwrap();
    ws.write("d/new", "3").unwrap();
    assert_eq!(Ws(files).tree(), ["d", "d/a", "d/b"]);
    assert_eq!(ws.tree(), ["d", "d/a", "d/new"]);
}

#[test]
fn globs_choose_what_comes() {
    let from = || source(&[("src/a.rs", ""), ("src/a.md", ""), ("target/b.rs", ""), ("c.rs", "")]);
    let ws = workspace(&[]);
    let rust = Mount { include: vec!["*.rs".into()], exclude: vec!["target".into()], ..at("m") };
    assert_eq!(mount(&ws, from(), &rust).unwrap().files, 2);
    assert_eq!(ws.tree(), ["m", "m/c.rs", "m/src", "m/src/a.rs"]);
    let wrong = Mount { include: vec!["a[".into()], ..at("n") };
    assert_eq!(code(&ws, from(), &wrong), Code::InvalidPattern);
}

#[test]
fn links_come_when_what_they_lead_to_comes() {
    let from = source(&[
        ("d/a", "1"),
        ("d/e/", ""),
        ("d/e/up", "-> ../a"),
        ("dir", "-> /workspace/d"),
        ("self", "-> ."),
        ("d/chain", "-> ../dir/e/up"),
        ("left-out/x", ""),
        ("to-left-out", "-> left-out/x"),
        ("out", "-> /etc/passwd"),
        ("nowhere", "-> no/where"),
        ("loop", "-> loop"),
    ]);
    let ws = workspace(&[]);
    let how = Mount { exclude: vec!["left-out".into()], ..at("m/n") };
    let mounted = mount(&ws, from, &how).unwrap();
    assert_eq!((mounted.links, mounted.skipped.links), (4, 4));
    for name in ["m/n/d/e/up", "m/n/dir/a", "m/n/d/chain", "m/n/self/self/d/a"] {
        assert_eq!(ws.read(name), Ok("1".into()), "{name}");
    }
    assert_eq!(ws.kind("m/n/dir"), Ok(Kind::Symlink));
    assert_eq!(ws.kind("m/n/out"), Err(Code::FileNotFound));
}

#[test]
fn what_is_too_large_must_be_excluded() {
    // Nothing is read to find out: a slow source would have to be waited for.
    let entries = [("small", "1"), ("large", &"x".repeat(101))];
    let from = || Source { slow: true, ..source(&entries) };
    let ws = workspace(&[("kept", "")]);
    let error = mount(&ws, from(), &at("m")).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::FileTooLarge, Some(&path("m/large"))));
    assert_eq!(error.details(), [Detail::Limit { limit: 100, actual: 101 }]);
    assert_eq!(ws.tree(), ["kept"]);
    let total = Mount { max_bytes: 101, max_file: 101, ..at("m") };
    let error = mount(&ws, from(), &total).unwrap_err();
    assert_eq!(error.code(), Code::QuotaExceeded);
    assert_eq!(error.details(), [Detail::Limit { limit: 101, actual: 102 }]);
    let without = Mount { exclude: vec!["large".into()], ..at("m") };
    assert!(mount(&ws, source(&entries), &without).is_ok());
}

#[test]
fn a_file_that_grew_since_it_was_listed_counts_as_it_is() {
    let from = || Source { growth: " and more", ..source(&[("a", "1"), ("b", "2")]) };
    let ws = workspace(&[]);
    let total = Mount { max_bytes: 19, ..at("m") };
    assert_eq!(code(&ws, from(), &total), Code::QuotaExceeded);
    assert_eq!(mount(&ws, from(), &at("m")).unwrap().bytes, 20);
    assert_eq!(ws.version("m/a"), Version::of(b"1 and more"));
}

#[test]
fn the_workspaces_own_bounds_hold_too() {
    let from = || source(&[("a", "12345")]);
    let ws = workspace_under(Policy { max_file: 4, ..Policy::open() }, &[]);
    assert_eq!(code(&ws, from(), &at("")), Code::FileTooLarge);
    let ws = workspace_under(Policy { quota: Some(9), ..Policy::open() }, &[("b", "12345")]);
    assert_eq!(code(&ws, from(), &at("m")), Code::QuotaExceeded);
}

#[test]
fn a_mount_needs_a_free_place() {
    let ws = workspace(&[("f", ""), ("d/x", ""), ("e/", ""), ("out", "-> ..")]);
    let slow = || Source { slow: true, ..source(&[("a", "1")]) };
    for taken in ["", "f", "d"] {
        assert_eq!(code(&ws, slow(), &at(taken)), Code::FileExists, "{taken}");
    }
    assert_eq!(code(&ws, slow(), &at("f/x")), Code::NotADirectory);
    assert_eq!(code(&ws, slow(), &at("out/x")), Code::PathOutsideWorkspace);
    mount(&ws, source(&[("a", "1")]), &at("e")).unwrap();
    mount(&ws, source(&[("a", "1")]), &at("new/m")).unwrap();
    assert_eq!((ws.read("e/a"), ws.read("new/m/a")), (Ok("1".into()), Ok("1".into())));
}

#[test]
fn what_cannot_come_is_counted() {
    let deny = vec!["*.key".to_owned()];
    let ws = workspace_under(Policy { deny, ..Policy::open() }, &[]);
    let mut from = source(&[("a", "1"), ("secret", "2"), ("pipe", ""), ("x.key", "3")]);
    from.special.push("pipe");
    from.unreadable.push("secret");
    let skipped = Skipped { links: 0, special: 1, unreadable: 1, denied: 1 };
    let expected = Mounted { files: 1, bytes: 1, skipped, ..Mounted::default() };
    assert_eq!(mount(&ws, from, &at("")), Ok(expected));
    assert_eq!(ws.tree(), ["a"]);
}

#[test]
fn a_read_only_workspace_can_be_mounted_into() {
    let ws = workspace_under(Policy { access: Access::ReadOnly, ..Policy::open() }, &[]);
    mount(&ws, source(&[("a", "1")]), &at("")).unwrap();
    assert_eq!(ws.read("a"), Ok("1".into()));
    assert_eq!(ws.write("a", "2"), Err(Code::ReadOnly));
}

#[test]
fn a_mount_that_is_dropped_at_any_point_leaves_all_or_nothing() {
    for polls in 1.. {
        let ws = workspace(&[]);
        let from = Source { slow: true, ..source(&[("a", "1"), ("d/b", "2"), ("l", "-> a")]) };
        let how = at("m");
        let mut mounting = Box::pin(ws.0.mount(Arc::new(from), &how));
        let mut context = Context::from_waker(Waker::noop());
        let ended = (0..polls).any(|_| mounting.as_mut().poll(&mut context).is_ready());
        drop(mounting);
        if ended {
            assert_eq!(ws.tree(), ["m", "m/a", "m/d", "m/d/b", "m/l"]);
            assert!(polls > 1, "the source was never waited for");
            return;
        }
        assert!(ws.tree().is_empty());
    }
}
