//! One call from its beginning to its record.

use std::sync::atomic::Ordering;

use garth_contract::Code;
use garth_gateway::{Settings, State, Takes};
use serde_json::json;

use crate::stage::{DEADLINE, Stage, call, id_of, until};

#[tokio::test]
async fn a_call_is_on_record_when_its_answer_is_told() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let params = json!({"path": "src/a.rs", "content": "the content itself"});
    let done = stage.call(&caller, "worktree.write", params.clone()).await.unwrap();
    let record = stage.last_record().await;
    assert_eq!(Some(record.sequence), done.sequence);
    let entry = record.entry;
    assert_eq!(entry.caller, caller.id());
    assert_eq!(entry.role, "agent:own");
    assert_eq!(entry.session, "session-1");
    assert_eq!(entry.workspace, "own");
    assert_eq!(entry.operation, "worktree.write");
    assert_eq!(entry.summary, "src/a.rs");
    assert_eq!(entry.outcome, "OK");
    assert_eq!(entry.bytes_in, i64::try_from(params.to_string().len()).unwrap());
    assert_eq!(entry.bytes_out, i64::try_from(done.answer.to_string().len()).unwrap());
}

#[tokio::test]
async fn no_record_holds_contents_or_secrets() {
    let stage = Stage::new().await;
    let caller = stage.operator().await;
    let content = "the-content-of-the-file-itself";
    let write = json!({"path": "a.txt", "content": content});
    stage.call(&caller, "worktree.write", write).await.unwrap();
    stage.call(&caller, "worktree.read", json!({"path": "a.txt"})).await.unwrap();
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let command = json!({"command": format!("git push https://{token}@example.org/a")});
    stage.call(&caller, "bash", command).await.unwrap();
    let summary = stage.last_record().await.entry.summary;
    assert!(summary.contains("git push") && summary.contains("[REDACTED"), "{summary}");
    stage.gateway.stop().await.unwrap();
    for name in ["garth.db", "audit.anchor"] {
        let bytes = std::fs::read(stage.file(name)).unwrap();
        for secret in [content, token] {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{name} holds {secret}");
        }
    }
}

#[tokio::test]
async fn the_rules_of_an_agent_hold_for_its_records() {
    let stage = Stage::new().await;
    let settings: Settings = serde_json::from_value(json!({
        "provider": "local",
        "redaction": {"enabled": false, "customPatterns": [{"name": "TICKET", "regex": "T-\\d+"}]},
    }))
    .unwrap();
    stage.gateway.registry().configure(&id_of("own"), &settings).await.unwrap();
    let caller = stage.agent("own").await;
    stage.call(&caller, "bash", json!({"command": "echo T-4711"})).await.unwrap();
    let summary = stage.last_record().await.entry.summary;
    assert_eq!(summary, "command: echo [REDACTED: TICKET]");
}

#[tokio::test]
async fn a_call_that_is_dropped_is_recorded_as_cancelled() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let running = stage.call(&caller, "bash", json!({"command": "wait"}));
    tokio::select! {
        _ = running => panic!("it ended"),
        () = stage.started.notified() => {}
    }
    until("a record of the dropped call", async || stage.records().await.len() == 1).await;
    assert_eq!(stage.last_record().await.entry.outcome, "CANCELLED");
    assert_eq!(stage.gateway.limits().snapshot().processes, 0);
    assert_eq!(stage.gateway.limits().snapshot().in_flight, 0);
}

#[tokio::test]
async fn a_call_that_is_dropped_at_any_step_is_recorded() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let asked = || call(&caller, "bash", json!({"command": "x"}));
    drop(stage.gateway.resolve(&stage.table, asked()).await.unwrap());
    let resolved = stage.gateway.resolve(&stage.table, asked()).await.unwrap();
    drop(stage.gateway.authorize(resolved).await.unwrap());
    let resolved = stage.gateway.resolve(&stage.table, asked()).await.unwrap();
    let authorized = stage.gateway.authorize(resolved).await.unwrap();
    drop(stage.gateway.admit(authorized).await.unwrap());
    until("three records", async || stage.records().await.len() == 3).await;
    assert!(stage.records().await.iter().all(|record| record.entry.outcome == "CANCELLED"));
    assert_eq!(stage.gateway.limits().snapshot().in_flight, 0);
}

#[tokio::test]
async fn a_panic_ends_one_call_and_is_recorded() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let result = stage.call(&caller, "bash", json!({"command": "panic"})).await;
    let error = result.map(drop).unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    assert!(!error.message().contains("panics"), "{error}");
    assert_eq!(stage.last_record().await.entry.outcome, "INTERNAL");
    assert!(stage.call(&caller, "bash", json!({"command": "x"})).await.is_ok());
}

#[tokio::test]
async fn an_error_of_the_operation_is_told_and_recorded() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let result = stage.call(&caller, "worktree.read", json!({"path": "nothing"})).await;
    assert_eq!(result.map(drop).unwrap_err().code(), Code::FileNotFound);
    assert_eq!(stage.last_record().await.entry.outcome, "FILE_NOT_FOUND");
}

#[tokio::test]
async fn a_workspace_is_opened_once_and_again_when_its_settings_change() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let call = || stage.call(&caller, "worktree.watch", json!({"path": "a"}));
    let (one, two, three) = tokio::join!(call(), call(), call());
    assert!(one.is_ok() && two.is_ok() && three.is_ok());
    assert_eq!(stage.files.opened.load(Ordering::SeqCst), 1);
    let mut settings = Settings::new("local");
    settings.quota_bytes = Some(1_000_000);
    stage.gateway.registry().configure(&id_of("own"), &settings).await.unwrap();
    call().await.unwrap();
    assert_eq!(stage.files.opened.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_stopped_agent_is_not_worked_with() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    stage.call(&caller, "worktree.watch", json!({"path": "a"})).await.unwrap();
    stage.gateway.registry().set_state(&id_of("own"), State::Stopped).await.unwrap();
    let result = stage.call(&caller, "worktree.watch", json!({"path": "a"})).await;
    assert_eq!(result.map(drop).unwrap_err().code(), Code::ProviderUnavailable);
    stage.gateway.registry().set_state(&id_of("own"), State::Active).await.unwrap();
    stage.call(&caller, "worktree.watch", json!({"path": "a"})).await.unwrap();
}

#[tokio::test]
async fn what_another_process_changes_holds_here_too() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    stage.call(&caller, "worktree.watch", json!({"path": "a"})).await.unwrap();
    let theirs = garth_gateway::Store::open(&stage.database(), stage.clock.clone()).unwrap();
    let registry = garth_gateway::Registry::new(theirs.clone());
    registry.set_state(&id_of("own"), State::Stopped).await.unwrap();
    until("the agent is stopped here", async || {
        stage.call(&caller, "worktree.delete", json!({"path": "a"})).await.is_err()
    })
    .await;
    theirs.close().await;
}

#[tokio::test]
async fn a_watch_keeps_its_place_as_long_as_it_is_held() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let watch = || stage.call(&caller, "worktree.watch", json!({"path": "a"}));
    let mut open = Vec::new();
    for _ in 0..10 {
        open.push(watch().await.unwrap().held.unwrap());
    }
    let refused = watch().await.map(drop).unwrap_err();
    assert_eq!(refused.code(), Code::RateLimitExceeded);
    assert_eq!(stage.gateway.limits().snapshot().watches, 10);
    drop(open.pop());
    assert!(watch().await.is_ok());
    assert_eq!(stage.table.find("worktree.watch").unwrap().takes, Takes::Watch);
}

#[tokio::test]
async fn a_gateway_that_stopped_refuses_and_its_last_record_is_anchored() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    stage.call(&caller, "bash", json!({"command": "x"})).await.unwrap();
    stage.gateway.stop().await.unwrap();
    let late = stage.call(&caller, "bash", json!({"command": "x"}));
    let late = tokio::time::timeout(DEADLINE, late).await.unwrap();
    assert_eq!(late.map(drop).unwrap_err().code(), Code::Internal);
    let anchor = std::fs::read_to_string(stage.file("audit.anchor")).unwrap();
    assert!(anchor.contains("\"sequence\":1"), "{anchor}");
}

#[tokio::test]
async fn calls_that_came_together_share_the_look_at_what_is_there() {
    let stage = Stage::new().await;
    let caller = stage.operator().await;
    stage.call(&caller, "worktree.write", json!({"path": "a", "content": "x"})).await.unwrap();
    let looks = || stage.files.looks.swap(0, Ordering::SeqCst);
    let ask = || call(&caller, "worktree.read", json!({"path": "a"}));
    looks();
    // All of these were here before the first of them is begun.
    for asked in [ask(), ask(), ask()] {
        stage.gateway.call(&stage.table, asked).await.unwrap();
    }
    assert_eq!(looks(), 1);
    // This one was not, and what is there may be another now.
    stage.files.swapped.store(true, Ordering::SeqCst);
    let opened = stage.files.opened.load(Ordering::SeqCst);
    stage.gateway.call(&stage.table, ask()).await.unwrap();
    assert_eq!(looks(), 1);
    assert_eq!(stage.files.opened.load(Ordering::SeqCst), opened + 1, "it is opened anew");
}
