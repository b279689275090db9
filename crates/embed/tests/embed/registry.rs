//! Registering: whole dialects, single tools, tools of one's own.

use std::sync::Arc;

use garth_embed::{
    Answer, Bounds, BoxFuture, Code, DIALECTS, Registry, Result, Shape, Tool, Value, Workspace,
    dialect, json,
};

use crate::fixture::{nothing, says, session, workspace_session, workspace_tools};

#[test]
fn every_dialect_can_be_registered_and_keeps_its_order() {
    for dialect in DIALECTS {
        let mut registry = Registry::new(Bounds::standard());
        registry.register(dialect).unwrap();
        let names: Vec<_> = registry.names().collect();
        let table: Vec<_> = dialect.tools.iter().map(|tool| tool.name).collect();
        assert_eq!(names, table, "{}", dialect.name);
    }
}

#[test]
fn one_tool_of_a_dialect_can_be_registered() {
    let tool = dialect("workspace").unwrap().tools.iter().find(|tool| tool.name == "grep").unwrap();
    let mut registry = Registry::new(Bounds::standard());
    registry.add(*tool).unwrap();
    assert_eq!(registry.names().collect::<Vec<_>>(), ["grep"]);
}

#[test]
fn a_name_that_is_taken_is_refused_and_the_first_stays() {
    let mut registry = Registry::new(Bounds::standard());
    registry.add(says("hello", "first")).unwrap();
    let error = registry.add(says("hello", "second")).unwrap_err();
    assert_eq!(error.code(), Code::InvalidParams);
    assert_eq!(error.message(), "there is a tool hello already");
    assert_eq!(registry.names().collect::<Vec<_>>(), ["hello"]);
}

#[test]
fn a_dialect_comes_whole_or_not_at_all() {
    let mut registry = Registry::new(Bounds::standard());
    registry.add(says("grep", "mine")).unwrap();
    registry.register(dialect("workspace").unwrap()).unwrap_err();
    assert_eq!(registry.names().collect::<Vec<_>>(), ["grep"]);
    registry.add(says("read", "also mine")).unwrap();
    assert_eq!(registry.names().collect::<Vec<_>>(), ["grep", "read"]);
}

#[test]
fn a_name_that_no_model_can_call_is_refused() {
    let mut registry = Registry::new(Bounds::standard());
    let long = "x".repeat(65);
    for name in ["", "two words", "a.b", "ä", "a\nb", &long] {
        let error = registry.add(says(name, "")).unwrap_err();
        assert_eq!(error.code(), Code::InvalidParams, "{name}");
    }
    registry.add(says(&"x".repeat(64), "")).unwrap();
}

#[test]
fn parameters_that_are_no_object_are_refused() {
    let mut registry = Registry::new(Bounds::standard());
    for schema in [json!({}), json!({ "type": "string" }), json!(true), Value::Null] {
        let tool = garth_embed::Function::new("odd", "Odd.", schema, |_, _| async {
            Ok(Answer::text(""))
        });
        assert_eq!(registry.add(tool).unwrap_err().code(), Code::InvalidParams);
    }
}

struct Shout;

impl Tool for Shout {
    fn name(&self) -> &str {
        "shout"
    }

    fn summary(&self) -> &str {
        "Reads a file aloud."
    }

    fn params(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "path": { "type": "string" } },
            "required": ["path"],
        })
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Arc<Workspace>,
        params: Value,
    ) -> BoxFuture<'a, Result<Answer>> {
        Box::pin(async move {
            let path = workspace.path(params["path"].as_str().unwrap_or_default())?;
            let content = workspace.current(&path).await?.map(|content| content.bytes);
            let text = String::from_utf8_lossy(&content.unwrap_or_default()).to_uppercase();
            Answer::text(text).with(&json!({ "path": path.to_string() }))
        })
    }
}

#[tokio::test]
async fn a_tool_of_ones_own_works_on_the_same_files() {
    let mut registry = workspace_tools();
    registry.add(Shout).unwrap();
    let session = session(registry);
    let written = session.call("write", json!({ "path": "a.txt", "content": "hello\n" })).await;
    assert!(written.is_success(), "{written}");
    let shouted = session.call("shout", json!({ "path": "/workspace/a.txt" })).await;
    assert_eq!(shouted.text(), "HELLO\n");
    assert_eq!(
        serde_json::to_value(&shouted).unwrap(),
        json!({ "ok": true, "payload": { "path": "a.txt", "text": "HELLO\n" } })
    );
}

#[tokio::test]
async fn a_success_is_the_json_that_every_interface_sends() {
    let session = workspace_session();
    let result = session.call("write", json!({ "path": "a.txt", "content": "x\n" })).await;
    let body = serde_json::to_value(&result).unwrap();
    assert_eq!(body["ok"], true);
    assert_eq!(body["payload"]["path"], "a.txt");
    assert_eq!(body["payload"]["size_bytes"], 2);
    assert!(body.get("error").is_none());
}

#[tokio::test]
async fn a_failure_is_the_json_that_every_interface_sends() {
    let session = workspace_session();
    let result = session.call("read", json!({ "path": "none.txt" })).await;
    assert!(!result.is_success());
    assert_eq!(result.code(), Some(Code::FileNotFound));
    assert_eq!(result.message(), Some("file not found: none.txt"));
    assert_eq!(result.payload(), None);
    let text = format!(
        "error: {} (FILE_NOT_FOUND)\nhint: {}",
        result.message().unwrap(),
        result.hint().unwrap()
    );
    assert_eq!(result.text(), text);
    let body = serde_json::to_value(&result).unwrap();
    assert_eq!(body["ok"], false);
    assert_eq!(body["error"]["code"], "FILE_NOT_FOUND");
    assert_eq!(body["error"]["details"]["path"], "none.txt");
}

#[test]
fn what_is_made_of_a_registry_is_the_same_each_time() {
    let schemas = || serde_json::to_string(&workspace_tools().schemas(Shape::Mcp)).unwrap();
    assert_eq!(schemas(), schemas());
    let mut registry = Registry::new(Bounds::standard());
    for name in ["zebra", "ape", "mole"] {
        registry.add(says(name, "")).unwrap();
    }
    assert_eq!(registry.names().collect::<Vec<_>>(), ["zebra", "ape", "mole"]);
    assert_eq!(nothing()["type"], "object");
}
