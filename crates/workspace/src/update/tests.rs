//! Changes of one file by several at once, in one workspace and in many.

use std::sync::{Arc, Barrier};

use garth_contract::Filesystem;
use garth_memory::Memory;

use super::*;
use crate::fixture;

fn path() -> WsPath {
    WsPath::from_bytes(b"count").unwrap()
}

/// A change that adds one to the number in a file.
fn one_more(current: Option<&Content>) -> Result<Plan<u64>> {
    let text = current.map_or("0", |content| std::str::from_utf8(&content.bytes).unwrap());
    let number = text.parse::<u64>().unwrap() + 1;
    Ok(Plan { content: Some(number.to_string().into()), parents: Parents::Require, facts: number })
}

fn number(memory: &Memory) -> String {
    let content = fixture::wait(memory.read(&path(), Span::Whole { at_most: 100 })).unwrap();
    String::from_utf8(content.bytes.to_vec()).unwrap()
}

#[test]
fn a_missing_file_is_created_and_an_existing_one_changed() {
    let memory = fixture::memory();
    let workspace = fixture::over(&memory);
    let update = || fixture::wait(workspace.update(&path(), one_more)).unwrap();
    assert!(update().written.unwrap().created);
    assert!(!update().written.unwrap().created);
    assert_eq!(number(&memory), "2");
}

#[test]
fn a_plan_without_content_writes_nothing() {
    let memory = fixture::memory();
    let workspace = fixture::over(&memory);
    let updated = fixture::wait(workspace.update(&path(), |current| {
        Ok(Plan { content: None, parents: Parents::Create, facts: current.is_none() })
    }))
    .unwrap();
    assert!(updated.facts && updated.written.is_none());
    let gone = fixture::wait(workspace.current(&path())).unwrap();
    assert_eq!(gone, None);
}

#[test]
fn no_update_of_many_workspaces_is_lost() {
    const WRITERS: u64 = 4;
    const EACH: u64 = 500;
    let memory = fixture::memory();
    let start = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                let workspace = fixture::over(&memory);
                start.wait();
                for _ in 0..EACH {
                    // Everybody has read before anybody writes, as often as it can be had.
                    let slow = |current: Option<&Content>| {
                        std::thread::yield_now();
                        one_more(current)
                    };
                    fixture::wait(workspace.update(&path(), slow)).unwrap();
                }
            });
        }
    });
    assert_eq!(number(&memory), (WRITERS * EACH).to_string());
}

#[test]
fn a_file_that_never_holds_still_is_a_conflict_in_the_end() {
    let memory = fixture::memory();
    let workspace = fixture::over(&memory);
    fixture::wait(workspace.update(&path(), one_more)).unwrap();
    let mut calls = 0;
    let refused = fixture::wait(workspace.update(&path(), |current| {
        calls += 1;
        let meddler = Arc::clone(&memory);
        std::thread::spawn(move || {
            fixture::wait(fixture::over(&meddler).update(&path(), one_more)).unwrap();
        })
        .join()
        .unwrap();
        one_more(current)
    }))
    .unwrap_err();
    assert_eq!(refused.code(), Code::Conflict);
    assert_eq!(calls, TRIES);
    assert_eq!(number(&memory), (TRIES + 1).to_string(), "only the meddler wrote");
}

#[test]
fn locks_of_many_files_are_taken_in_one_order() {
    let workspace = fixture::workspace();
    let paths: Vec<_> =
        (0..200).map(|n| WsPath::from_bytes(format!("f{n}").as_bytes()).unwrap()).collect();
    let forward: Vec<_> = paths.iter().collect();
    let backward: Vec<_> = paths.iter().rev().collect();
    std::thread::scope(|scope| {
        for order in [&forward, &backward] {
            scope.spawn(|| {
                for _ in 0..500 {
                    drop(fixture::wait(workspace.hold(order)));
                }
            });
        }
    });
}
