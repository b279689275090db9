//! Files as resources: listed, read, completed, followed.

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::client::Client;

fn contents(client: &mut Client, uri: &str) -> Value {
    client.ask("resources/read", &json!({"uri": uri}))["result"]["contents"][0].take()
}

#[test]
fn a_text_a_binary_and_a_directory_are_read() {
    let root = tempdir().unwrap();
    std::fs::write(root.path().join("a b.txt"), "key = AKIAIOSFODNN7EXAMPL1\n").unwrap();
    std::fs::write(root.path().join("b.bin"), b"\0\x01").unwrap();
    std::fs::create_dir(root.path().join("d")).unwrap();
    let mut client = Client::start(root.path(), &[]);
    let text = contents(&mut client, "workspace:///a%20b.txt");
    let shown = text["text"].as_str().unwrap();
    assert!(shown.starts_with("key = [REDACTED"), "{shown}");
    let binary = contents(&mut client, "workspace:///b.bin");
    assert_eq!(binary["blob"], "AAE=");
    let listing = contents(&mut client, "workspace:///");
    assert_eq!(listing["mimeType"], "inode/directory");
    let listing: Value = serde_json::from_str(listing["text"].as_str().unwrap()).unwrap();
    let names: Vec<_> = listing["entries"].as_array().unwrap().iter().map(|e| &e["uri"]).collect();
    assert_eq!(names, ["workspace:///a%20b.txt", "workspace:///b.bin", "workspace:///d"]);
}

#[test]
fn an_address_outside_or_of_nothing_is_refused() {
    let root = tempdir().unwrap();
    let mut client = Client::start(root.path(), &[]);
    for (uri, code) in [
        ("workspace:///../x", "PATH_OUTSIDE_WORKSPACE"),
        ("workspace:///%2e%2e/x", "PATH_OUTSIDE_WORKSPACE"),
        ("file:///etc/passwd", "INVALID_PATH"),
        ("workspace:///nope", "FILE_NOT_FOUND"),
    ] {
        let answer = client.ask("resources/read", &json!({"uri": uri}));
        assert_eq!(answer["error"]["data"]["code"], code, "{uri}: {answer}");
    }
}

#[test]
fn many_entries_come_page_by_page() {
    let root = tempdir().unwrap();
    for number in 0..1_100 {
        std::fs::write(root.path().join(format!("{number:04}")), "").unwrap();
    }
    let mut client = Client::start(root.path(), &[]);
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let mut answer = client.ask("resources/list", &params);
        let page = answer["result"]["resources"].as_array().unwrap().clone();
        seen.extend(page.iter().map(|r| r["name"].as_str().unwrap().to_owned()));
        cursor = answer["result"]["nextCursor"].take();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen.len(), 1_101, "all files and the root");
    assert_eq!(seen.last().unwrap(), "1099");
    let answer = client.ask("resources/list", &json!({"cursor": "nonsense"}));
    assert_eq!(answer["error"]["code"], -32602);
}

#[test]
fn a_path_that_is_typed_is_completed() {
    let root = tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("src/deep")).unwrap();
    for name in ["src/main.rs", "src/mod.rs", "src/.hidden", "setup.py"] {
        std::fs::write(root.path().join(name), "").unwrap();
    }
    let mut client = Client::start(root.path(), &[]);
    for (typed, expected) in [
        ("s", &["setup.py", "src/"][..]),
        ("src/", &["src/deep/", "src/main.rs", "src/mod.rs"]),
        ("src/m", &["src/main.rs", "src/mod.rs"]),
        ("src/.", &["src/.hidden"]),
        ("nope/", &[]),
        ("../", &[]),
    ] {
        let reference = json!({"type": "ref/resource", "uri": "workspace:///{+path}"});
        let params = json!({"ref": reference, "argument": {"name": "path", "value": typed}});
        let answer = client.ask("completion/complete", &params);
        assert_eq!(answer["result"]["completion"]["values"], json!(expected), "{typed}");
    }
}

#[test]
fn a_followed_file_is_told_when_it_changes_and_another_is_not() {
    let root = tempdir().unwrap();
    for name in ["a.txt", "b.txt"] {
        std::fs::write(root.path().join(name), "one\n").unwrap();
    }
    let mut client = Client::start(root.path(), &[]);
    let followed = json!({"uri": "workspace:///a.txt"});
    assert!(client.ask("resources/subscribe", &followed)["result"].is_object());
    for name in ["b.txt", "a.txt"] {
        std::fs::write(root.path().join(name), "two\n").unwrap();
    }
    let told = client.next();
    assert_eq!(told["method"], "notifications/resources/updated");
    assert_eq!(told["params"]["uri"], "workspace:///a.txt");
    assert!(client.ask("resources/unsubscribe", &followed)["result"].is_object());
}
