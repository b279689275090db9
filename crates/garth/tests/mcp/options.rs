//! What the command line allows and hides.

use serde_json::json;
use tempfile::tempdir;

use crate::client::Client;

fn names(client: &mut Client) -> Vec<String> {
    let answer = client.ask("tools/list", &json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_read_only_server_offers_no_tool_that_changes_and_refuses_it_all_the_same() {
    let root = tempdir().unwrap();
    let mut client = Client::start(root.path(), &["--read-only"]);
    let names = names(&mut client);
    let commands = ["bash", "output", "input", "kill", "ps", "git"];
    let (commands, files): (Vec<_>, Vec<_>) =
        names.iter().map(String::as_str).partition(|name| commands.contains(name));
    assert_eq!(files, ["read", "glob", "grep", "list", "stat", "diff"]);
    // Commands run where nothing of the workspace can be changed either.
    assert_eq!(commands.len(), 6);
    let params = json!({"name": "bash", "arguments": {"command": "echo x > a || echo held"}});
    let answer = client.ask("tools/call", &params);
    assert!(answer.to_string().contains("held"), "{answer}");
    let params = json!({"name": "write", "arguments": {"path": "a", "content": "x"}});
    assert_eq!(client.ask("tools/call", &params)["error"]["code"], -32602);
    assert!(!root.path().join("a").exists());
}

#[test]
fn a_server_that_runs_no_commands_offers_no_tool_for_them() {
    let root = tempdir().unwrap();
    for (dialect, tools) in [("workspace", &["bash", "output", "ps"][..]), ("vfs", &["shell"])] {
        let options = ["--no-exec", "--dialect", dialect];
        let mut client = Client::bare(root.path(), &options);
        let said = client.greet();
        let instructions = said["instructions"].as_str().unwrap().to_owned();
        let names = names(&mut client);
        for tool in tools {
            assert!(!names.iter().any(|name| name == tool), "{names:?}");
            assert!(!instructions.contains(&format!("`{tool}`")), "{instructions}");
            let params = json!({"name": tool, "arguments": {"command": "touch a", "id": "p1"}});
            assert_eq!(client.ask("tools/call", &params)["error"]["code"], -32602);
        }
    }
    assert!(!root.path().join("a").exists());
}

#[test]
fn a_subset_of_tools_is_offered_in_the_order_of_the_table() {
    let root = tempdir().unwrap();
    let mut client = Client::start(root.path(), &["--tools", "grep,read"]);
    assert_eq!(names(&mut client), ["read", "grep"]);
}

#[test]
fn what_is_denied_is_seen_by_no_tool() {
    let root = tempdir().unwrap();
    std::fs::write(root.path().join(".env"), "SECRET=1\n").unwrap();
    let mut client = Client::start(root.path(), &["--deny", "**/.env"]);
    let refused = client.call("read", &json!({"path": ".env"}));
    assert_eq!(refused["isError"], true);
    assert_eq!(refused["structuredContent"]["code"], "PERMISSION_DENIED");
    let listed = client.call("list", &json!({"include_hidden": true}));
    assert!(!listed["content"][0]["text"].as_str().unwrap().contains(".env"), "{listed}");
}

#[test]
fn what_is_not_allowed_is_seen_by_no_tool() {
    let root = tempdir().unwrap();
    std::fs::create_dir(root.path().join("src")).unwrap();
    for path in ["a.txt", "src/a.rs", "src/b.txt"] {
        std::fs::write(root.path().join(path), "x\n").unwrap();
    }
    let mut client = Client::start(root.path(), &["--allow", "src/*.rs", "--allow", "*.md"]);
    let listed = client.call("list", &json!({"recursive": true}));
    assert_eq!(listed["content"][0]["text"], "src/\nsrc/a.rs");
    for path in ["a.txt", "src/b.txt", "nothing"] {
        let refused = client.call("read", &json!({"path": path}));
        assert_eq!(refused["structuredContent"]["code"], "PERMISSION_DENIED", "{refused}");
    }
    let written = client.call("write", &json!({"path": "docs/new.md", "content": "x"}));
    assert_eq!(written["isError"], false, "{written}");
}

#[test]
fn files_in_memory_are_a_copy_that_is_gone_at_the_end() {
    let root = tempdir().unwrap();
    std::fs::write(root.path().join("a.txt"), "on disk\n").unwrap();
    let mount = format!("{}:project", root.path().display());
    let mut client = Client::start(root.path(), &["--memory", "--mount", &mount]);
    let edit = json!({"path": "project/a.txt", "old_string": "disk", "new_string": "paper"});
    assert_eq!(client.call("edit", &edit)["isError"], false);
    let read = client.call("read", &json!({"path": "project/a.txt"}));
    assert_eq!(read["content"][0]["text"], "1: on paper");
    assert_eq!(std::fs::read_to_string(root.path().join("a.txt")).unwrap(), "on disk\n");
}

#[test]
fn several_roots_stand_side_by_side_under_their_names() {
    let (one, two) = (tempdir().unwrap(), tempdir().unwrap());
    let (one, two) = (one.path().join("app"), two.path().join("app"));
    for (root, text) in [(&one, "first\n"), (&two, "second\n")] {
        std::fs::create_dir(root).unwrap();
        std::fs::write(root.join("a.txt"), text).unwrap();
    }
    let mut client = Client::start(&two, &[one.to_str().unwrap()]);
    let listed = client.call("list", &json!({"recursive": true}));
    assert_eq!(listed["content"][0]["text"], "app/\napp/a.txt\napp-2/\napp-2/a.txt");
    let absolute = two.join("a.txt").display().to_string();
    let read = client.call("read", &json!({"path": absolute}));
    assert_eq!(read["content"][0]["text"], "1: second");
    let found = client.call("grep", &json!({"pattern": "first|second"}));
    assert_eq!(found["content"][0]["text"], "app/a.txt:1: first\napp-2/a.txt:1: second");
    let moved = client.call("move", &json!({"from": "app/a.txt", "to": "app-2/b.txt"}));
    assert_eq!(moved["isError"], false, "{moved}");
    assert_eq!(std::fs::read_to_string(two.join("b.txt")).unwrap(), "first\n");
    assert!(!one.join("a.txt").exists());
}

#[test]
fn the_reference_dialect_speaks_absolute_paths_of_its_roots_only() {
    let root = tempdir().unwrap();
    let root = std::fs::canonicalize(root.path()).unwrap();
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("a.txt"), "hello\n").unwrap();
    let mut client = Client::start(&root, &["--dialect", "reference"]);
    let allowed = client.call("list_allowed_directories", &json!({}));
    let allowed = allowed["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(allowed.contains(root.to_str().unwrap()), "{allowed}");
    let path = root.join("a.txt").display().to_string();
    let read = client.call("read_text_file", &json!({"path": path}));
    assert_eq!(read["content"][0]["text"], "hello\n");
    let refused = client.call("read_text_file", &json!({"path": "/etc/passwd"}));
    let said = refused["content"][0]["text"].as_str().unwrap();
    assert!(said.starts_with("Access denied - path outside allowed directories"), "{said}");
}

#[test]
fn wrong_usage_says_what_there_is_and_exits_with_2() {
    for (arguments, word) in [
        (&["--dialect", "klingon"][..], "workspace"),
        (&["--tools", "nope"], "apply_patch"),
        (&["--deny", "[a"], "["),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_garth"))
            .arg("mcp")
            .args(arguments)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(word), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty());
    }
}
