//! The table of each dialect agrees with the folder, and its schemas with what clients take.

use std::collections::BTreeSet;

use garth_ops::{DIALECTS, Dialect, Needs, Tool, dialect, find, workspace::TOOLS};
use serde_json::Value;

#[test]
fn every_file_of_a_dialects_folder_is_a_row_of_its_table() {
    for Dialect { name, tools, .. } in DIALECTS {
        let rows: BTreeSet<_> = tools.iter().map(|tool| tool.name.to_owned()).collect();
        assert_eq!(rows.len(), tools.len(), "every name of {name} is there once");
        assert_eq!(files_of(name), rows, "{name}");
    }
}

fn files_of(dialect: &str) -> BTreeSet<String> {
    let folder = format!("{}/src/{dialect}", env!("CARGO_MANIFEST_DIR"));
    #[allow(clippy::disallowed_methods, reason = "it is the source of this crate that is read")]
    let files = std::fs::read_dir(folder).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.strip_suffix(".rs").map(str::to_owned)).collect()
}

#[test]
fn a_dialect_is_found_by_its_name_and_says_how_to_work_with_it() {
    let names: BTreeSet<_> = DIALECTS.iter().map(|dialect| dialect.name).collect();
    assert_eq!(names.len(), DIALECTS.len(), "every name is there once");
    assert_eq!(DIALECTS[0].name, "workspace");
    for Dialect { name, summary, instructions, tools, .. } in DIALECTS {
        assert_eq!(dialect(name).unwrap().tools.len(), tools.len());
        assert!(!summary.is_empty() && !instructions.is_empty(), "{name}");
    }
    assert!(dialect("nope").is_none());
}

/// Every tool of every dialect.
fn all() -> impl Iterator<Item = &'static Tool> {
    DIALECTS.iter().flat_map(|dialect| dialect.tools)
}

#[test]
fn a_tool_is_found_by_its_name_only() {
    for tool in TOOLS {
        assert_eq!(find(TOOLS, tool.name).unwrap().name, tool.name);
    }
    assert!(find(TOOLS, "nope").is_none());
    assert_eq!(find(TOOLS, "read").unwrap().needs, Needs::Read);
    assert_eq!(find(TOOLS, "delete").unwrap().needs, Needs::Replace);
}

#[test]
fn every_schema_is_one_that_all_clients_read() {
    for tool in all() {
        for schema in [(tool.params)(), (tool.payload)()] {
            let schema = schema.to_value();
            assert_eq!(schema["type"], "object", "{}", tool.name);
            plain(tool.name, &schema);
        }
        let schema = (tool.params)().to_value();
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property.get("description").is_some(), "{} {name}", tool.name);
        }
    }
}

#[test]
fn what_repeats_the_text_is_in_the_payload_and_not_needed_there() {
    for tool in all() {
        let schema = (tool.payload)().to_value();
        for key in tool.repeats {
            assert!(schema["properties"].get(key).is_some(), "{} {key}", tool.name);
        }
        let others = schema["properties"].as_object().unwrap().len() - tool.repeats.len();
        assert!(others > 0, "{} has facts beside its text", tool.name);
    }
    for (tool, keys) in [("read", &["content", "listing"][..]), ("edit", &["diff"]), ("stat", &[])]
    {
        assert_eq!(find(TOOLS, tool).unwrap().repeats, keys);
    }
}

/// Nothing that some clients refuse: references, unions, formats of numbers.
fn plain(tool: &str, schema: &Value) {
    match schema {
        Value::Object(object) => {
            for key in ["$ref", "$defs", "anyOf", "oneOf", "allOf", "format", "$schema"] {
                assert!(!object.contains_key(key), "{tool}: {key} in {schema}");
            }
            assert!(!object.get("type").is_some_and(Value::is_array), "{tool}: {schema}");
            object.values().for_each(|value| plain(tool, value));
        }
        Value::Array(items) => items.iter().for_each(|value| plain(tool, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
