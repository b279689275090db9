//! Watches on the top: the changes of all roots in one stream.

use std::{
    sync::Arc,
    task::{Context, Poll, Waker},
};

use garth_contract::{
    Aliases, Change, Code, Event, Filesystem, Hidden, Ignored, Policy, Reach, Watch, WatchSpec,
};
use garth_host::Host;
use garth_memory::Memory;

use crate::{
    fixture::{again, fill, memory, now, path, roots},
    tampered::{Act, Tampered},
};

fn spec() -> WatchSpec {
    WatchSpec {
        path: path(""),
        reach: Reach::Tree,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
    }
}

/// All that there is to tell now, and `end` if the stream is over.
fn told(watch: &mut Watch) -> Vec<String> {
    let mut told = Vec::new();
    while let Poll::Ready(event) = watch.as_mut().poll_next(&mut Context::from_waker(Waker::noop()))
    {
        match event {
            None => {
                told.push("end".to_owned());
                return told;
            }
            Some(event) => told.push(line(&event)),
        }
    }
    told
}

fn line(event: &Event) -> String {
    match event {
        Event::Overflow => "overflow".to_owned(),
        Event::Changed { path, change: Change::Created } => format!("+{path}"),
        Event::Changed { path, change: Change::Modified } => format!("~{path}"),
        Event::Changed { path, change: Change::Deleted } => format!("-{path}"),
    }
}

fn watched(spec: &WatchSpec) -> (Memory, Memory, Watch) {
    let (one, other) = (memory(&[]), memory(&[]));
    let roots = roots([("a", Arc::new(again(&one))), (".b", Arc::new(again(&other)))]);
    let watch = now(roots.watch(spec)).unwrap();
    (one, other, watch)
}

#[test]
fn changes_of_all_roots_come_in_turn_under_their_whole_paths() {
    let (one, other, mut watch) = watched(&spec());
    assert_eq!(told(&mut watch), [""; 0]);
    fill(&one, &[("x", ""), ("y", ""), ("z", "")]);
    fill(&other, &[("d/f", "")]);
    assert_eq!(told(&mut watch), ["+.b/d", "+a/x", "+.b/d/f", "+a/y", "+a/z"]);
}

#[test]
fn an_overflow_of_one_root_is_told() {
    let (one, other, mut watch) = watched(&spec());
    let before = one.snapshot();
    fill(&one, &[("x", "")]);
    one.restore(&before).unwrap();
    fill(&other, &[("f", "")]);
    let told = told(&mut watch);
    assert!(told.contains(&"overflow".to_owned()), "{told:?}");
    assert!(told.contains(&"+.b/f".to_owned()), "{told:?}");
}

#[test]
fn a_hidden_root_is_watched_only_when_asked_for() {
    let (one, other, mut watch) = watched(&WatchSpec { hidden: Hidden::Skip, ..spec() });
    fill(&one, &[("x", "")]);
    fill(&other, &[("f", "")]);
    assert_eq!(told(&mut watch), ["+a/x"]);
}

#[test]
fn the_entries_of_the_top_are_the_roots_alone() {
    let (one, other, mut watch) = watched(&WatchSpec { reach: Reach::Entries, ..spec() });
    fill(&one, &[("x", ""), ("d/y", "")]);
    fill(&other, &[("f", "")]);
    assert_eq!(told(&mut watch), [""; 0]);
    let before = one.snapshot();
    one.restore(&before).unwrap();
    assert_eq!(told(&mut watch), ["overflow"]);
}

#[test]
fn a_root_that_ends_leaves_the_others_watched() {
    let (one, other) = (memory(&[]), memory(&[]));
    let kept = again(&other);
    let roots = roots([("a", Arc::new(one)), ("b", Arc::new(kept))]);
    let mut watch = now(roots.watch(&spec())).unwrap();
    drop(roots);
    fill(&other, &[("f", "")]);
    assert_eq!(told(&mut watch), ["+b/f"]);
    drop(other);
    assert_eq!(told(&mut watch), ["end"]);
}

#[test]
fn a_root_that_cannot_be_watched_is_named() {
    let full = Tampered::new(memory(&[]), |_, _| Act::Fail(Code::QuotaExceeded));
    let roots = roots([("a", Arc::new(memory(&[]))), ("b", full)]);
    let error = now(roots.watch(&spec())).map(drop).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::QuotaExceeded, Some(&path("b"))));
}

#[tokio::test]
async fn a_change_on_this_machine_and_one_in_memory_reach_one_watcher() {
    let dir = tempfile::tempdir().unwrap();
    let host = Host::open(dir.path(), Policy::open(), Aliases::none()).unwrap();
    let files = memory(&[]);
    let roots = roots([("host", Arc::new(host)), ("ram", Arc::new(again(&files)))]);
    let mut watch = roots.watch(&spec()).await.unwrap();
    fill(&files, &[("f", "")]);
    std::fs::write(dir.path().join("g"), "").unwrap();
    let mut told = Vec::new();
    while told.len() < 2 {
        let event = std::future::poll_fn(|context| watch.as_mut().poll_next(context)).await;
        told.push(line(&event.unwrap()));
    }
    told.sort();
    assert_eq!(told, ["+host/g", "+ram/f"]);
}
