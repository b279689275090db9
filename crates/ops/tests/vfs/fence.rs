//! Ways out of the filesystem, tried through every tool that takes a path.

use std::os::unix::fs::symlink;

use garth_ops::vfs::TOOLS;
use serde_json::{Value, json};

use crate::{
    stage::{Ground, Setting, Stage},
    ways_out::{every_tool_is_called, no_link_leads_out, no_text_leads_out},
};

/// A call of each tool that takes a path.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("ls", json!({"path": path})),
        ("read_file", json!({"path": path})),
        ("write_file", json!({"path": path, "content": "x"})),
        ("edit_file", json!({"path": path, "old_string": "a", "new_string": "b"})),
        ("rm", json!({"path": path})),
    ]
}

#[test]
fn every_tool_that_takes_a_path_is_among_the_calls() {
    every_tool_is_called(TOOLS, calls);
}

#[test]
fn a_path_that_leaves_the_root_is_refused_by_every_tool() {
    no_text_leads_out(TOOLS, calls);
}

#[test]
fn a_link_that_leaves_the_root_is_refused_by_every_tool() {
    no_link_leads_out(TOOLS, calls);
}

#[test]
fn a_link_out_is_not_searched() {
    let stage = Stage::new(Ground::Host, &[("in", "a")], Setting::speaking(TOOLS));
    symlink("/etc", stage.root.path().join("dir")).unwrap();
    assert_eq!(stage.text("glob", json!({"pattern": "**/*"})), "in");
    assert_eq!(stage.text("grep", json!({"pattern": ".*"})), "in:1: a");
}
