//! Arguments that a schema forbids, made from the schema.

use serde_json::{Map, Value, json};

/// Arguments of a tool, each wrong in one place.
pub(super) fn calls(schema: &Value) -> Vec<Value> {
    objects(schema)
}

/// A value that a schema allows.
fn good(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("string") => json!("a.txt"),
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(false),
        Some("array") => json!([good(&schema["items"])]),
        Some("object") => Value::Object(fields(schema)),
        Some(_) | None => Value::Null,
    }
}

/// What an object has to have.
fn fields(schema: &Value) -> Map<String, Value> {
    let required = names(schema);
    required.iter().map(|name| (name.clone(), good(&schema["properties"][name]))).collect()
}

fn names(schema: &Value) -> Vec<String> {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    required.iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Values that a schema forbids, and that stand for nothing that it allows.
fn wrong(schema: &Value) -> Vec<Value> {
    let mut wrong = match schema["type"].as_str() {
        Some("string") => {
            // A list of texts is taken where a text is a pattern.
            vec![json!(5), json!(-1), json!(1.5), json!(true), json!([5]), json!([[]]), json!({})]
        }
        Some("integer" | "number") => {
            vec![json!(-1.5), json!(1e300), json!("many"), json!(""), json!(true), json!([])]
        }
        Some("boolean") => vec![json!("perhaps"), json!(""), json!(5), json!([]), json!({})],
        Some("array") => {
            let items = wrong(&schema["items"]).into_iter().map(|item| json!([item]));
            items.chain([json!(5), json!(true), json!({"a": 1})]).collect()
        }
        Some("object") => {
            objects(schema).into_iter().chain([json!(5), json!("text"), json!([])]).collect()
        }
        Some(_) | None => Vec::new(),
    };
    if schema["enum"].is_array() {
        wrong.push(json!("nonsense"));
    }
    wrong
}

/// Objects that are wrong in one field, have one too many or one too few.
fn objects(schema: &Value) -> Vec<Value> {
    let whole = fields(schema);
    let with = |name: &str, value: Value| {
        let mut object = whole.clone();
        object.insert(name.to_owned(), value);
        Value::Object(object)
    };
    // Where any name is right, such as a variable's, none is one too many.
    let closed = !schema["additionalProperties"].is_object();
    let mut all = Vec::new();
    all.extend(closed.then(|| with("no_such_parameter", json!(1))));
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    for (name, property) in &properties {
        all.extend(wrong(property).into_iter().map(|value| with(name, value)));
    }
    for name in names(schema) {
        all.push(with(&name, Value::Null));
        let mut object = whole.clone();
        object.remove(&name);
        all.push(Value::Object(object));
    }
    all
}
