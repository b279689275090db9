//! Near misses: other names for parameters, other ways to send them.

use std::collections::BTreeSet;

use garth_contract::Code;
use serde_json::{Map, Value};

use crate::{
    calls::{FILES, all, runs},
    recording::Stage,
};

/// Words that models send in place of a parameter's own; a tool takes some of them.
const WORDS: &[&str] = &[
    "path",
    "file_path",
    "filepath",
    "file_name",
    "filename",
    "file",
    "path_name",
    "pathname",
    "relative_path",
    "absolute_path",
    "relative_workspace_path",
    "target_file",
    "target_path",
    "directory",
    "directory_path",
    "target_directory",
    "dir",
    "dir_path",
    "folder",
    "folder_path",
    "from",
    "source",
    "src",
    "from_path",
    "source_path",
    "old_path",
    "to",
    "destination",
    "dest",
    "dst",
    "to_path",
    "destination_path",
    "new_path",
    "paths",
    "files",
    "file_paths",
    "pattern",
    "query",
    "search_query",
    "search_term",
    "search_text",
    "regex",
    "glob",
    "glob_pattern",
    "include",
    "file_glob",
    "file_pattern",
    "patch",
    "patch_text",
    "input",
    "command",
    "cmd",
    "script",
    "shell_command",
    "code",
    "workdir",
    "cwd",
    "working_directory",
    "working_dir",
    "content",
    "contents",
    "file_text",
    "text",
    "file_content",
    "file_contents",
    "recursive",
    "parents",
    "edits",
    "edit",
    "changes",
    "old_string",
    "old_str",
    "old_text",
    "new_string",
    "new_str",
    "new_text",
    "id",
    "pid",
    "process_id",
    "bash_id",
    "uri",
    "url",
    "location",
    "target",
    "name",
];

/// A word as people spell it.
fn spelled(word: &str) -> BTreeSet<String> {
    let camel: String = word
        .split('_')
        .enumerate()
        .map(|(index, part)| match part.split_at(1) {
            (first, rest) if index > 0 => first.to_uppercase() + rest,
            (first, rest) => format!("{first}{rest}"),
        })
        .collect();
    let mut pascal = camel.clone();
    pascal[..1].make_ascii_uppercase();
    let mut all = BTreeSet::from([word.to_owned()]);
    // How a name may be spelled is one rule for all of them.
    if ["path", "file_path", "working_directory", "shell_command", "patch"].contains(&word) {
        all.extend([camel, pascal, word.replace('_', "-"), word.to_uppercase()]);
    }
    all
}

fn renamed(params: &Map<String, Value>, key: &str, word: &str) -> Value {
    let renamed = params.iter().map(|(name, value)| {
        let name = if name == key { word } else { name.as_str() };
        (name.to_owned(), value.clone())
    });
    Value::Object(renamed.collect())
}

#[test]
fn no_spelling_that_a_tool_takes_hides_what_it_touches() {
    let stage = Stage::new(FILES);
    let mut taken = 0;
    for (dialect, tool, params) in all() {
        let params = params.as_object().unwrap();
        let usual = (tool.names)(&Value::Object(params.clone()));
        for key in params.keys() {
            for word in WORDS.iter().flat_map(|word| spelled(word)).filter(|word| word != key) {
                let params = renamed(params, key, &word);
                let (ended, seen) = stage.call(tool, &params);
                if ended == Err(Code::InvalidParams) {
                    assert!(seen.is_empty(), "{dialect} {} {params}", tool.name);
                    continue;
                }
                taken += 1;
                stage.compare(tool, &params, &seen);
                if runs(tool) {
                    // What would be run is known too, whatever it is called.
                    let names = (tool.names)(&params);
                    assert_eq!(names.command.is_some(), usual.command.is_some(), "{params}");
                }
            }
        }
    }
    println!("{taken} calls in other spellings were taken");
    assert!(taken > 500, "{taken}");
}

#[test]
fn no_way_to_write_a_path_hides_it() {
    let stage = Stage::new(FILES);
    let ways: &[fn(&str) -> String] = &[
        |path| format!("/workspace/{path}"),
        |path| format!("./{path}"),
        |path| format!("x/../{path}"),
        |path| path.replace('/', "//"),
        |path| format!("{path}/"),
    ];
    for (dialect, tool, params) in all() {
        for way in ways {
            let mut params = params.clone();
            let keys = ["path", "from", "to", "source", "destination", "paths", "workdir"];
            for (_, value) in params
                .as_object_mut()
                .unwrap()
                .iter_mut()
                .filter(|(key, _)| keys.contains(&key.as_str()))
            {
                match value {
                    Value::String(path) => *path = way(path),
                    Value::Array(paths) => {
                        for path in paths {
                            *path = way(path.as_str().unwrap()).into();
                        }
                    }
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
                }
            }
            let (_, seen) = stage.call(tool, &params);
            stage.compare(tool, &params, &seen);
            assert!(seen.is_empty() || !runs(tool), "{dialect} {params}");
        }
    }
}

#[test]
fn parameters_that_come_as_a_text_name_the_same() {
    let stage = Stage::new(FILES);
    for (_, tool, params) in all() {
        let text = Value::String(params.to_string());
        let (ended, seen) = stage.call(tool, &text);
        if ended != Err(Code::InvalidParams) {
            assert_eq!((tool.names)(&text), (tool.names)(&params), "{} {params}", tool.name);
            stage.compare(tool, &text, &seen);
        }
        // A list as a text, and one thing where a list is wanted.
        if let Some(paths) = params.get("paths") {
            for sent in [Value::String(paths.to_string()), paths[0].clone()] {
                let params = serde_json::json!({ "paths": sent });
                let (ended, seen) = stage.call(tool, &params);
                assert_eq!(ended, Ok(()), "{params}");
                assert!(!seen.is_empty());
                stage.compare(tool, &params, &seen);
            }
        }
    }
}

#[test]
fn what_cannot_be_read_names_nothing_and_is_not_run() {
    let stage = Stage::new(FILES);
    for (_, tool, params) in all() {
        let mut odd = params.as_object().unwrap().clone();
        odd.insert("nonsense_of_mine".to_owned(), Value::Null);
        for params in [Value::Object(odd), Value::Array(vec![params]), Value::from(3)] {
            let (ended, seen) = stage.call(tool, &params);
            assert_eq!(
                (ended, seen.len()),
                (Err(Code::InvalidParams), 0),
                "{} {params}",
                tool.name
            );
            assert_eq!((tool.names)(&params), garth_ops::Names::default(), "{params}");
        }
    }
}
