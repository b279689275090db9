//! JSON Schemas of parameters and payloads, in a form that every client reads.
//!
//! Some clients drop a tool whose schema has a reference, a union of types or a
//! format they do not know. What a schema loses here says nothing that a caller
//! needs: an optional parameter is one that is not required.

use schemars::{
    JsonSchema, Schema,
    generate::SchemaSettings,
    transform::{Transform, transform_subschemas},
};
use serde_json::{Map, Value};

/// The schema of a type, without references, unions with null and number formats.
pub(crate) fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    let mut plain = Plain;
    plain.transform(&mut schema);
    schema.remove("title");
    // Some clients refuse a tool without parameters unless it says that it has none.
    if schema.get("properties").is_none() {
        schema.insert("properties".into(), Map::new().into());
    }
    schema
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
}
