//! A request id makes a call happen at most once.

use std::sync::atomic::Ordering;

use garth_contract::{Code, Error};
use garth_gateway::{When, audit};
use serde_json::{Value, json};

use crate::stage::{Begin, DEADLINE, Stage, call, until};

fn write(request: &str, content: &str) -> Value {
    json!({"path": "a.txt", "content": content, "requestId": request})
}

#[tokio::test]
async fn the_second_call_gets_the_first_ones_answer() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let first = stage.call(&caller, "worktree.write", write("r1", "x")).await.unwrap();
    let second = stage.call(&caller, "worktree.write", write("r1", "x")).await.unwrap();
    assert_eq!((first.when, second.when), (When::Now, When::Before));
    assert_eq!(first.answer, second.answer);
    assert_eq!(stage.runs.load(Ordering::SeqCst), 1);
    let records = stage.records().await;
    assert_eq!(records.len(), 2, "both are recorded");
    assert_eq!(records[1].entry.summary, "a.txt; answered as before");
    stage.call(&caller, "worktree.write", write("r2", "x")).await.unwrap();
    assert_eq!(stage.runs.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn an_answer_is_kept_over_a_restart() {
    let stage = Stage::new().await;
    let grant = garth_gateway::Grant {
        role: garth_gateway::Role::Operator,
        label: String::new(),
        ttl: None,
    };
    let (secret, _) = stage.gateway.callers().issue(grant).await.unwrap();
    let caller = async |stage: &Stage| {
        let credential = stage.gateway.callers().authenticate(&secret.reveal()).await.unwrap();
        garth_gateway::Caller::new(credential, "s")
    };
    let one = caller(&stage).await;
    let first = stage.call(&one, "worktree.write", write("r1", "x")).await.unwrap();
    let stage = stage.again(Begin::default()).await;
    let two = caller(&stage).await;
    let second = stage.call(&two, "worktree.write", write("r1", "x")).await.unwrap();
    assert_eq!((second.when, second.answer), (When::Before, first.answer));
    assert_eq!(stage.runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_error_is_kept_too() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let read = json!({"path": "nothing", "requestId": "r1"});
    let first = stage.call(&caller, "worktree.read", read.clone()).await.map(drop).unwrap_err();
    let write = json!({"path": "nothing", "content": "x"});
    stage.call(&caller, "worktree.write", write).await.unwrap();
    let second = stage.call(&caller, "worktree.read", read).await.map(drop).unwrap_err();
    assert_eq!((first.code(), first.message()), (second.code(), second.message()));
    assert_eq!(first.code(), Code::FileNotFound);
}

#[tokio::test]
async fn an_id_is_for_one_call_only() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    stage.call(&caller, "worktree.write", write("r1", "x")).await.unwrap();
    for (operation, params) in
        [("worktree.write", write("r1", "y")), ("worktree.delete", write("r1", "x"))]
    {
        let error = stage.call(&caller, operation, params).await.map(drop).unwrap_err();
        assert_eq!(error.code(), Code::InvalidParams, "{operation}");
    }
    let odd = json!({"path": "a", "requestId": "x".repeat(129)});
    let error = stage.call(&caller, "worktree.write", odd).await.map(drop).unwrap_err();
    assert_eq!(error.code(), Code::InvalidParams);
}

#[tokio::test]
async fn callers_and_workspaces_have_ids_of_their_own() {
    let stage = Stage::new().await;
    let (one, other) = (stage.agent("own").await, stage.operator().await);
    stage.call(&one, "worktree.write", write("r1", "x")).await.unwrap();
    stage.call(&other, "worktree.write", write("r1", "y")).await.unwrap();
    let mut elsewhere = write("r1", "z");
    elsewhere["agentId"] = json!("other");
    stage.call(&other, "worktree.write", elsewhere).await.unwrap();
    assert_eq!(stage.runs.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn calls_at_the_same_time_run_once_and_all_get_the_answer() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let ask = || stage.call(&caller, "worktree.write", write("r1", "x"));
    let (a, b, c, d) = tokio::join!(ask(), ask(), ask(), ask());
    let answers: Vec<_> = [a, b, c, d].into_iter().map(|done| done.unwrap().answer).collect();
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(stage.runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_that_is_dropped_goes_on_and_its_answer_can_be_had() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let params = json!({"command": "wait", "requestId": "r1"});
    {
        let running = stage.call(&caller, "bash", params.clone());
        tokio::select! {
            _ = running => panic!("it ended"),
            () = stage.started.notified() => {}
        }
    }
    let again = stage.gateway.call(&stage.table, call(&caller, "bash", params));
    let let_it = async {
        // Given whenever it is waited for.
        stage.held.notify_one();
    };
    let (again, ()) = tokio::join!(tokio::time::timeout(DEADLINE, again), let_it);
    let again = again.unwrap().unwrap();
    assert_eq!((again.when, &again.answer["exit_code"]), (When::Before, &json!(0)));
    until("two records", async || stage.records().await.len() == 2).await;
    assert!(stage.records().await.iter().all(|record| record.entry.outcome == audit::OK));
}

#[tokio::test]
async fn a_call_that_a_crash_cut_off_is_not_run_again() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    stage.call(&caller, "worktree.write", write("r1", "x")).await.unwrap();
    // As a crash between the claim and the record leaves it.
    let cut = "UPDATE op SET state = 'running', result = NULL, session = 'another'";
    stage.intruder().execute(cut, []).unwrap();
    let error: Error =
        stage.call(&caller, "worktree.write", write("r1", "x")).await.map(drop).unwrap_err();
    assert_eq!(error.code(), Code::Conflict);
    assert_eq!(stage.runs.load(Ordering::SeqCst), 1);
    assert_eq!(stage.last_record().await.entry.outcome, "CONFLICT");
}
