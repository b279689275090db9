//! `search_files`: which paths a glob finds.

use garth_contract::Code;
use serde_json::{Value, json};

use crate::stage::{Stage, everywhere};

const FILES: &[(&str, &str)] = &[
    ("top.txt", ""),
    ("top.log", ""),
    ("sub/mid.txt", ""),
    ("sub/deeper/low.txt", ""),
    (".dot", ""),
];

fn search(stage: &Stage, pattern: &str, exclude: &[&str]) -> Vec<String> {
    let params = json!({"path": stage.root, "pattern": pattern, "excludePatterns": exclude});
    let text = stage.text("search_files", params);
    let below = |line: &str| {
        let below = line.strip_prefix(&format!("{}/", stage.root));
        below.unwrap_or_else(|| panic!("{line} is no absolute path")).to_owned()
    };
    text.lines().map(below).collect()
}

#[test]
fn a_glob_finds_whole_paths() {
    everywhere(FILES, |stage| {
        for (pattern, exclude, found) in [
            ("*.txt", &[][..], &["top.txt"][..]),
            ("**/*.txt", &[], &["sub/deeper/low.txt", "sub/mid.txt", "top.txt"]),
            ("**/deeper", &[], &["sub/deeper"]),
            ("**/*.txt", &["sub"], &["top.txt"]),
            ("**/*.txt", &["**/deeper"], &["sub/mid.txt", "top.txt"]),
            ("*top*", &["*.log"], &["top.txt"]),
            ("*", &["sub", "top.*"], &[".dot"]),
            ("sub/*", &[""], &["sub/deeper", "sub/mid.txt"]),
        ] {
            assert_eq!(search(stage, pattern, exclude), found, "{pattern} {exclude:?}");
        }
    });
}

#[test]
fn nothing_found_is_a_sentence() {
    everywhere(FILES, |stage| {
        let params = json!({"path": stage.root, "pattern": "*.none"});
        assert_eq!(stage.text("search_files", params), "No matches found");
    });
}

#[test]
fn patterns_are_held_against_paths_below_the_directory() {
    everywhere(FILES, |stage| {
        let params = json!({"path": stage.at("sub"), "pattern": "*.txt"});
        assert_eq!(stage.text("search_files", params), stage.at("sub/mid.txt"));
        let params = json!({"path": "sub", "pattern": "deeper/*"});
        assert_eq!(stage.text("search_files", params), stage.at("sub/deeper/low.txt"));
    });
}

#[test]
fn what_cannot_be_searched_is_refused() {
    everywhere(FILES, |stage| {
        let call = |path: Value, pattern: &str| json!({"path": path, "pattern": pattern});
        for (params, code) in [
            (call(json!(stage.at("missing")), "*"), Code::FileNotFound),
            (call(json!(stage.at("top.txt")), "*"), Code::NotADirectory),
            (call(json!(stage.root), "[a"), Code::InvalidPattern),
            (call(json!(stage.root), "../*"), Code::InvalidPattern),
            (call(json!("/etc"), "*"), Code::PathOutsideWorkspace),
        ] {
            stage.refused(code, "search_files", params);
        }
    });
}
