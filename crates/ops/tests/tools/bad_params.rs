//! Wrong parameters of every tool: a code, a name, and nothing done.

use garth_contract::Code;
use garth_ops::{Allows, dispatch, vfs, workspace};
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage};

/// A stage for each dialect whose parameters are read in this way.
fn stages(files: &[(&str, &str)]) -> Vec<Stage> {
    [workspace::TOOLS, dispatch::TOOLS, vfs::TOOLS]
        .map(|tools| Stage::new(Ground::Memory, files, Setting::speaking(tools)))
        .into()
}

#[test]
fn every_tool_names_a_parameter_that_it_does_not_know() {
    for stage in stages(&[("a", "x")]) {
        for tool in stage.tools {
            let error = stage.refused(Code::InvalidParams, tool.name, json!({"nonsense": 1}));
            assert!(error.message().contains("there is no parameter \"nonsense\"; it takes "));
            let schema = (tool.params)().to_value();
            for name in schema["properties"].as_object().unwrap().keys() {
                assert!(error.message().contains(name.as_str()), "{} {name}", tool.name);
            }
        }
    }
}

#[test]
fn every_parameter_of_a_wrong_type_is_named() {
    for stage in stages(&[("a", "x")]) {
        for tool in stage.tools {
            let schema = (tool.params)().to_value();
            let properties = schema["properties"].as_object().unwrap().iter();
            // The number of a signal means that signal.
            for (name, property) in properties.filter(|(name, _)| *name != "signal") {
                for wrong in wrong_values(property) {
                    // One file is a list of one.
                    if *name == "files" && wrong.is_string() {
                        continue;
                    }
                    let params = json!({ name: wrong });
                    let error = stage.refused(Code::InvalidParams, tool.name, params);
                    let expected = format!("{name} must be ");
                    assert!(error.message().contains(&expected), "{}: {error}", tool.name);
                }
            }
        }
        assert_eq!(stage.tree(), ["a"]);
        assert_eq!(stage.content("a"), "x");
    }
}

/// Values that a parameter with this schema cannot have.
fn wrong_values(property: &Value) -> Vec<Value> {
    if property.get("enum").is_some() {
        return vec![json!("nonsense"), json!(1), json!([])];
    }
    match property["type"].as_str().unwrap() {
        "integer" => {
            let least = property.get("minimum").map(|_| json!(-1));
            let never = [json!(1.5), json!("x"), json!([]), json!(true), json!(1e300)];
            least.into_iter().chain(never).collect()
        }
        "boolean" => vec![json!(1), json!("maybe"), json!({})],
        "array" => vec![json!(1), json!("x"), json!({})],
        "string" => vec![json!(1), json!(true), json!({})],
        "object" => vec![json!(1), json!("x"), json!([])],
        other => panic!("{other}"),
    }
}

#[test]
fn every_required_parameter_is_missed_by_name() {
    for stage in stages(&[]) {
        for tool in stage.tools {
            let schema = (tool.params)().to_value();
            let Some(required) = schema.get("required") else { continue };
            let mut params = json!({});
            for name in required.as_array().unwrap() {
                let name = name.as_str().unwrap();
                let error = stage.refused(Code::InvalidParams, tool.name, params.clone());
                let missing = format!("the parameter {name} is missing");
                assert!(error.message().contains(&missing), "{}: {error}", tool.name);
                params[name] = "x".into();
            }
        }
        assert_eq!(stage.tree(), [""; 0]);
    }
}

#[test]
fn parameters_that_are_no_object_are_refused() {
    for stage in stages(&[]) {
        for tool in stage.tools {
            for params in [json!([]), json!(1), json!("x"), json!(true), json!([["path", "a"]])] {
                let error = stage.refused(Code::InvalidParams, tool.name, params);
                assert!(error.message().contains("must be an object"), "{error}");
            }
        }
    }
}

#[test]
fn the_largest_numbers_are_taken_or_refused_and_nothing_else_happens() {
    let text = "x\n".repeat(3_000);
    let usual = |tool: &str| match tool {
        "read" | "read_file" | "stat" => json!({"path": "a"}),
        "glob" | "grep" => json!({"pattern": "x"}),
        "diff" => json!({"from": "a", "to": "b"}),
        _ => json!({}),
    };
    for stage in stages(&[("a", &text), ("b", "y")]) {
        for tool in stage.tools {
            let schema = (tool.params)().to_value();
            let numbers = schema["properties"].as_object().unwrap().iter();
            for (name, _) in numbers.filter(|(_, property)| property["type"] == "integer") {
                for number in [1, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
                    let mut params = usual(tool.name);
                    params[name] = number.into();
                    if let Err(error) = stage.call(tool.name, params.clone()) {
                        let expected =
                            match tool.needs.met(Allows { write: true, run: false, git: false }) {
                                true => vec![Code::InvalidParams],
                                false => vec![Code::InvalidParams, Code::Unsupported],
                            };
                        assert!(expected.contains(&error.code()), "{} {params}", tool.name);
                    }
                }
            }
        }
    }
}

#[test]
fn a_near_miss_that_can_mean_one_thing_only_is_taken() {
    let [of_workspace, of_dispatch, of_vfs]: [Stage; 3] =
        stages(&[("d/a", "one\ntwo\nthree\nfour\n")]).try_into().ok().unwrap();
    for name in ["file_path", "filePath", "filename", "file", "target_file"] {
        for (stage, tool) in
            [(&of_workspace, "read"), (&of_dispatch, "read_file"), (&of_vfs, "read_file")]
        {
            assert!(stage.text(tool, json!({name: "d/a"})).contains("three"), "{name}");
            let both = json!({"path": "d/a", name: "d/a"});
            let error = stage.refused(Code::InvalidParams, tool, both);
            assert!(error.message().ends_with("the parameter path is given twice"), "{error}");
        }
    }
    for (old, new) in [
        ("old_text", "new_text"),
        ("oldText", "newText"),
        ("old_string", "new_string"),
        ("oldString", "newString"),
        ("old_str", "new_str"),
    ] {
        for (stage, tool) in
            [(&of_workspace, "edit"), (&of_dispatch, "edit_file"), (&of_vfs, "edit_file")]
        {
            let there = json!({old: "two", new: "2"});
            let back = json!({old: "2", new: "two"});
            for edits in [json!([there, back]), json!([there, back]).to_string().into()] {
                stage.ok(tool, json!({"path": "d/a", "edits": edits}));
            }
            stage.ok(tool, json!({"path": "d/a", "edits": there}));
            stage.ok(tool, json!({"path": "d/a", old: "2", new: "two"}));
            assert_eq!(stage.content("d/a"), "one\ntwo\nthree\nfour\n");
        }
    }
}

#[test]
fn view_range_means_lines_from_1_in_every_dialect() {
    let [of_workspace, of_dispatch, of_vfs]: [Stage; 3] =
        stages(&[("a", "one\ntwo\nthree\nfour\n")]).try_into().ok().unwrap();
    for (stage, tool, some, rest) in [
        (&of_workspace, "read", "2: two\n3: three\n[", "3: three\n4: four"),
        (&of_dispatch, "read_file", "1: two\n2: three\n[", "2: three\n3: four"),
        (&of_vfs, "read_file", "two\nthree\n[", "three\nfour\n"),
    ] {
        for range in [json!([2, 3]), json!("[2, 3]")] {
            let text = stage.text(tool, json!({"path": "a", "view_range": range}));
            assert!(text.starts_with(some), "{text}");
        }
        assert_eq!(stage.text(tool, json!({"path": "a", "view_range": [3, -1]})), rest);
        for range in [json!([0, 1]), json!([3, 2]), json!([1]), json!([1, -2]), json!(2)] {
            let error =
                stage.refused(Code::InvalidParams, tool, json!({"path": "a", "view_range": range}));
            assert!(error.message().contains("view_range must be "), "{error}");
        }
        for other in ["offset", "limit", "start_line", "end_line", "tail"] {
            let both = json!({"path": "a", "view_range": [1, 2], other: 1});
            stage.refused(Code::InvalidParams, tool, both);
        }
    }
}

#[test]
fn a_slip_is_told_the_nearest_name() {
    let [of_workspace, of_dispatch, of_vfs]: [Stage; 3] = stages(&[]).try_into().ok().unwrap();
    for (stage, tool, slip, near) in [
        (&of_workspace, "read", "ofset", "offset"),
        (&of_dispatch, "search_files", "is_regexp", "is_regex"),
        (&of_vfs, "grep", "fileglobs", "file_glob"),
    ] {
        let error = stage.refused(Code::InvalidParams, tool, json!({slip: 1}));
        let told = format!("there is no parameter {slip:?}, but {near}; it takes ");
        assert!(error.message().contains(&told), "{error}");
    }
}
