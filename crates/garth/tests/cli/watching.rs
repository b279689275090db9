//! What a gateway tells whoever looks after it: `/metrics` and the log.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use rustix::process::Signal;
use serde_json::Value;

use crate::serving::{Data, PATIENCE, Served};

/// Asks for a page, and gives its status and its body.
pub(crate) fn get(served: &Served, path: &str, token: Option<&str>) -> (u16, String) {
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    exchange(served, &format!("GET {path} HTTP/1.1\r\n{token}"), "")
}

/// Sends an object, and gives the answer's status and body.
pub(crate) fn post(served: &Served, path: &str, token: &str, body: &str) -> (u16, String) {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n\
         Content-Type: application/json\r\n"
    );
    exchange(served, &head, body)
}

fn exchange(served: &Served, head: &str, body: &str) -> (u16, String) {
    let at = served.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let whole = format!("{head}Host: {at}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(whole.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

/// The number on the line that begins so.
fn number(page: &str, line: &str) -> Option<f64> {
    let found = page.lines().find_map(|given| given.strip_prefix(line)?.strip_prefix(' '))?;
    found.parse().ok()
}

#[test]
fn requests_are_counted_by_operation_and_outcome() {
    let data = Data::new();
    data.put("garth.toml", "[limits.programs.caller]\nadmin_per_minute = 1\n");
    let served = data.serve(&[]);
    let made = data.payload(&["token", "create", "--role", "operator"]);
    let token = made["token"].as_str().unwrap();
    let ask = |method: &str, code: i32| {
        let run = served.ask(token, &[method, r#"{"agentId":"default","path":"nope"}"#]);
        assert_eq!(run.code, code, "{method} {run:?}");
    };
    ask("worktree.stat", 1);
    ask("worktree.stat", 1);
    ask("made.up\"name", 1);
    assert_eq!(served.ask(token, &["agents.list"]).code, 0);
    ask("agents.get", 1);
    let (status, page) = get(&served, "/metrics", None);
    assert_eq!(status, 200);
    let missing = r#"garth_requests_total{operation="worktree.stat",outcome="FILE_NOT_FOUND"}"#;
    assert_eq!(number(&page, missing), Some(2.0), "{page}");
    let listed = r#"garth_requests_total{operation="agents.list",outcome="OK"}"#;
    assert_eq!(number(&page, listed), Some(1.0), "{page}");
    let unknown = r#"garth_requests_total{operation="unknown",outcome="UNKNOWN_METHOD"}"#;
    assert_eq!(number(&page, unknown), Some(1.0), "{page}");
    assert!(!page.contains("made.up"), "{page}");
    assert_eq!(number(&page, r#"garth_refused_total{limit="requests"}"#), Some(1.0), "{page}");
    let all = r#"garth_request_seconds_bucket{operation="worktree.stat",le="+Inf"}"#;
    assert_eq!(number(&page, all), Some(2.0), "{page}");
    assert!(number(&page, r#"garth_request_bytes_total{direction="in"}"#) > Some(0.0), "{page}");
    assert_eq!(number(&page, "garth_audit_records_total"), Some(5.0), "{page}");
    assert_eq!(number(&page, "garth_audit_writable"), Some(1.0), "{page}");
    assert!(number(&page, "garth_connections") >= Some(1.0), "{page}");
    assert_eq!(number(&page, "garth_faults_total"), Some(0.0), "{page}");
}

#[test]
fn metrics_are_for_whom_the_operator_says() {
    let data = Data::new();
    data.put("garth.toml", "[metrics]\nfor = \"operator\"\n");
    let served = data.serve(&[]);
    let operator = data.done(&["token", "create", "--role", "operator"]);
    let agent = data.done(&["token", "create", "--role", "agent", "--agent", "default"]);
    let status = |token: Option<&str>| get(&served, "/metrics", token.map(str::trim)).0;
    assert_eq!(status(None), 401);
    assert_eq!(status(Some("garth_nonsense")), 401);
    assert_eq!(status(Some(&agent)), 403);
    assert_eq!(status(Some(&operator)), 200);
    drop(served);
    data.put("garth.toml", "[metrics]\nfor = \"nobody\"\n");
    let served = data.serve(&[]);
    assert_eq!(get(&served, "/metrics", Some(operator.trim())).0, 404);
}

#[test]
fn the_log_has_requests_and_refusals_and_nothing_secret() {
    let data = Data::new();
    data.put("garth.toml", "[log]\nlevel = \"debug\"\nformat = \"json\"\n");
    let served = data.serve(&[]);
    let agent = data.done(&["token", "create", "--role", "agent", "--agent", "default"]);
    let agent = agent.trim();
    let write = r#"{"path":"secret-name.txt","content":"hidden words"}"#;
    assert_eq!(post(&served, "/v1/workspaces/default/write", agent, write).0, 200);
    // What is refused is logged for everybody, and what it was about stays in the audit.
    assert_eq!(post(&served, "/v1/workspaces/other/write", agent, write).0, 403);
    assert_eq!(served.ask(agent, &["agents.list"]).code, 1);
    served.signal(Signal::TERM);
    let (code, _, log) = served.ended();
    assert_eq!(code, Some(0), "{log}");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let find = |message: &str, operation: &str| {
        let is = |line: &&Value| line["message"] == message && line["operation"] == operation;
        lines.iter().find(is).cloned().unwrap_or_default()
    };
    assert_eq!(find("A request ended.", "write")["outcome"], "OK", "{log}");
    assert_eq!(find("A request ended.", "write")["level"], "DEBUG", "{log}");
    let refused = find("A request was refused.", "agents.list");
    assert_eq!(
        (&refused["outcome"], &refused["level"]),
        (&"PERMISSION_DENIED".into(), &"INFO".into()),
        "{log}"
    );
    // What an earlier gateway left is looked for meanwhile, and that may be told before.
    let first = lines.iter().find(|line| line["level"] == "INFO").unwrap();
    assert_eq!(first["message"], "The gateway listens.", "{log}");
    assert_eq!(lines.last().unwrap()["message"], "The gateway stopped.", "{log}");
    for secret in [agent, "hidden words", "secret-name"] {
        assert!(!log.contains(secret), "{log}");
    }
}
