//! Tokens: good until they expire or are taken back, and then at once.

use std::time::Duration;

use garth_contract::{Code, Error};
use garth_gateway::{Caller, Callers, Clock, Grant, Registry, Role, Secret, Store};
use serde_json::json;

use crate::stage::{Begin, DEADLINE, Stage, call, id_of};

const NOW: i64 = 1_800_000_000_000;

fn grant(role: Role, ttl: Option<Duration>) -> Grant {
    Grant { role, label: "a label".to_owned(), ttl }
}

async fn is_good(callers: &Callers, secret: &Secret) -> bool {
    match callers.authenticate(&secret.reveal()).await {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error, Error::of(Code::Unauthenticated));
            false
        }
    }
}

#[tokio::test]
async fn a_token_proves_the_role_it_was_made_for() {
    let stage = Stage::new().await;
    let callers = stage.gateway.callers();
    for role in [Role::Operator, Role::Agent(id_of("own")), Role::User] {
        let (secret, token) = callers.issue(grant(role.clone(), None)).await.unwrap();
        let credential = callers.authenticate(&secret.reveal()).await.unwrap();
        assert_eq!(credential.role(), &role);
        assert_eq!(credential.id(), token.id);
        assert_eq!(credential.label(), "a label");
    }
}

#[tokio::test]
async fn what_is_not_a_token_is_refused_in_the_same_words() {
    let stage = Stage::new().await;
    let callers = stage.gateway.callers();
    let (secret, token) = callers.issue(grant(Role::Operator, None)).await.unwrap();
    let good = secret.reveal();
    let mut changed = good.clone().into_bytes();
    let last = changed.len() - 2;
    changed[last] = if changed[last] == b'a' { b'b' } else { b'a' };
    let changed = String::from_utf8(changed).unwrap();
    let unknown = format!("garth_{}", "0".repeat(64));
    for bad in ["", "garth_", "x", &token.id, &changed, &unknown, &format!("{good} ")] {
        let error = callers.authenticate(bad).await.map(drop).unwrap_err();
        assert_eq!(error, Error::of(Code::Unauthenticated), "{bad}");
    }
}

#[tokio::test]
async fn a_token_with_the_right_id_and_the_wrong_rest_is_refused() {
    let stage = Stage::new().await;
    let callers = stage.gateway.callers();
    let (secret, token) = callers.issue(grant(Role::Operator, None)).await.unwrap();
    let changed = "UPDATE token SET hash = zeroblob(32) WHERE id = ?1";
    assert_eq!(stage.intruder().execute(changed, [&token.id]).unwrap(), 1);
    assert!(!is_good(callers, &secret).await);
}

#[tokio::test]
async fn a_token_expires_to_the_millisecond() {
    let clock = Clock::set_to(NOW);
    let stage = Stage::begin(Begin { clock: clock.clone(), ..Begin::default() }).await;
    let callers = stage.gateway.callers();
    let ttl = Some(Duration::from_secs(60));
    let (secret, _) = callers.issue(grant(Role::Agent(id_of("own")), ttl)).await.unwrap();
    let credential = callers.authenticate(&secret.reveal()).await.unwrap();
    let caller = Caller::new(credential.clone(), "s");
    let run = || stage.call(&caller, "bash", json!({"command": "x"}));
    clock.advance(Duration::from_millis(59_999));
    assert!(is_good(callers, &secret).await);
    assert!(run().await.is_ok());
    clock.advance(Duration::from_millis(1));
    assert!(!is_good(callers, &secret).await);
    assert_eq!(run().await.map(drop).unwrap_err().code(), Code::Unauthenticated);
    assert_eq!(stage.last_record().await.entry.outcome, "UNAUTHENTICATED");
    tokio::time::timeout(DEADLINE, credential.ended()).await.unwrap();
}

#[tokio::test]
async fn a_token_that_is_taken_back_ends_its_connections() {
    let stage = Stage::new().await;
    let callers = stage.gateway.callers();
    let (secret, token) = callers.issue(grant(Role::Agent(id_of("own")), None)).await.unwrap();
    let one = callers.authenticate(&secret.reveal()).await.unwrap();
    let other = callers.authenticate(&secret.reveal()).await.unwrap();
    let bystander = stage.agent("own").await;
    callers.revoke(&token.id).await.unwrap();
    tokio::time::timeout(DEADLINE, async { tokio::join!(one.ended(), other.ended()) })
        .await
        .unwrap();
    assert!(!is_good(callers, &secret).await);
    let late = call(&Caller::new(one, "s"), "bash", json!({}));
    let late = stage.gateway.call(&stage.table, late).await.map(drop).unwrap_err();
    assert_eq!(late.code(), Code::Unauthenticated);
    assert!(stage.call(&bystander, "bash", json!({})).await.is_ok());
    assert_eq!(callers.revoke(&token.id).await.unwrap_err().code(), Code::InvalidParams);
    assert_eq!(callers.revoke("nothing").await.unwrap_err().code(), Code::InvalidParams);
}

#[tokio::test]
async fn a_token_that_another_process_takes_back_ends_here_too() {
    let stage = Stage::new().await;
    let callers = stage.gateway.callers();
    let (secret, token) = callers.issue(grant(Role::Operator, None)).await.unwrap();
    let credential = callers.authenticate(&secret.reveal()).await.unwrap();
    let theirs = Store::open(&stage.database(), stage.clock.clone()).unwrap();
    Registry::new(theirs.clone()).callers().revoke(&token.id).await.unwrap();
    tokio::time::timeout(DEADLINE, credential.ended()).await.unwrap();
    assert!(!is_good(callers, &secret).await);
    theirs.close().await;
}

#[tokio::test]
async fn an_agent_that_is_deleted_takes_its_tokens_with_it() {
    let stage = Stage::new().await;
    let callers = stage.gateway.callers();
    let (secret, _) = callers.issue(grant(Role::Agent(id_of("own")), None)).await.unwrap();
    let credential = callers.authenticate(&secret.reveal()).await.unwrap();
    let registry = stage.gateway.registry();
    registry.delete(&id_of("own")).await.unwrap();
    tokio::time::timeout(DEADLINE, credential.ended()).await.unwrap();
    registry.create(&id_of("own"), &garth_gateway::Settings::new("local")).await.unwrap();
    assert!(!is_good(callers, &secret).await, "a new agent does not inherit tokens");
}

#[tokio::test]
async fn a_token_of_no_agent_is_not_made() {
    let stage = Stage::new().await;
    let issued = stage.gateway.callers().issue(grant(Role::Agent(id_of("missing")), None)).await;
    assert_eq!(issued.map(drop).unwrap_err().code(), Code::AgentNotFound);
}

#[tokio::test]
async fn a_ticket_is_good_once_for_a_session_with_a_larger_budget() {
    let stage = Stage::new().await;
    let callers = stage.gateway.callers();
    let ticket = callers.ticket("first start").await.unwrap();
    assert!(!is_good(callers, &ticket).await, "a ticket is no token");
    let text = ticket.reveal();
    let (one, other) = tokio::join!(callers.exchange(&text), callers.exchange(&text));
    let session = match (one, other) {
        (Ok((session, _)), Err(error)) | (Err(error), Ok((session, _))) => {
            assert_eq!(error, Error::of(Code::Unauthenticated));
            session
        }
        _ => panic!("not exactly one of two got a session"),
    };
    let credential = callers.authenticate(&session.reveal()).await.unwrap();
    assert_eq!(credential.role(), &Role::Operator);
    let caller = Caller::new(credential, "browser");
    for _ in 0..100 {
        stage.call(&caller, "worktree.watch", json!({"path": "a"})).await.unwrap();
    }
}

#[tokio::test]
async fn a_ticket_is_good_for_ten_minutes() {
    let clock = Clock::set_to(NOW);
    let stage = Stage::begin(Begin { clock: clock.clone(), ..Begin::default() }).await;
    let callers = stage.gateway.callers();
    let (early, late) = (callers.ticket("a").await.unwrap(), callers.ticket("b").await.unwrap());
    clock.advance(Duration::from_millis(599_999));
    assert!(callers.exchange(&early.reveal()).await.is_ok());
    clock.advance(Duration::from_millis(1));
    let refused = callers.exchange(&late.reveal()).await.map(drop).unwrap_err();
    assert_eq!(refused, Error::of(Code::Unauthenticated));
}

#[tokio::test]
async fn no_file_holds_a_token() {
    let stage = Stage::new().await;
    let callers = stage.gateway.callers();
    let (secret, _) = callers.issue(grant(Role::Operator, None)).await.unwrap();
    let ticket = callers.ticket("a").await.unwrap();
    stage.gateway.stop().await.unwrap();
    for secret in [secret, ticket] {
        let text = secret.reveal();
        let random = text.trim_start_matches("garth_");
        for entry in std::fs::read_dir(stage.database().parent().unwrap()).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes.windows(random.len()).any(|window| window == random.as_bytes());
            assert!(!found, "{}", path.display());
        }
    }
}

#[tokio::test]
async fn tokens_are_listed_without_their_secrets() {
    let stage = Stage::new().await;
    let callers = stage.gateway.callers();
    let (one, token) = callers.issue(grant(Role::Agent(id_of("own")), None)).await.unwrap();
    let (_, taken) = callers.issue(grant(Role::User, Some(DEADLINE))).await.unwrap();
    callers.ticket("not listed").await.unwrap();
    callers.revoke(&taken.id).await.unwrap();
    let listed = callers.list("", 100).await.unwrap();
    assert_eq!(listed.len(), 2);
    let text = serde_json::to_string(&listed).unwrap();
    assert!(text.contains(&token.id) && !text.contains(&one.reveal()[6..]), "{text}");
    let revoked: Vec<_> = listed.iter().filter(|token| token.revoked_ms.is_some()).collect();
    assert_eq!(revoked.len(), 1);
    assert_eq!(revoked[0].id, taken.id);
}
