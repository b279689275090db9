//! Searches over the top that end early, fail or meet what cannot be named.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use garth_contract::{
    Code, Detail, Filesystem, Flow, Found, Glob, Order, Query, Sink, Total, WsPath,
};

use crate::{
    fixture::{at_once, everything, fill, find, memory, now, path, roots, two},
    tampered::{Act, Tampered},
};

/// A sink that has enough after so many results.
struct Enough {
    after: u64,
    came: AtomicU64,
}

impl Sink for Enough {
    fn accept(&self, _: Found<'_>) -> Flow {
        let came = self.came.fetch_add(1, Ordering::SeqCst) + 1;
        if came >= self.after { Flow::Stop } else { Flow::Continue }
    }
}

#[test]
fn a_sink_that_has_enough_is_not_called_again() {
    let roots = two(&[("f", ""), ("g", "")], &[("f", ""), ("g", "")]);
    for after in 1..=6 {
        for order in [Order::Path, Order::Newest] {
            let sink = Arc::new(Enough { after, came: AtomicU64::new(0) });
            let query = Query { order, ..everything() };
            let summary = now(roots.find(&query, Arc::clone(&sink) as _)).unwrap();
            assert_eq!((summary.given, sink.came.load(Ordering::SeqCst)), (after, after));
        }
    }
}

#[test]
fn a_search_that_has_enough_asks_no_other_root() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let second = Tampered::new(memory(&[("f", "")]), move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        Act::Pass
    });
    let roots = roots([("a", Arc::new(memory(&[("f", "")]))), ("b", second)]);
    let (found, summary) = find(&roots, &Query { take: 2, ..everything() }).unwrap();
    assert_eq!((found.len(), summary.total), (2, Total::AtLeast(2)));
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[test]
fn a_dropped_search_begins_in_no_other_root_and_calls_its_sink_no_more() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let hand = |name: &'static str, act| {
        let asked = Arc::clone(&asked);
        Tampered::new(memory(&[("f", "")]), move |call, _: &WsPath| {
            asked.lock().unwrap().push(format!("{call} {name}"));
            if call == "find" { act } else { Act::Pass }
        })
    };
    let roots = roots([
        ("a", hand("a", Act::Pass)),
        ("b", hand("b", Act::Hang)),
        ("c", hand("c", Act::Pass)),
    ]);
    let sink = Arc::new(Enough { after: u64::MAX, came: AtomicU64::new(0) });
    assert_eq!(at_once(roots.find(&everything(), Arc::clone(&sink) as _)), None);
    assert_eq!(*asked.lock().unwrap(), ["stat a", "find a", "stat b", "find b"]);
    assert_eq!(sink.came.load(Ordering::SeqCst), 3);
}

/// Says that it was called, then waits until it may go on.
struct Blocked {
    called: std::sync::mpsc::SyncSender<()>,
    go_on: Mutex<std::sync::mpsc::Receiver<()>>,
    came: AtomicU64,
}

impl Sink for Blocked {
    fn accept(&self, _: Found<'_>) -> Flow {
        self.came.fetch_add(1, Ordering::SeqCst);
        self.called.send(()).unwrap();
        let _ = self.go_on.lock().unwrap().recv();
        Flow::Continue
    }
}

#[test]
fn a_sink_that_blocks_holds_up_no_other_task() {
    let roots = two(&[("f", "")], &[]);
    let (called, calls) = std::sync::mpsc::sync_channel(8);
    let (let_go, go_on) = std::sync::mpsc::sync_channel(8);
    let sink = Arc::new(Blocked { called, go_on: Mutex::new(go_on), came: AtomicU64::new(0) });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let search = tokio::spawn({
            let sink = Arc::clone(&sink);
            // Newest first, all results are handed on together.
            let query = Query { order: Order::Newest, ..everything() };
            async move { roots.find(&query, sink as _).await }
        });
        // The runtime has one thread: if the sink held it, nothing would come here.
        while calls.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
        search.abort();
        assert!(search.await.unwrap_err().is_cancelled());
        let_go.send(()).unwrap();
        drop(let_go);
    });
    drop(runtime);
    assert_eq!(sink.came.load(Ordering::SeqCst), 1);
}

#[test]
fn a_wrong_pattern_is_told_as_it_was_sent() {
    let roots = two(&[], &[]);
    for include in ["a/x[z-a]", "no/such/[z-a]"] {
        let query = Query { include: vec![Glob::Path(include.to_owned())], ..everything() };
        let error =
            now(roots.find(&query, Arc::new(garth_contract::Collect::default()))).unwrap_err();
        let position = include.find("-a").unwrap() as u64;
        assert_eq!(error.code(), Code::InvalidPattern);
        assert_eq!(error.details(), [Detail::Position(position)], "{include}");
    }
}

#[test]
fn a_root_that_is_gone_is_counted_and_the_others_are_searched() {
    let gone = Tampered::new(memory(&[]), |_, _| Act::Fail(Code::FileNotFound));
    let roots = roots([("a", gone), ("b", Arc::new(memory(&[("f", "")])))]);
    for order in [Order::Path, Order::Newest] {
        let (mut found, summary) = find(&roots, &Query { order, ..everything() }).unwrap();
        found.sort();
        assert_eq!(found, ["a", "b", "b/f"]);
        assert_eq!((summary.unreadable, summary.total), (1, Total::Exact(3)));
    }
}

#[test]
fn a_path_that_the_whole_tree_cannot_name_is_counted() {
    let files = memory(&[("f", "")]);
    let deep = format!("{}x", "d/".repeat(2047));
    fill(&files, &[(&deep, "")]);
    let roots = roots([("root", Arc::new(files))]);
    for base in ["", "root"] {
        let query = Query { base: path(base), ..everything() };
        let query = Query { include: vec![Glob::Filter("[xf]".to_owned())], ..query };
        let (found, summary) = find(&roots, &query).unwrap();
        assert_eq!(found, ["root/f"]);
        assert_eq!((summary.given, summary.total, summary.unreadable), (1, Total::Exact(1), 1));
    }
}
