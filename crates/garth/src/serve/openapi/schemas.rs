//! The schemas of the document by their names; those within a schema are hoisted.

use serde_json::{Map, Value, json};

/// The schemas, by name.
pub(super) struct Schemas(Map<String, Value>);

impl Schemas {
    pub(super) fn new(fixed: Map<String, Value>) -> Self {
        Self(fixed)
    }

    /// Adds a schema and gives a reference to it. What it defines within itself gets a
    /// name behind its own.
    pub(super) fn add(&mut self, name: &str, mut schema: Value) -> Value {
        let inner = schema.as_object_mut().and_then(|schema| schema.shift_remove("$defs"));
        renamed(&mut schema, name);
        self.0.insert(name.to_owned(), schema);
        if let Some(Value::Object(inner)) = inner {
            for (own, mut schema) in inner {
                renamed(&mut schema, name);
                self.0.insert(format!("{name}{own}"), schema);
            }
        }
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    pub(super) fn into_map(self) -> Map<String, Value> {
        self.0
    }
}

/// Lets references to what a schema defines within itself lead to its new name.
fn renamed(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(object) => {
            for (key, value) in object {
                let own = value.as_str().and_then(|text| text.strip_prefix("#/$defs/"));
                match own.filter(|_| key == "$ref") {
                    Some(own) => *value = format!("#/components/schemas/{name}{own}").into(),
                    None => renamed(value, name),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| renamed(value, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_schema_defines_within_itself_is_hoisted() {
        let mut schemas = Schemas::new(Map::new());
        let schema = json!({
            "properties": {"tree": {"$ref": "#/$defs/Node"}},
            "$defs": {"Node": {"items": {"$ref": "#/$defs/Node"}}},
        });
        let reference = schemas.add("Tree", schema);
        assert_eq!(reference, json!({"$ref": "#/components/schemas/Tree"}));
        let node = json!({"$ref": "#/components/schemas/TreeNode"});
        assert_eq!(
            Value::Object(schemas.into_map()),
            json!({"Tree": {"properties": {"tree": node}}, "TreeNode": {"items": node}})
        );
    }
}
