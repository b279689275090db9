//! What `write_file`, `edit_file` and `rm` do to files, and say of it.

use std::os::unix::fs::symlink;

use garth_contract::{Code, Detail};
use garth_ops::vfs::TOOLS;
use serde_json::{Value, json};

use crate::{
    everywhere,
    stage::{Ground, Setting, Stage},
};

#[test]
fn a_write_says_how_many_bytes_and_makes_directories() {
    everywhere(&[], |stage| {
        let reply = stage.ok("write_file", json!({"path": "a/b/c.txt", "content": "héllo"}));
        assert_eq!(reply.text.as_ref(), "Wrote 6 bytes to a/b/c.txt");
        assert_eq!(reply.payload["bytes_written"], 6);
        assert_eq!(reply.payload["path"], "a/b/c.txt");
        assert_eq!(reply.payload["created"], true);
        assert_eq!(stage.content("a/b/c.txt"), "héllo");
    });
}

#[test]
fn a_write_replaces_the_whole_file_and_keeps_how_its_lines_end() {
    everywhere(&[("crlf", "one\r\ntwo\r\n")], |stage| {
        let reply = stage.ok("write_file", json!({"path": "crlf", "content": "1\n"}));
        let kept = "Wrote 3 bytes to crlf\n[kept the CRLF line endings of the file that was there]";
        assert!(reply.text.starts_with(kept), "{}", reply.text);
        assert_eq!(reply.payload["bytes_written"], 3);
        assert_eq!(reply.payload["created"], false);
        assert_eq!(stage.content("crlf"), "1\r\n");
    });
}

fn edit(old: &str, new: &str) -> Value {
    json!({"path": "a", "old_string": old, "new_string": new})
}

#[test]
fn an_edit_replaces_the_one_place_and_shows_it() {
    everywhere(&[("a", "one\ntwo\n")], |stage| {
        let reply = stage.ok("edit_file", edit("two", "2"));
        let head = "Edited a: 1 replacement, 1 line changed\n--- a\n+++ a\n";
        assert!(reply.text.starts_with(head), "{}", reply.text);
        assert_eq!(reply.payload["replacements"], 1);
        assert_eq!(stage.content("a"), "one\n2\n");
    });
}

#[test]
fn several_places_need_replace_all() {
    everywhere(&[("a", "x\ny\nx\n")], |stage| {
        for params in [edit("x", "z"), {
            let mut one = edit("x", "z");
            one["replace_all"] = false.into();
            one
        }] {
            let error = stage.refused(Code::AmbiguousMatch, "edit_file", params);
            assert!(error.message().starts_with("Found multiple matches for oldString"), "{error}");
            assert_eq!(error.details(), [Detail::Lines(vec![1, 3]), Detail::Places(2)]);
        }
        assert_eq!(stage.content("a"), "x\ny\nx\n");
        let mut all = edit("x", "z");
        all["replace_all"] = true.into();
        assert_eq!(stage.ok("edit_file", all).payload["replacements"], 2);
        assert_eq!(stage.content("a"), "z\ny\nz\n");
    });
}

#[test]
fn an_edit_that_cannot_be_is_refused() {
    everywhere(&[("a", "one two three\n")], |stage| {
        let missing = json!({"path": "nope", "old_string": "x", "new_string": "y"});
        let error = stage.refused(Code::FileNotFound, "edit_file", missing);
        assert_eq!(error.message(), "file not found: nope");
        let error = stage.refused(Code::TextNotFound, "edit_file", edit("one two thrice", "y"));
        assert!(error.message().starts_with("oldString not found in content"), "{error}");
        assert_eq!(error.details(), [Detail::Nearest(1)]);
        stage.refused(Code::InvalidParams, "edit_file", edit("one", "one"));
        let error = stage.refused(Code::FileExists, "edit_file", edit("", "x"));
        assert!(error.advice().contains("or use write_file"), "{error}");
        for params in [
            json!({"path": "a"}),
            json!({"path": "a", "old_string": "one"}),
            json!({"path": "a", "new_string": "one"}),
            json!({"path": "a", "edits": []}),
            json!({"path": "a", "old_string": "one", "new_string": "1", "edits": [{
                "old_string": "two", "new_string": "2",
            }]}),
        ] {
            stage.refused(Code::InvalidParams, "edit_file", params);
        }
        assert_eq!(stage.content("a"), "one two three\n");
    });
}

#[test]
fn rm_takes_a_file_or_a_directory_with_all_in_it_and_counts() {
    everywhere(&[("a/b.txt", "x"), ("d/e/f", ""), ("d/g", ""), ("h", ""), ("i/", "")], |stage| {
        let removed = |path: &str| {
            let reply = stage.ok("rm", json!({"path": path}));
            (reply.text.into_string(), reply.payload["deleted"].as_u64().unwrap())
        };
        assert_eq!(removed("a"), ("Deleted a/ with 1 entry".to_owned(), 1));
        stage.refused(Code::FileNotFound, "read_file", json!({"path": "a/b.txt"}));
        assert_eq!(removed("d"), ("Deleted d/ with 3 entries".to_owned(), 3));
        assert_eq!(removed("h"), ("Deleted h".to_owned(), 1));
        assert_eq!(removed("i"), ("Deleted i/ with 0 entries".to_owned(), 0));
        let nothing = "[there is nothing at h, so nothing was deleted]".to_owned();
        assert_eq!(removed("h"), (nothing, 0));
        assert_eq!(stage.tree(), [""; 0]);
    });
}

#[test]
fn rm_takes_neither_the_root_nor_the_target_of_a_link() {
    let stage = Stage::new(Ground::Host, &[("d/a", "x")], Setting::speaking(TOOLS));
    symlink("d", stage.root.path().join("link")).unwrap();
    for root in ["", ".", "/", "d/.."] {
        stage.refused(Code::CannotDeleteRoot, "rm", json!({"path": root}));
    }
    assert_eq!(stage.ok("rm", json!({"path": "link"})).payload["deleted"], 1);
    assert_eq!(stage.tree(), ["d", "d/a"]);
}
