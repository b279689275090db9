//! Pages of the documentation that are made from tables in the code.
//!
//! With `GARTH_WRITE_PAGES` set (`make docs`) the tests write the pages; without
//! it they check that the pages are what they would write.

use std::fs;

use garth_contract::{Retry, TABLE};
use garth_ops::{DIALECTS, Needs, Tool, worktree::METHODS};
use schemars::Schema;
use serde_json::Value;

use crate::tree;

#[test]
fn pages_of_errors_are_current() {
    compare("docs/errors.md", &errors());
}

#[test]
fn pages_of_tools_are_current() {
    compare("docs/tools.md", &tools());
}

#[test]
fn pages_of_methods_are_current() {
    compare("docs/worktree.md", &methods());
}

/// Writes the page, or checks it.
fn compare(path: &str, page: &str) {
    let file = tree::root().join(path);
    if std::env::var_os("GARTH_WRITE_PAGES").is_some() {
        fs::write(&file, page).unwrap();
    }
    let present = fs::read_to_string(&file).unwrap_or_default();
    assert!(present == page, "{path} is not what the code says; `make docs` writes it");
}

fn errors() -> String {
    let mut page = String::from(
        "# Errors\n\n\
         Every refusal and failure carries one of these codes, whatever the interface. This page is\n\
         written by `make docs` from the table in `crates/contract/src/code.rs`.\n\n\
         *Again* says whether the same call can succeed later: never without a change, later as it\n\
         is, or afresh, after reading the current state.\n\n\
         | code | HTTP | errno | again | what happened | what to do |\n\
         |---|---|---|---|---|---|\n",
    );
    for row in TABLE {
        let again = match row.retry {
            Retry::Never => "never",
            Retry::Later => "later",
            Retry::Afresh => "afresh",
        };
        let cells = [
            format!("`{}`", row.name),
            row.http.to_string(),
            row.errno.to_string(),
            again.to_owned(),
            row.phrase.to_owned(),
            row.hint.to_owned(),
        ];
        page.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    page
}

fn tools() -> String {
    let mut page = String::from(
        "# Tools\n\n\
         `garth mcp --dialect NAME` serves the tools of a dialect to a client of MCP; `garth tool NAME JSON\n\
         --root DIR` calls one of the dialect `workspace` from the shell. The JSON has the parameters below.\n\
         This page is written by `make docs` from the tables in `crates/ops/src`; `garth tool --list --json`\n\
         gives the same with the shapes of the replies.\n",
    );
    for dialect in DIALECTS {
        page.push_str(&format!("\n# Dialect `{}`\n\n{}\n", dialect.name, dialect.summary));
        dialect.tools.iter().for_each(|tool| page.push_str(&tool_section(tool)));
    }
    page
}

fn methods() -> String {
    let mut page = String::from(
        "# Methods `worktree.*`\n\n\
         An agent's files for programs and user interfaces, JSON in and JSON out: over the WebSocket at\n\
         `/v1/ws`, and one by one with `garth rpc`. This page is written by `make docs` from the table in\n\
         `crates/ops/src/worktree.rs`.\n",
    );
    for method in METHODS {
        let needs = needs(method.needs);
        page.push_str(&format!("\n## {}\n\n{} {needs}\n\n", method.name, literal(method.summary)));
        page.push_str("| parameter | type | what it is |\n|---|---|---|\n");
        page.push_str(&fields(&(method.params)()));
        page.push_str("\n| reply | type | what it is |\n|---|---|---|\n");
        page.push_str(&fields(&(method.payload)()));
    }
    page
}

fn tool_section(tool: &Tool) -> String {
    let needs = needs(tool.needs);
    let mut section = format!("\n## {}\n\n{} {needs}\n\n", tool.name, literal(tool.summary));
    section.push_str("| parameter | type | what it is |\n|---|---|---|\n");
    section.push_str(&fields(&(tool.params)()));
    section
}

/// What a call needs, for whoever reads about it.
fn needs(needs: Needs) -> &'static str {
    match needs {
        Needs::Read => "It changes nothing.",
        Needs::Add => "It adds, and loses nothing that is there.",
        Needs::Replace => "It can replace or remove what is there.",
        Needs::Follow => "It changes nothing. It is there where commands run.",
        Needs::Run => "It can change anything. It is there where commands run.",
        Needs::Git => "It can change anything. It is there where there is a sandbox.",
    }
}

/// A row for each field of an object.
fn fields(schema: &Schema) -> String {
    let schema = schema.as_value();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut rows = String::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let must = if required.iter().any(|one| one == name) { ", required" } else { "" };
        let kind = kind(property);
        let text = literal(property["description"].as_str().unwrap_or_default());
        rows.push_str(&format!("| `{name}` | {kind}{must} | {text} |\n"));
    }
    rows
}

/// Text as a page shows it: on one line, with nothing in it that Markdown reads.
fn literal(text: &str) -> String {
    text.replace('\n', " ").replace('*', "\\*").replace('|', "\\|")
}

/// What a value of a schema is, in a word or two.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<_> = values.iter().map(|value| format!("`{value}`")).collect();
        return values.join(" or ");
    }
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", kind(&schema["items"])),
        Some("object") if schema["properties"].is_null() => {
            format!("object of {}", kind(&schema["additionalProperties"]))
        }
        Some("object") => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let fields: Vec<_> = fields.map(|(name, _)| format!("`{name}`")).collect();
            format!("object with {}", fields.join(", "))
        }
        Some(one) => one.to_owned(),
        None => "any".to_owned(),
    }
}
