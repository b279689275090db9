//! The oldest records go, and the rest can still be verified.

use std::time::Duration;

use garth_gateway::{
    Clock,
    audit::{Begin as Opening, Dropped, Finding, Retention},
};

use crate::stage::{Begin, Stage};

/// A hundred records a minute apart, each of about 700 bytes.
async fn hundred(retention: Retention) -> Stage {
    let clock = Clock::set_to(1_000_000);
    let stage = Stage::begin(Begin { clock, retention, ..Begin::default() }).await;
    for _ in 0..100 {
        let opening = Opening { summary: "x".repeat(500).into(), ..Opening::default() };
        let record = stage.gateway.audit().open(opening).await.unwrap();
        record.close(Ok(0)).await.unwrap();
        stage.clock.advance(Duration::from_secs(60));
    }
    stage
}

async fn retain(stage: &Stage) -> Dropped {
    let audit = stage.gateway.audit().clone();
    tokio::task::spawn_blocking(move || audit.retain()).await.unwrap().unwrap()
}

async fn findings(stage: &Stage) -> Vec<Finding> {
    let audit = stage.gateway.audit();
    audit.verify(&audit.public_key()).await.unwrap().findings
}

#[tokio::test]
async fn without_a_bound_nothing_is_dropped() {
    let stage = hundred(Retention { most_bytes: None, most_age: None }).await;
    assert_eq!(retain(&stage).await, Dropped { records: 0, up_to: 0 });
    assert_eq!(stage.records().await.len(), 100);
}

#[tokio::test]
async fn what_is_too_old_is_dropped() {
    let age = Duration::from_secs(30 * 60);
    let stage = hundred(Retention { most_bytes: None, most_age: Some(age) }).await;
    assert_eq!(retain(&stage).await, Dropped { records: 70, up_to: 70 });
    let records = stage.records().await;
    assert_eq!((records.len(), records[0].sequence), (30, 71));
    assert_eq!(findings(&stage).await, []);
    assert_eq!(retain(&stage).await, Dropped { records: 0, up_to: 70 });
}

#[tokio::test]
async fn what_is_too_much_is_dropped() {
    let stage = hundred(Retention { most_bytes: Some(20_000), most_age: None }).await;
    let dropped = retain(&stage).await;
    let kept = stage.records().await;
    let each = 20_000 / kept.len();
    assert!((600..900).contains(&each), "{each} bytes a record");
    assert_eq!(dropped.up_to + 1, kept[0].sequence);
    assert_eq!(findings(&stage).await, []);
}

#[tokio::test]
async fn the_last_record_stays_whatever_the_bound() {
    let stage = hundred(Retention { most_bytes: Some(0), most_age: Some(Duration::ZERO) }).await;
    assert_eq!(retain(&stage).await.up_to, 99);
    assert_eq!(stage.records().await.len(), 1);
    assert_eq!(findings(&stage).await, []);
}

#[tokio::test]
async fn after_a_drop_the_rest_is_still_protected() {
    let age = Duration::from_secs(30 * 60);
    let stage = hundred(Retention { most_bytes: None, most_age: Some(age) }).await;
    let audit = stage.gateway.audit().clone();
    tokio::task::spawn_blocking(move || audit.anchor_now()).await.unwrap().unwrap();
    retain(&stage).await;
    let intruder = stage.intruder();
    intruder.execute("UPDATE audit SET outcome = 'x' WHERE sequence = 80", []).unwrap();
    assert_eq!(findings(&stage).await, [Finding::Changed { sequence: 80 }]);
}

#[tokio::test]
async fn more_than_was_announced_cannot_be_dropped() {
    let age = Duration::from_secs(30 * 60);
    let stage = hundred(Retention { most_bytes: None, most_age: Some(age) }).await;
    retain(&stage).await;
    let intruder = stage.intruder();
    for statement in [
        "UPDATE audit_chain SET base = 75, base_hash = (SELECT hash FROM audit WHERE sequence = 75)",
        "DELETE FROM audit WHERE sequence <= 75",
    ] {
        intruder.execute(statement, []).unwrap();
    }
    assert_eq!(findings(&stage).await, [Finding::Dropped { up_to: 75 }]);
}
