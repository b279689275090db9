//! Ways out of the worktree, tried through every tool of the dialect.

use std::os::unix::fs::symlink;

use garth_ops::dispatch::TOOLS;
use serde_json::{Value, json};

use crate::{
    stage::{Ground, Setting, Stage},
    ways_out::{every_tool_is_called, no_link_leads_out, no_text_leads_out},
};

/// A call of each tool with a path.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let edits = json!([{"old_text": "a", "new_text": "b"}]);
    vec![
        ("read_file", json!({"path": path})),
        ("write_file", json!({"path": path, "content": "x"})),
        ("edit_file", json!({"path": path, "edits": edits})),
        ("create_file", json!({"path": path, "content": "x"})),
        ("list_files", json!({"path": path})),
        ("search_files", json!({"query": "a", "path": path})),
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
fn a_link_that_stays_inside_is_followed() {
    let stage = Stage::new(Ground::Host, &[("d/a", "a\n")], Setting::speaking(TOOLS));
    symlink("d/a", stage.root.path().join("link")).unwrap();
    assert_eq!(stage.text("read_file", json!({"path": "link"})), "0: a");
    let edit = json!({"path": "link", "edits": [{"old_text": "a", "new_text": "b"}]});
    stage.ok("edit_file", edit);
    assert_eq!(stage.content("d/a"), "b\n");
}
