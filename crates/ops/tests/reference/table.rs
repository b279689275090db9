//! The table of tools agrees with the folder, and with what clients expect.

use std::collections::BTreeSet;

use garth_ops::{Needs, dialect, reference::TOOLS};
use serde_json::{Value, json};

#[test]
fn every_file_of_the_folder_is_a_row_of_the_table() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/reference");
    #[allow(clippy::disallowed_methods, reason = "it is the source of this crate that is read")]
    let files = std::fs::read_dir(folder).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<_> =
        names.filter_map(|name| name.strip_suffix(".rs").map(str::to_owned)).collect();
    let rows: BTreeSet<_> = TOOLS.iter().map(|tool| tool.name.to_owned()).collect();
    assert_eq!(files, rows);
}

#[test]
fn the_dialect_has_the_fourteen_tools_in_their_order() {
    let dialect = dialect("reference").unwrap();
    let rows: Vec<_> = dialect.tools.iter().map(|tool| (tool.name, tool.title)).collect();
    assert_eq!(
        rows,
        [
            ("read_file", "Read File (Deprecated)"),
            ("read_text_file", "Read Text File"),
            ("read_media_file", "Read Media File"),
            ("read_multiple_files", "Read Multiple Files"),
            ("write_file", "Write File"),
            ("edit_file", "Edit File"),
            ("create_directory", "Create Directory"),
            ("list_directory", "List Directory"),
            ("list_directory_with_sizes", "List Directory with Sizes"),
            ("directory_tree", "Directory Tree"),
            ("move_file", "Move File"),
            ("search_files", "Search Files"),
            ("get_file_info", "Get File Info"),
            ("list_allowed_directories", "List Allowed Directories"),
        ]
    );
}

#[test]
fn what_a_tool_may_change_is_what_clients_are_told() {
    for tool in TOOLS {
        let needs = match tool.name {
            "write_file" | "edit_file" | "move_file" => Needs::Replace,
            "create_directory" => Needs::Add,
            _ => Needs::Read,
        };
        assert_eq!(tool.needs, needs, "{}", tool.name);
    }
}

fn shape(tool: &str) -> (Vec<String>, Value) {
    let tool = garth_ops::find(TOOLS, tool).unwrap();
    let schema = (tool.params)().to_value();
    let names = schema["properties"].as_object().into_iter().flat_map(|map| map.keys().cloned());
    (names.collect(), schema["required"].clone())
}

#[test]
fn the_parameters_have_the_names_that_clients_send() {
    for (tool, names, required) in [
        ("read_file", &["head", "path", "tail"][..], json!(["path"])),
        ("read_text_file", &["head", "path", "tail"], json!(["path"])),
        ("read_media_file", &["path"], json!(["path"])),
        ("read_multiple_files", &["paths"], json!(["paths"])),
        ("write_file", &["content", "path"], json!(["path", "content"])),
        ("edit_file", &["dryRun", "edits", "path"], json!(["path", "edits"])),
        ("create_directory", &["path"], json!(["path"])),
        ("list_directory", &["path"], json!(["path"])),
        ("list_directory_with_sizes", &["path", "sortBy"], json!(["path"])),
        ("directory_tree", &["excludePatterns", "path"], json!(["path"])),
        ("move_file", &["destination", "source"], json!(["source", "destination"])),
        ("search_files", &["excludePatterns", "path", "pattern"], json!(["path", "pattern"])),
        ("get_file_info", &["path"], json!(["path"])),
        ("list_allowed_directories", &[], Value::Null),
    ] {
        let (mut found, needed) = shape(tool);
        found.sort();
        assert_eq!(found, names, "{tool}");
        assert_eq!(needed, required, "{tool}");
    }
    let edit = (garth_ops::find(TOOLS, "edit_file").unwrap().params)().to_value();
    let one = &edit["properties"]["edits"]["items"];
    assert_eq!(one["required"], json!(["oldText", "newText"]));
    let list = (garth_ops::find(TOOLS, "list_directory_with_sizes").unwrap().params)().to_value();
    assert_eq!(list["properties"]["sortBy"]["enum"], json!(["name", "size"]));
}

#[test]
fn every_payload_is_content_and_nothing_else() {
    for tool in TOOLS {
        let schema = (tool.payload)().to_value();
        assert_eq!(schema["required"], json!(["content"]), "{}", tool.name);
        assert_eq!(schema["properties"].as_object().unwrap().len(), 1, "{}", tool.name);
        let kind = if tool.name == "read_media_file" { "array" } else { "string" };
        assert_eq!(schema["properties"]["content"]["type"], kind, "{}", tool.name);
        assert!(tool.repeats.is_empty(), "clients look for the text in both places");
    }
    let media = (garth_ops::find(TOOLS, "read_media_file").unwrap().payload)().to_value();
    let kinds = &media["properties"]["content"]["items"]["properties"]["type"]["enum"];
    assert_eq!(*kinds, json!(["image", "audio", "resource"]));
}

#[test]
fn every_schema_is_one_that_all_clients_read() {
    for tool in TOOLS {
        for schema in [(tool.params)(), (tool.payload)()] {
            let schema = schema.to_value();
            assert_eq!(schema["type"], "object", "{}", tool.name);
            plain(tool.name, &schema);
        }
        let schema = (tool.params)().to_value();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            assert!(property.get("description").is_some(), "{} {name}", tool.name);
        }
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
