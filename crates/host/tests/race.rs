//! Threads swap directories, files, links and pipes while all ten operations run.
//!
//! `GARTH_RACE_SECONDS` says for how long (a moment by default; `make soak` runs
//! it for minutes). Nothing outside may be read, changed or revealed, and no call
//! may hang. The number of attempts, and of those that met a swapped-in link, is
//! printed: a run in which no call ever met one would prove nothing, and fails.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests plant files behind the backend's back and fail by panicking"
)]

use std::{
    fmt::Debug,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use garth_contract::{
    Aliases, Case, Clobber, Code, Collect, Depth, Durability, DynFilesystem, Facts, Grep, Guard,
    Hidden, Ignored, Kinds, Lines, Links, Move, Order, Output, Owned, Page, Parents, Policy, Put,
    Query, Reach, Result, Span, Syntax, WatchSpec, WsPath,
};
use garth_host::{Host, Resolver};
use rustix::fs::{CWD, Mode, RenameFlags, mkfifoat, renameat_with};

const SECRET: &str = "outside-secret-41c0";
const ONLY_OUTSIDE: &str = "only-outside-name";
/// Far more than any call needs.
const HANG: Duration = Duration::from_secs(60);
/// The calls, by name; `stat` to `watch` are the ten but `abilities`.
const CALLS: [&str; 11] = [
    "stat",
    "list",
    "read",
    "read lines",
    "write",
    "make_dir",
    "remove",
    "rename out",
    "rename in",
    "find",
    "watch",
];

#[derive(Default)]
struct Tally {
    attempts: [AtomicU64; CALLS.len()],
    refused: AtomicU64,
    succeeded: AtomicU64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_outside_is_reached_while_paths_are_swapped() {
    let seconds = std::env::var("GARTH_RACE_SECONDS").ok().and_then(|text| text.parse().ok());
    let each = Duration::from_secs_f64(seconds.unwrap_or(4.0) / 2.0);
    for resolver in [Resolver::Kernel, Resolver::Walk] {
        race(resolver, each).await;
    }
}

async fn race(resolver: Resolver, length: Duration) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let outside = dir.path().join("outside");
    plant_outside(&outside);
    fs::create_dir(&root).unwrap();
    let before = survey(&outside);
    // Waiting for the disk would only make the calls rarer.
    let policy = Policy { durability: Durability::Fast, ..Policy::open() };
    let host = Host::open(&root, policy, Aliases::none()).unwrap().with_resolver(resolver);
    let fs: Arc<dyn DynFilesystem> = Arc::new(host);
    let stop = Arc::new(AtomicBool::new(false));
    let tally = Arc::new(Tally::default());
    let swappers: Vec<_> = (0..2)
        .map(|_| {
            let (root, outside, stop) = (root.clone(), outside.clone(), Arc::clone(&stop));
            thread::spawn(move || swap_until(&root, &outside, &stop))
        })
        .collect();
    let until = Instant::now() + length;
    let mut workers = tokio::task::JoinSet::new();
    for seed in 0..4 {
        let (fs, tally) = (Arc::clone(&fs), Arc::clone(&tally));
        workers.spawn(async move { work(&*fs, &tally, seed, until).await });
    }
    let naive = thread::spawn({
        let (root, stop) = (root.clone(), Arc::clone(&stop));
        move || naive_escapes(&root, &stop)
    });
    let worked: Vec<_> = workers.join_all().await;
    stop.store(true, Ordering::Relaxed);
    let swaps: u64 = swappers.into_iter().map(|swapper| swapper.join().unwrap()).sum();
    assert_eq!(worked.len(), 4);
    assert_eq!(survey(&outside), before, "something outside changed");
    report(resolver, &tally, swaps);
    let (tries, escapes) = naive.join().unwrap();
    println!("  for comparison, canonicalize and compare: {tries} reads, {escapes} escapes");
}

/// What the check that is no check loses in the same race.
fn naive_escapes(root: &Path, stop: &AtomicBool) -> (u64, u64) {
    let root = fs::canonicalize(root).unwrap();
    let path = root.join("d/secret");
    let (mut tries, mut escapes) = (0, 0);
    while !stop.load(Ordering::Relaxed) {
        tries += 1;
        if fs::canonicalize(&path).is_ok_and(|real| real.starts_with(&root)) {
            escapes += u64::from(fs::read_to_string(&path).is_ok_and(|text| text == SECRET));
        }
    }
    (tries, escapes)
}

fn report(resolver: Resolver, tally: &Tally, swaps: u64) {
    let attempts: Vec<u64> = tally.attempts.iter().map(|n| n.load(Ordering::Relaxed)).collect();
    let all: u64 = attempts.iter().sum();
    let refused = tally.refused.load(Ordering::Relaxed);
    let succeeded = tally.succeeded.load(Ordering::Relaxed);
    println!(
        "race with {resolver:?}: {all} attempts, {swaps} swaps, {refused} met a link out, {succeeded} succeeded, 0 escapes"
    );
    for (name, count) in CALLS.iter().zip(&attempts) {
        println!("  {name}: {count}");
        assert!(*count > 0, "{name} never ran");
    }
    assert!(refused > 0, "no call ever met a link that leaves");
    assert!(succeeded > 0, "no call ever succeeded");
}

fn plant_outside(outside: &Path) {
    fs::create_dir_all(outside.join("sub")).unwrap();
    for name in ["secret", "sub/secret", ONLY_OUTSIDE] {
        fs::write(outside.join(name), SECRET).unwrap();
    }
}

/// Keeps two things changing places under one name, and puts back what was removed.
fn swap_until(root: &Path, outside: &Path, stop: &AtomicBool) -> u64 {
    let mut swaps = 0;
    while !stop.load(Ordering::Relaxed) {
        plant_inside(root, outside);
        for _ in 0..64 {
            for (one, other) in [("d", "d.link"), ("f", "f.link"), ("p", "p.fifo"), ("e/d", "e/up")]
            {
                let (one, other) = (root.join(one), root.join(other));
                swaps +=
                    u64::from(renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).is_ok());
            }
        }
    }
    swaps
}

/// Every step may meet what a worker or the other swapper did; all are tried.
fn plant_inside(root: &Path, outside: &Path) {
    for dir in ["d/sub", "e/d/sub"] {
        let _ = fs::create_dir_all(root.join(dir));
    }
    // Never through a link: the plant itself must not write outside.
    for dir in ["d", "e/d"] {
        let dir = root.join(dir);
        if fs::symlink_metadata(&dir).is_ok_and(|metadata| metadata.is_dir()) {
            plant_file(&dir, "secret");
        }
    }
    plant_file(root, "f");
    plant_file(root, "p");
    let _ = symlink(outside, root.join("d.link"));
    let _ = symlink(outside.join("secret"), root.join("f.link"));
    let _ = symlink("../../outside", root.join("e/up"));
    let _ = mkfifoat(CWD, root.join("p.fifo"), Mode::from_raw_mode(0o666));
}

/// Makes a file by handle, so that a swapped directory is no way out for the test.
fn plant_file(dir: &Path, name: &str) {
    use rustix::fs::{OFlags, openat};
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(dir) = openat(CWD, dir, flags, Mode::empty()) else { return };
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW;
    if let Ok(file) = openat(&dir, name, flags, Mode::from_raw_mode(0o644)) {
        let _ = rustix::io::write(&file, b"inside");
    }
}

async fn work(fs: &dyn DynFilesystem, tally: &Tally, seed: u64, until: Instant) {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % bound as u64).unwrap()
    };
    // Removals and moves act on things below the swapped directories, which stay, so
    // that the stage is not taken down by the play.
    let anything = ["d/secret", "d/sub/secret", "d", "d/sub", "f", "p", "e/d/secret", "e/d"];
    let expendable = ["d/new/x", "d/new", "e/d/new/x", "e/d/secret", "f/x"];
    let path = |text: &&str| WsPath::from_bytes(text.as_bytes()).unwrap();
    let (anything, expendable) = (anything.each_ref().map(path), expendable.each_ref().map(path));
    while Instant::now() < until {
        let call = next(CALLS.len());
        let paths = if (5..=8).contains(&call) { &expendable[..] } else { &anything[..] };
        let path = paths.get(next(paths.len())).unwrap();
        let outcome = tokio::time::timeout(HANG, perform(fs, call, path)).await;
        let name = CALLS.get(call).unwrap();
        let outcome = outcome.unwrap_or_else(|_| panic!("{name} on {path} hangs"));
        tally.attempts.get(call).unwrap().fetch_add(1, Ordering::Relaxed);
        match outcome {
            Ok(shown) => {
                let leak = shown.contains(SECRET) || shown.contains(ONLY_OUTSIDE);
                assert!(!leak, "{name} on {path} shows what is outside: {shown}");
                tally.succeeded.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) if error.code() == Code::PathOutsideWorkspace => {
                tally.refused.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => {}
        }
    }
}

async fn perform(fs: &dyn DynFilesystem, call: usize, path: &WsPath) -> Result<String> {
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
    let how = Move { clobber: Clobber::Replace, parents: Parents::Create };
    let aside = WsPath::root().join(b"aside")?;
    let lines = Span::Lines { skip: 0, take: 9, at_most: 1 << 20 };
    Ok(match call {
        0 => show(fs.stat(path, Links::Follow).await?),
        1 => show(fs.list(path, Page { skip: 0, take: 99 }).await?),
        2 => show(fs.read(path, Span::Whole { at_most: 1 << 20 }).await?),
        3 => show(fs.read(path, lines).await?),
        4 => show(fs.write(path, Bytes::from("written"), put).await?),
        5 => show(fs.make_dir(path, Parents::Create).await?),
        6 => show(fs.remove(path, Depth::All).await?),
        7 => show(fs.rename(path, &aside, how).await?),
        8 => show(fs.rename(&aside, path, how).await?),
        9 => find(fs, path).await?,
        _ => watch(fs, path).await?,
    })
}

fn show(value: impl Debug) -> String {
    format!("{value:?}")
}

async fn find(fs: &dyn DynFilesystem, base: &WsPath) -> Result<String> {
    let grep = Grep {
        pattern: "secret|inside|written".to_owned(),
        syntax: Syntax::Regex,
        case: Case::Sensitive,
        lines: Lines::Single,
        output: Output::Content,
        before: 0,
        after: 0,
    };
    let query = Query {
        base: base.clone(),
        reach: Reach::Tree,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::All,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
        grep: Some(grep),
        facts: Facts::All,
        order: Order::Path,
        skip: 0,
        take: 1000,
        after: None,
    };
    let sink = Arc::new(Collect::default());
    fs.find(&query, sink.clone()).await?;
    let texts: Vec<String> = sink
        .take()
        .iter()
        .map(|found| match found {
            Owned::Line(line) => String::from_utf8_lossy(&line.text).into_owned(),
            Owned::Entry(_) | Owned::Name(..) | Owned::File(_) | Owned::Count(..) => show(found),
        })
        .collect();
    Ok(texts.join("\n"))
}

async fn watch(fs: &dyn DynFilesystem, path: &WsPath) -> Result<String> {
    let spec = WatchSpec {
        path: path.clone(),
        reach: Reach::Tree,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
    };
    fs.watch(&spec).await.map(|_| String::new())
}

/// Everything outside, with content, mode and time.
fn survey(outside: &Path) -> Vec<(PathBuf, String)> {
    let mut seen = Vec::new();
    let mut left = vec![outside.to_owned()];
    while let Some(path) = left.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = if metadata.is_dir() {
            let entries = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
            left.extend(entries);
            String::new()
        } else {
            fs::read_to_string(&path).unwrap()
        };
        let facts = (metadata.modified().unwrap(), metadata.permissions(), content);
        seen.push((path, format!("{facts:?}")));
    }
    seen.sort();
    seen
}
