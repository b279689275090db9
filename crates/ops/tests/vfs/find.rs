//! What `glob` and `grep` find.

use garth_contract::{Code, Detail};
use serde_json::{Value, json};

use crate::{everywhere, stage::Stage};

const TREE: &[(&str, &str)] = &[
    ("code.py", "def foo():\n    return 42\n"),
    ("src/main.py", "return 1\n"),
    ("src/test.py", ""),
    ("src/deep/c.py", ""),
    ("docs/readme.md", "return 7\n"),
    ("target/d.py", "return 9\n"),
    (".gitignore", "target/\n"),
    (".hidden/e.py", "return 8\n"),
];

fn paths(reply: &Value) -> Vec<String> {
    let path = |file: &Value| file["path"].as_str().unwrap().to_owned();
    let mut paths: Vec<_> = reply.as_array().unwrap().iter().map(path).collect();
    paths.sort();
    paths
}

fn globbed(stage: &Stage, params: Value) -> Vec<String> {
    paths(&stage.ok("glob", params).payload["files"])
}

#[test]
fn a_pattern_starts_at_the_root_and_a_star_stays_in_its_directory() {
    everywhere(TREE, |stage| {
        let found = |pattern: &str| globbed(stage, json!({"pattern": pattern}));
        assert_eq!(found("src/*.py"), ["src/main.py", "src/test.py"]);
        assert_eq!(found("*.py"), ["code.py"]);
        assert_eq!(found("src/**/*.py"), ["src/deep/c.py", "src/main.py", "src/test.py"]);
        assert_eq!(found("src"), [""; 0], "only files are found");
        let every = json!({"pattern": "**/*.py", "include_hidden": true, "include_ignored": true});
        assert_eq!(globbed(stage, every).len(), 6);
        assert_eq!(found("**/*.py").len(), 4);
    });
}

#[test]
fn a_found_file_is_a_file_entry() {
    everywhere(TREE, |stage| {
        let reply = stage.ok("glob", json!({"pattern": "docs/*"}));
        assert_eq!(reply.text.as_ref(), "docs/readme.md");
        let entry = json!({"path": "docs/readme.md", "kind": "file", "size_bytes": 9});
        let facts = json!({"files": [entry], "total": 1, "truncated": false});
        assert_eq!(Value::Object(reply.payload), facts);
    });
}

#[test]
fn a_bad_pattern_is_refused() {
    everywhere(TREE, |stage| {
        stage.refused(Code::InvalidPattern, "glob", json!({"pattern": ""}));
        stage.refused(Code::InvalidPattern, "glob", json!({"pattern": "[a"}));
        stage.refused(Code::PathOutsideWorkspace, "glob", json!({"pattern": "../*"}));
        stage.refused(Code::PathOutsideWorkspace, "glob", json!({"pattern": "/etc/*"}));
        let error = stage.refused(Code::InvalidPattern, "grep", json!({"pattern": "a(b"}));
        assert!(matches!(error.details(), [Detail::Position(_)]), "{error:?}");
    });
}

#[test]
fn a_matching_line_comes_with_its_path_and_number_from_1() {
    everywhere(TREE, |stage| {
        let reply = stage.ok("grep", json!({"pattern": r"return \d\d"}));
        assert_eq!(reply.text.as_ref(), "code.py:2:     return 42");
        let found = json!({"path": "code.py", "line_number": 2, "line_content": "    return 42"});
        let facts = json!({
            "matches": [found],
            "total": 1,
            "truncated": false,
            "binary_skipped": 0,
        });
        assert_eq!(Value::Object(reply.payload), facts);
    });
}

#[test]
fn a_file_glob_chooses_which_files_are_searched() {
    everywhere(TREE, |stage| {
        let found = |params: Value| paths(&stage.ok("grep", params).payload["matches"]);
        let pattern = r"return \d+";
        let all = ["code.py", "docs/readme.md", "src/main.py"];
        assert_eq!(found(json!({"pattern": pattern})), all);
        let python = ["code.py", "src/main.py"];
        assert_eq!(found(json!({"pattern": pattern, "file_glob": "*.py"})), python);
        let inside = json!({"pattern": pattern, "file_glob": "src/*.py"});
        assert_eq!(found(inside), ["src/main.py"]);
        for name in ["include", "fileGlob", "glob", "file_pattern"] {
            assert_eq!(found(json!({"pattern": pattern, name: "*.md"})), ["docs/readme.md"]);
        }
        let every = json!({"pattern": pattern, "include_hidden": true, "include_ignored": true});
        assert_eq!(found(every).len(), 5);
        let none = stage.text("grep", json!({"pattern": "nowhere"}));
        assert!(none.starts_with("[no match in "), "{none}");
    });
}

#[test]
fn what_is_no_text_is_passed_over() {
    everywhere(&[("a", "x\n")], |stage| {
        stage.put("data", b"x\0x\n");
        let reply = stage.ok("grep", json!({"pattern": "x"}));
        assert_eq!(reply.text.as_ref(), "a:1: x");
        assert_eq!(reply.payload["binary_skipped"], 1);
    });
}

#[test]
fn a_thousand_results_come_and_the_rest_when_asked_for() {
    let lines = "x\n".repeat(1_001);
    everywhere(&[("a", &lines)], |stage| {
        let reply = stage.ok("grep", json!({"pattern": "x"}));
        assert_eq!(reply.payload["matches"].as_array().unwrap().len(), 1_000);
        assert_eq!(reply.payload["next_offset"], 1_000);
        assert!(reply.text.ends_with("; go on with offset 1000]"));
        let rest = stage.ok("grep", json!({"pattern": "x", "offset": 1_000}));
        assert_eq!(rest.payload["matches"][0]["line_number"], 1_001);
        assert_eq!(rest.payload["truncated"], false);
    });
}
