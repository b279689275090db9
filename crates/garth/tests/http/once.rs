//! Calls that a client names, so that they happen at most once.

use serde_json::{Value, json};

use crate::gateway::Gateway;

fn edit(gateway: &Gateway, key: &str, new: &str) -> (u16, Value) {
    let sent = json!({"file_path": "a.txt", "old_string": "x", "new_string": new});
    let request = gateway.ask("POST", "/v1/workspaces/default/edit").json(&sent);
    let reply = request.header("idempotency-key", key).send();
    (reply.status, reply.value())
}

#[test]
fn a_call_that_is_sent_twice_by_one_name_happens_once() {
    let gateway = Gateway::start();
    gateway.told("write", &json!({"file_path": "a.txt", "content": "x"}));
    let first = edit(&gateway, "one", "xx");
    assert_eq!(first.0, 200, "{}", first.1);
    assert_eq!(edit(&gateway, "one", "xx"), first);
    let now = || std::fs::read_to_string(gateway.directory("default").join("a.txt")).unwrap();
    assert_eq!(now(), "xx");
    let (status, other) = edit(&gateway, "one", "yy");
    assert_eq!(status / 100, 4, "{other}");
    assert_eq!(now(), "xx");
    for key in ["", "a b", &"k".repeat(257)] {
        assert_eq!(edit(&gateway, key, "y").0, 400);
    }
}

#[test]
fn a_file_that_is_sent_twice_by_one_name_lands_once() {
    let gateway = Gateway::start();
    let put = |body: &str| {
        let request = gateway.ask("PUT", "/v1/workspaces/default/files/b.txt");
        request.header("idempotency-key", "up").body(body).send()
    };
    assert_eq!(put("one").status, 201);
    let file = gateway.directory("default").join("b.txt");
    std::fs::write(&file, "changed since").unwrap();
    assert_eq!(put("one").status, 201);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "changed since");
    assert_eq!(put("two").status / 100, 4);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "changed since");
}
