//! Wrong parameters of every method: a code, the parameter's name, and nothing done.

use garth_contract::Code;
use garth_ops::worktree::{METHODS, Method};
use serde_json::{Map, Value, json};

use crate::{
    asking::Asking,
    stage::{Ground, Setting, Stage},
};

fn asking() -> Asking {
    Asking::on(Stage::new(Ground::Memory, &[("a", "x")], Setting::usual()))
}

fn properties(method: &Method) -> Map<String, Value> {
    (method.params)().to_value()["properties"].as_object().unwrap().clone()
}

fn refused(asking: &Asking, method: &Method, params: &Value) -> String {
    let name = method.name.strip_prefix("worktree.").unwrap();
    let error = asking.raw(name, params.clone()).expect_err(&format!("{name} {params}"));
    assert_eq!(error.code(), Code::InvalidParams, "{name} {params}: {error:?}");
    error.message().to_owned()
}

#[test]
fn every_method_names_a_parameter_that_it_does_not_know() {
    let asking = asking();
    for method in METHODS {
        let message = refused(&asking, method, &json!({"agentId": "a", "nonsense": 1}));
        assert!(message.contains("there is no parameter \"nonsense\""), "{message}");
        for name in properties(method).keys() {
            assert!(message.contains(name.as_str()), "{}: {message}", method.name);
        }
    }
}

#[test]
fn no_method_takes_what_is_only_near_a_parameter() {
    let asking = asking();
    for method in METHODS {
        for name in properties(method).keys() {
            let snake: String = name
                .chars()
                .flat_map(|c| {
                    if c.is_uppercase() { vec!['_', c.to_ascii_lowercase()] } else { vec![c] }
                })
                .collect();
            let upper = name.to_uppercase();
            for near in [snake, upper].iter().filter(|near| *near != name) {
                let message = refused(&asking, method, &json!({ near.as_str(): "a" }));
                assert!(
                    message.contains(&format!("there is no parameter \"{near}\"")),
                    "{message}"
                );
            }
        }
        for alias in ["file_path", "filePath", "dir", "text", "pattern"] {
            refused(&asking, method, &json!({"agentId": "a", alias: "a"}));
        }
    }
}

#[test]
fn every_parameter_of_a_wrong_type_is_named() {
    let asking = asking();
    for method in METHODS {
        for (name, property) in properties(method) {
            let wrong = match property["type"].as_str().unwrap() {
                "integer" => vec![json!(-1), json!(1.5), json!("5"), json!([]), json!(true)],
                "boolean" => vec![json!(1), json!("true"), json!({})],
                "array" => vec![json!(1), json!("x"), json!({})],
                "string" => vec![json!(1), json!(true), json!({}), json!(["a"])],
                other => panic!("{other}"),
            };
            for value in wrong {
                let message = refused(&asking, method, &json!({ name.as_str(): value }));
                assert!(
                    message.contains(&format!("{name} must be ")),
                    "{}: {message}",
                    method.name
                );
            }
        }
    }
    assert_eq!((asking.stage.tree(), asking.stage.content("a")), (vec!["a".into()], "x".into()));
}

#[test]
fn every_required_parameter_is_missed_by_name() {
    let asking = asking();
    for method in METHODS {
        let schema = (method.params)().to_value();
        let required = schema["required"].as_array().unwrap();
        for missing in required {
            let value = |name: &Value| match schema["properties"][name.as_str().unwrap()]["type"]
                .as_str()
            {
                Some("array") => json!([{"oldText": "x", "newText": "y"}]),
                _ => json!("a"),
            };
            let others = required.iter().filter(|name| *name != missing);
            let params: Map<String, Value> =
                others.map(|name| (name.as_str().unwrap().to_owned(), value(name))).collect();
            let message = refused(&asking, method, &params.into());
            let expected = format!("the parameter {} is missing", missing.as_str().unwrap());
            assert!(message.contains(&expected), "{}: {message}", method.name);
        }
    }
    assert_eq!(asking.stage.content("a"), "x");
}

#[test]
fn parameters_that_are_no_object_are_refused() {
    let asking = asking();
    for method in METHODS {
        for params in [json!([]), json!("a"), json!(1), json!(true), Value::Null] {
            refused(&asking, method, &params);
        }
    }
}
