//! Replies held against the published descriptions of the wire.

use std::path::Path;

use serde_json::json;

use crate::{
    gateway::{Gateway, Sandbox},
    installed,
    run::{bounded, printed},
};

/// Where the descriptions lie, beside the repository.
const DESCRIPTIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/e2b");

#[test]
fn replies_are_as_they_are_described() {
    if !Path::new(DESCRIPTIONS).is_dir() {
        println!("skipped: the descriptions of E2B's wire are not beside the repository");
        return;
    }
    let Some(python) = installed::python("fastmcp") else { return };
    let gateway = Gateway::start();
    let sandbox = gateway
        .sandbox_with(&json!({ "templateID": "base", "timeout": 300, "metadata": { "a": "b" } }));
    let replies = replies(&gateway, &sandbox);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2b/described.py");
    let mut command = bounded(&python);
    command.args(["-B", script, DESCRIPTIONS, &replies.to_string()]);
    printed(&mut command);
}

/// Each with the description that it must fit: the file, the path, the method.
fn replies(gateway: &Gateway, sandbox: &Sandbox<'_>) -> serde_json::Value {
    let body = json!({ "templateID": "base", "timeout": 300 });
    let timeout = json!({ "timeout": 300 });
    let id = &sandbox.id;
    let mut all = Vec::new();
    let routes = [
        ("POST", "/sandboxes", "/sandboxes".to_owned(), Some(&body)),
        ("GET", "/sandboxes", "/sandboxes".to_owned(), None),
        ("GET", "/v2/sandboxes", "/v2/sandboxes".to_owned(), None),
        ("GET", "/sandboxes/{sandboxID}", format!("/sandboxes/{id}"), None),
        ("GET", "/sandboxes/{sandboxID}/metrics", format!("/sandboxes/{id}/metrics"), None),
        ("GET", "/sandboxes/{sandboxID}/logs", format!("/sandboxes/{id}/logs"), None),
        ("GET", "/v2/sandboxes/{sandboxID}/logs", format!("/v2/sandboxes/{id}/logs"), None),
        (
            "POST",
            "/sandboxes/{sandboxID}/timeout",
            format!("/sandboxes/{id}/timeout"),
            Some(&timeout),
        ),
        ("POST", "/sandboxes/{sandboxID}/pause", format!("/sandboxes/{id}/pause"), None),
        ("POST", "/sandboxes/{sandboxID}/pause", format!("/sandboxes/{id}/pause"), None),
        (
            "POST",
            "/sandboxes/{sandboxID}/resume",
            format!("/sandboxes/{id}/resume"),
            Some(&timeout),
        ),
        (
            "POST",
            "/sandboxes/{sandboxID}/connect",
            format!("/sandboxes/{id}/connect"),
            Some(&timeout),
        ),
        ("GET", "/templates", "/templates".to_owned(), None),
        ("GET", "/templates/aliases/{alias}", "/templates/aliases/base".to_owned(), None),
        ("GET", "/templates/aliases/{alias}", "/templates/aliases/none".to_owned(), None),
        ("GET", "/sandboxes/{sandboxID}", "/sandboxes/inone".to_owned(), None),
        ("DELETE", "/sandboxes/{sandboxID}", "/sandboxes/inone".to_owned(), None),
    ];
    for (method, described, path, body) in routes {
        let answer = gateway.control(method, &path, body);
        all.push(reply("openapi.yml", (method, described), &answer));
    }
    for (method, path, query) in [
        ("GET", "/health", ""),
        ("GET", "/metrics", ""),
        ("GET", "/envs", ""),
        ("POST", "/files", "?path=a.txt"),
        ("GET", "/files", "?path=none.txt"),
        ("GET", "/files", "?path=/tmp"),
        ("GET", "/files", "?path=a.txt&username=nobody-here"),
    ] {
        let asked = sandbox.asked(method, &format!("{path}{query}"));
        let asked = asked.header("Content-Type", "application/octet-stream").body(b"x".to_vec());
        all.push(reply("envd.yaml", (method, path), &asked.send(&gateway.address)));
    }
    json!(all)
}

fn reply(
    file: &str,
    (method, path): (&str, &str),
    answer: &crate::client::Answer,
) -> serde_json::Value {
    let body = if answer.body.is_empty() { json!(null) } else { answer.json() };
    json!({ "file": file, "method": method, "path": path, "status": answer.status, "body": body })
}
