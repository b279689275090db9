//! Wrong parameters of every tool: a code, a name, and nothing done.

use garth_contract::Code;
use garth_ops::workspace::TOOLS;
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage};

#[test]
fn every_tool_names_a_parameter_that_it_does_not_know() {
    let stage = Stage::new(Ground::Memory, &[("a", "x")], Setting::usual());
    for tool in TOOLS {
        let error = stage.refused(Code::InvalidParams, tool.name, json!({"nonsense": 1}));
        assert!(error.message().contains("there is no parameter \"nonsense\"; it takes "));
        let schema = (tool.params)().to_value();
        for name in schema["properties"].as_object().unwrap().keys() {
            assert!(error.message().contains(name.as_str()), "{} {name}", tool.name);
        }
    }
}

#[test]
fn every_parameter_of_a_wrong_type_is_named() {
    let stage = Stage::new(Ground::Memory, &[("a", "x")], Setting::usual());
    for tool in TOOLS {
        let schema = (tool.params)().to_value();
        for (name, property) in schema["properties"].as_object().unwrap() {
            for wrong in wrong_values(property) {
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

/// Values that a parameter with this schema cannot have.
fn wrong_values(property: &Value) -> Vec<Value> {
    if property.get("enum").is_some() {
        return vec![json!("nonsense"), json!(1), json!([])];
    }
    match property["type"].as_str().unwrap() {
        "integer" => vec![json!(-1), json!(1.5), json!("x"), json!([]), json!(true), json!(1e300)],
        "boolean" => vec![json!(1), json!("maybe"), json!({})],
        "array" => vec![json!(1), json!("x"), json!({})],
        "string" => vec![json!(1), json!(true), json!({})],
        other => panic!("{other}"),
    }
}

#[test]
fn every_required_parameter_is_missed_by_name() {
    let stage = Stage::new(Ground::Memory, &[], Setting::usual());
    for tool in TOOLS {
        let schema = (tool.params)().to_value();
        let Some(required) = schema.get("required") else { continue };
        let error = stage.refused(Code::InvalidParams, tool.name, json!({}));
        let first = required[0].as_str().unwrap();
        assert!(error.message().contains(&format!("the parameter {first} is missing")), "{error}");
    }
}

#[test]
fn parameters_that_are_no_object_are_refused() {
    let stage = Stage::new(Ground::Memory, &[], Setting::usual());
    for tool in TOOLS {
        for params in [json!([]), json!(1), json!("x"), json!(true), json!([["path", "a"]])] {
            let error = stage.refused(Code::InvalidParams, tool.name, params);
            assert!(error.message().contains("must be an object"), "{error}");
        }
    }
}

#[test]
fn the_largest_numbers_are_taken_or_refused_and_nothing_else_happens() {
    let text = "x\n".repeat(3_000);
    let stage = Stage::new(Ground::Memory, &[("a", &text), ("b", "y")], Setting::usual());
    let usual = |tool: &str| match tool {
        "read" | "stat" => json!({"path": "a"}),
        "glob" | "grep" => json!({"pattern": "x"}),
        "diff" => json!({"from": "a", "to": "b"}),
        _ => json!({}),
    };
    for tool in TOOLS {
        let schema = (tool.params)().to_value();
        let numbers = schema["properties"].as_object().unwrap().iter();
        for (name, _) in numbers.filter(|(_, property)| property["type"] == "integer") {
            for number in [1, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
                let mut params = usual(tool.name);
                params[name] = number.into();
                if let Err(error) = stage.call(tool.name, params.clone()) {
                    assert_eq!(error.code(), Code::InvalidParams, "{} {params}", tool.name);
                }
            }
        }
    }
}
