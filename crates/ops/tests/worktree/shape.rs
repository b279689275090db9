//! Tells whether a value has the shape that a schema says, of the few words that the
//! schemas of this table use.

use serde_json::Value;

/// Checks a value, down to the last of its parts.
pub(crate) fn check(place: &str, schema: &Value, value: &Value) {
    let wanted = schema["type"].as_str().unwrap_or_else(|| panic!("{place}: no type in {schema}"));
    let fits = match wanted {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        other => panic!("{place}: {other}"),
    };
    assert!(fits, "{place} is no {wanted}: {value}");
    if let Some(allowed) = schema.get("enum") {
        assert!(allowed.as_array().unwrap().contains(value), "{place}: {value} of {allowed}");
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        check(&format!("{place}[{index}]"), &schema["items"], item);
    }
    let Some(fields) = value.as_object() else { return };
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(fields.contains_key(name.as_str().unwrap()), "{place} lacks {name}: {value}");
    }
    for (name, field) in fields {
        let known = schema["properties"].get(name);
        let known = known.unwrap_or_else(|| panic!("{place}.{name} is not in the schema"));
        check(&format!("{place}.{name}"), known, field);
    }
}
