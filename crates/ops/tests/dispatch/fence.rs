//! Ways out of the worktree, tried through every tool of the dialect.

use std::os::unix::fs::symlink;

use garth_contract::Code;
use garth_ops::dispatch::TOOLS;
use serde_json::{Value, json};

use crate::{
    everywhere,
    stage::{Ground, Setting, Stage},
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
fn every_tool_is_among_the_calls() {
    let named: Vec<_> = calls("a").into_iter().map(|(tool, _)| tool).collect();
    assert_eq!(named, TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>());
}

#[test]
fn a_path_that_leaves_the_worktree_is_refused_by_every_tool() {
    everywhere(&[("in/a", "a")], |stage| {
        for path in ["../x", "in/../../x", "/etc/passwd", "/workspace-evil/a", "/workspace/../x"] {
            for (tool, params) in calls(path) {
                stage.refused(Code::PathOutsideWorkspace, tool, params);
            }
        }
        assert_eq!(stage.tree(), ["in", "in/a"]);
    });
}

#[test]
fn a_link_that_leaves_the_worktree_is_refused_by_every_tool() {
    let stage = Stage::new(Ground::Host, &[("in", "a")], Setting::speaking(TOOLS));
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), stage.root.path().join("dir")).unwrap();
    symlink(outside.path().join("new"), stage.root.path().join("dangling")).unwrap();
    for path in ["dir", "dir/new", "dangling"] {
        for (tool, params) in calls(path) {
            stage.refused(Code::PathOutsideWorkspace, tool, params);
        }
    }
    #[allow(clippy::disallowed_methods, reason = "the test looks at what is outside")]
    let left = std::fs::read_dir(outside.path()).unwrap().count();
    assert_eq!(left, 0);
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
