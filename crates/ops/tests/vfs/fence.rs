//! Ways out of the filesystem, tried through every tool that takes a path.

use std::os::unix::fs::symlink;

use garth_contract::Code;
use garth_ops::vfs::TOOLS;
use serde_json::{Value, json};

use crate::{
    everywhere,
    stage::{Ground, Setting, Stage},
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
    let named: Vec<_> = calls("a").into_iter().map(|(tool, _)| tool).collect();
    let takes =
        TOOLS.iter().filter(|tool| (tool.params)().to_value()["properties"].get("path").is_some());
    assert_eq!(named, takes.map(|tool| tool.name).collect::<Vec<_>>());
}

#[test]
fn a_path_that_leaves_the_filesystem_is_refused_by_every_tool() {
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
fn a_link_that_leaves_the_filesystem_leads_nowhere() {
    let stage = Stage::new(Ground::Host, &[("in", "a")], Setting::speaking(TOOLS));
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), stage.root.path().join("dir")).unwrap();
    for (tool, params) in calls("dir/new") {
        stage.refused(Code::PathOutsideWorkspace, tool, params);
    }
    #[allow(clippy::disallowed_methods, reason = "the test looks at what is outside")]
    let left = std::fs::read_dir(outside.path()).unwrap().count();
    assert_eq!(left, 0);
    let found = stage.text("glob", json!({"pattern": "**/*"}));
    assert_eq!(found, "in");
}
