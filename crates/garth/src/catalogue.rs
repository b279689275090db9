//! The list of tools: names, summaries and parameters.

use std::fmt::Write as _;

use garth_ops::Tool;
use serde_json::{Map, Value, json};

/// The tools as facts for a program.
pub(crate) fn payload(tools: &[&Tool]) -> Map<String, Value> {
    let rows = tools.iter().map(|tool| {
        json!({
            "name": tool.name,
            "summary": tool.summary,
            "read_only": tool.needs.changes_nothing(),
            "parameters": (tool.params)(),
        })
    });
    Map::from_iter([("tools".to_owned(), rows.collect())])
}

/// The tools as a page for a person.
pub(crate) fn page(tools: &[&Tool]) -> String {
    let mut page = String::new();
    for tool in tools {
        let _ = writeln!(page, "{}: {}", tool.name, tool.summary);
        let parameters = parameters(tool);
        let width = parameters.iter().map(|row| row.name.len()).max().unwrap_or(0);
        for Parameter { name, kind, required, meaning } in parameters {
            let required = if required { ", required" } else { "" };
            let _ = writeln!(page, "    {name:width$}  ({kind}{required}) {meaning}");
        }
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page
}

struct Parameter {
    name: String,
    kind: String,
    required: bool,
    meaning: String,
}

fn parameters(tool: &Tool) -> Vec<Parameter> {
    let schema = (tool.params)().to_value();
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get("properties") else { return Vec::new() };
    let row = |(name, property): (&String, &Value)| Parameter {
        name: name.clone(),
        kind: kind(property),
        required: required.iter().any(|field| field == name),
        meaning: text(property, "description").replace('\n', " "),
    };
    properties.iter().map(row).collect()
}

fn kind(property: &Value) -> String {
    if let Some(Value::Array(values)) = property.get("enum") {
        return values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|");
    }
    match text(property, "type") {
        "string" => "text".to_owned(),
        "integer" => "number".to_owned(),
        "boolean" => "true|false".to_owned(),
        "array" => "list".to_owned(),
        other => other.to_owned(),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
