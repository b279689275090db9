//! Ways out of a workspace, tried through every tool.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use garth_contract::Code;
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage};

const SECRET: &str = "outside and secret";

/// A workspace with links that lead out, and what is outside.
struct Arena {
    stage: Stage,
    outside: tempfile::TempDir,
}

impl Arena {
    #[allow(clippy::disallowed_methods, reason = "the test lays out what is outside")]
    fn new() -> Self {
        let stage = Stage::new(Ground::Host, &[("in/a", "inside\n")], Setting::usual());
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), SECRET).unwrap();
        let root = stage.root.path();
        symlink(outside.path(), root.join("dir")).unwrap();
        symlink(outside.path().join("secret"), root.join("leaf")).unwrap();
        symlink(outside.path().join("new"), root.join("dangling")).unwrap();
        symlink("/proc/self/root", root.join("magic")).unwrap();
        symlink("..", root.join("in/up")).unwrap();
        Self { stage, outside }
    }

    /// Paths that lead to the file outside, or to where one could be made.
    fn ways_out(&self) -> Vec<String> {
        let outside = self.outside.path().to_str().unwrap();
        let name = self.outside.path().file_name().unwrap().to_str().unwrap();
        vec![
            format!("{outside}/secret"),
            format!("../{name}/secret"),
            format!("in/../../{name}/secret"),
            format!("./../{name}/secret"),
            format!("in//..//..//{name}/secret"),
            format!("in/up/../../../{name}/secret"),
            format!("/workspace/../{name}/secret"),
            "dir/secret".to_owned(),
            "dir/new".to_owned(),
            "dir/../dir/secret".to_owned(),
            "leaf".to_owned(),
            "dangling".to_owned(),
            format!("magic{outside}/secret"),
            "in/up/dir/secret".to_owned(),
        ]
    }

    /// Everything outside, as it was in the beginning.
    fn assert_untouched(&self, what: &str) {
        assert_eq!(names(self.outside.path()), ["secret"], "{what}");
        assert_eq!(read(&self.outside.path().join("secret")), SECRET, "{what}");
    }
}

#[allow(clippy::disallowed_methods, reason = "the test looks at what is outside")]
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[allow(clippy::disallowed_methods, reason = "the test looks at what is outside")]
fn read(path: &PathBuf) -> String {
    fs::read_to_string(path).unwrap()
}

/// Calls that would read or change a file at a path, or make one.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let add = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
    let delete = format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n");
    vec![
        ("read", json!({"path": path})),
        ("write", json!({"path": path, "content": "x"})),
        ("write", json!({"path": path, "content": "x", "overwrite": false})),
        ("edit", json!({"path": path, "old_string": "outside", "new_string": "x"})),
        ("edit", json!({"path": path, "old_string": "", "new_string": "x"})),
        ("apply_patch", json!({"patch": add})),
        ("apply_patch", json!({"patch": delete})),
        ("grep", json!({"pattern": ".", "path": path})),
        ("diff", json!({"from": "in/a", "to": path})),
        ("diff", json!({"path": path, "content": ""})),
        ("list", json!({"path": path})),
        ("glob", json!({"pattern": "**", "path": path})),
    ]
}

#[test]
fn no_tool_reads_or_changes_anything_outside() {
    let arena = Arena::new();
    for path in arena.ways_out() {
        for (tool, params) in calls(&path) {
            let what = format!("{tool} {params}");
            match arena.stage.call(tool, params) {
                Ok(reply) => {
                    let seen = format!("{} {}", reply.text, Value::Object(reply.payload));
                    assert!(!seen.contains(SECRET), "{what}: {seen}");
                    panic!("{what}: {seen}");
                }
                Err(error) => {
                    let seen = format!("{error:?} {}", Value::Object(garth_ops::failure(&error)));
                    assert!(!seen.contains(SECRET), "{what}: {seen}");
                    assert_eq!(error.code(), Code::PathOutsideWorkspace, "{what}");
                }
            }
            arena.assert_untouched(&what);
        }
    }
}

#[test]
fn outside_there_is_no_difference_between_a_file_and_none() {
    let arena = Arena::new();
    let pairs = calls("dir/secret").into_iter().zip(calls("dir/absent"));
    for ((tool, there), (_, absent)) in pairs {
        let there = arena.stage.call(tool, there).unwrap_err();
        let absent = arena.stage.call(tool, absent).unwrap_err();
        assert_eq!(there.code(), absent.code());
        assert_eq!(there.advice(), absent.advice());
        let neutral = |text: &str| text.replace("dir/secret", "X").replace("dir/absent", "X");
        assert_eq!(neutral(there.message()), neutral(absent.message()));
    }
}

#[test]
fn a_link_is_moved_and_deleted_itself() {
    let arena = Arena::new();
    let stage = &arena.stage;
    stage.ok("move", json!({"from": "leaf", "to": "in/leaf"}));
    stage.ok("delete", json!({"path": "dir"}));
    stage.ok("delete", json!({"path": "in/leaf"}));
    stage.ok("delete", json!({"path": "dangling", "recursive": true}));
    arena.assert_untouched("links");
}

#[test]
fn a_walk_does_not_follow_links() {
    let arena = Arena::new();
    let text = arena.stage.text("list", json!({"recursive": true}));
    let expected = "dangling [symlink]\ndir [symlink]\nin/\nin/a\nin/up [symlink]\nleaf [symlink]\nmagic [symlink]";
    assert_eq!(text, expected);
    assert_eq!(arena.stage.text("glob", json!({"pattern": "**"})), "in/a");
    assert_eq!(arena.stage.text("grep", json!({"pattern": "."})), "in/a:1: inside");
}

#[test]
fn odd_names_are_taken_letter_by_letter() {
    let files =
        [("sp ", "1"), ("q'uote'", "2"), ("~", "3"), ("a:b", "4"), ("a..b", "5"), (" x", "6")];
    for ground in [Ground::Memory, Ground::Host] {
        let stage = Stage::new(ground, &files, Setting::usual());
        for (name, content) in files {
            assert_eq!(
                stage.text("read", json!({"path": name})),
                format!("1: {content}"),
                "{name}"
            );
        }
        for absent in ["sp", "quote", "~/x", "~root", "x", "\"sp \""] {
            let error = stage.call("read", json!({"path": absent})).unwrap_err();
            let codes = [Code::FileNotFound, Code::NotADirectory];
            assert!(codes.contains(&error.code()), "{absent} {error:?}");
        }
    }
}

#[test]
fn a_write_to_the_root_leaves_nothing_beside_it() {
    let arena = Arena::new();
    let parent = arena.stage.root.path().parent().unwrap();
    let name = arena.stage.root.path().file_name().unwrap().to_str().unwrap().to_owned();
    for path in ["", ".", "/", "/workspace", "in/.."] {
        let params = json!({"path": path, "content": "x"});
        arena.stage.refused(Code::NotAFile, "write", params);
    }
    let beside = names(parent).into_iter().filter(|other| other.starts_with(&name));
    assert_eq!(beside.collect::<Vec<_>>(), [name]);
}
