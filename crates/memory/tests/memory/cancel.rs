//! Futures that are dropped in the middle leave the old state or the new one.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use garth_contract::{Filesystem, Flow, Found, Links, Sink, Span};
use tokio::runtime::{Builder, Runtime};

use crate::fixture::{ANY, everything, path, workspace};

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// Polls a future once and drops it.
fn poll_once<T>(future: impl Future<Output = T>) -> Poll<T> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn a_large_write_that_is_dropped_leaves_the_file_as_it_was() {
    let ws = workspace(&[("a", "old")]);
    let runtime = runtime();
    let _inside = runtime.enter();
    let large = Bytes::from(vec![b'x'; 4 << 20]);
    for _ in 0..20 {
        let written = poll_once(ws.0.write(&path("a"), large.clone(), ANY));
        match written {
            Poll::Pending => assert_eq!(ws.read("a"), Ok("old".into())),
            // The other thread was so fast that there was nothing to wait for.
            Poll::Ready(written) => {
                written.unwrap();
                ws.write("a", "old").unwrap();
            }
        }
    }
    let done = runtime.block_on(ws.0.write(&path("a"), large.clone(), ANY)).unwrap();
    assert_eq!(done.version.length(), 4 << 20);
    let last = Span::LastLines { take: 1, at_most: 5 };
    let content = runtime.block_on(ws.0.read(&path("a"), last)).unwrap();
    assert_eq!(&content.bytes[..], b"xxxxx");
}

/// Counts calls, and lets a test wait for the first of them.
#[derive(Default)]
struct Counting {
    calls: AtomicU64,
    first: (Mutex<bool>, Condvar),
}

impl Sink for Counting {
    fn accept(&self, _: Found<'_>) -> Flow {
        self.calls.fetch_add(1, Ordering::SeqCst);
        *self.first.0.lock().unwrap() = true;
        self.first.1.notify_all();
        Flow::Continue
    }
}

#[test]
fn a_dropped_search_calls_its_sink_no_more() {
    let ws = workspace(&[]);
    for number in 0..2_000 {
        ws.write(&format!("d{}/f{number}", number % 7), "").unwrap();
    }
    let runtime = runtime();
    let _inside = runtime.enter();
    for _ in 0..50 {
        let sink = Arc::new(Counting::default());
        let query = everything();
        let mut search = Box::pin(ws.0.find(&query, Arc::clone(&sink) as _));
        let polled = search.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let mut first = sink.first.0.lock().unwrap();
        while !*first {
            first = sink.first.1.wait(first).unwrap();
        }
        drop(first);
        drop(search);
        let calls = sink.calls.load(Ordering::SeqCst);
        // The search lets go of its sink when it is over, and not before.
        while Arc::strong_count(&sink) > 1 {
            std::thread::yield_now();
        }
        assert_eq!(sink.calls.load(Ordering::SeqCst), calls, "{}", polled.is_pending());
    }
}

/// Blocks in its first call until it is let go.
#[derive(Default)]
struct Blocking {
    calls: AtomicU64,
    open: (Mutex<bool>, Condvar),
}

impl Sink for Blocking {
    fn accept(&self, _: Found<'_>) -> Flow {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mut open = self.open.0.lock().unwrap();
        while !*open {
            open = self.open.1.wait(open).unwrap();
        }
        Flow::Continue
    }
}

#[test]
fn a_search_whose_sink_blocks_can_be_dropped() {
    let ws = workspace(&[("a", ""), ("b", ""), ("c", "")]);
    let runtime = runtime();
    let sink = Arc::new(Blocking::default());
    let query = everything();
    runtime.block_on(async {
        let mut search = Box::pin(ws.0.find(&query, Arc::clone(&sink) as _));
        poll_fn(|context| {
            assert!(search.as_mut().poll(context).is_pending());
            if sink.calls.load(Ordering::SeqCst) == 0 {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
        drop(search);
    });
    *sink.open.0.lock().unwrap() = true;
    sink.open.1.notify_all();
    while Arc::strong_count(&sink) > 1 {
        std::thread::yield_now();
    }
    assert_eq!(sink.calls.load(Ordering::SeqCst), 1);
}

#[test]
fn a_search_on_a_runtime_finds_what_one_without_finds() {
    let ws = workspace(&[("a", ""), ("d/b", "")]);
    let sink = Arc::new(garth_contract::Collect::default());
    let summary = runtime().block_on(ws.0.find(&everything(), Arc::clone(&sink) as _)).unwrap();
    assert_eq!((summary.given, sink.take().len()), (3, 3));
}

#[test]
fn a_caller_in_a_loop_lets_others_run() {
    let ws = Arc::new(workspace(&[("a", "")]));
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let writer = Arc::clone(&ws);
        let task =
            tokio::spawn(
                async move { writer.0.write(&path("b"), Bytes::new(), ANY).await.map(drop) },
            );
        while ws.0.stat(&path("b"), Links::Keep).await.is_err() {}
        task.await.unwrap().unwrap();
    });
}
