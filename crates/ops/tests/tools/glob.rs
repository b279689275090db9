//! What `glob` finds, in which order.

use garth_contract::Code;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage, everywhere};

const TREE: &[(&str, &str)] = &[
    ("src/a.ts", "1"),
    ("src/deep/b.ts", "2"),
    ("c.ts", "3"),
    ("src/d.rs", "4"),
    (".cache/e.ts", "5"),
    ("dist/f.ts", "6"),
    (".gitignore", "dist/\n"),
    (".git/g.ts", "7"),
];

fn found(stage: &Stage, params: Value) -> Vec<String> {
    let reply = stage.ok("glob", params);
    let files = reply.payload["files"].as_array().unwrap();
    let mut paths: Vec<_> =
        files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(reply.text.lines().filter(|line| !line.starts_with('[')).count(), paths.len());
    paths.sort();
    paths
}

#[test]
fn a_star_stays_in_its_directory_and_two_do_not() {
    everywhere(TREE, |stage| {
        assert_eq!(found(stage, json!({"pattern": "*.ts"})), ["c.ts"]);
        let all = ["c.ts", "src/a.ts", "src/deep/b.ts"];
        assert_eq!(found(stage, json!({"pattern": "**/*.ts"})), all);
        assert_eq!(found(stage, json!({"pattern": "./**/*.ts"})), all);
        assert_eq!(found(stage, json!({"pattern": "*.{ts,rs}", "path": "src"})).len(), 2);
        let inside = json!({"pattern": "**/*.ts", "path": "/workspace/src"});
        assert_eq!(found(stage, inside), ["src/a.ts", "src/deep/b.ts"]);
        let absolute = json!({"pattern": "/workspace/src/**/*.ts"});
        assert_eq!(found(stage, absolute), ["src/a.ts", "src/deep/b.ts"]);
    });
}

#[test]
fn hidden_and_ignored_files_come_when_asked_for_and_git_never() {
    everywhere(TREE, |stage| {
        let pattern = "**/*.ts";
        let hidden = found(stage, json!({"pattern": pattern, "include_hidden": true}));
        assert_eq!(hidden, [".cache/e.ts", "c.ts", "src/a.ts", "src/deep/b.ts"]);
        let params = json!({"pattern": pattern, "include_hidden": true, "include_ignored": true});
        let all = [".cache/e.ts", "c.ts", "dist/f.ts", "src/a.ts", "src/deep/b.ts"];
        assert_eq!(found(stage, params), all);
    });
}

#[test]
fn the_newest_come_first() {
    let stage = Stage::new(Ground::Host, &[("a", ""), ("b", ""), ("c", "")], Setting::usual());
    for (name, seconds) in [("a", 100), ("b", 300), ("c", 200)] {
        let time = Timespec { tv_sec: seconds, tv_nsec: 0 };
        let times = Timestamps { last_access: time, last_modification: time };
        utimensat(CWD, stage.root.path().join(name), &times, AtFlags::empty()).unwrap();
    }
    assert_eq!(stage.text("glob", json!({"pattern": "*"})), "b\nc\na");
}

#[test]
fn nothing_found_is_no_error_and_a_cut_result_can_be_continued() {
    everywhere(TREE, |stage| {
        let reply = stage.ok("glob", json!({"pattern": "**/*.py"}));
        assert_eq!(reply.text.as_ref(), "[no file in ./ matches]");
        assert_eq!(reply.payload["files"], json!([]));
        let first = stage.ok("glob", json!({"pattern": "**/*.ts", "limit": 2}));
        assert!(first.text.ends_with("[1-2 of 3 files; go on with offset 2]"), "{}", first.text);
        let rest = json!({"pattern": "**/*.ts", "limit": 2, "offset": 2});
        assert_eq!(found(stage, rest).len(), 1);
    });
}

#[test]
fn each_refusal_has_its_code() {
    everywhere(TREE, |stage| {
        let refused = |code, pattern: &str| {
            stage.refused(code, "glob", json!({"pattern": pattern}));
        };
        refused(Code::InvalidPattern, "");
        refused(Code::InvalidPattern, "[a");
        refused(Code::InvalidPattern, "{a,b");
        refused(Code::PathOutsideWorkspace, "../*");
        refused(Code::PathOutsideWorkspace, "src/../../*");
        refused(Code::PathOutsideWorkspace, "/etc/*");
        let file = json!({"pattern": "*", "path": "c.ts"});
        stage.refused(Code::NotADirectory, "glob", file);
        stage.refused(Code::FileNotFound, "glob", json!({"pattern": "*", "path": "nope"}));
    });
}
