//! The session of a person in a browser.

use serde_json::json;

use crate::gateway::Gateway;

const PATH: &str = "/v1/session";

fn begin(gateway: &Gateway) -> (String, String) {
    let sent = json!({"ticket": gateway.ticket});
    let reply = gateway.anybody("POST", PATH).json(&sent).send();
    assert_eq!((reply.status, &reply.value()["role"]), (200, &json!("operator")));
    assert!(!reply.text().contains("garth_"), "{}", reply.text());
    let cookie = reply.header("set-cookie").unwrap().to_owned();
    let pair = cookie.split(';').next().unwrap().to_owned();
    (cookie, pair)
}

#[test]
fn a_ticket_is_good_once_for_a_cookie_that_no_script_reads() {
    let gateway = Gateway::start();
    let (cookie, pair) = begin(&gateway);
    for part in ["garth_session=garth_", "Path=/", "HttpOnly", "SameSite=Strict", "Max-Age="] {
        assert!(cookie.contains(part), "{cookie}");
    }
    // Without TLS a browser would not send it back.
    assert!(!cookie.contains("Secure"), "{cookie}");
    let again = gateway.anybody("POST", PATH).json(&json!({"ticket": gateway.ticket})).send();
    assert_eq!(again.refusal(), (401, "UNAUTHENTICATED".to_owned()));
    let me = gateway.anybody("GET", PATH).header("cookie", &format!("a=b; {pair}")).send();
    assert_eq!((me.status, &me.value()["role"]), (200, &json!("operator")));
    let listed = gateway.anybody("GET", "/v1/workspaces").header("cookie", &pair).send();
    assert_eq!(listed.status, 200);
}

#[test]
fn what_is_no_ticket_is_refused() {
    let gateway = Gateway::start();
    let send = |body| gateway.anybody("POST", PATH).json(&body).send();
    for ticket in ["", "garth_00", gateway.operator.as_str()] {
        let reply = send(json!({ "ticket": ticket }));
        assert_eq!(reply.refusal(), (401, "UNAUTHENTICATED".to_owned()), "{ticket}");
        assert_eq!(reply.header("set-cookie"), None);
    }
    for body in [json!({}), json!({"ticket": 1}), json!({"ticket": "x", "else": 1})] {
        assert_eq!(send(body).refusal(), (400, "INVALID_PARAMS".to_owned()));
    }
    let long = json!({"ticket": "x".repeat(5_000)});
    assert_eq!(send(long).refusal(), (413, "FILE_TOO_LARGE".to_owned()));
}

#[test]
fn a_change_by_a_cookie_says_which_page_asks() {
    let gateway = Gateway::start();
    let (_, pair) = begin(&gateway);
    let own = format!("http://{}", gateway.address);
    let write = |name: &str, value: &str| {
        let sent = json!({"file_path": "a.txt", "content": "x"});
        let request = gateway.anybody("POST", "/v1/workspaces/default/write").json(&sent);
        request.header("cookie", &pair).header(name, value).send()
    };
    assert_eq!(write("x-nothing", "1").refusal(), (403, "PERMISSION_DENIED".to_owned()));
    assert_eq!(write("origin", "http://evil.example").refusal().0, 403);
    assert_eq!(write("sec-fetch-site", "same-site").refusal().0, 403);
    assert!(!gateway.directory("default").join("a.txt").exists());
    assert_eq!(write("origin", &own).status, 200);
    assert_eq!(write("sec-fetch-site", "same-origin").status, 200);
    // A token that is wrong is not passed over for a cookie that is good.
    assert_eq!(write("authorization", "Bearer garth_0").status, 401);
}

#[test]
fn a_session_that_was_ended_is_none() {
    let gateway = Gateway::start();
    let (_, pair) = begin(&gateway);
    let own = format!("http://{}", gateway.address);
    let ended = gateway.anybody("DELETE", PATH).header("cookie", &pair).header("origin", &own);
    let ended = ended.send();
    assert_eq!(ended.status, 200, "{}", ended.text());
    assert!(ended.header("set-cookie").unwrap().contains("garth_session=; "));
    let me = gateway.anybody("GET", PATH).header("cookie", &pair).send();
    assert_eq!(me.refusal(), (401, "UNAUTHENTICATED".to_owned()));
    // A token is no session, and stays.
    assert_eq!(gateway.ask("DELETE", PATH).send().refusal().0, 400);
    assert_eq!(gateway.ask("GET", PATH).send().status, 200);
    assert_eq!(gateway.anybody("GET", PATH).send().status, 401);
}

#[test]
fn the_address_that_is_printed_leads_to_a_page_that_loads_nothing_from_elsewhere() {
    let gateway = Gateway::start();
    let page = gateway.anybody("GET", "/").send();
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"),
        "{policy}"
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    let text = page.text();
    assert!(!text.contains("://"), "{text}");
    let named = |text: &str| {
        let parts = text.split('"').filter(|part| part.starts_with("/assets/"));
        parts.map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let parts = named(&text);
    if parts.is_empty() {
        assert!(text.contains("make run"), "how to get the page: {text}");
        return;
    }
    assert!(!text.contains("<style") && !text.contains("<script>"), "nothing inline: {text}");
    for part in parts {
        let plain = gateway.anybody("GET", &part).send();
        assert_eq!(plain.status, 200, "{part}");
        assert_eq!(plain.header("cache-control"), Some("public, max-age=31536000, immutable"));
        assert_eq!(plain.header("content-encoding"), None);
        let tag = plain.header("etag").unwrap().to_owned();
        let again = gateway.anybody("GET", &part).header("if-none-match", &tag).send();
        assert_eq!((again.status, again.text().len()), (304, 0));
        let packed = gateway.anybody("GET", &part).header("accept-encoding", "gzip, br").send();
        assert_eq!(packed.header("content-encoding"), Some("br"), "{part}");
        assert_ne!(packed.header("etag"), Some(&*tag), "other bytes, another tag");
        let refuses = gateway.anybody("GET", &part).header("accept-encoding", "br;q=0").send();
        assert_eq!(refuses.header("content-encoding"), None, "{part}");
    }
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    assert_eq!(gateway.anybody("GET", "/assets/none.js").send().status, 404);
}

#[test]
fn a_session_that_is_no_longer_good_can_be_put_away() {
    let gateway = Gateway::start();
    let own = format!("http://{}", gateway.address);
    let stale = gateway.anybody("DELETE", PATH).header("cookie", "garth_session=garth_x");
    let ended = stale.header("origin", &own).send();
    assert_eq!(ended.status, 401);
    assert!(ended.header("set-cookie").unwrap().contains("garth_session=; "));
}

#[test]
fn a_session_is_on_record_from_its_beginning_to_its_end() {
    let gateway = Gateway::start();
    let (_, pair) = begin(&gateway);
    let me = gateway.anybody("GET", PATH).header("cookie", &pair).send().value();
    let own = format!("http://{}", gateway.address);
    let ended = gateway.anybody("DELETE", PATH).header("cookie", &pair).header("origin", &own);
    assert_eq!(ended.send().status, 200);
    let again = gateway.anybody("POST", PATH).json(&json!({"ticket": gateway.ticket})).send();
    assert_eq!(again.status, 401);
    let record = |operation: &str| {
        let asked = gateway.ask("POST", "/v1/rpc/audit.list");
        let listed = asked.json(&json!({"operation": operation})).send().value();
        let records = listed["records"].as_array().unwrap().clone();
        assert_eq!(records.len(), 1, "{listed}");
        records[0].clone()
    };
    for operation in ["session.begin", "session.end"] {
        let record = record(operation);
        assert_eq!((&record["caller"], &record["outcome"]), (&me["id"], &json!("OK")), "{record}");
        assert_eq!(record["role"], "operator");
        assert!(!record.to_string().contains("garth_"), "no secret: {record}");
    }
    let refused = record("authenticate");
    assert_eq!(refused["summary"], "wrong ticket: 1; from 127.0.0.1: 1");
}
