//! A call of every tool of every dialect, as its schema describes it.

use garth_contract::Code;
use garth_ops::{DIALECTS, Needs, Tool, find};
use serde_json::{Value, json};

use crate::recording::Stage;

pub(crate) const FILES: &[(&str, &str)] =
    &[("src/a.txt", "one\ntwo\n"), ("src/deep/b.txt", "two\n"), ("c.txt", "three\n")];

const PATCH: &str = "*** Begin Patch\n*** Update File: src/a.txt\n*** Move to: moved/a.txt\n@@\n\
                     -one\n+ONE\n*** Add File: new/n.txt\n+x\n*** Delete File: c.txt\n*** End Patch";

/// Calls of every tool.
pub(crate) fn all() -> Vec<(&'static str, &'static Tool, Value)> {
    let rows: Vec<(&str, &str, Value)> = vec![
        ("workspace", "read", json!({"path": "src/a.txt"})),
        ("workspace", "read", json!({"path": "src"})),
        ("workspace", "write", json!({"path": "new/n.txt", "content": "x"})),
        ("workspace", "write", json!({"path": "src/a.txt", "content": "x"})),
        ("workspace", "edit", json!({"path": "src/a.txt", "old_string": "one", "new_string": "1"})),
        ("workspace", "apply_patch", json!({"patch": PATCH})),
        ("workspace", "glob", json!({"pattern": "**/*.txt", "path": "src"})),
        ("workspace", "glob", json!({"pattern": "/workspace/src/*.txt", "path": "src/deep"})),
        ("workspace", "glob", json!({"pattern": "*.txt"})),
        ("workspace", "grep", json!({"pattern": "two", "path": "src"})),
        ("workspace", "grep", json!({"pattern": "two", "include": "*.txt"})),
        ("workspace", "list", json!({"path": "src"})),
        ("workspace", "list", json!({"path": "src", "recursive": true})),
        ("workspace", "list", json!({"path": "src", "depth": 2})),
        ("workspace", "list", json!({})),
        ("workspace", "move", json!({"from": "src", "to": "moved/src"})),
        ("workspace", "delete", json!({"path": "c.txt"})),
        ("workspace", "delete", json!({"path": "src", "recursive": true})),
        ("workspace", "mkdir", json!({"path": "made/here"})),
        ("workspace", "stat", json!({"path": "src/a.txt"})),
        ("workspace", "diff", json!({"from": "src/a.txt", "to": "c.txt"})),
        ("workspace", "diff", json!({"path": "src/a.txt", "content": "x"})),
        ("workspace", "bash", json!({"command": "ls", "workdir": "src"})),
        ("workspace", "output", json!({"id": "p1"})),
        ("workspace", "input", json!({"id": "p1", "text": "x"})),
        ("workspace", "kill", json!({"id": "p1"})),
        ("workspace", "ps", json!({})),
        ("workspace", "git", json!({"action": "status", "path": "src"})),
        ("workspace", "git", json!({"action": "commit", "message": "x", "files": ["c.txt"]})),
        ("dispatch", "read_file", json!({"path": "src/a.txt"})),
        ("dispatch", "write_file", json!({"path": "new/n.txt", "content": "x"})),
        ("dispatch", "create_file", json!({"path": "new/n.txt", "content": "x"})),
        (
            "dispatch",
            "edit_file",
            json!({"path": "src/a.txt", "edits": [{"old_text": "one", "new_text": "1"}]}),
        ),
        ("dispatch", "list_files", json!({"path": "src"})),
        ("dispatch", "list_files", json!({"path": "src", "recursive": false})),
        ("dispatch", "search_files", json!({"query": "two", "path": "src"})),
        ("vfs", "read_file", json!({"path": "src/a.txt"})),
        ("vfs", "write_file", json!({"path": "new/n.txt", "content": "x"})),
        ("vfs", "edit_file", json!({"path": "src/a.txt", "old_string": "one", "new_string": "1"})),
        ("vfs", "ls", json!({"path": "src"})),
        ("vfs", "glob", json!({"pattern": "src/*.txt"})),
        ("vfs", "grep", json!({"pattern": "two"})),
        ("vfs", "rm", json!({"path": "src"})),
        ("vfs", "shell", json!({"command": "ls", "workdir": "src"})),
        ("vfs", "eval", json!({"code": "print(1)", "workdir": "src"})),
        ("reference", "read_file", json!({"path": "src/a.txt"})),
        ("reference", "read_text_file", json!({"path": "src/a.txt"})),
        ("reference", "read_media_file", json!({"path": "src/a.txt"})),
        ("reference", "read_multiple_files", json!({"paths": ["src/a.txt", "c.txt"]})),
        ("reference", "write_file", json!({"path": "src/a.txt", "content": "x"})),
        (
            "reference",
            "edit_file",
            json!({"path": "src/a.txt", "edits": [{"oldText": "one", "newText": "1"}]}),
        ),
        ("reference", "create_directory", json!({"path": "made"})),
        ("reference", "list_directory", json!({"path": "src"})),
        ("reference", "list_directory_with_sizes", json!({"path": "src"})),
        ("reference", "directory_tree", json!({"path": "src"})),
        ("reference", "move_file", json!({"source": "src", "destination": "there"})),
        ("reference", "search_files", json!({"path": "src", "pattern": "**/*.txt"})),
        ("reference", "get_file_info", json!({"path": "src/a.txt"})),
        ("reference", "list_allowed_directories", json!({})),
    ];
    rows.into_iter()
        .map(|(dialect, name, params)| {
            let tools = garth_ops::dialect(dialect).unwrap().tools;
            (dialect, find(tools, name).unwrap_or_else(|| panic!("{dialect} {name}")), params)
        })
        .collect()
}

/// What a tool that needs commands is refused with where there are none.
pub(crate) fn runs(tool: &Tool) -> bool {
    matches!(tool.needs, Needs::Run | Needs::Follow | Needs::Git)
}

#[test]
fn every_tool_is_called_here() {
    let calls = all();
    for dialect in DIALECTS {
        for tool in dialect.tools {
            let called =
                calls.iter().any(|(name, call, _)| *name == dialect.name && call.name == tool.name);
            assert!(called, "{} {}", dialect.name, tool.name);
        }
    }
}

#[test]
fn what_a_call_touches_is_what_it_names() {
    let stage = Stage::new(FILES);
    for (dialect, tool, params) in all() {
        let (ended, seen) = stage.call(tool, &params);
        let wanted = if runs(tool) { Err(Code::Unsupported) } else { Ok(()) };
        assert_eq!(ended, wanted, "{dialect} {} {params}", tool.name);
        stage.compare(tool, &params, &seen);
        let touches = !runs(tool) && tool.name != "list_allowed_directories";
        assert_eq!(!seen.is_empty(), touches, "{dialect} {} {params}", tool.name);
    }
}

#[test]
fn a_command_is_named_and_may_touch_everything() {
    for (dialect, tool, params) in all().iter().filter(|(_, tool, _)| tool.needs == Needs::Run) {
        let names = (tool.names)(params);
        let Some(command) = params.get("command").or_else(|| params.get("code")) else { continue };
        assert_eq!(names.command.as_deref(), command.as_str(), "{dialect} {}", tool.name);
        assert!(names.paths.iter().any(|touch| touch.path.is_empty()), "{dialect} {}", tool.name);
    }
}
