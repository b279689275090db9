//! The tools of a dialect as a client of MCP is shown them.

use std::sync::Arc;

use garth_ops::{Needs, Tool};
use rmcp::model::{self, ToolAnnotations};
use serde_json::{Map, Value};

/// One row of `tools/list`.
pub(crate) fn listed(tool: &Tool) -> model::Tool {
    let input = object((tool.params)().to_value());
    let mut listed = model::Tool::new(tool.name, tool.summary, Arc::new(input));
    listed.title = Some(tool.title.to_owned());
    listed.output_schema = Some(Arc::new(facts(tool)));
    listed.annotations = Some(annotations(tool));
    listed
}

/// The schema of what a result holds beside its text.
fn facts(tool: &Tool) -> Map<String, Value> {
    let mut schema = object((tool.payload)().to_value());
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        tool.repeats.iter().for_each(|key| drop(properties.shift_remove(*key)));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name.as_str().is_none_or(|name| !tool.repeats.contains(&name)));
    }
    schema
}

fn annotations(tool: &Tool) -> ToolAnnotations {
    ToolAnnotations::with_title(tool.title)
        .read_only(tool.needs.changes_nothing())
        .destructive(tool.needs.destroys())
        .idempotent(!tool.needs.destroys())
        .open_world(matches!(tool.needs, Needs::Run | Needs::Git))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}
