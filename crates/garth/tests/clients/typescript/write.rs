//! Writes the types of a document in TypeScript.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The types of all schemas, and tables of tools and methods.
pub(super) fn types(document: &Value) -> String {
    let mut out = String::from(
        "// Written from the gateway's OpenAPI document by `make docs`; not to be edited.\n",
    );
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let _ = write!(out, "\n{}export type {name} = {};\n", comment(schema, ""), of(schema, ""));
    }
    let paths = document["paths"].as_object().unwrap();
    let tool = |path: &str, row: &Value| path.starts_with(TOOL) && row["tags"][0] == "tools";
    out.push_str(&table("Tools", TOOL, tool, paths));
    out.push_str(&table("Methods", METHOD, |path, _| path.starts_with(METHOD), paths));
    out
}

const TOOL: &str = "/v1/workspaces/{id}/";
const METHOD: &str = "/v1/rpc/";

/// What each of a kind takes and answers.
fn table(
    name: &str,
    prefix: &str,
    is: impl Fn(&str, &Value) -> bool,
    paths: &Map<String, Value>,
) -> String {
    let mut out = format!("\nexport interface {name} {{\n");
    for (path, item) in paths {
        let row = &item["post"];
        if !is(path, row) {
            continue;
        }
        let json = "/content/application~1json/schema/$ref";
        let last = |value: &Value| value.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let params = last(row["requestBody"].pointer(json).unwrap());
        let result = last(row["responses"]["200"].pointer(json).unwrap());
        let summary = row["summary"].as_str().unwrap();
        let own = path.strip_prefix(prefix).unwrap();
        let _ = writeln!(out, "  /** {summary}. */");
        let _ = writeln!(out, "  \"{own}\": {{ params: {params}; result: {result} }};");
    }
    out + "}\n"
}

fn comment(schema: &Value, indent: &str) -> String {
    match schema["description"].as_str() {
        Some(text) => {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /");
            format!("/** {text} */\n{indent}")
        }
        None => String::new(),
    }
}

/// A schema as a type.
fn of(schema: &Value, indent: &str) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap().to_owned();
    }
    if let Some(only) = schema.get("const") {
        return only.to_string();
    }
    let joined = |values: &[Value], each: &dyn Fn(&Value) -> String, by: &str| {
        values.iter().map(each).collect::<Vec<_>>().join(by)
    };
    if let Some(values) = schema["enum"].as_array() {
        return joined(values, &Value::to_string, " | ");
    }
    for (key, by) in [("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")] {
        if let Some(values) = schema[key].as_array() {
            return format!("({})", joined(values, &|value| of(value, indent), by));
        }
    }
    match schema["type"].as_array() {
        Some(kinds) => joined(kinds, &|kind| one(kind, schema, indent), " | "),
        None => one(&schema["type"], schema, indent),
    }
}

/// A schema of one kind.
fn one(kind: &Value, schema: &Value, indent: &str) -> String {
    match kind.as_str() {
        Some("string") => "string".to_owned(),
        Some("integer" | "number") => "number".to_owned(),
        Some("boolean") => "boolean".to_owned(),
        Some("null") => "null".to_owned(),
        Some("array") => match schema["prefixItems"].as_array() {
            Some(items) => {
                let items: Vec<_> = items.iter().map(|item| of(item, indent)).collect();
                format!("[{}]", items.join(", "))
            }
            None => format!("Array<{}>", of(&schema["items"], indent)),
        },
        Some("object") => object(schema, indent),
        Some(_) | None => "unknown".to_owned(),
    }
}

fn object(schema: &Value, indent: &str) -> String {
    let properties = schema["properties"].as_object().filter(|properties| !properties.is_empty());
    let Some(properties) = properties else {
        let values = &schema["additionalProperties"];
        return match (values.as_bool(), values.is_object()) {
            (Some(false), _) => "Record<string, never>".to_owned(),
            (_, true) => format!("Record<string, {}>", of(values, indent)),
            (_, false) => "Record<string, unknown>".to_owned(),
        };
    };
    let required = |name: &str| {
        let all = schema["required"].as_array();
        all.is_some_and(|all| all.iter().any(|one| one == name))
    };
    let inner = format!("{indent}  ");
    let mut out = String::from("{\n");
    for (name, property) in properties {
        let mark = if required(name) { "" } else { "?" };
        let comment = comment(property, &inner);
        let _ = writeln!(out, "{inner}{comment}{name}{mark}: {};", of(property, &inner));
    }
    out + indent + "}"
}
