//! Who may ask: by which token, for whose workspace.

use garth_gateway::Role;
use serde_json::json;

use crate::gateway::{Gateway, eventually};

const OWN: &str = "/v1/workspaces/coder/list";

#[test]
fn nobody_is_answered_without_a_good_token() {
    let gateway = Gateway::start();
    let path = "/v1/workspaces";
    let other = Gateway::start();
    let schemes = [
        format!("Bearer {}", other.operator),
        format!("Bearer {}x", gateway.operator),
        format!("Bearer {}", gateway.operator.to_uppercase()),
        format!("Basic {}", gateway.operator),
        gateway.operator.clone(),
        "Bearer ".to_owned(),
        // A ticket is for a session alone.
        format!("Bearer {}", gateway.ticket),
    ];
    for scheme in &schemes {
        let reply = gateway.anybody("GET", path).header("authorization", scheme).send();
        assert_eq!(reply.refusal(), (401, "UNAUTHENTICATED".to_owned()));
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
    }
    assert_eq!(gateway.anybody("GET", path).send().status, 401);
    // A token in an address is none.
    let address = format!("{path}?token={}", gateway.operator);
    assert_eq!(gateway.anybody("GET", &address).send().status, 401);
    assert_eq!(gateway.ask("GET", path).send().status, 200);
    for open in ["/healthz", "/readyz"] {
        assert_eq!(gateway.anybody("GET", open).send().status, 200, "{open}");
    }
}

#[test]
fn an_agent_works_in_its_own_workspace_and_cannot_tell_others_from_none() {
    let gateway = Gateway::start();
    gateway.create("coder");
    let token = gateway.agent("coder");
    let ask = |method, path: &str| gateway.anybody(method, path).token(&token);
    assert_eq!(ask("POST", OWN).json(&json!({})).send().status, 200);
    let mut answers = Vec::new();
    for id in ["default", "nobody"] {
        for (method, path) in [
            ("POST", format!("/v1/workspaces/{id}/list")),
            ("POST", format!("/v1/workspaces/{id}/bash")),
            ("GET", format!("/v1/workspaces/{id}/files/a")),
            ("PUT", format!("/v1/workspaces/{id}/files/a")),
            ("GET", format!("/v1/workspaces/{id}")),
            ("DELETE", format!("/v1/workspaces/{id}")),
        ] {
            let request = ask(method, &path);
            let request = if method == "POST" { request.json(&json!({})) } else { request };
            let reply = request.send();
            assert_eq!(reply.refusal(), (403, "PERMISSION_DENIED".to_owned()), "{path}");
            answers.push((method, path.replace(id, "*"), reply.value()));
        }
    }
    let (default, nobody) = answers.split_at(answers.len() / 2);
    assert_eq!(default, nobody);
    for (method, path) in [("GET", "/v1/workspaces"), ("POST", "/v1/workspaces")] {
        assert_eq!(ask(method, path).send().refusal().0, 403, "{method} {path}");
    }
    let raw = ask("GET", "/v1/workspaces/coder/files/a?redact=false").send();
    assert_eq!(raw.refusal(), (403, "PERMISSION_DENIED".to_owned()));
}

#[test]
fn a_user_may_ask_for_nothing() {
    let gateway = Gateway::start();
    gateway.create("coder");
    let (token, _) = gateway.issue(Role::User);
    for (method, path) in [("POST", OWN), ("GET", "/v1/workspaces")] {
        let reply = gateway.anybody(method, path).token(&token).send();
        assert_eq!(reply.refusal(), (403, "PERMISSION_DENIED".to_owned()));
    }
}

#[test]
fn a_token_that_was_taken_back_is_none() {
    let gateway = Gateway::start();
    gateway.create("coder");
    let (token, row) = gateway.issue(Role::Operator);
    let status = || gateway.anybody("POST", OWN).token(&token).json(&json!({})).send().status;
    assert_eq!(status(), 200);
    gateway.revoke(&row);
    eventually("the token is refused", || status() == 401);
}
