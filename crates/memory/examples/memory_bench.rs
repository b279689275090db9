//! Measures forks, lists, reads and writes of a workspace of 100,000 files.
//!
//! Where there is a goal, the line begins with whether it is met. A map of all
//! paths that is copied for each fork is measured in the same run.

#![allow(clippy::print_stdout, reason = "a benchmark reports on standard output")]

use std::{
    collections::HashMap,
    future::Future,
    hint::black_box,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use bytes::Bytes;
use garth_contract::{
    Case, Code, Error, Facts, Filesystem, Flow, Found, Glob, Grep, Guard, Hidden, Ignored, Kinds,
    Lines, Links, Order, Output, Page, Parents, Policy, Put, Query, Reach, Result, Sink, Span,
    Syntax, WsPath,
};
use garth_memory::Memory;

const DIRS: usize = 1_000;
const FILES: usize = 100;
const ROUNDS: usize = 2_001;

const PUT: Put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
const ALL: Page = Page { skip: 0, take: u64::MAX };

fn main() -> Result<()> {
    let memory = Memory::new(Policy::open())?;
    let mut flat: HashMap<String, Bytes> = HashMap::new();
    for dir in 0..DIRS {
        for file in 0..FILES {
            let name = format!("src/module{dir:04}/file{file:03}.rs");
            let content = Bytes::from(format!("// {name}\n"));
            now(memory.write(&path(&name)?, content.clone(), PUT))?;
            flat.insert(name, content);
        }
    }
    println!("{} files, p50 of {ROUNDS} rounds\n", DIRS * FILES);
    println!("{:40}{:>12}{:>12}{:>12}", "", "memory", "copied map", "goal");

    let fork = median(|| timed(|| memory.fork()));
    let copy = median_of(101, || timed(|| flat.clone()));
    report("fork", fork, Some(copy), Some(Duration::from_micros(1)));
    report("fork, share of the copy", fork, None, Some(copy / 1_000));

    let dir = path("src/module0500")?;
    let list = median(|| timed(|| now(memory.list(&dir, ALL))));
    let scan = median_of(101, || timed(|| scan(&flat, "src/module0500/")));
    report("list, 100 entries", list, Some(scan), Some(Duration::from_micros(5)));
    report("list, share of the scan", list, None, Some(scan / 100));

    let file = path("src/module0500/file050.rs")?;
    let stat = median(|| timed(|| now(memory.stat(&file, Links::Follow))));
    let read = median(|| timed(|| now(memory.read(&file, Span::Whole { at_most: 1 << 20 }))));
    let get = median(|| timed(|| flat.get("src/module0500/file050.rs").cloned()));
    report("stat", stat, Some(get), None);
    report("read, whole", read, Some(get), None);

    let text = Bytes::from_static(b"// changed\n");
    let write = median(|| {
        let fork = memory.fork();
        timed(|| now(fork.write(&file, text.clone(), PUT)))
    });
    report("first write after a fork", write, None, None);
    let again = median(|| timed(|| now(memory.write(&file, text.clone(), PUT))));
    report("write", again, None, None);

    let walk = median_of(21, || timed(|| now(memory.find(&query(None), Arc::new(Nowhere)))));
    let names = median_of(21, || timed(|| flat.keys().filter(|key| key.ends_with(".md")).count()));
    report("find *.md among all", walk, Some(names), None);
    let pattern = Some("module0500/file05");
    let grep = median_of(21, || timed(|| now(memory.find(&query(pattern), Arc::new(Nowhere)))));
    report("grep in all", grep, None, None);
    Ok(())
}

fn path(text: &str) -> Result<WsPath> {
    WsPath::from_bytes(text.as_bytes())
}

/// Runs a future that never has to wait.
fn now<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => Err(Error::new(Code::Internal, "it had to wait")),
    }
}

/// Asks for files by name, or for text in all of them.
fn query(pattern: Option<&str>) -> Query {
    Query {
        base: WsPath::root(),
        reach: Reach::Tree,
        include: pattern.is_none().then(|| Glob::Filter("*.md".into())).into_iter().collect(),
        exclude: Vec::new(),
        kinds: Kinds::Files,
        hidden: Hidden::Skip,
        ignored: Ignored::Skip,
        grep: pattern.map(|pattern| Grep {
            pattern: pattern.into(),
            syntax: Syntax::Regex,
            case: Case::Sensitive,
            lines: Lines::Single,
            output: Output::Content,
            before: 0,
            after: 0,
        }),
        facts: Facts::All,
        order: Order::Path,
        skip: 0,
        take: u64::MAX,
        after: None,
    }
}

/// A sink that takes everything and keeps nothing.
struct Nowhere;

impl Sink for Nowhere {
    fn accept(&self, found: Found<'_>) -> Flow {
        black_box(found);
        Flow::Continue
    }
}

/// What listing costs when all there is is a map of whole paths.
fn scan(flat: &HashMap<String, Bytes>, prefix: &str) -> Vec<String> {
    let mut names: Vec<String> =
        flat.keys().filter(|name| name.starts_with(prefix)).cloned().collect();
    names.sort_unstable();
    names
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let done = black_box(work());
    let took = start.elapsed();
    drop(done);
    took
}

fn median(measure: impl FnMut() -> Duration) -> Duration {
    median_of(ROUNDS, measure)
}

fn median_of(rounds: usize, mut measure: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..rounds).map(|_| measure()).collect();
    times.sort_unstable();
    times.get(rounds / 2).copied().unwrap_or_default()
}

fn report(what: &str, took: Duration, other: Option<Duration>, goal: Option<Duration>) {
    let show =
        |time: Option<Duration>| time.map_or(String::from("-"), |time| format!("{time:.2?}"));
    let verdict = match goal {
        None => "",
        Some(goal) if took <= goal => "pass",
        Some(_) => "short",
    };
    let (took, other, goal) = (show(Some(took)), show(other), show(goal));
    println!("{verdict:6}memory: {what:<26}{took:>12}{other:>12}{goal:>12}");
}
