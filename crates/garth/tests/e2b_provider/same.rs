//! The same calls get the same replies in a sandbox of E2B's as in a local one.

use serde_json::{Value, json};

use crate::{
    keeper::Keeper,
    script::{SECRET, played, terminal},
};

/// Texts that say where things are, and what they are in a local sandbox: that is all that
/// may differ.
const PLACES: [(&str, &str); 2] =
    [("/home/user/workspace", "/workspace"), ("/home/user user ", "/home/garth garth ")];

/// A reply as it would be where the workspace and the home directory are those of a local
/// sandbox.
fn as_local(reply: &Value) -> Value {
    let mut reply = reply.clone();
    moved(&mut reply);
    reply
}

fn moved(value: &mut Value) {
    match value {
        Value::String(text) => {
            *text =
                PLACES.iter().fold(text.clone(), |text, (here, there)| text.replace(here, there));
        }
        Value::Array(items) => items.iter_mut().for_each(moved),
        Value::Object(fields) => {
            let length = |fields: &serde_json::Map<String, Value>| {
                fields.get("stdout").and_then(Value::as_str).map_or(0, str::len)
            };
            let before = length(fields);
            fields.values_mut().for_each(moved);
            if let Some(count) = fields.get("stdout_bytes").and_then(Value::as_u64) {
                let count = usize::try_from(count).unwrap() + length(fields) - before;
                fields["stdout_bytes"] = json!(count);
            }
            // How much one printed that says where it is; its reply was compared.
            let says = |command: &str| command.contains("pwd") || command.contains("$HOME");
            if fields.get("command").and_then(Value::as_str).is_some_and(says) {
                fields.remove("printed_bytes");
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn the_same_calls_get_the_same_replies_as_in_a_local_sandbox() {
    let Some(keeper) = Keeper::start() else { return };
    let data = keeper.data();
    let gateway = data.start();
    gateway.made("bird-local", "local");
    gateway.made("bird-e2b", "e2b");
    let mut local = played(&gateway, "bird-local");
    let mut e2b = played(&gateway, "bird-e2b");
    terminal(&mut local);
    terminal(&mut e2b);
    assert!(local.told.len() > 50 && local.told.len() == e2b.told.len());
    for ((what, one), (_, other)) in local.told.iter().zip(&e2b.told) {
        assert_eq!(as_local(one).to_string(), as_local(other).to_string(), "{what}");
    }
    let told = e2b.told.iter().find(|(_, reply)| reply.to_string().contains(SECRET));
    assert!(told.is_none(), "{told:?}");
    let home = keeper.home(&keeper.only_sandbox());
    assert_eq!(std::fs::read_to_string(home.join("workspace/sub/fresh")).unwrap(), "x\n");
    assert!(!gateway.files("bird-e2b").join("sub").exists(), "its files are in the sandbox alone");
}
