//! Several files at once: all, or none, whoever else writes.

use std::sync::Arc;

use garth_contract::{Filesystem, Guard, Links, Policy, Span};
use garth_memory::Memory;

use super::*;
use crate::fixture;

fn path(name: &str) -> WsPath {
    WsPath::from_bytes(name.as_bytes()).unwrap()
}

fn put(memory: &Memory, name: &str, content: &str) {
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: Some(0o640) };
    fixture::wait(memory.write(&path(name), content.to_owned().into(), put)).unwrap();
}

fn get(memory: &Memory, name: &str) -> Option<String> {
    let content = fixture::wait(memory.read(&path(name), Span::Whole { at_most: 100 })).ok()?;
    Some(String::from_utf8(content.bytes.to_vec()).unwrap())
}

fn content(text: &str) -> After {
    After::Content { bytes: text.to_owned().into(), mode: None }
}

/// Changes `a`, creates `new/b` and removes `c`.
fn change() -> ([WsPath; 3], Vec<After>) {
    ([path("a"), path("new/b"), path("c")], vec![content("A"), content("B"), After::Gone])
}

fn stage() -> Arc<Memory> {
    let memory = fixture::memory();
    put(&memory, "a", "a");
    put(&memory, "c", "c");
    memory
}

#[test]
fn every_file_is_changed() {
    let memory = stage();
    let (paths, files) = change();
    let workspace = fixture::over(&memory);
    let updated = fixture::wait(workspace.update_all(&paths, |current| {
        assert_eq!(current.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true]);
        Ok(PlanAll { files: files.clone(), facts: 7 })
    }))
    .unwrap();
    assert_eq!(updated.facts, 7);
    assert_eq!(updated.versions, [Some(Version::of(b"A")), Some(Version::of(b"B")), None]);
    assert_eq!(get(&memory, "a").as_deref(), Some("A"));
    assert_eq!(get(&memory, "new/b").as_deref(), Some("B"));
    assert_eq!(get(&memory, "c"), None);
}

#[test]
fn a_failure_puts_back_what_was_done_before() {
    let policy = Policy { protect: vec!["z".into()], ..Policy::open() };
    let bare = stage();
    put(&bare, "z", "z");
    let memory = Memory::new(policy).unwrap();
    memory.restore(&bare.snapshot()).unwrap();
    let memory = Arc::new(memory);
    let (paths, files) = change();
    for last in [content("Z"), After::Gone] {
        let paths = [&paths[..], &[path("z")]].concat();
        let files = [&files[..], &[last]].concat();
        let workspace = fixture::over(&memory);
        let refused = fixture::wait(
            workspace.update_all(&paths, |_| Ok(PlanAll { files: files.clone(), facts: () })),
        )
        .unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied, "{refused:?}");
        assert_eq!(get(&memory, "a").as_deref(), Some("a"));
        assert_eq!(get(&memory, "c").as_deref(), Some("c"));
        assert_eq!(get(&memory, "z").as_deref(), Some("z"));
        let mode = fixture::wait(memory.stat(&path("c"), Links::Keep)).unwrap().mode;
        assert_eq!(mode, Some(0o640), "a removed file comes back with its mode");
        let dir = fixture::wait(memory.stat(&path("new"), Links::Keep)).unwrap_err();
        assert_eq!(dir.code(), Code::FileNotFound, "the directory that was made is gone");
    }
}

#[test]
fn a_file_that_changed_meanwhile_is_read_again() {
    for meddled in ["a", "new/b", "c"] {
        let memory = stage();
        let (paths, files) = change();
        let workspace = fixture::over(&memory);
        let mut calls = 0;
        fixture::wait(workspace.update_all(&paths, |current| {
            calls += 1;
            if calls == 1 {
                let memory = &memory;
                std::thread::scope(|scope| scope.spawn(|| put(memory, meddled, "theirs")).join())
                    .unwrap();
            } else {
                let now = current.iter().flatten().map(|content| &content.bytes[..]);
                assert!(now.into_iter().any(|bytes| bytes == b"theirs"), "{meddled}");
            }
            Ok(PlanAll { files: files.clone(), facts: () })
        }))
        .unwrap();
        assert_eq!(calls, 2, "{meddled}");
        assert_eq!(get(&memory, "a").as_deref(), Some("A"));
        assert_eq!(get(&memory, "c"), None);
    }
}

#[test]
fn files_that_never_hold_still_are_a_conflict_and_nothing_is_done() {
    let memory = stage();
    let paths = [path("a"), path("c")];
    let workspace = fixture::over(&memory);
    let mut calls = 0;
    let refused = fixture::wait(workspace.update_all(&paths, |_| {
        calls += 1;
        let (memory, text) = (&memory, format!("theirs {calls}"));
        std::thread::scope(|scope| scope.spawn(|| put(memory, "c", &text)).join()).unwrap();
        Ok(PlanAll { files: vec![content("A"), content("C")], facts: () })
    }))
    .unwrap_err();
    assert_eq!(refused.code(), Code::Conflict);
    assert_eq!(get(&memory, "a").as_deref(), Some("a"));
    assert_eq!(get(&memory, "c"), Some(format!("theirs {calls}")));
}
