//! The configurations that the documents show start a server that answers.

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::client::Client;

/// The blocks of a language in a page.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let after = page.split(&opening).skip(1);
    after.map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Every command that a configuration names, with its arguments.
fn commands(value: &Value, found: &mut Vec<Vec<String>>) {
    let texts = |value: &Value| -> Vec<String> {
        let list = value.as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    match value {
        Value::Object(object) => match object.get("command") {
            Some(Value::String(command)) => {
                let mut words = vec![command.clone()];
                words.extend(object.get("args").map(texts).unwrap_or_default());
                found.push(words);
            }
            Some(list @ Value::Array(_)) => found.push(texts(list)),
            _ => object.values().for_each(|value| commands(value, found)),
        },
        Value::Array(list) => list.iter().for_each(|value| commands(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_configuration_that_a_page_shows_starts_a_server() {
    let root = tempdir().unwrap();
    let mut tried = 0;
    for page in ["README.md", "docs/mcp.md", "docs/moving-from-the-reference-server.md"] {
        let path = format!("{}/../../{page}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let mut found = Vec::new();
        for block in blocks(&text, "json") {
            let value: Value = serde_json::from_str(&block).unwrap_or_else(|error| {
                panic!("{page}: {error}: {block}");
            });
            commands(&value, &mut found);
        }
        for words in found.iter().filter(|words| words[0] == "garth") {
            assert_eq!(words[1], "mcp", "{page}: {words:?}");
            // The directories stand last; ours takes their place.
            let options: Vec<&str> = words[2..]
                .iter()
                .map(String::as_str)
                .filter(|word| !word.starts_with('/') && !word.starts_with("${"))
                .collect();
            assert!(options.len() < words.len() - 2, "{page}: {words:?} names a directory");
            let mut client = Client::start(root.path(), &options);
            let tools = client.ask("tools/list", &json!({}));
            assert!(!tools["result"]["tools"].as_array().unwrap().is_empty());
            tried += 1;
        }
    }
    assert!(tried >= 6, "{tried} configurations were tried");
}
