//! Ways out of a workspace, tried through the tools of a dialect.

use std::os::unix::fs::symlink;

use garth_contract::Code;
use garth_ops::Tool;
use serde_json::Value;

use crate::stage::{Ground, Setting, Stage, everywhere_speaking};

/// A call of each tool that takes a path, with this path.
pub(crate) type Calls = fn(&str) -> Vec<(&'static str, Value)>;

/// Makes sure that no tool which takes a path is left out.
pub(crate) fn every_tool_is_called(tools: &'static [Tool], calls: Calls) {
    let takes_path = |tool: &&Tool| {
        let schema = (tool.params)().to_value();
        schema["properties"].get("path").is_some()
    };
    let called: Vec<_> = calls("a").into_iter().map(|(tool, _)| tool).collect();
    let all: Vec<_> = tools.iter().filter(takes_path).map(|tool| tool.name).collect();
    assert_eq!(called, all);
}

/// Every path that leaves the workspace as text is refused.
pub(crate) fn no_text_leads_out(tools: &'static [Tool], calls: Calls) {
    everywhere_speaking(tools, &[("in/a", "a")], |stage| {
        for path in ["../x", "in/../../x", "/etc/passwd", "/workspace-evil/a", "/workspace/../x"] {
            for (tool, params) in calls(path) {
                stage.refused(Code::PathOutsideWorkspace, tool, params);
            }
        }
        assert_eq!(stage.tree(), ["in", "in/a"]);
    });
}

/// Every path through a link that leaves the workspace is refused.
pub(crate) fn no_link_leads_out(tools: &'static [Tool], calls: Calls) {
    let stage = Stage::new(Ground::Host, &[("in", "a")], Setting::speaking(tools));
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), stage.root.path().join("dir")).unwrap();
    for path in ["dir/new", "dir/../dir/new", "dir/sub/new"] {
        for (tool, params) in calls(path) {
            stage.refused(Code::PathOutsideWorkspace, tool, params);
        }
    }
    #[allow(clippy::disallowed_methods, reason = "the test looks at what is outside")]
    let left = std::fs::read_dir(outside.path()).unwrap().count();
    assert_eq!(left, 0);
}
