//! How far a search goes: deep, wide, large and hostile trees, and cancelling.

use std::{
    env,
    ffi::CString,
    fs,
    io::Write,
    os::fd::OwnedFd,
    process::Command,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use garth_contract::{Filesystem, Flow, Found, Query, Sink, Total};
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

use crate::yard::{Yard, everything, files, find_into, grep};

/// Counts results, and checks that they come in order.
#[derive(Default)]
struct Counting {
    results: AtomicU64,
    last: Mutex<Option<(garth_contract::WsPath, u64)>>,
}

impl Sink for Counting {
    fn accept(&self, found: Found<'_>) -> Flow {
        self.results.fetch_add(1, Ordering::Relaxed);
        let place = match found {
            Found::Line(line) => (line.path.clone(), line.number),
            Found::Entry(entry) => (entry.path.clone(), 0),
            Found::Name(path, _) => (path.clone(), 0),
            Found::File(path) | Found::Count(path, _) => (path.clone(), 0),
        };
        let mut last = self.last.lock().unwrap();
        assert!(last.as_ref().is_none_or(|last| *last < place), "{last:?} before {place:?}");
        *last = Some(place);
        Flow::Continue
    }
}

fn count(yard: &Yard, query: &Query) -> (u64, garth_contract::Summary) {
    let sink = Arc::new(Counting::default());
    let summary = find_into(&yard.host(), query, Arc::<Counting>::clone(&sink)).unwrap();
    (sink.results.load(Ordering::Relaxed), summary)
}

/// Runs one test again in a process that may open few files.
///
/// Returns whether this is that process, in which the test then does its work.
fn with_few_handles(test: &str) -> bool {
    const MARK: &str = "GARTH_TEST_FEW_HANDLES";
    if env::var_os(MARK).is_some() {
        return true;
    }
    let status = Command::new("sh")
        .args(["-c", "ulimit -n 256 && exec \"$@\"", "sh"])
        .arg(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(MARK, "1")
        .status()
        .unwrap();
    assert!(status.success());
    false
}

/// Makes a chain of directories, each with a file before and after the next.
fn deep(yard: &Yard, levels: usize) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut dir: OwnedFd = openat(CWD, yard.path(), flags, Mode::empty()).unwrap();
    for _ in 0..levels {
        for name in ["a", "z"] {
            let flags = OFlags::CREATE | OFlags::WRONLY;
            let file = openat(&dir, name, flags, Mode::from_raw_mode(0o600)).unwrap();
            fs::File::from(file).write_all(b"needle\n").unwrap();
        }
        let name = CString::new("m").unwrap();
        mkdirat(&dir, &name, Mode::from_raw_mode(0o700)).unwrap();
        dir = openat(&dir, &name, flags, Mode::empty()).unwrap();
    }
}

#[test]
fn a_deep_tree_is_searched_with_few_handles() {
    if !with_few_handles("bounds::a_deep_tree_is_searched_with_few_handles") {
        return;
    }
    let yard = Yard::with(&[]);
    deep(&yard, 2000);
    let (lines, summary) = count(&yard, &grep("needle"));
    assert_eq!((lines, summary.unreadable), (4000, 0));
}

#[test]
fn what_is_too_deep_for_a_path_is_counted() {
    let yard = Yard::with(&[]);
    deep(&yard, 2100);
    let (lines, summary) = count(&yard, &grep("needle"));
    // A path of 4,096 bytes has room for 2,047 levels and a name.
    assert_eq!((lines, summary.total), (2 * 2048, Total::Exact(2 * 2048)));
    assert!(summary.unreadable > 0);
}

#[test]
fn a_wide_tree_is_searched_with_few_handles() {
    if !with_few_handles("bounds::a_wide_tree_is_searched_with_few_handles") {
        return;
    }
    let yard = Yard::with(&[]);
    for number in 0..3000 {
        yard.add(&format!("d{number}/f"), b"needle\n");
        yard.add(&format!("w/f{number}"), b"needle\n");
    }
    let (lines, summary) = count(&yard, &grep("needle"));
    assert_eq!((lines, summary.unreadable), (6000, 0));
    assert_eq!(count(&yard, &everything()).0, 9001);
}

#[test]
fn more_results_than_wait_in_memory_come_whole_and_in_order() {
    let yard = Yard::with(&[]);
    let text = format!("needle {}\n", "x".repeat(1000)).repeat(3000);
    for number in 0..24 {
        yard.add(&format!("d{}/f{number}", number % 5), text.as_bytes());
    }
    let (lines, summary) = count(&yard, &grep("needle"));
    assert_eq!((lines, summary.total), (72_000, Total::Exact(72_000)));
}

#[test]
fn a_large_file_is_read_only_as_far_as_results_are_wanted() {
    let yard = Yard::with(&[]);
    let file = fs::File::create(yard.path().join("large")).unwrap();
    (&file).write_all(b"needle\n".repeat(100_000).as_slice()).unwrap();
    // A hole of a terabyte, which nobody reads to its end.
    file.set_len(1 << 40).unwrap();
    let (lines, _) = count(&yard, &Query { take: 10, ..grep("needle") });
    assert_eq!(lines, 10);
}

#[test]
fn a_line_too_long_for_memory_is_counted_as_unreadable() {
    let yard = Yard::with(&[("b", "needle\n")]);
    let mut file = fs::File::create(yard.path().join("a")).unwrap();
    let piece = "x".repeat(1 << 20);
    for _ in 0..80 {
        file.write_all(piece.as_bytes()).unwrap();
    }
    drop(file);
    let (lines, summary) = count(&yard, &grep("needle"));
    assert_eq!((lines, summary.unreadable), (1, 1));
}

/// Holds the search back at its first result until it is let go.
#[derive(Default)]
struct Gate {
    reached: Mutex<bool>,
    open: Mutex<bool>,
    changed: Condvar,
    calls: AtomicU64,
}

impl Gate {
    fn wait(&self, flag: &Mutex<bool>) {
        let guard = flag.lock().unwrap();
        drop(self.changed.wait_while(guard, |set| !*set).unwrap());
    }

    fn set(&self, flag: &Mutex<bool>) {
        *flag.lock().unwrap() = true;
        self.changed.notify_all();
    }
}

impl Sink for Gate {
    fn accept(&self, _: Found<'_>) -> Flow {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.set(&self.reached);
        self.wait(&self.open);
        Flow::Continue
    }
}

#[test]
fn a_cancelled_search_ends_and_calls_the_sink_no_more() {
    let yard = Yard::with(&[]);
    for number in 0..500 {
        yard.add(&format!("d{}/f{number}", number % 9), b"needle\nneedle\n");
    }
    let gate = Arc::new(Gate::default());
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let host = yard.host();
    let sink = Arc::<Gate>::clone(&gate);
    let search = runtime.spawn(async move { host.find(&grep("needle"), sink).await });
    gate.wait(&gate.reached);
    search.abort();
    assert!(runtime.block_on(search).unwrap_err().is_cancelled());
    gate.set(&gate.open);
    // Dropping the runtime waits until the walk has ended.
    drop(runtime);
    assert_eq!(gate.calls.load(Ordering::Relaxed), 1);
}

#[test]
fn a_tree_that_changes_under_the_search_does_no_harm() {
    let yard = Yard::with(&[]);
    for number in 0..300 {
        yard.add(&format!("d{}/f{number}", number % 20), b"needle\n");
    }
    let root = yard.path().to_path_buf();
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let changer = std::thread::spawn(move || {
        let mut round = 0;
        while !stopped.load(Ordering::Relaxed) {
            let dir = root.join(format!("d{}", round % 20));
            let _ = fs::rename(&dir, root.join("moved"));
            let _ = fs::remove_file(root.join(format!("moved/f{}", round % 300)));
            let _ = fs::rename(root.join("moved"), &dir);
            round += 1;
        }
    });
    for _ in 0..50 {
        let (lines, _) = count(&yard, &grep("needle"));
        assert!(lines <= 300);
        count(&yard, &files());
    }
    stop.store(true, Ordering::Relaxed);
    changer.join().unwrap();
}
