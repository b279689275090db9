//! What `grep` finds and how it is shown.

use garth_contract::{Code, Detail};
use serde_json::json;

use crate::stage::{Ground, Setting, Stage, everywhere};

const TREE: &[(&str, &str)] = &[
    ("src/b.rs", "fn main() {\n    // TODO one\n    work();\n}\n"),
    ("src/a.rs", "// todo two\nfn function  name() {}\n"),
    ("web/c.ts", "import x from 'y'; // TODO three\n"),
    (".hidden", "TODO four\n"),
    ("out.log", "TODO five\n"),
    (".gitignore", "*.log\n"),
];

#[test]
fn matches_come_by_path_then_line() {
    everywhere(TREE, |stage| {
        let reply = stage.ok("grep", json!({"pattern": "TODO"}));
        let expected = "src/b.rs:2:     // TODO one\nweb/c.ts:1: import x from 'y'; // TODO three";
        assert_eq!(reply.text.as_ref(), expected);
        assert_eq!(
            reply.payload["matches"],
            json!([
                {"path": "src/b.rs", "line_number": 2, "text": "    // TODO one"},
                {"path": "web/c.ts", "line_number": 1, "text": "import x from 'y'; // TODO three"},
            ])
        );
        assert_eq!(reply.payload["total"], 2);
        assert_eq!(reply.payload["files_searched"], 3);
        assert_eq!(reply.payload["truncated"], false);
    });
}

#[test]
fn each_option_does_what_it_says() {
    everywhere(TREE, |stage| {
        let lines = |params| stage.text("grep", params).lines().count();
        assert_eq!(lines(json!({"pattern": "TODO", "include": "*.ts"})), 1);
        assert_eq!(lines(json!({"pattern": "TODO", "include": ["*.ts", "*.rs"]})), 2);
        assert_eq!(lines(json!({"pattern": "TODO", "exclude": "web"})), 1);
        assert_eq!(lines(json!({"pattern": "TODO", "path": "src"})), 1);
        assert_eq!(lines(json!({"pattern": "TODO", "path": "web/c.ts"})), 1);
        assert_eq!(lines(json!({"pattern": "todo", "case": "insensitive"})), 3);
        assert_eq!(lines(json!({"pattern": "todo", "case": "smart"})), 3);
        assert_eq!(lines(json!({"pattern": "Todo", "case": "smart"})), 1, "the note only");
        assert_eq!(lines(json!({"pattern": "TODO", "include_hidden": true})), 3);
        assert_eq!(lines(json!({"pattern": "TODO", "include_ignored": true})), 3);
        assert_eq!(lines(json!({"pattern": "function\\s+\\w+"})), 1);
        assert_eq!(lines(json!({"pattern": "main()", "fixed": true})), 1);
        assert_eq!(
            stage.text("grep", json!({"pattern": "wor", "word": true})),
            "[no match in 3 files]"
        );
        let multi = json!({"pattern": "one.*work", "multiline": true});
        assert_eq!(stage.text("grep", multi), "src/b.rs:2:     // TODO one\n    work();");
    });
}

#[test]
fn context_is_marked_and_groups_are_apart() {
    everywhere(&[("a", "1\nx\n3\n4\n5\n6\nx\n8\n")], |stage| {
        let text = stage.text("grep", json!({"pattern": "x", "context": 1}));
        assert_eq!(text, "a-1- 1\na:2: x\na-3- 3\n--\na-6- 6\na:7: x\na-8- 8");
        let text = stage.text("grep", json!({"pattern": "x", "before": 1}));
        assert_eq!(text, "a-1- 1\na:2: x\n--\na-6- 6\na:7: x");
        let reply = stage.ok("grep", json!({"pattern": "x", "after": 1}));
        assert_eq!(reply.payload["matches"][1]["context"], true);
        assert_eq!(reply.payload["total"], 2);
    });
}

#[test]
fn files_and_counts_come_instead_of_lines() {
    everywhere(&[("a", "x\nx\n"), ("b", "x\n"), ("c", "y\n")], |stage| {
        let reply = stage.ok("grep", json!({"pattern": "x", "output": "files"}));
        assert_eq!(reply.text.as_ref(), "a\nb");
        assert_eq!(reply.payload["files"], json!(["a", "b"]));
        let reply = stage.ok("grep", json!({"pattern": "x", "output": "count"}));
        assert_eq!(reply.text.as_ref(), "a: 2\nb: 1");
        let counts = json!([{"path": "a", "count": 2}, {"path": "b", "count": 1}]);
        assert_eq!(reply.payload["counts"], counts);
    });
}

#[test]
fn a_cut_result_says_so_and_can_be_continued() {
    everywhere(&[("a", "x1\nx2\nx3\n")], |stage| {
        let reply = stage.ok("grep", json!({"pattern": "x", "limit": 2}));
        let note = "[1-2 of at least 3 matches; go on with offset 2]";
        assert_eq!(reply.text.as_ref(), format!("a:1: x1\na:2: x2\n{note}"));
        assert_eq!(reply.payload["truncated"], true);
        let rest = stage.ok("grep", json!({"pattern": "x", "limit": 2, "offset": 2}));
        assert_eq!(rest.text.as_ref(), "a:3: x3\n[3-3 of 3 matches]");
        let exact = stage.ok("grep", json!({"pattern": "x", "limit": 3}));
        assert_eq!(exact.payload["truncated"], false, "three of three are not cut");
    });
}

#[test]
fn a_long_line_is_cut_around_its_match() {
    let line = format!("{}NEEDLE{}", "é".repeat(5_000), "z".repeat(5_000));
    let huge = format!("{}NEEDLE{}", "a".repeat(200_000), "b".repeat(200_000));
    everywhere(&[("a", &line), ("b", &huge)], |stage| {
        let reply = stage.ok("grep", json!({"pattern": "NEEDLE"}));
        for found in reply.payload["matches"].as_array().unwrap() {
            let text = found["text"].as_str().unwrap();
            assert!(text.contains("NEEDLE"));
            assert!(text.starts_with('…') && text.ends_with('…'), "{text}");
            assert_eq!(text.chars().count(), 2_002);
        }
    });
}

#[test]
fn binary_files_are_passed_over_and_counted() {
    everywhere(&[], |stage| {
        stage.put("bin", b"needle\0needle\n");
        let reply = stage.ok("grep", json!({"pattern": "needle"}));
        assert_eq!(reply.text.as_ref(), "[no match in 1 file; 1 binary file passed over]");
        assert_eq!(reply.payload["binary_skipped"], 1);
    });
}

#[test]
fn a_wrong_pattern_is_refused_with_its_position() {
    everywhere(TREE, |stage| {
        let error = stage.refused(Code::InvalidPattern, "grep", json!({"pattern": "ab(cd"}));
        assert_eq!(error.details(), [Detail::Position(2)]);
        stage.refused(Code::InvalidPattern, "grep", json!({"pattern": "(?=x)"}));
        stage.refused(Code::InvalidPattern, "grep", json!({"pattern": "x", "include": "[a"}));
        stage.refused(Code::FileNotFound, "grep", json!({"pattern": "x", "path": "nope"}));
        stage.refused(Code::InvalidParams, "grep", json!({"pattern": "x", "before": 101}));
        let both = json!({"pattern": "x", "fixed": true, "word": true});
        stage.refused(Code::InvalidParams, "grep", both);
    });
}

#[test]
fn a_pattern_is_data_and_never_an_option() {
    everywhere(&[("--include=x", "-f/etc/passwd\n"), ("-e", "y\n")], |stage| {
        let text = stage.text("grep", json!({"pattern": "-f/etc/passwd"}));
        assert_eq!(text, "--include=x:1: -f/etc/passwd");
        assert_eq!(stage.text("grep", json!({"pattern": "y", "path": "-e"})), "-e:1: y");
    });
}

#[test]
fn a_name_cannot_forge_a_line() {
    let stage = Stage::new(Ground::Memory, &[("x\n[DIR] fake", "needle\n")], Setting::usual());
    let text = stage.text("grep", json!({"pattern": "needle"}));
    assert_eq!(text, "x\\x0a[DIR] fake:1: needle");
}
