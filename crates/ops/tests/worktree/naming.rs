//! The paths that a call names, told before anything is checked.

use garth_ops::worktree::{METHODS, Reach, Touch, method};
use serde_json::{Value, json};

fn names(name: &str, params: &Value) -> Vec<(String, Reach)> {
    let touches = (method(&format!("worktree.{name}")).unwrap().names)(params);
    touches.into_iter().map(|Touch { path, reach }| (path, reach)).collect()
}

#[test]
fn every_path_of_a_call_is_named_as_it_was_sent() {
    use Reach::{This, Tree};
    for (name, params, expected) in [
        ("list", json!({}), vec![("/", This)]),
        ("list", json!({"path": null}), vec![("/", This)]),
        ("list", json!({"path": "a/../b"}), vec![("a/../b", This)]),
        ("list", json!({"path": "a", "recursive": true}), vec![("a", Tree)]),
        ("list", json!({"recursive": "no boolean"}), vec![("/", Tree)]),
        ("list", json!({"path": "a", "recursive": false}), vec![("a", This)]),
        ("stat", json!({"path": "a"}), vec![("a", This)]),
        ("read", json!({"path": "/etc/passwd"}), vec![("/etc/passwd", This)]),
        ("write", json!({"path": "a", "content": "b"}), vec![("a", This)]),
        ("edit", json!({"path": "a", "edits": []}), vec![("a", This)]),
        ("mkdir", json!({"path": "a"}), vec![("a", This)]),
        ("move", json!({"fromPath": "a", "toPath": "b"}), vec![("a", Tree), ("b", Tree)]),
        ("move", json!({"toPath": "b"}), vec![("b", Tree)]),
        ("delete", json!({"path": "a"}), vec![("a", This)]),
        ("delete", json!({"path": "a", "recursive": true}), vec![("a", Tree)]),
        ("delete", json!({"path": "a", "recursive": null}), vec![("a", This)]),
        ("search", json!({"query": "x"}), vec![("/", Tree)]),
        ("search", json!({"query": "x", "path": "a"}), vec![("a", Tree)]),
        ("diff", json!({"fromPath": "a", "toPath": "b"}), vec![("a", This), ("b", This)]),
        ("diff", json!({"path": "a", "content": ""}), vec![("a", This)]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|(path, r)| (path.to_owned(), r)).collect();
        assert_eq!(names(name, &params), expected, "{name} {params}");
    }
}

#[test]
fn nonsense_names_nothing_and_does_no_harm() {
    for method in METHODS {
        for params in [json!(null), json!([]), json!("a"), json!({"path": 1, "fromPath": {}})] {
            let touches = (method.names)(&params);
            assert!(touches.iter().all(|touch| touch.path == "/"), "{} {params}", method.name);
        }
    }
}

#[test]
fn every_parameter_that_is_a_path_is_named() {
    for method in METHODS {
        let schema = (method.params)().to_value();
        let paths: Vec<_> = schema["properties"].as_object().unwrap().keys().cloned().collect();
        let paths = paths.into_iter().filter(|name| name == "path" || name.ends_with("Path"));
        for name in paths {
            let touches = (method.names)(&json!({ name.as_str(): "some/where" }));
            let named = touches.iter().any(|touch| touch.path == "some/where");
            assert!(named, "{} {name}", method.name);
        }
    }
}
