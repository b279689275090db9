//! Approvals: asked of operators, answered by them, and everything on record.

use serde_json::{Value, json};

use crate::{client::Client, server::Server};

fn careful(server: &Server, wait_ms: u64) -> Client {
    let rules = json!([{"operation": "worktree.write", "path": "careful/**", "then": "ask"}]);
    let settings = json!({"approvals": {"otherwise": "allow", "rules": rules, "waitMs": wait_ms}});
    server.operator().ok("agents.create", json!({"agentId": "bird", "settings": settings}));
    server.client(&server.token(json!({"role": "agent", "agentId": "bird"})).0)
}

fn write() -> Value {
    json!({"agentId": "bird", "path": "careful/a", "content": "x"})
}

#[test]
fn an_operator_is_asked_and_the_answer_counts() {
    let server = Server::start();
    let mut agent = careful(&server, 60_000);
    let mut operator = server.operator();
    let (mut asking, file) = (Vec::new(), server.files("bird").join("careful/a"));
    for (decision, expected) in [("deny", false), ("allow", true)] {
        let id = agent.begin("worktree.write", write());
        let asked = operator.event("approval.requested");
        assert_eq!(
            (&asked["agentId"], &asked["operation"]),
            (&json!("bird"), &json!("worktree.write"))
        );
        assert_eq!((&asked["summary"], &asked["change"]), (&json!("careful/a"), &json!("+x")));
        let listed = operator.ok("approvals.list", json!({}));
        assert_eq!(listed["approvals"], json!([asked]));
        let mine = json!({"id": asked["id"], "decision": "allow"});
        assert_eq!(agent.refused("approvals.answer", mine), "PERMISSION_DENIED");
        operator.ok("approvals.answer", json!({"id": asked["id"], "decision": decision}));
        let settled = operator.event("approval.settled");
        assert_eq!((&settled["id"], &settled["decision"]), (&asked["id"], &json!(decision)));
        let reply = agent.reply(&id);
        assert_eq!(reply["ok"], expected, "{reply}");
        assert_eq!(file.exists(), expected);
        asking.push(asked["id"].clone());
    }
    let again = json!({"id": asking[0], "decision": "allow"});
    assert_eq!(operator.refused("approvals.answer", again), "INVALID_PARAMS");
    let odd = json!({"id": asking[0], "decision": "maybe"});
    assert_eq!(operator.refused("approvals.answer", odd), "INVALID_PARAMS");
    // What needs no approval is done at once.
    agent.ok("worktree.write", json!({"agentId": "bird", "path": "b", "content": "x"}));
    let records = operator.ok("audit.list", json!({"operation": "worktree.write", "limit": 3}));
    let summaries = records["records"].to_string();
    assert!(summaries.contains("allowed by") && summaries.contains("denied by"), "{summaries}");
}

#[test]
fn no_answer_is_a_refusal_and_who_goes_away_asks_no_more() {
    let server = Server::start();
    let mut agent = careful(&server, 500);
    let mut operator = server.operator();
    assert_eq!(agent.refused("worktree.write", write()), "APPROVAL_REFUSED");
    operator.ok(
        "agents.update",
        json!({"agentId": "bird", "settings": {"approvals": {
            "rules": [{"operation": "*", "then": "ask"}], "waitMs": 60_000,
        }}}),
    );
    agent.begin("worktree.write", write());
    operator.wait_for("the question", |frame| {
        frame["event"] == "approval.requested"
            && frame["payload"]["deadlineMs"].as_i64().unwrap()
                - frame["payload"]["askedMs"].as_i64().unwrap()
                == 60_000
    });
    agent.drop_dead();
    operator.wait_for("its end", |frame| {
        frame["event"] == "approval.settled" && frame["payload"]["how"] == "withdrawn"
    });
    assert_eq!(operator.ok("approvals.list", json!({})), json!({"approvals": []}));
}

#[test]
fn no_more_bytes_of_requests_are_under_way_than_there_is_room_for() {
    let server = Server::start();
    let mut agent = careful(&server, 60_000);
    let mut operator = server.operator();
    let content = "x".repeat(20_000_000);
    let mut large = |name: &str| {
        let path = format!("careful/{name}");
        agent.begin("worktree.write", json!({"agentId": "bird", "path": path, "content": content}))
    };
    // Two of them fit, and half of a third.
    let (first, _, _) = (large("a"), large("b"), large("c"));
    let last = agent.begin("worktree.stat", json!({"agentId": "bird", "path": "/"}));
    let asked: Vec<_> = (0..2).map(|_| operator.event("approval.requested")).collect();
    // Time enough for the third, if nothing held it up.
    for _ in 0..100 {
        let listed = operator.ok("approvals.list", json!({}));
        assert_eq!(listed["approvals"].as_array().unwrap().len(), 2);
    }
    let denied = asked.iter().find(|asked| asked["summary"] == "careful/a").unwrap();
    operator.ok("approvals.answer", json!({"id": denied["id"], "decision": "deny"}));
    assert_eq!(operator.event("approval.requested")["summary"], "careful/c");
    let mut reply = || agent.wait_for("a reply", |frame| frame["type"] == "res")["id"].clone();
    let told = [reply(), reply()];
    assert_eq!(told, [json!(first), json!(last)], "what came behind was read when there was room");
}
