//! Calls that make no sense are failures that say so.

use garth_embed::{Answer, Bounds, Code, Function, Registry, ToolResult, json, params};
use serde::Deserialize;

use crate::fixture::{nothing, session, session_of, workspace_session};

#[tokio::test]
async fn an_unknown_tool_is_a_failure_that_names_the_nearest() {
    let session = workspace_session();
    for (wanted, near) in [("raed", "read"), ("Grep", "grep"), ("applyPatch", "apply_patch")] {
        let result = session.call(wanted, json!({})).await;
        assert_eq!(result.code(), Some(Code::UnknownMethod));
        assert_eq!(result.message(), Some(&*format!("there is no tool {wanted:?}")));
        let hint = result.hint().unwrap();
        assert!(hint.starts_with(&format!("Did you mean {near}? The tools are read, ")), "{hint}");
    }
    let hint = session.call("teleport", json!({})).await;
    assert!(hint.hint().unwrap().starts_with("The tools are read, "), "{hint}");
}

#[tokio::test]
async fn a_registry_without_tools_says_so() {
    let result = session(Registry::new(Bounds::standard())).call("read", json!({})).await;
    assert_eq!(result.hint(), Some("There are no tools."));
}

#[tokio::test]
async fn an_endless_name_is_not_echoed_whole() {
    let name = "\u{1b}[2J".repeat(100_000);
    let result = workspace_session().call(&name, json!({})).await;
    assert_eq!(result.code(), Some(Code::UnknownMethod));
    assert!(result.text().len() < 2_000);
    assert!(!result.text().contains('\u{1b}'));
}

fn code(result: &ToolResult) -> Option<Code> {
    result.code()
}

#[tokio::test]
async fn parameters_that_are_no_object_are_a_failure() {
    let session = workspace_session();
    for wrong in [json!(1), json!(true), json!([1, 2]), json!("path"), json!("[1]")] {
        let result = session.call("read", wrong.clone()).await;
        assert_eq!(code(&result), Some(Code::InvalidParams), "{wrong}");
        assert!(result.message().unwrap().contains("they must be an object"), "{result}");
    }
}

#[tokio::test]
async fn text_that_is_no_json_is_a_failure_with_its_place() {
    let session = workspace_session();
    let deep = "[".repeat(100_000);
    for wrong in ["{", "{\"path\": }", "nonsense", "{} {}", &deep] {
        let result = session.call_text("read", wrong).await;
        assert_eq!(code(&result), Some(Code::InvalidRequest), "{wrong:.20}");
    }
    let result = session.call_text("read", "{\"path\":\n oops}").await;
    assert_eq!(result.message(), Some("the parameters are no JSON at line 2, column 2"));
}

#[tokio::test]
async fn text_that_is_json_is_taken_also_when_it_is_written_twice() {
    let session = workspace_session();
    session.call("write", json!({ "path": "a", "content": "x\n" })).await;
    let once = r#"{"path": "a"}"#;
    let twice = serde_json::to_string(once).unwrap();
    for good in [once, &twice] {
        assert_eq!(session.call_text("read", good).await.text(), "1: x");
    }
    assert_eq!(session.call("read", json!(once)).await.text(), "1: x");
}

#[tokio::test]
async fn no_parameters_are_an_empty_object() {
    let tool = Function::new("echo", "Gives back.", nothing(), |_, params| async move {
        Ok(Answer::text(params.to_string()))
    });
    let session = session_of(Bounds::standard(), tool);
    assert_eq!(session.call("echo", json!(null)).await.text(), "{}");
    for nothing in ["", "  \n", "null", "{}"] {
        assert_eq!(session.call_text("echo", nothing).await.text(), "{}", "{nothing:?}");
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Twice {
    number: u32,
}

#[tokio::test]
async fn parameters_of_the_wrong_type_name_what_is_wrong() {
    let tool = Function::new("twice", "Doubles.", nothing(), |_, sent| async move {
        let Twice { number } = params(sent)?;
        Ok(Answer::text((number * 2).to_string()))
    });
    let session = session_of(Bounds::standard(), tool);
    assert_eq!(session.call("twice", json!({ "number": 21 })).await.text(), "42");
    let result = session.call("twice", json!({ "colour": 1 })).await;
    assert_eq!(code(&result), Some(Code::InvalidParams));
    assert!(result.message().unwrap().contains("colour"), "{result}");
}
