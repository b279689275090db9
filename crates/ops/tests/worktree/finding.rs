//! `worktree.search` and `worktree.diff`: fields, defaults, pages, refusals, secrets.

use garth_contract::Code;
use serde_json::{Value, json};

use crate::asking::everywhere;

const KEY: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
const FILES: &[(&str, &str)] = &[
    ("a.rs", "fn Main() {}\n// é main (x)\nmain(y)\n"),
    ("b/c.txt", "nothing\nMAIN\n"),
    ("b/d.rs", "x\n\nmain\n"),
    (".hidden", "main\n"),
    ("ignored", "main\n"),
    (".gitignore", "ignored\n"),
];

/// Path, line and column of each match.
fn places(reply: &Value) -> Vec<String> {
    let place = |found: &Value| {
        let path = found["path"].as_str().unwrap();
        format!("{path}:{}:{}", found["line"], found["column"])
    };
    reply["matches"].as_array().unwrap().iter().map(place).collect()
}

#[test]
fn a_search_gives_places_and_lines() {
    everywhere(FILES, |asking| {
        let reply = asking.ok("search", json!({"query": "main"}));
        let all = ["a.rs:1:4", "a.rs:2:6", "a.rs:3:1", "b/c.txt:2:1", "b/d.rs:3:1"];
        assert_eq!(places(&reply), all);
        assert_eq!(reply["matches"][1]["text"], "// é main (x)");
        assert_eq!(reply["matches"][1].as_object().unwrap().len(), 4);
        let facts = (&reply["path"], &reply["truncated"], &reply["total"]);
        assert_eq!(facts, (&json!("/"), &json!(false), &json!(5)));
        assert_eq!((&reply["filesSearched"], reply.get("nextCursor")), (&json!(3), None));
    });
}

#[test]
fn every_parameter_of_a_search_counts() {
    everywhere(FILES, |asking| {
        for (params, expected) in [
            (
                json!({"query": "main", "caseSensitive": true}),
                &["a.rs:2:6", "a.rs:3:1", "b/d.rs:3:1"][..],
            ),
            (
                json!({"query": "main", "caseSensitive": false, "path": "b"}),
                &["b/c.txt:2:1", "b/d.rs:3:1"],
            ),
            (json!({"query": "main", "path": "b/d.rs"}), &["b/d.rs:3:1"]),
            (json!({"query": "main", "glob": "*.txt"}), &["b/c.txt:2:1"]),
            (json!({"query": "main", "glob": "b/*.rs"}), &["b/d.rs:3:1"]),
            (json!({"query": "(x)"}), &["a.rs:2:11"]),
            (json!({"query": "(x)", "regex": false}), &["a.rs:2:11"]),
            (json!({"query": "^ma.n$", "regex": true}), &["b/c.txt:2:1", "b/d.rs:3:1"]),
            (json!({"query": "main", "path": "/", "glob": "nope"}), &[]),
            (json!({"query": "main", "glob": "ignored", "includeIgnored": true}), &["ignored:1:1"]),
            (json!({"query": "main", "glob": ".hidden", "includeHidden": true}), &[".hidden:1:1"]),
        ] {
            assert_eq!(places(&asking.ok("search", params.clone())), expected, "{params}");
        }
    });
}

#[test]
fn a_match_comes_with_the_lines_around_it() {
    everywhere(&[("a", "1\n2\nhit\n4\nhit\n6\n7\n"), ("b", "hit\n")], |asking| {
        let reply = asking.ok("search", json!({"query": "hit", "contextLines": 2}));
        let around: Vec<_> = reply["matches"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| (&m["before"], &m["after"]))
            .collect();
        assert_eq!(
            around,
            [
                (&json!(["1", "2"]), &json!(["4", "hit"])),
                (&json!(["hit", "4"]), &json!(["6", "7"])),
                (&json!([]), &json!([])),
            ]
        );
    });
}

#[test]
fn a_search_comes_in_pages_that_join_without_a_gap() {
    everywhere(FILES, |asking| {
        let whole = places(&asking.ok("search", json!({"query": "main"})));
        for limit in 1..=4 {
            let (mut seen, mut params) = (Vec::new(), json!({"query": "main", "limit": limit}));
            loop {
                let reply = asking.ok("search", params.clone());
                seen.extend(places(&reply));
                assert_eq!(reply["truncated"], reply.get("nextCursor").is_some());
                let Some(next) = reply.get("nextCursor") else { break };
                assert_ne!(params.get("cursor"), Some(next), "it comes no further");
                params["cursor"] = next.clone();
            }
            assert_eq!(seen, whole, "{limit}");
        }
    });
}

#[test]
fn what_cannot_be_searched_or_compared_is_refused() {
    everywhere(FILES, |asking| {
        asking.stage.put("bin", b"a\0b");
        for (code, method, params) in [
            (Code::InvalidPattern, "search", json!({"query": "(", "regex": true})),
            (Code::InvalidPattern, "search", json!({"query": "x", "glob": "[" })),
            (Code::InvalidParams, "search", json!({"query": ""})),
            (Code::InvalidParams, "search", json!({"query": "x", "limit": 0})),
            (Code::InvalidParams, "search", json!({"query": "x", "cursor": "?"})),
            (Code::InvalidParams, "search", json!({"query": "x", "contextLines": 101})),
            (Code::FileNotFound, "search", json!({"query": "x", "path": "nope"})),
            (Code::PathOutsideWorkspace, "search", json!({"query": "x", "path": "../"})),
            (Code::FileNotFound, "diff", json!({"fromPath": "nope", "toPath": "a.rs"})),
            (Code::FileNotFound, "diff", json!({"fromPath": "a.rs", "toPath": "nope"})),
            (Code::NotAFile, "diff", json!({"fromPath": "b", "toPath": "a.rs"})),
            (Code::PathOutsideWorkspace, "diff", json!({"fromPath": "/a", "toPath": "a.rs"})),
            (Code::UnsupportedEncoding, "diff", json!({"path": "bin", "content": "x"})),
            (Code::InvalidParams, "diff", json!({"fromPath": "a.rs"})),
            (Code::InvalidParams, "diff", json!({"fromPath": "a.rs", "content": "x"})),
            (Code::InvalidParams, "diff", json!({})),
            (Code::InvalidParams, "diff", json!({"path": "a.rs", "content": "", "format": "x"})),
        ] {
            asking.refused(code, method, params);
        }
    });
}

#[test]
fn a_difference_comes_as_text_or_as_hunks() {
    everywhere(&[("a", "1\n2\n3\n"), ("b", "1\ntwo\n3")], |asking| {
        let reply = asking.ok("diff", json!({"fromPath": "a", "toPath": "./b"}));
        let diff =
            "--- a\n+++ b\n@@ -1,3 +1,3 @@\n 1\n-2\n-3\n+two\n+3\n\\ No newline at end of file";
        let expected = json!({
            "fromPath": "a", "toPath": "b", "format": "unified", "identical": false,
            "binary": false, "linesAdded": 2, "linesRemoved": 2, "diff": diff,
            "truncated": false, "redacted": false,
        });
        assert_eq!(reply, expected);
        let same = asking.ok("diff", json!({"fromPath": "a", "toPath": "b", "format": "unified"}));
        assert_eq!(same, expected);
        let reply = asking.ok("diff", json!({"fromPath": "a", "toPath": "b", "format": "json"}));
        assert_eq!(reply.get("diff"), None);
        let hunk = json!({
            "oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 3,
            "lines": [
                {"kind": "context", "text": "1"},
                {"kind": "removed", "text": "2"},
                {"kind": "removed", "text": "3"},
                {"kind": "added", "text": "two"},
                {"kind": "added", "text": "3", "noNewline": true},
            ],
        });
        assert_eq!(reply["hunks"], json!([hunk]));
        let reply = asking.ok("diff", json!({"path": "a", "content": "1\n2\n3\n"}));
        assert_eq!((&reply["identical"], &reply["diff"]), (&json!(true), &json!("")));
        assert_eq!(reply.get("toPath"), None);
        asking.stage.put("x", b"\0");
        let reply = asking.ok("diff", json!({"fromPath": "a", "toPath": "x"}));
        assert_eq!((&reply["identical"], &reply["binary"]), (&json!(false), &json!(true)));
        let reply = asking.ok("diff", json!({"fromPath": "x", "toPath": "x"}));
        assert_eq!((&reply["identical"], &reply["binary"]), (&json!(true), &json!(true)));
    });
}

#[test]
fn a_long_difference_is_cut_and_says_so() {
    let lines: String = (0..3_000).map(|line| format!("{line}\n")).collect();
    everywhere(&[("a", &lines)], |asking| {
        for format in ["unified", "json"] {
            let reply = asking.ok("diff", json!({"path": "a", "content": "", "format": format}));
            assert_eq!(
                (&reply["truncated"], &reply["linesRemoved"]),
                (&json!(true), &json!(3_000))
            );
            let given = match format {
                "json" => reply["hunks"][0]["lines"].as_array().unwrap().len(),
                _ => reply["diff"].as_str().unwrap().lines().count(),
            };
            assert_eq!(given, 2_000);
        }
    });
}

#[test]
fn no_secret_is_found_or_compared_in_the_open() {
    let env = format!("name = one\nstripe = \"{KEY}\"\nport = 80\n");
    everywhere(&[("env", &env), ("other", "port = 81\n")], |asking| {
        for (method, params) in [
            ("search", json!({"query": "stripe"})),
            ("search", json!({"query": "sk_live.*", "regex": true})),
            ("search", json!({"query": "port", "contextLines": 5})),
            ("diff", json!({"fromPath": "env", "toPath": "other"})),
            ("diff", json!({"fromPath": "other", "toPath": "env", "format": "json"})),
            ("diff", json!({"path": "other", "content": env})),
            ("diff", json!({"path": "env", "content": "", "format": "json"})),
        ] {
            let reply = asking.ok(method, params.clone()).to_string();
            assert!(reply.contains("[REDACTED: STRIPE_KEY]"), "{params}: {reply}");
            assert!(!reply.contains("4eC39"), "{params}: {reply}");
        }
        // A text that was read differs from its file by nothing.
        let shown = asking.ok("read", json!({"path": "env"}))["content"].clone();
        let reply = asking.ok("diff", json!({"path": "env", "content": shown}));
        assert_eq!(reply["identical"], true);
    });
}
