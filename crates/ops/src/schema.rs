//! JSON Schemas of parameters and payloads, in a form that every client reads.
//!
//! Some clients drop a tool whose schema has a reference, a union of types or a
//! format they do not know. What a schema loses here says nothing that a caller
//! needs: an optional parameter is one that is not required.

use schemars::{
    JsonSchema, Schema,
    generate::{Contract, SchemaSettings},
    transform::{Transform, transform_subschemas},
};
use serde_json::{Map, Value};

/// The schema of a type, without references, unions with null and number formats.
///
/// Required is only what is there in both directions: a parameter that has a default
/// need not be sent, and a fact that is left out while it is empty need not come.
pub(crate) fn schema_of<T: JsonSchema>() -> Schema {
    let mut schema = generated::<T>(Contract::Deserialize);
    let written = generated::<T>(Contract::Serialize);
    if let Some(object) = schema.as_object_mut() {
        written.as_object().into_iter().for_each(|written| require_less(object, written));
    }
    let mut plain = Plain;
    plain.transform(&mut schema);
    schema.remove("title");
    // Some clients refuse a tool without parameters unless it says that it has none.
    if schema.get("properties").is_none() {
        schema.insert("properties".into(), Map::new().into());
    }
    schema
}

fn generated<T: JsonSchema>(contract: Contract) -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
        settings.contract = contract;
    });
    settings.into_generator().into_root_schema_for::<T>()
}

/// Requires of a schema, and of those in it, only what another requires too.
fn require_less(schema: &mut Map<String, Value>, other: &Map<String, Value>) {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        let others = other.get("required").and_then(Value::as_array);
        required.retain(|name| others.is_some_and(|others| others.contains(name)));
        if required.is_empty() {
            schema.shift_remove("required");
        }
    }
    for (key, value) in schema {
        match (value, other.get(key)) {
            (Value::Object(inner), Some(Value::Object(other))) => require_less(inner, other),
            (Value::Array(inners), Some(Value::Array(others))) => {
                for pair in inners.iter_mut().zip(others) {
                    if let (Value::Object(inner), Value::Object(other)) = pair {
                        require_less(inner, other);
                    }
                }
            }
            (_, _) => {}
        }
    }
}

struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        object.remove("format");
        object.remove("default");
        without_null(object);
        enum_of_constants(object);
    }
}

/// Turns "a thing or null" into the thing.
fn without_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(variants)) = object.get_mut("anyOf") else { return };
    variants.retain(|variant| variant.get("type").is_none_or(|kind| kind != "null"));
    if let [Value::Object(only)] = variants.as_slice() {
        let only = only.clone();
        object.remove("anyOf");
        let described = [object.get("description"), only.get("description")];
        let described: Vec<_> = described.into_iter().flatten().filter_map(Value::as_str).collect();
        let described = described.join(" ");
        object.extend(only);
        if !described.is_empty() {
            object.insert("description".into(), described.into());
        }
    }
}

/// Turns "one of these constants, each with a description" into one enum.
fn enum_of_constants(object: &mut Map<String, Value>) {
    let Some(Value::Array(variants)) = object.get("oneOf") else { return };
    let Some(constants) = variants.iter().map(|v| v.get("const").cloned()).collect::<Option<_>>()
    else {
        return;
    };
    let meanings: Vec<String> = variants
        .iter()
        .filter_map(|v| {
            Some(format!("{}: {}", v.get("const")?.as_str()?, v.get("description")?.as_str()?))
        })
        .collect();
    object.remove("oneOf");
    object.insert("type".into(), "string".into());
    object.insert("enum".into(), Value::Array(constants));
    let own = object.get("description").and_then(Value::as_str).unwrap_or_default();
    let description = [&[own.to_owned()][..], &meanings].concat().join(" ");
    object.insert("description".into(), description.trim().into());
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields)]
    struct Nothing {}

    #[test]
    fn a_tool_without_parameters_says_that_it_has_none() {
        let schema = schema_of::<Nothing>().to_value();
        let none = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(schema, none);
    }

    #[derive(Serialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Written {
        always: u64,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        sometimes: Vec<Row>,
    }

    #[derive(Serialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Row {
        always: u64,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        sometimes: bool,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Sent {
        always: u64,
        #[serde(default)]
        sometimes: u64,
    }

    #[test]
    fn what_is_left_out_sometimes_is_not_required() {
        let (written, sent) = (schema_of::<Written>(), schema_of::<Sent>());
        let rows = written.pointer("/properties/sometimes/items/required");
        let always = json!(["always"]);
        assert_eq!(written.get("required"), Some(&always));
        assert_eq!(rows, Some(&always));
        assert_eq!(sent.get("required"), Some(&always));
    }
}
