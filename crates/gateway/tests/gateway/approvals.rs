//! Somebody is asked, and what they say holds.

use garth_contract::Code;
use garth_gateway::{
    Call, Caller, Settings,
    approvals::{Again, Answered, Asked, Event, Hears, Reply, Told},
};
use serde_json::{Value, json};

use crate::stage::{DEADLINE, Stage, id_of, until};

/// `own` with these rules, and who works in it.
async fn with(approvals: Value) -> (Stage, Caller) {
    let stage = Stage::new().await;
    let settings: Settings =
        serde_json::from_value(json!({"provider": "local", "approvals": approvals})).unwrap();
    stage.gateway.registry().configure(&id_of("own"), &settings).await.unwrap();
    let caller = stage.agent("own").await;
    (stage, caller)
}

fn push() -> Value {
    json!({"rules": [{"operation": "bash", "command": "git push", "then": "ask"}], "waitMs": 3_600_000})
}

/// The question that waits, once it does.
async fn question(stage: &Stage) -> Asked {
    until("a question", async || !stage.gateway.approvals().pending().is_empty()).await;
    stage.gateway.approvals().pending().remove(0)
}

#[tokio::test]
async fn what_is_allowed_is_done_and_the_record_says_who_allowed_it() {
    let (stage, caller) = with(push()).await;
    let operator = stage.operator().await;
    let mut events = stage.gateway.approvals().watch();
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let command = format!("TOKEN={token} git push");
    let running = stage.call(&caller, "bash", json!({"command": command}));
    let answering = async {
        let asked = question(&stage).await;
        assert_eq!((asked.agent.as_str(), asked.operation.as_str()), ("own", "bash"));
        assert!(asked.summary.contains("git push") && !asked.summary.contains(token));
        assert_eq!(asked.caller, caller.id());
        assert_eq!(asked.deadline_ms - asked.asked_ms, 3_600_000);
        stage.gateway.approvals().answer(&asked.id, Reply::Allow, &operator).unwrap();
        asked
    };
    let (done, asked) = tokio::join!(running, answering);
    assert!(done.is_ok());
    let summary = stage.last_record().await.entry.summary;
    assert!(summary.ends_with(&format!("; approval: allowed by {}", operator.id())), "{summary}");
    assert_eq!(events.recv().await.unwrap(), Event::Asked(asked.clone()));
    let answered = Answered::By { caller: operator.id().to_owned(), reply: Reply::Allow };
    assert_eq!(events.recv().await.unwrap(), Event::Settled { id: asked.id, answered });
    assert_eq!(stage.gateway.approvals().pending(), []);
}

#[tokio::test]
async fn what_is_denied_is_not_done() {
    let rules = json!({"rules": [{"operation": "worktree.write", "then": "ask"}]});
    let (stage, caller) = with(rules).await;
    let operator = stage.operator().await;
    let running = stage.call(&caller, "worktree.write", json!({"path": "a", "content": "x"}));
    let answering = async {
        let asked = question(&stage).await;
        stage.gateway.approvals().answer(&asked.id, Reply::Deny, &operator).unwrap();
        let again = stage.gateway.approvals().answer(&asked.id, Reply::Allow, &operator);
        assert_eq!(again.unwrap_err().code(), Code::InvalidParams);
    };
    let (result, ()) = tokio::join!(running, answering);
    assert_eq!(result.map(drop).unwrap_err().code(), Code::ApprovalRefused);
    assert_eq!(stage.runs.load(std::sync::atomic::Ordering::SeqCst), 0);
    let entry = stage.last_record().await.entry;
    assert_eq!(entry.outcome, "APPROVAL_REFUSED");
    assert!(entry.summary.contains("denied by"), "{}", entry.summary);
}

#[tokio::test]
async fn what_nobody_answers_is_refused() {
    let rules = json!({"otherwise": "ask", "waitMs": 20});
    let (stage, caller) = with(rules).await;
    let mut events = stage.gateway.approvals().watch();
    let result = stage.call(&caller, "bash", json!({"command": "x"})).await;
    assert_eq!(result.map(drop).unwrap_err().code(), Code::ApprovalRefused);
    assert!(stage.last_record().await.entry.summary.contains("not answered"));
    assert_eq!(stage.gateway.approvals().pending(), []);
    assert!(matches!(events.recv().await.unwrap(), Event::Asked(_)));
    let settled = events.recv().await.unwrap();
    assert!(matches!(settled, Event::Settled { answered: Answered::Unanswered, .. }));
}

#[tokio::test]
async fn what_a_rule_denies_nobody_is_asked_about() {
    let rules = json!({"rules": [{"operation": "*", "path": ".github", "then": "deny"}]});
    let (stage, caller) = with(rules).await;
    for path in [".github/x", "./a/../.github/x", "/workspace/.github/x", "/.github"] {
        let write = json!({"path": path, "content": "x"});
        let result = stage.call(&caller, "worktree.write", write).await.map(drop);
        let code = result.unwrap_err().code();
        let outside = path == "/.github";
        let expected = if outside { Code::PathOutsideWorkspace } else { Code::ApprovalRefused };
        assert_eq!(code, expected, "{path}");
    }
    let all = json!({"path": "", "recursive": true});
    let removed = stage.call(&caller, "worktree.delete", all).await.map(drop);
    assert_eq!(removed.unwrap_err().code(), Code::ApprovalRefused);
    assert!(stage.call(&caller, "worktree.delete", json!({"path": "a"})).await.is_ok());
}

#[tokio::test]
async fn only_an_operator_answers() {
    let (stage, caller) = with(push()).await;
    let user = stage.caller(garth_gateway::Role::User).await;
    let operator = stage.operator().await;
    let running = stage.call(&caller, "bash", json!({"command": "git push"}));
    let answering = async {
        let asked = question(&stage).await;
        for by in [&caller, &user] {
            let refused = stage.gateway.approvals().answer(&asked.id, Reply::Allow, by);
            assert_eq!(refused.unwrap_err().code(), Code::PermissionDenied);
        }
        stage.gateway.approvals().answer(&asked.id, Reply::Allow, &operator).unwrap();
    };
    let (done, ()) = tokio::join!(running, answering);
    assert!(done.is_ok());
}

#[tokio::test]
async fn a_call_that_is_dropped_withdraws_its_question() {
    let (stage, caller) = with(push()).await;
    let mut events = stage.gateway.approvals().watch();
    {
        let running = stage.call(&caller, "bash", json!({"command": "git push"}));
        tokio::select! {
            _ = running => panic!("it ended"),
            _ = question(&stage) => {}
        }
    }
    assert_eq!(stage.gateway.approvals().pending(), []);
    assert!(matches!(events.recv().await.unwrap(), Event::Asked(_)));
    let settled = events.recv().await.unwrap();
    assert!(matches!(settled, Event::Settled { answered: Answered::Withdrawn, .. }));
    until("the record", async || stage.records().await.len() == 1).await;
    assert_eq!(stage.last_record().await.entry.outcome, "CANCELLED");
}

#[tokio::test]
async fn an_agent_cannot_fill_the_desk() {
    let rules = json!({"otherwise": "ask", "waitMs": 3_600_000});
    let (stage, caller) = with(rules).await;
    let mut operations = stage.table.rows().map(|row| row.name).collect::<Vec<_>>();
    operations.retain(|name| *name == "worktree.delete");
    let waiting = async {
        let calls = (0..32).map(|number| {
            let path = format!("f{number}");
            let (gateway, table) = (stage.gateway.clone(), &stage.table);
            let call = crate::stage::call(&caller, operations[0], json!({"path": path}));
            async move { gateway.call(table, call).await }
        });
        let mut calls: Vec<_> = calls.map(Box::pin).collect();
        std::future::poll_fn(|context| {
            for call in &mut calls {
                assert!(call.as_mut().poll(context).is_pending());
            }
            std::task::Poll::<()>::Pending
        })
        .await;
    };
    let one_more = async {
        until("32 questions", async || stage.gateway.approvals().pending().len() == 32).await;
        stage.call(&caller, "worktree.delete", json!({"path": "x"})).await.map(drop)
    };
    let refused = tokio::select! {
        () = waiting => panic!("they ended"),
        refused = one_more => refused,
    };
    assert_eq!(refused.unwrap_err().code(), Code::ApprovalRefused);
    let emptied = async || stage.gateway.approvals().pending().is_empty();
    tokio::time::timeout(DEADLINE, until("an empty desk", emptied)).await.unwrap();
}

/// A call whose caller is told the question, with what it brings.
fn told(caller: &Caller, params: Value, again: Option<(&str, Option<Reply>)>) -> (Call, Told) {
    let again = again.map(|(id, said)| Again { id: id.to_owned(), said });
    let told = Told { again, ..Told::default() };
    let call = crate::stage::call(caller, "bash", params);
    (Call { hears: Hears::Told(told.clone()), ..call }, told)
}

/// Makes such a call: the code it is refused with, if it is, and the question.
async fn tried(stage: &Stage, (call, told): (Call, Told)) -> (Option<Code>, Option<Asked>) {
    let done = stage.gateway.call(&stage.table, call).await;
    (done.err().map(|error| error.code()), told.question.get().cloned())
}

#[tokio::test]
async fn whose_person_allows_it_comes_again_and_is_done_once() {
    let (stage, caller) = with(push()).await;
    let params = || json!({"command": "git push"});
    let (refused, asked) = tried(&stage, told(&caller, params(), None)).await;
    assert_eq!(refused, Some(Code::ApprovalRefused));
    let asked = asked.unwrap();
    assert_eq!(stage.gateway.approvals().pending(), std::slice::from_ref(&asked));
    assert!(stage.last_record().await.entry.summary.ends_with("approval: asked of the caller"));

    // Neither another call nor another caller has it.
    let allow = Some((asked.id.as_str(), Some(Reply::Allow)));
    let other = json!({"command": "git push --force"});
    assert_eq!(tried(&stage, told(&caller, other, allow)).await, (refused, None));
    let somebody = stage.agent("own").await;
    assert_eq!(tried(&stage, told(&somebody, params(), allow)).await, (refused, None));
    // Who says nothing is asked the same again.
    let silent = Some((asked.id.as_str(), None));
    let (_, same) = tried(&stage, told(&caller, params(), silent)).await;
    assert_eq!(same.as_ref(), Some(&asked));

    assert_eq!(tried(&stage, told(&caller, params(), allow)).await, (None, None));
    let summary = stage.last_record().await.entry.summary;
    assert!(summary.ends_with(&format!("approval: allowed by {}", caller.id())), "{summary}");
    assert_eq!(tried(&stage, told(&caller, params(), allow)).await, (refused, None));
    assert_eq!(stage.gateway.approvals().pending(), []);
}

#[tokio::test]
async fn what_an_operator_said_goes_before_what_the_caller_s_person_says() {
    let (stage, caller) = with(push()).await;
    let operator = stage.operator().await;
    let params = || json!({"command": "git push"});
    let (_, asked) = tried(&stage, told(&caller, params(), None)).await;
    let asked = asked.unwrap();
    stage.gateway.approvals().answer(&asked.id, Reply::Deny, &operator).unwrap();
    let again = stage.gateway.approvals().answer(&asked.id, Reply::Allow, &operator);
    assert_eq!(again.unwrap_err().code(), Code::InvalidParams);
    assert_eq!(stage.gateway.approvals().pending(), []);
    let allow = Some((asked.id.as_str(), Some(Reply::Allow)));
    let (refused, _) = tried(&stage, told(&caller, params(), allow)).await;
    assert_eq!(refused, Some(Code::ApprovalRefused));
    let summary = stage.last_record().await.entry.summary;
    assert!(summary.ends_with(&format!("approval: denied by {}", operator.id())), "{summary}");
}

#[tokio::test]
async fn where_only_operators_answer_a_caller_is_not_told_to() {
    let rules = json!({"otherwise": "ask", "waitMs": 20, "answeredBy": "operators"});
    let (stage, caller) = with(rules).await;
    let (refused, asked) = tried(&stage, told(&caller, json!({"command": "x"}), None)).await;
    assert_eq!((refused, asked), (Some(Code::ApprovalRefused), None));
    assert!(stage.last_record().await.entry.summary.ends_with("not answered"));
    // An operator's own call is asked of the operator.
    let operator = stage.operator().await;
    let (_, asked) = tried(&stage, told(&operator, json!({"command": "x"}), None)).await;
    assert!(asked.is_some());
}

#[tokio::test]
async fn a_question_that_nobody_comes_back_to_is_gone_in_time() {
    let (stage, caller) = with(json!({"otherwise": "ask", "waitMs": 1})).await;
    let (_, asked) = tried(&stage, told(&caller, json!({"command": "x"}), None)).await;
    until("an empty desk", async || stage.gateway.approvals().pending().is_empty()).await;
    let late = Some((asked.as_ref().unwrap().id.as_str(), Some(Reply::Allow)));
    let (refused, again) = tried(&stage, told(&caller, json!({"command": "x"}), late)).await;
    assert_eq!((refused, again), (Some(Code::ApprovalRefused), None));
}
