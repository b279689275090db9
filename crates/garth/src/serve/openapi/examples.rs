//! What a body may look like, for whoever reads the document.

use serde_json::Value;

/// An example of the parameters of a tool or a method, where there is one.
pub(super) fn of(name: &str) -> Option<Value> {
    let (_, text) = EXAMPLES.iter().find(|(of, _)| *of == name)?;
    serde_json::from_str(text).ok()
}

const EXAMPLES: &[(&str, &str)] = &[
    ("bash", r#"{"command": "ls -la", "workdir": "/workspace"}"#),
    ("read", r#"{"path": "/workspace/README.md", "offset": 1, "limit": 50}"#),
    ("write", r#"{"path": "/workspace/a.txt", "content": "one\n"}"#),
    ("edit", r#"{"path": "/workspace/a.txt", "old_string": "one", "new_string": "two"}"#),
    ("glob", r#"{"pattern": "**/*.ts", "path": "/workspace"}"#),
    ("grep", r#"{"pattern": "TODO", "path": "/workspace", "include": "*.ts"}"#),
    ("worktree.list", r#"{"agentId": "default", "path": "/", "recursive": false}"#),
    ("worktree.stat", r#"{"agentId": "default", "path": "a.txt"}"#),
    ("worktree.usage", r#"{"agentId": "default", "path": "/"}"#),
    ("worktree.read", r#"{"agentId": "default", "path": "a.txt"}"#),
    ("worktree.write", r#"{"agentId": "default", "path": "a.txt", "content": "one\n"}"#),
    ("worktree.mkdir", r#"{"agentId": "default", "path": "src"}"#),
    ("worktree.delete", r#"{"agentId": "default", "path": "a.txt"}"#),
    ("worktree.download", r#"{"agentId": "default", "path": "a.bin", "offset": 0}"#),
    ("agents.get", r#"{"agentId": "default"}"#),
    ("tokens.create", r#"{"role": "agent", "agentId": "default", "label": "coder"}"#),
    ("audit.list", r#"{"workspace": "default", "limit": 10}"#),
];
