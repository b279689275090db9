//! What `list_files` and `search_files` find.

use garth_contract::{Code, Detail};
use garth_ops::dispatch::TOOLS;
use garth_workspace::Limits;
use serde_json::json;

use crate::{
    everywhere,
    stage::{Ground, Setting, Stage},
};

const TREE: &[(&str, &str)] = &[
    ("a.rs", "fn main() {}\n"),
    ("src/b.rs", "let x = 1;\nlet y = x.max(2);\n"),
    ("src/deep/c.py", "x = 1\n"),
    ("target/d.rs", "x\n"),
    (".gitignore", "target/\n"),
    (".github/ci.yml", "x: 1\n"),
    (".git/config", "x = 1\n"),
    ("sub/.git", "gitdir: ../.git\n"),
    ("sub/.git2/e", "none\n"),
    ("empty/", ""),
];

#[test]
fn all_files_are_listed_but_those_of_git() {
    everywhere(TREE, |stage| {
        let files = ".github/ci.yml\n.gitignore\na.rs\nsrc/b.rs\nsrc/deep/c.py\nsub/.git2/e\n\
                     target/d.rs";
        for params in [json!({}), json!({"path": "."}), json!({"path": "", "recursive": true})] {
            assert_eq!(stage.text("list_files", params), files);
        }
        let reply = stage.ok("list_files", json!({"path": "src"}));
        assert_eq!(reply.text.as_ref(), "src/b.rs\nsrc/deep/c.py");
        assert_eq!(
            serde_json::Value::Object(reply.payload),
            json!({
                "path": "src",
                "files": ["src/b.rs", "src/deep/c.py"],
                "total": 2,
                "truncated": false,
            })
        );
    });
}

#[test]
fn a_listing_that_is_not_recursive_stays_in_its_directory() {
    everywhere(TREE, |stage| {
        let flat = |path: &str| stage.text("list_files", json!({"path": path, "recursive": false}));
        assert_eq!(flat("."), ".gitignore\na.rs");
        assert_eq!(flat("/workspace/src"), "src/b.rs");
        assert_eq!(flat("sub"), "[no files in sub/]");
        assert_eq!(flat("empty"), "[no files in empty/]");
    });
}

#[test]
fn a_pattern_without_a_slash_matches_names_and_one_with_it_paths() {
    everywhere(TREE, |stage| {
        let listed = |path: &str, pattern: &str| {
            stage.text("list_files", json!({"path": path, "pattern": pattern}))
        };
        assert_eq!(listed(".", "*.rs"), "a.rs\nsrc/b.rs\ntarget/d.rs");
        assert_eq!(listed(".", "src/*.rs"), "src/b.rs");
        assert_eq!(listed(".", "src/**"), "src/b.rs\nsrc/deep/c.py");
        assert_eq!(listed("src", "deep/*.py"), "src/deep/c.py");
        assert_eq!(listed(".", "*.{py,yml}"), ".github/ci.yml\nsrc/deep/c.py");
        let flat = json!({"pattern": "*.rs", "recursive": false});
        assert_eq!(stage.text("list_files", flat), "a.rs");
        let wrong = json!({"pattern": "[a"});
        stage.refused(Code::InvalidPattern, "list_files", wrong);
    });
}

#[test]
fn a_listing_of_no_directory_is_refused() {
    everywhere(TREE, |stage| {
        stage.refused(Code::FileNotFound, "list_files", json!({"path": "nope"}));
        stage.refused(Code::NotADirectory, "list_files", json!({"path": "a.rs"}));
    });
}

#[test]
fn a_listing_that_is_cut_says_so() {
    let limits = Limits { most_results: 2, ..Limits::standard() };
    let setting = Setting { limits, ..Setting::speaking(TOOLS) };
    let stage = Stage::new(Ground::Memory, &[("a", ""), ("b", ""), ("c", "")], setting);
    let reply = stage.ok("list_files", json!({}));
    let note = "[cut after 2 files; a narrower path or pattern shows others]";
    assert_eq!(reply.text.as_ref(), format!("a\nb\n{note}"));
    assert_eq!(reply.payload["truncated"], true);
}

#[test]
fn a_search_is_for_plain_text_unless_a_regex_is_meant() {
    everywhere(TREE, |stage| {
        let reply = stage.ok("search_files", json!({"query": "x.max("}));
        assert_eq!(reply.text.as_ref(), "src/b.rs:1: let y = x.max(2);");
        assert_eq!(
            serde_json::Value::Object(reply.payload),
            json!({
                "path": ".",
                "matches": [
                    {"path": "src/b.rs", "line_number": 1, "text": "let y = x.max(2);"},
                ],
                "total": 1,
                "truncated": false,
            })
        );
        let regex = json!({"query": "x ?= ?\\d", "is_regex": true});
        let both = "src/b.rs:0: let x = 1;\nsrc/deep/c.py:0: x = 1";
        assert_eq!(stage.text("search_files", regex), both);
        let plain = json!({"query": "x ?= ?\\d", "is_regex": false});
        assert!(stage.text("search_files", plain).starts_with("[no match in "));
    });
}

#[test]
fn the_numbers_of_a_search_are_those_of_read_file() {
    everywhere(TREE, |stage| {
        let reply = stage.ok("search_files", json!({"query": "x.max("}));
        let line = &reply.payload["matches"][0]["line_number"];
        let read = json!({"path": "src/b.rs", "start_line": line, "end_line": line});
        assert_eq!(stage.text("read_file", read), "1: let y = x.max(2);");
    });
}

#[test]
fn a_search_keeps_to_its_path_and_its_pattern() {
    everywhere(TREE, |stage| {
        let found = |params| stage.text("search_files", params);
        let all = "src/b.rs:0: let x = 1;\nsrc/deep/c.py:0: x = 1";
        assert_eq!(found(json!({"query": "x = 1"})), all);
        assert_eq!(found(json!({"query": "x = 1", "path": "src/deep"})), "src/deep/c.py:0: x = 1");
        let file = json!({"query": "x = 1", "path": "src/b.rs"});
        assert_eq!(found(file), "src/b.rs:0: let x = 1;");
        for pattern in ["*.py", "src/**/*.py"] {
            let params = json!({"query": "x = 1", "pattern": pattern});
            assert_eq!(found(params), "src/deep/c.py:0: x = 1");
        }
        let hidden = json!({"query": "x", "path": ".github"});
        assert_eq!(found(hidden), ".github/ci.yml:0: x: 1");
    });
}

#[test]
fn a_search_gives_100_matches_and_says_when_there_are_more() {
    let (exact, more) = ("x\n".repeat(100), "x\n".repeat(101));
    everywhere(&[("exact/a", &exact), ("more/a", &more)], |stage| {
        let reply = stage.ok("search_files", json!({"query": "x", "path": "exact"}));
        assert_eq!(reply.text.lines().count(), 100);
        assert_eq!(reply.payload["truncated"], false);
        let reply = stage.ok("search_files", json!({"query": "x", "path": "more"}));
        let note = "more/a:99: x\n[cut after 100 matches; a narrower query, path or pattern shows \
                    others]";
        assert!(reply.text.ends_with(note), "{}", reply.text);
        assert_eq!(reply.payload["matches"].as_array().unwrap().len(), 100);
        assert_eq!(reply.payload["truncated"], true);
    });
}

#[test]
fn a_bad_regex_is_refused_with_its_place() {
    everywhere(TREE, |stage| {
        let bad = json!({"query": "a(b", "is_regex": true});
        let error = stage.refused(Code::InvalidPattern, "search_files", bad);
        assert!(matches!(error.details(), [Detail::Position(_)]), "{error:?}");
        stage.ok("search_files", json!({"query": "a(b"}));
        stage.refused(Code::FileNotFound, "search_files", json!({"query": "x", "path": "nope"}));
    });
}
