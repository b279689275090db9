//! `move_file`: what moves, and what stays where it is.

use garth_contract::Code;
use serde_json::{Value, json};

use crate::stage::{Stage, everywhere};

fn params(stage: &Stage, from: &str, to: &str) -> Value {
    json!({"source": stage.at(from), "destination": stage.at(to)})
}

#[test]
fn files_and_directories_move() {
    everywhere(&[("a", "a"), ("d/sub/f", "x")], |stage| {
        let text = stage.text("move_file", params(stage, "a", "b"));
        assert_eq!(text, format!("Successfully moved {} to {}", stage.at("a"), stage.at("b")));
        stage.ok("move_file", params(stage, "d", "e"));
        assert_eq!((stage.bytes("a"), stage.bytes("d/sub/f")), (None, None));
        assert_eq!((stage.content("b"), stage.content("e/sub/f")), ("a".into(), "x".into()));
    });
}

#[test]
fn nothing_at_the_destination_is_replaced() {
    everywhere(&[("a", "a"), ("b", "b"), ("d/f", "d"), ("e/g", "e")], |stage| {
        for (from, to) in [("a", "b"), ("d", "e"), ("a", "e"), ("d", "b")] {
            let error =
                stage.refused(Code::DestinationExists, "move_file", params(stage, from, to));
            assert_eq!(error.message(), format!("Destination already exists: {}", stage.at(to)));
        }
        assert_eq!(stage.content("b"), "b");
        assert_eq!(stage.bytes("e/f"), None);
    });
}

#[test]
fn what_cannot_move_is_said_in_the_words_clients_know() {
    everywhere(&[("a", "a")], |stage| {
        for (from, to, code) in
            [("missing", "b", Code::SourceNotFound), ("a", "no/b", Code::ParentNotFound)]
        {
            let error = stage.refused(code, "move_file", params(stage, from, to));
            assert!(error.message().starts_with("ENOENT"), "{error:?}");
        }
        let out = json!({"source": stage.at("a"), "destination": "/elsewhere/a"});
        let error = stage.refused(Code::PathOutsideWorkspace, "move_file", out);
        assert!(error.message().starts_with("Access denied"), "{error:?}");
    });
}
