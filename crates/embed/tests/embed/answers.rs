//! What an author's tool answers is redacted and bounded.

use garth_embed::{Answer, Bounds, Clean, Code, Config, Function, Reply, Session, Setup, json};
use serde_json::Map;

use crate::fixture::{does, memory, nothing, session_of, with};

const SECRET: &str = "password = \"hunter2\"";
const REDACTED: &str = "password = \"[REDACTED: DATABASE_PASSWORD]\"";

#[tokio::test]
async fn a_secret_in_a_text_does_not_leave() {
    let session =
        session_of(Bounds::standard(), does("leak", || async { Ok(Answer::text(SECRET)) }));
    let result = session.call("leak", json!({})).await;
    assert_eq!(result.text(), REDACTED);
    assert_eq!(result.payload().unwrap()["text"], REDACTED);
}

#[tokio::test]
async fn a_secret_in_the_facts_does_not_leave() {
    let tool = does("leak", || async {
        Answer::text("see the facts").with(&json!({
            "line": SECRET,
            "deep": [{ "lines": [SECRET, 1, null, true] }],
            "password": "hunter2-and-more",
        }))
    });
    let result = session_of(Bounds::standard(), tool).call("leak", json!({})).await;
    let body = serde_json::to_string(&result).unwrap();
    assert!(!body.contains("hunter2"), "{body}");
    assert_eq!(result.payload().unwrap()["deep"][0]["lines"][0], REDACTED);
    assert_eq!(result.payload().unwrap()["deep"][0]["lines"][3], true);
}

/// A key as a file holds it, put together so that no scanner takes it for a real one.
fn private_key() -> String {
    let body = "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MaC".repeat(3);
    let (dashes, name) = ("-----", "RSA PRIVATE KEY");
    format!("{dashes}BEGIN {name}{dashes}\n{body}\n{dashes}END {name}{dashes}\n")
}

#[tokio::test]
async fn a_secret_of_several_lines_in_the_facts_does_not_leave() {
    let tool = does("leak", || async {
        Answer::text("see the facts").with(&json!({ "files": [{ "content": private_key() }] }))
    });
    let result = session_of(Bounds::standard(), tool).call("leak", json!({})).await;
    let content = &result.payload().unwrap()["files"][0]["content"];
    assert!(!content.to_string().contains("MIIEpAIBAAKCAQEA0Z3"), "{content}");
    assert!(content.as_str().unwrap().ends_with("]\n"), "{content}");
}

#[tokio::test]
async fn who_turned_redaction_off_gets_the_text_as_it_is() {
    let registry = with(Bounds::standard(), does("leak", || async { Ok(Answer::text(SECRET)) }));
    let redaction = Config { enabled: false, ..Config::standard() };
    let setup = Setup { redaction, ..Setup::standard(memory()) };
    let session = Session::new(registry.into(), setup).unwrap();
    assert_eq!(session.call("leak", json!({})).await.text(), SECRET);
}

#[tokio::test]
async fn a_reply_that_was_redacted_already_passes_as_it_is() {
    let tool = does("ready", || async {
        let text = Clean::fixed("ready");
        Ok(Answer::from(Reply { text, payload: Map::new(), attachment: None, record: None }))
    });
    let result = session_of(Bounds::standard(), tool).call("ready", json!({})).await;
    assert_eq!(result.text(), "ready");
    assert_eq!(result.payload(), Some(&Map::new()));
}

#[tokio::test]
async fn a_text_over_the_bound_is_cut_and_says_so() {
    let tool = does("long", || async { Ok(Answer::text("ä".repeat(1000))) });
    let bounds = Bounds { answer_bytes: 101, ..Bounds::standard() };
    let result = session_of(bounds, tool).call("long", json!({})).await;
    assert_eq!(result.text(), format!("{}\n[cut: 100 of 2000 bytes]", "ä".repeat(50)));
    assert_eq!(result.payload().unwrap()["text"], result.text());
}

#[tokio::test]
async fn facts_over_the_bound_are_a_failure() {
    let tool =
        does("long", || async { Answer::text("short").with(&json!({ "rows": vec![0; 1000] })) });
    let bounds = Bounds { answer_bytes: 100, ..Bounds::standard() };
    let result = session_of(bounds, tool).call("long", json!({})).await;
    assert_eq!(result.code(), Some(Code::Internal));
    assert!(result.message().unwrap().ends_with("bytes of 100"), "{result}");
}

#[tokio::test]
async fn facts_nested_without_end_are_a_failure() {
    let tool = does("deep", || async {
        let deep = (0..1000).fold(json!(1), |inner, _| json!([inner]));
        Answer::text("deep").with(&json!({ "deep": deep }))
    });
    let result = session_of(Bounds::standard(), tool).call("deep", json!({})).await;
    assert_eq!(result.code(), Some(Code::Internal));
}

#[tokio::test]
async fn facts_that_are_no_object_are_a_failure() {
    let tool =
        Function::new("odd", "Odd.", nothing(), |_, _| async { Answer::text("odd").with(&[1, 2]) });
    let result = session_of(Bounds::standard(), tool).call("odd", json!({})).await;
    assert_eq!(result.message(), Some("the facts of the answer are no JSON object"));
}
