//! The table agrees with the folder, its schemas with what clients take, and replies
//! with their schemas.

use std::collections::BTreeSet;

use garth_ops::worktree::{METHODS, method};
use serde_json::Value;

#[test]
fn every_file_of_the_folder_is_a_row_of_the_table() {
    let rows: BTreeSet<_> = METHODS.iter().map(|method| method.name.to_owned()).collect();
    assert_eq!(rows.len(), METHODS.len(), "every name is there once");
    let folder = format!("{}/src/worktree", env!("CARGO_MANIFEST_DIR"));
    #[allow(clippy::disallowed_methods, reason = "it is the source of this crate that is read")]
    let files = std::fs::read_dir(folder).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    // Whole files as bytes are no method; who carries bytes calls it.
    let names = names.filter(|name| name != "transfer.rs");
    let files: BTreeSet<_> =
        names.filter_map(|name| Some(format!("worktree.{}", name.strip_suffix(".rs")?))).collect();
    assert_eq!(files, rows);
}

#[test]
fn a_method_is_found_by_its_name_only() {
    for row in METHODS {
        assert_eq!(method(row.name).unwrap().name, row.name);
        assert!(!row.title.is_empty() && row.summary.ends_with('.'), "{}", row.name);
    }
    assert!(method("list").is_none() && method("worktree.nope").is_none());
}

#[test]
fn every_schema_is_one_that_all_clients_read() {
    for method in METHODS {
        for schema in [(method.params)(), (method.payload)()] {
            let schema = schema.to_value();
            assert_eq!(schema["type"], "object", "{}", method.name);
            plain(method.name, &schema);
            for (name, property) in schema["properties"].as_object().unwrap() {
                assert!(property.get("description").is_some(), "{} {name}", method.name);
            }
        }
        let schema = (method.params)().to_value();
        assert_eq!(schema["additionalProperties"], false, "{}", method.name);
        assert_eq!(schema["properties"]["agentId"]["type"], "string", "{}", method.name);
        let required = schema["required"].as_array().unwrap();
        assert!(required.contains(&"agentId".into()), "{}", method.name);
    }
}

/// Nothing that some clients refuse: references, unions, formats of numbers; and
/// names as programs of this protocol write them.
fn plain(method: &str, schema: &Value) {
    match schema {
        Value::Object(object) => {
            for key in ["$ref", "$defs", "anyOf", "oneOf", "allOf", "format", "$schema"] {
                assert!(!object.contains_key(key), "{method}: {key} in {schema}");
            }
            assert!(!object.get("type").is_some_and(Value::is_array), "{method}: {schema}");
            for (key, value) in object.iter().filter(|(key, _)| *key != "properties") {
                plain(&format!("{method} {key}"), value);
            }
            for (name, property) in
                object.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                assert!(!name.contains('_'), "{method}: {name}");
                plain(&format!("{method}.{name}"), property);
            }
        }
        Value::Array(items) => items.iter().for_each(|value| plain(method, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
