//! What browsers are told, and which pages may ask.

use serde_json::json;

use crate::gateway::Gateway;

const PATH: &str = "/v1/workspaces";

#[test]
fn every_answer_tells_browsers_to_be_careful() {
    let gateway = Gateway::start();
    let answers = [
        gateway.ask("GET", PATH).send(),
        gateway.anybody("GET", PATH).send(),
        gateway.ask("GET", "/nothing").send(),
        gateway.ask("PUT", PATH).send(),
        gateway.anybody("GET", "/healthz").send(),
        gateway.ask("GET", PATH).host(Some("evil.example")).send(),
        gateway.ask("OPTIONS", PATH).header("origin", "http://evil.example").send(),
    ];
    for reply in answers {
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{reply:?}");
        assert_eq!(reply.header("x-frame-options"), Some("DENY"));
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"));
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        let allowed = reply.headers.iter().filter(|(name, _)| name.starts_with("access-control"));
        assert_eq!(allowed.count(), 0, "{reply:?}");
    }
    assert_eq!(gateway.ask("GET", PATH).send().header("cache-control"), Some("no-store"));
}

#[test]
fn only_the_gateways_own_pages_may_ask_and_only_by_its_own_names() {
    let gateway = Gateway::start();
    let own = format!("http://{}", gateway.address);
    let port = gateway.address.rsplit(':').next().unwrap();
    let localhost = format!("localhost:{port}");
    assert_eq!(gateway.ask("GET", PATH).header("origin", &own).send().status, 200);
    assert_eq!(gateway.ask("GET", PATH).host(Some(&localhost)).send().status, 200);
    assert_eq!(gateway.ask("GET", PATH).header("sec-fetch-site", "none").send().status, 200);
    for (name, value) in [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:1"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        let reply = gateway.ask("GET", PATH).header(name, value).send();
        assert_eq!(reply.refusal(), (403, "PERMISSION_DENIED".to_owned()), "{name}: {value}");
    }
    for host in ["evil.example", "localhost.evil.example", "localhost:1.evil.example"] {
        let reply = gateway.ask("GET", PATH).host(Some(host)).send();
        assert_eq!(reply.refusal(), (403, "PERMISSION_DENIED".to_owned()), "{host}");
    }
    let reply = gateway.ask("GET", PATH).host(None).send();
    assert_eq!(reply.status, 400, "{}", reply.text());
}

#[test]
fn a_head_is_asked_for_as_the_whole_is() {
    let gateway = Gateway::start();
    gateway.told("write", &json!({"file_path": "a.txt", "content": "one\n"}));
    let reply = gateway.ask("HEAD", "/v1/workspaces/default/files/a.txt").send();
    assert_eq!((reply.status, reply.body.len()), (200, 0));
    assert_eq!(reply.header("content-length"), Some("4"));
    assert_eq!(gateway.anybody("HEAD", "/v1/workspaces/default/files/a.txt").send().status, 401);
}
