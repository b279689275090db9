//! The OpenAPI document, written from the tables that calls are answered from.
//!
//! Tools and methods are rows of those tables; what else there is stands in `fixed`.

mod examples;
mod fixed;
mod own;
mod schemas;
mod settings;

use garth_contract::TABLE;
use garth_ops::{Needs, Tool, worktree::Method};
use serde_json::{Map, Value, json};

use super::table;
use own::Own;
use schemas::Schemas;

/// The document.
pub(crate) fn document() -> Value {
    let mut schemas = Schemas::new(fixed::schemas());
    let mut paths = fixed::paths();
    for tool in table::tools() {
        let path = format!("/v1/workspaces/{{id}}/{}", tool.name);
        paths.insert(path, json!({ "post": of_tool(tool, &mut schemas) }));
    }
    for method in garth_ops::worktree::METHODS {
        let path = format!("/v1/rpc/{}", method.name);
        paths.insert(path, json!({ "post": of_method(method, &mut schemas) }));
    }
    for own in own::rows() {
        let path = format!("/v1/rpc/{}", own.name);
        paths.insert(path, json!({ "post": of_own(&own, &mut schemas) }));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Garth",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Workspaces for agents: files, commands, and who may do what.",
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}, {"session": []}],
        "tags": [
            {"name": "tools", "description": "What a model does in a workspace."},
            {"name": "files", "description": "Files as bytes."},
            {"name": "worktree", "description": "Files for programs, as the WebSocket has them."},
            {"name": "workspaces", "description": "Agents and their workspaces."},
            {"name": "tokens", "description": "Who may ask for what."},
            {"name": "approvals", "description": "Calls that wait for somebody."},
            {"name": "audit", "description": "What was done."},
            {"name": "session", "description": "A person in a browser."},
            {"name": "health", "description": "How the gateway is."},
        ],
        "paths": paths,
        "components": {
            "schemas": schemas.into_map(),
            "parameters": fixed::parameters(),
            "responses": responses(),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "garth_session"},
            },
        },
    })
}

const DESCRIPTION: &str = "Every call is checked, counted and recorded in the same way, whichever \
                           interface it comes by. Text that leaves a workspace has placeholders \
                           in place of secrets.";

/// The statuses of errors that every operation may answer with, and their codes.
const COMMON: &[u16] = &[400, 401, 403, 404, 409, 413, 429, 500, 503];

fn of_tool(tool: &Tool, schemas: &mut Schemas) -> Value {
    let name = type_name(tool.name);
    let params = schemas.add(&format!("{name}Params"), (tool.params)().to_value());
    let payload = schemas.add(&format!("{name}Result"), (tool.payload)().to_value());
    let mut answer = json!({"application/json": {"schema": payload}});
    let mut description = tool.summary.to_owned();
    if tool.needs == Needs::Run {
        description.push_str(STREAMED);
        let events = json!({"schema": {"type": "string"}});
        if let Some(answer) = answer.as_object_mut() {
            answer.insert("text/event-stream".to_owned(), events);
        }
    }
    let mut operation = operation(("tools", &type_name(tool.name)), tool.title, &description);
    operation.insert("parameters".to_owned(), json!([parameter("id"), parameter("key")]));
    operation
        .insert("requestBody".to_owned(), body(tool.name, &params, &(tool.params)().to_value()));
    let done = json!({"description": "It was done.", "content": answer});
    operation.insert("responses".to_owned(), answers("200", done));
    Value::Object(operation)
}

const STREAMED: &str = " With `Accept: text/event-stream` it answers with events: `output` for \
                        what is printed, as it comes, and at the end one `result` or `error`.";

fn of_method(method: &Method, schemas: &mut Schemas) -> Value {
    let name = type_name(method.name);
    let params = schemas.add(&format!("{name}Params"), (method.params)().to_value());
    let payload = schemas.add(&format!("{name}Result"), (method.payload)().to_value());
    let mut operation = operation(("worktree", &name), method.title, method.summary);
    operation.insert("parameters".to_owned(), json!([parameter("key")]));
    let sent = body(method.name, &params, &(method.params)().to_value());
    operation.insert("requestBody".to_owned(), sent);
    let content = json!({"application/json": {"schema": payload}});
    let done = json!({"description": "It was done.", "content": content});
    operation.insert("responses".to_owned(), answers("200", done));
    Value::Object(operation)
}

fn of_own(own: &Own, schemas: &mut Schemas) -> Value {
    let name = type_name(own.name);
    let mut taken = own::schema(&own.params);
    if let Some(taken) = taken.as_object_mut() {
        taken.insert("additionalProperties".to_owned(), false.into());
    }
    let params = schemas.add(&format!("{name}Params"), taken.clone());
    let payload = schemas.add(&format!("{name}Result"), own::schema(&own.result));
    let mut operation = operation((own.tag, &name), own.title, own.summary);
    operation.insert("parameters".to_owned(), json!([parameter("key")]));
    operation.insert("requestBody".to_owned(), body(own.name, &params, &taken));
    let content = json!({"application/json": {"schema": payload}});
    let done = json!({"description": "It was done.", "content": content});
    operation.insert("responses".to_owned(), answers("200", done));
    Value::Object(operation)
}

/// What every operation begins with.
fn operation((tag, id): (&str, &str), title: &str, summary: &str) -> Map<String, Value> {
    let mut operation = Map::new();
    operation.insert("operationId".to_owned(), id.into());
    operation.insert("tags".to_owned(), json!([tag]));
    operation.insert("summary".to_owned(), title.into());
    operation.insert("description".to_owned(), summary.into());
    operation
}

/// The parameters of a tool or a method as a body.
fn body(name: &str, reference: &Value, schema: &Value) -> Value {
    let required = schema.get("required").is_some();
    let mut content = json!({ "schema": reference });
    if let (Some(example), Some(content)) = (examples::of(name), content.as_object_mut()) {
        content.insert("example".to_owned(), example);
    }
    json!({"required": required, "content": {"application/json": content}})
}

fn parameter(name: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{name}")})
}

/// What is answered: how it went well, and how it may not.
fn answers(status: &str, done: Value) -> Value {
    let mut all = Map::new();
    all.insert(status.to_owned(), done);
    for status in COMMON {
        let reference = json!({"$ref": format!("#/components/responses/{status}")});
        all.insert(status.to_string(), reference);
    }
    all.insert("default".to_owned(), json!({"$ref": "#/components/responses/default"}));
    Value::Object(all)
}

/// The answers that say what is wrong, from the table of codes.
fn responses() -> Map<String, Value> {
    let content = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}});
    let of = |status: u16| {
        let codes = TABLE.iter().filter(|row| row.http == status);
        let codes: Vec<_> = codes.map(|row| format!("`{}`: {}", row.name, row.phrase)).collect();
        let mut answer = json!({"description": codes.join("; "), "content": content});
        if let Some(answer) = answer.as_object_mut().filter(|_| status == 429) {
            let header = json!({"schema": {"type": "integer"}, "description": "Seconds to wait."});
            answer.insert("headers".to_owned(), json!({ "Retry-After": header }));
        }
        (status.to_string(), answer)
    };
    let mut all: Map<String, Value> = COMMON.iter().map(|status| of(*status)).collect();
    let other = "Another error of the table, with its status.";
    all.insert("default".to_owned(), json!({"description": other, "content": content}));
    all
}

/// The name of a type: `apply_patch` is `ApplyPatch`, `worktree.list` `WorktreeList`.
fn type_name(name: &str) -> String {
    let words = name.split(['_', '.', '-']);
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    words.map(capital).collect()
}

/// The codes that an error may have.
fn codes() -> Vec<&'static str> {
    TABLE.iter().map(|row| row.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    match value.as_str().filter(|_| key == "$ref") {
                        Some(text) => found.push(text),
                        None => walk(value, found),
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| walk(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere_and_every_row_is_there() {
        let document = document();
        let mut references = Vec::new();
        walk(&document, &mut references);
        for reference in references {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
        let paths = document["paths"].as_object().unwrap();
        for tool in table::tools() {
            assert!(paths.contains_key(&format!("/v1/workspaces/{{id}}/{}", tool.name)));
        }
        for method in garth_ops::worktree::METHODS {
            assert!(paths.contains_key(&format!("/v1/rpc/{}", method.name)));
        }
        assert!(!document.to_string().contains("$defs"));
    }

    #[test]
    fn every_example_is_of_something_and_has_what_is_required() {
        let document = document();
        for (path, item) in document["paths"].as_object().unwrap() {
            let body = &item["post"]["requestBody"];
            let content = &body["content"]["application/json"];
            let Some(example) = content.get("example") else { continue };
            let reference = content["schema"]["$ref"].as_str().unwrap();
            let schema = document.pointer(reference.strip_prefix('#').unwrap()).unwrap();
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(example.get(name.as_str().unwrap()).is_some(), "{path}: {name}");
            }
            for name in example.as_object().unwrap().keys() {
                assert!(schema["properties"].get(name).is_some(), "{path}: {name}");
            }
        }
    }

    #[test]
    fn names_become_names_of_types() {
        assert_eq!(type_name("apply_patch"), "ApplyPatch");
        assert_eq!(type_name("worktree.list"), "WorktreeList");
    }
}
