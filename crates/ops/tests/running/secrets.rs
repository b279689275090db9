//! Secrets in commands and in what they print are not shown.

use garth_contract::Code;
use garth_redact::{Behaviour, Config};
use serde_json::json;

use crate::place::{Setting, place, place_with, text};

const SECRET: &str = "ghp_1234567890abcdefghijklmnopqrstuvwxyz";

#[test]
fn no_secret_is_in_any_reply() {
    let place = place();
    place.ok("write", json!({"path": ".env", "content": format!("TOKEN={SECRET}\n")}));
    let printed = place.bash("cat .env; cat .env >&2");
    assert!(text(&printed, "stdout").starts_with("TOKEN=[REDACTED: "), "{}", printed.text);
    let started = format!("echo {SECRET}; cat");
    let id = place.start(&started);
    place.until_printed(&id, "\n");
    let listed = place.ok("ps", json!({}));
    let read = place.ok("output", json!({"id": id}));
    for reply in [printed, listed, read] {
        let all = format!("{} {:?}", reply.text, reply.payload);
        assert!(!all.contains(&SECRET[4..]), "{all}");
        assert!(all.contains("[REDACTED: "), "{all}");
    }
}

#[test]
fn no_secret_is_in_a_failure() {
    let place = place();
    let params = json!({"command": format!("echo {SECRET}; sleep 3600"), "timeout_ms": 3_000});
    let failure = place.refused(Code::CommandTimeout, "bash", params);
    let all = format!("{:?} {:?}", failure.body(), failure);
    assert!(!all.contains(&SECRET[4..]), "{all}");
}

#[test]
fn where_redaction_is_off_everything_is_shown() {
    let redaction = Config { enabled: false, ..Config::standard() };
    let place = place_with(Setting { redaction, ..Setting::usual() });
    assert_eq!(place.bash(&format!("echo {SECRET}")).text.as_ref(), SECRET);
}

#[test]
fn where_texts_with_secrets_are_held_back_output_is_too() {
    let redaction = Config { behaviour: Behaviour::Block, ..Config::standard() };
    let place = place_with(Setting { redaction, ..Setting::usual() });
    let reply = place.bash(&format!("echo {SECRET}; echo fine >&2"));
    assert_eq!(reply.text.as_ref(), "[held back: it holds a secret]\n[stderr]\nfine");
    let read = place.ok("output", json!({"id": "p1"}));
    let shown = text(&read, "output");
    assert!(shown.contains("[held back: it holds a secret]") && shown.contains("fine"), "{shown}");
    assert!(!shown.contains(SECRET));
}
