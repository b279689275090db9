//! Where this dialect does something else than the published tests of the server
//! whose tools it has, and why. Each difference is a fact here.
//!
//! | published | here | why |
//! |---|---|---|
//! | an edit replaces the first of several places | refused | which place was meant is a guess |
//! | an edit turns CRLF into LF throughout the file | only the place changes | bytes that were not edited stay |
//! | new lines are indented by as many spaces as newText has more | by as many levels, as wide as the file's | two spaces in newText are four in such a file |
//! | tail counts the end of the last line as a line | tail gives so many lines | `tail: 1` gave nothing |
//! | the error for a link names its target outside | it names the link | nothing outside is told |
//! | moving a link moves its target | the link moves | the name that was sent is what moves |
//! | a search may find a link's target outside by a race | one system call checks and opens | a check before the use is none |
//! | a write keeps the inode and its hard links | a new file takes the place of the old | a crash leaves the old or the new, whole |
//! | `~` means a home directory | refused | the program knows allowed directories only |
//! | composed and decomposed letters are the same name | they are two names | so they are to the file system |
//! | bytes that are no UTF-8 are read as U+FFFD | refused | written back they would be lost |
//! | equal oldText and newText succeed, as do no edits | refused | nothing could change |
//! | unknown parameters are passed over | refused by name | a near miss would be lost silently |
//! | created and accessed times | `unknown` | the workspace does not keep them |

use std::os::unix::fs::symlink;

use garth_contract::Code;
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage, everywhere};

fn edit(stage: &Stage, old: &str, new: &str) -> Value {
    json!({"path": stage.at("f"), "edits": [{"oldText": old, "newText": new}]})
}

#[test]
fn an_ambiguous_edit_is_refused_with_its_lines() {
    everywhere(&[("f", "x\ny\nx\n")], |stage| {
        let error = stage.refused(Code::AmbiguousMatch, "edit_file", edit(stage, "x", "z"));
        assert!(error.message().contains("lines 1, 3"), "{error:?}");
        assert_eq!(stage.content("f"), "x\ny\nx\n");
    });
}

#[test]
fn only_the_edited_place_changes() {
    everywhere(&[("f", "a\r\nb\nc\r\n\u{a0}d")], |stage| {
        stage.ok("edit_file", edit(stage, "b", "x"));
        assert_eq!(stage.content("f"), "a\r\nx\nc\r\n\u{a0}d");
    });
}

#[test]
fn a_level_of_indentation_is_as_wide_as_the_files() {
    everywhere(&[("f", "    if (a) {\n        b();\n    }\n")], |stage| {
        let (old, new) = ("if (a) {\n  b();\n}", "if (a) {\n      c();\n  }");
        stage.ok("edit_file", edit(stage, old, new));
        assert_eq!(stage.content("f"), "    if (a) {\n                c();\n        }\n");
    });
}

#[test]
fn the_last_line_is_a_line() {
    everywhere(&[("f", "a\nb\n")], |stage| {
        let tail = json!({"path": stage.at("f"), "tail": 1});
        assert_eq!(stage.text("read_text_file", tail), "b");
    });
}

#[test]
fn a_link_moves_itself() {
    let stage = Stage::new(Ground::Host, &[("target", "x")], Setting::usual());
    symlink("target", stage.dir.path().join("link")).unwrap();
    stage.ok("move_file", json!({"source": stage.at("link"), "destination": stage.at("moved")}));
    assert_eq!(stage.content("target"), "x");
    assert!(stage.dir.path().join("moved").is_symlink());
}

#[test]
fn two_spellings_of_a_letter_are_two_names() {
    everywhere(&[("cafe\u{301}", "decomposed")], |stage| {
        let composed = json!({"path": stage.at("caf\u{e9}")});
        stage.refused(Code::FileNotFound, "read_text_file", composed);
        stage.put("caf\u{e9}", b"composed");
        let decomposed = json!({"path": stage.at("cafe\u{301}")});
        assert_eq!(stage.text("read_text_file", decomposed), "decomposed");
    });
}

#[test]
fn an_edit_that_changes_nothing_is_refused() {
    everywhere(&[("f", "a\n")], |stage| {
        stage.refused(Code::InvalidParams, "edit_file", edit(stage, "a", "a"));
        let none = json!({"path": stage.at("f"), "edits": []});
        stage.refused(Code::InvalidParams, "edit_file", none);
        stage.refused(Code::InvalidParams, "edit_file", edit(stage, "", "a"));
    });
}

#[test]
fn times_that_nobody_keeps_are_unknown() {
    everywhere(&[("f", "")], |stage| {
        let info = stage.text("get_file_info", json!({"path": stage.at("f")}));
        assert!(info.contains("created: unknown\n") && info.contains("accessed: unknown\n"));
    });
}
