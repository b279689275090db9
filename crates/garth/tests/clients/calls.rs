//! The table of calls of each dialect, and that it leaves out no tool.

use std::path::Path;

use garth_ops::{DIALECTS, Needs};
use serde_json::{Value, json};

/// All dialects as the drivers are told of them: name, tools, table of calls.
pub(crate) fn dialects() -> Vec<Value> {
    let dialect = |dialect: &garth_ops::Dialect| {
        let tools: Vec<_> = dialect.tools.iter().map(|tool| tool.name).collect();
        let runs =
            dialect.tools.iter().filter(|tool| matches!(tool.needs, Needs::Run | Needs::Git));
        let runs: Vec<_> = runs.map(|tool| tool.name).collect();
        json!({ "name": dialect.name, "tools": tools, "runs": runs, "table": table(dialect.name) })
    };
    DIALECTS.iter().map(dialect).collect()
}

fn table(dialect: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/calls");
    let path = folder.join(format!("{dialect}.json"));
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|_| panic!("the dialect has no calls: {}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_tool_of_every_dialect_is_called_and_some_call_is_refused() {
    for dialect in DIALECTS {
        let table = table(dialect.name);
        let calls = table["calls"].as_array().unwrap();
        let (refused, answered): (Vec<_>, Vec<_>) =
            calls.iter().partition(|call| call.get("error").is_some());
        let missing: Vec<_> = dialect
            .tools
            .iter()
            .map(|tool| tool.name)
            .filter(|name| !answered.iter().any(|call| call["tool"] == *name))
            .collect();
        assert_eq!(missing, [""; 0], "calls/{}.json calls them not", dialect.name);
        assert!(!refused.is_empty(), "calls/{}.json has no call that fails", dialect.name);
    }
}
