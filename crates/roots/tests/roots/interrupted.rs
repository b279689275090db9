//! A move between roots that stops at each of its calls: nothing is ever lost.

use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Waker},
};

use garth_contract::{Code, Filesystem};
use garth_memory::Memory;
use garth_roots::Roots;

use crate::{
    fixture::{KEEP, again, at_once, memory, path, roots, tree},
    tampered::{Act, Tampered},
};

const WHOLE: [&str; 5] = ["d", "d/e", "d/e/g=2", "d/empty", "d/f=1"];

/// Two roots of which each call passes by one hand, and the files behind them.
struct Scene {
    roots: Roots,
    source: Memory,
    target: Memory,
    calls: Arc<AtomicU64>,
}

fn scene(act: impl Fn(u64) -> Act + Send + Sync + 'static) -> Scene {
    let source = memory(&[("d/f", "1"), ("d/e/g", "2"), ("d/empty/", "")]);
    let target = memory(&[]);
    let (calls, act) = (Arc::new(AtomicU64::new(0)), Arc::new(act));
    let hand = |files: &Memory| {
        let (calls, act) = (Arc::clone(&calls), Arc::clone(&act));
        Tampered::new(again(files), move |_, _| act(calls.fetch_add(1, Ordering::SeqCst)))
    };
    let roots = roots([("a", hand(&source)), ("b", hand(&target))]);
    Scene { roots, source, target, calls }
}

impl Scene {
    /// Whether all of it is at the source, and whether at its destination.
    fn whole(&self) -> (bool, bool) {
        let target = tree(&self.target);
        (tree(&self.source) == WHOLE, WHOLE.iter().all(|line| target.iter().any(|had| had == line)))
    }

    fn move_it(&self) -> impl Future<Output = Result<(), Code>> {
        let roots = self.roots.clone();
        async move {
            let moved = roots.rename(&path("a/d"), &path("b/d"), KEEP).await;
            moved.map(drop).map_err(|error| error.code())
        }
    }
}

#[test]
fn a_move_that_stops_anywhere_leaves_the_whole_somewhere() {
    let mut ends = Vec::new();
    for stop in 0.. {
        let scene = scene(move |call| if call == stop { Act::Hang } else { Act::Pass });
        let Some(moved) = at_once(scene.move_it()) else {
            ends.push(scene.whole());
            continue;
        };
        assert_eq!((moved, scene.whole()), (Ok(()), (false, true)));
        assert_eq!(tree(&scene.source), [""; 0]);
        assert_eq!(tree(&scene.target), WHOLE);
        break;
    }
    assert!(ends.iter().all(|(here, there)| *here || *there), "{ends:?}");
    // First it is here, then at both, and in the end there; never back again.
    ends.dedup();
    assert_eq!(ends, [(true, false), (true, true), (false, true)]);
}

#[test]
fn a_move_that_fails_anywhere_leaves_the_source_or_the_copy_and_says_so() {
    for stop in 0.. {
        let fail = move |call| if call == stop { Act::Fail(Code::DiskFull) } else { Act::Pass };
        let scene = scene(fail);
        let moved = at_once(scene.move_it()).unwrap();
        if scene.calls.load(Ordering::SeqCst) <= stop {
            assert_eq!((moved, scene.whole()), (Ok(()), (false, true)));
            break;
        }
        let (here, there) = scene.whole();
        assert!(here || there, "call {stop}: {moved:?}");
        if !there {
            // A copy that did not land is gone again.
            assert_eq!(tree(&scene.target), [""; 0], "call {stop}: {moved:?}");
        }
    }
}

#[test]
fn a_dropped_move_is_undone_or_done_and_leaves_nothing_hidden() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut ends = Vec::new();
    for turns in 0..80 {
        let scene = scene(|_| Act::Pass);
        runtime.block_on(async {
            {
                let mut call = pin!(scene.move_it());
                let _ = call.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                for _ in 0..turns {
                    tokio::task::yield_now().await;
                }
            }
            // What was begun ends by itself: each of its calls takes one turn.
            for _ in 0..200 {
                tokio::task::yield_now().await;
            }
        });
        match scene.whole() {
            (true, false) => assert_eq!(tree(&scene.target), [""; 0], "{turns}"),
            (false, true) => assert_eq!(tree(&scene.source), [""; 0], "{turns}"),
            both => panic!("after {turns}: {both:?}"),
        }
        ends.push(scene.whole());
    }
    ends.dedup();
    assert_eq!(ends, [(true, false), (false, true)]);
}
