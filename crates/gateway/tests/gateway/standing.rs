//! What a caller has at hand of a workspace, call after call, is what is there.

use std::sync::atomic::Ordering;

use garth_contract::Code;
use garth_gateway::{Caller, OwnLimits, Settings, State};
use serde_json::json;

use crate::stage::{Begin, Stage, id_of};

async fn write(stage: &Stage, caller: &Caller, agent: &str) -> Result<(), Code> {
    let params = json!({"agentId": agent, "path": "a", "content": agent});
    let done = stage.call(caller, "worktree.write", params).await;
    done.map(drop).map_err(|error| error.code())
}

async fn read(stage: &Stage, caller: &Caller, agent: &str) -> String {
    let params = json!({"agentId": agent, "path": "a"});
    let done = stage.call(caller, "worktree.read", params).await.unwrap();
    done.answer["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_change_of_an_agent_holds_from_the_next_call_of_the_same_caller_on() {
    let stage = Stage::new().await;
    let (caller, registry, own) = (stage.operator().await, stage.gateway.registry(), id_of("own"));
    assert_eq!(write(&stage, &caller, "own").await, Ok(()));
    let mut settings = Settings::new("local");
    settings.read_only = true;
    registry.configure(&own, &settings).await.unwrap();
    assert_eq!(write(&stage, &caller, "own").await, Err(Code::ReadOnly));
    settings.read_only = false;
    settings.limits = OwnLimits { requests_per_minute: Some(1), ..OwnLimits::default() };
    registry.configure(&own, &settings).await.unwrap();
    assert_eq!(write(&stage, &caller, "own").await, Ok(()));
    assert_eq!(write(&stage, &caller, "own").await, Err(Code::RateLimitExceeded));
    settings.limits = OwnLimits::default();
    registry.configure(&own, &settings).await.unwrap();
    registry.set_state(&own, State::Stopped).await.unwrap();
    assert_eq!(write(&stage, &caller, "own").await, Err(Code::ProviderUnavailable));
    registry.set_state(&own, State::Active).await.unwrap();
    assert_eq!(write(&stage, &caller, "own").await, Ok(()));
    registry.delete(&own).await.unwrap();
    assert_eq!(write(&stage, &caller, "own").await, Err(Code::AgentNotFound));
}

#[tokio::test]
async fn a_caller_that_goes_from_one_workspace_to_another_gets_the_right_one() {
    let stage = Stage::new().await;
    let caller = stage.operator().await;
    for agent in ["own", "other", "own", "other"] {
        assert_eq!(write(&stage, &caller, agent).await, Ok(()));
    }
    for agent in ["own", "other", "other", "own"] {
        assert_eq!(read(&stage, &caller, agent).await, agent);
    }
}

#[tokio::test]
async fn a_workspace_that_was_closed_is_opened_anew_and_one_that_is_open_is_not() {
    let stage = Stage::new().await;
    let (one, two) = (stage.operator().await, stage.agent("own").await);
    let opened = || stage.files.opened.load(Ordering::SeqCst);
    for caller in [&one, &two, &one] {
        assert_eq!(write(&stage, caller, "own").await, Ok(()));
    }
    assert_eq!(opened(), 1);
    stage.gateway.close_workspace(&id_of("own"));
    for caller in [&one, &two, &one] {
        assert_eq!(write(&stage, caller, "own").await, Ok(()));
    }
    assert_eq!(opened(), 2);
    stage.files.swapped.store(true, Ordering::SeqCst);
    for caller in [&one, &two, &one] {
        assert_eq!(write(&stage, caller, "own").await, Ok(()));
    }
    assert_eq!(opened(), 3, "another has its place");
}

#[tokio::test]
async fn a_caller_that_was_let_in_elsewhere_has_nothing_at_hand_here() {
    let (here, there) = (Stage::new().await, Stage::begin(Begin::default()).await);
    let caller = here.operator().await;
    assert_eq!(write(&here, &caller, "own").await, Ok(()));
    let settings = Settings { read_only: true, ..Settings::new("local") };
    there.gateway.registry().configure(&id_of("own"), &settings).await.unwrap();
    // As many changes here as there, so that the numbers of them agree.
    here.gateway.registry().configure(&id_of("other"), &settings).await.unwrap();
    assert_eq!(write(&here, &caller, "own").await, Ok(()));
    assert_eq!(write(&there, &caller, "own").await, Err(Code::ReadOnly));
    assert_eq!(write(&here, &caller, "own").await, Ok(()));
}

#[tokio::test]
async fn a_workspace_that_was_closed_is_opened_anew_also_while_a_call_still_works_in_it() {
    let stage = Stage::new().await;
    let caller = stage.operator().await;
    let working = stage.call(&caller, "bash", json!({"command": "wait"}));
    let meanwhile = async {
        stage.started.notified().await;
        stage.gateway.close_workspace(&id_of("own"));
        assert_eq!(write(&stage, &caller, "own").await, Ok(()));
        stage.held.notify_one();
    };
    let (worked, ()) = tokio::join!(working, meanwhile);
    worked.unwrap();
    assert_eq!(stage.files.opened.load(Ordering::SeqCst), 2);
}
