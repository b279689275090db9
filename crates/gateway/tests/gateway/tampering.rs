//! Whoever can write the database cannot change the past unseen.

use garth_contract::Code;
use garth_gateway::audit::{Finding, PublicKey, Report};
use serde_json::json;

use crate::stage::{Begin, Stage};

/// Ten records, the first six anchored.
async fn ten() -> Stage {
    let stage = Stage::new().await;
    let caller = stage.operator().await;
    for number in 1..=10 {
        stage
            .call(&caller, "worktree.delete", json!({"path": format!("f{number}")}))
            .await
            .unwrap();
        if number == 6 {
            let audit = stage.gateway.audit().clone();
            tokio::task::spawn_blocking(move || audit.anchor_now()).await.unwrap().unwrap();
        }
    }
    stage
}

async fn verify(stage: &Stage) -> Report {
    let audit = stage.gateway.audit();
    audit.verify(&audit.public_key()).await.unwrap()
}

/// What is found after the statements of an intruder.
async fn after(statements: &[&str]) -> Vec<Finding> {
    let stage = ten().await;
    let intruder = stage.intruder();
    for statement in statements {
        assert!(intruder.execute(statement, []).unwrap() > 0, "{statement}");
    }
    verify(&stage).await.findings
}

#[tokio::test]
async fn what_nobody_touched_is_sound_and_says_what_no_anchor_protects() {
    let report = verify(&ten().await).await;
    let expected = Report {
        findings: Vec::new(),
        records: 10,
        dropped_up_to: 0,
        last: 10,
        protected_up_to: 6,
        unprotected: 4,
        unusable_anchors: 0,
    };
    assert_eq!(report, expected);
}

#[tokio::test]
async fn a_changed_field_is_found_in_every_column() {
    let stage = ten().await;
    let intruder = stage.intruder();
    for column in ["caller", "role", "session", "workspace", "operation", "summary", "outcome"] {
        let value: String = intruder
            .query_row(&format!("SELECT {column} FROM audit WHERE sequence = 4"), [], |row| {
                row.get(0)
            })
            .unwrap();
        let set = format!("UPDATE audit SET {column} = ?1 WHERE sequence = 4");
        intruder.execute(&set, [format!("{value}x")]).unwrap();
        assert_eq!(verify(&stage).await.findings, [Finding::Changed { sequence: 4 }], "{column}");
        intruder.execute(&set, [value]).unwrap();
    }
    for column in ["time_ms", "duration_us", "bytes_in", "bytes_out"] {
        let set =
            |by: i64| format!("UPDATE audit SET {column} = {column} + {by} WHERE sequence = 4");
        intruder.execute(&set(1), []).unwrap();
        assert_eq!(verify(&stage).await.findings, [Finding::Changed { sequence: 4 }], "{column}");
        intruder.execute(&set(-1), []).unwrap();
    }
    assert!(verify(&stage).await.is_sound());
}

#[tokio::test]
async fn a_changed_hash_is_found() {
    let findings = after(&["UPDATE audit SET hash = zeroblob(32) WHERE sequence = 9"]).await;
    assert_eq!(findings, [Finding::Changed { sequence: 9 }, Finding::Changed { sequence: 10 }]);
    let findings = after(&["UPDATE audit SET hash = x'00' WHERE sequence = 9"]).await;
    assert!(findings.contains(&Finding::Changed { sequence: 9 }));
}

#[tokio::test]
async fn a_removed_record_is_found() {
    let findings = after(&["DELETE FROM audit WHERE sequence IN (3, 4)"]).await;
    assert_eq!(findings, [Finding::Removed { from: 3, to: 4 }]);
}

#[tokio::test]
async fn a_removed_record_is_found_when_the_rest_moved_up() {
    let findings = after(&[
        "DELETE FROM audit WHERE sequence = 9",
        "UPDATE audit SET sequence = 9 WHERE sequence = 10",
        "UPDATE audit_chain SET head = 9, head_hash = (SELECT hash FROM audit WHERE sequence = 9)",
    ])
    .await;
    assert_eq!(findings, [Finding::Changed { sequence: 9 }]);
}

#[tokio::test]
async fn two_records_that_changed_places_are_found() {
    let findings = after(&[
        "UPDATE audit SET sequence = -1 WHERE sequence = 7",
        "UPDATE audit SET sequence = 7 WHERE sequence = 8",
        "UPDATE audit SET sequence = 8 WHERE sequence = -1",
    ])
    .await;
    assert!(findings.contains(&Finding::Changed { sequence: 7 }), "{findings:?}");
    assert!(findings.contains(&Finding::Changed { sequence: 8 }), "{findings:?}");
}

#[tokio::test]
async fn a_record_that_was_put_in_is_found() {
    let columns = "time_ms, caller, role, session, workspace, operation, summary, outcome, \
                   duration_us, bytes_in, bytes_out, total, hash";
    let insert = format!(
        "INSERT INTO audit (sequence, {columns}) SELECT 11, {columns} FROM audit WHERE sequence = 10"
    );
    let findings = after(&[&insert]).await;
    assert!(findings.contains(&Finding::Extra { sequence: 11 }), "{findings:?}");
}

#[tokio::test]
async fn a_tail_that_was_cut_off_is_found() {
    let findings = after(&["DELETE FROM audit WHERE sequence > 8"]).await;
    assert_eq!(findings, [Finding::Cut { last: 8, known: 10 }]);
}

#[tokio::test]
async fn a_tail_that_was_cut_with_care_is_found_back_to_the_last_anchor() {
    let cut = |to: i64| {
        [
            format!("DELETE FROM audit WHERE sequence > {to}"),
            format!(
                "UPDATE audit_chain SET head = {to}, \
                 head_hash = (SELECT hash FROM audit WHERE sequence = {to})"
            ),
        ]
    };
    let [remove, set] = cut(5);
    assert_eq!(after(&[&remove, &set]).await, [Finding::Cut { last: 5, known: 6 }]);
    // What follows the anchor is unprotected, as the report of a sound audit says.
    let [remove, set] = cut(7);
    assert_eq!(after(&[&remove, &set]).await, []);
}

#[tokio::test]
async fn an_audit_that_was_emptied_is_found() {
    let findings = after(&[
        "DELETE FROM audit",
        "UPDATE audit_chain SET head = 0, head_hash = zeroblob(32), head_total = 0",
    ])
    .await;
    assert_eq!(findings, [Finding::Cut { last: 0, known: 6 }]);
}

#[tokio::test]
async fn a_beginning_that_was_dropped_by_hand_is_found() {
    let findings = after(&[
        "UPDATE audit_chain SET base = 3, base_hash = (SELECT hash FROM audit WHERE sequence = 3)",
        "DELETE FROM audit WHERE sequence <= 3",
    ])
    .await;
    assert_eq!(findings, [Finding::Dropped { up_to: 3 }]);
}

#[tokio::test]
async fn a_chain_that_was_made_anew_as_a_whole_is_found() {
    let (stage, other) = (ten().await, ten().await);
    let stage = stage.again(Begin::default()).await;
    let intruder = stage.intruder();
    other.gateway.stop().await.unwrap();
    // Another audit, sound in itself and as long, in the place of this one.
    let attach = "ATTACH DATABASE ?1 AS other";
    intruder.execute(attach, [other.database().to_str().unwrap()]).unwrap();
    for statement in [
        "DELETE FROM audit",
        "DELETE FROM audit_chain",
        "INSERT INTO audit SELECT * FROM other.audit",
        "INSERT INTO audit_chain SELECT * FROM other.audit_chain",
    ] {
        assert!(intruder.execute(statement, []).unwrap() > 0);
    }
    let report = verify(&stage).await;
    assert_eq!(report.findings, [Finding::Rewritten { sequence: 6 }]);
}

#[tokio::test]
async fn an_anchor_that_somebody_else_signed_counts_for_nothing() {
    let (stage, other) = (ten().await, ten().await);
    let theirs = std::fs::read_to_string(other.file("audit.anchor")).unwrap();
    let ours = std::fs::read_to_string(stage.file("audit.anchor")).unwrap();
    let broken = "{\"kind\":\"head\"}\nnot json\n";
    let changed = ours.replace("\"sequence\":6", "\"sequence\":9");
    std::fs::write(stage.file("audit.anchor"), [&*theirs, broken, &ours, &changed].concat())
        .unwrap();
    let report = verify(&stage).await;
    assert_eq!((report.unusable_anchors, report.protected_up_to), (4, 6));
    assert!(report.is_sound(), "{report:?}");
    let key = other.gateway.audit().public_key();
    let foreign = stage.gateway.audit().verify(&key).await.unwrap();
    assert_eq!(foreign.findings, [Finding::Rewritten { sequence: 6 }]);
}

#[tokio::test]
async fn whoever_has_the_public_key_can_verify() {
    let stage = ten().await;
    let text = stage.gateway.audit().public_key().to_string();
    let key = PublicKey::parse(&text).unwrap();
    assert!(stage.gateway.audit().verify(&key).await.unwrap().is_sound());
    for bad in ["", "x", &text[1..]] {
        assert_eq!(PublicKey::parse(bad).unwrap_err().code(), Code::InvalidParams, "{bad}");
    }
}

#[tokio::test]
async fn the_chain_goes_on_after_a_restart() {
    let stage = ten().await.again(Begin::default()).await;
    let caller = stage.operator().await;
    let done = stage.call(&caller, "worktree.delete", json!({"path": "x"})).await.unwrap();
    assert_eq!(done.sequence, Some(11));
    let report = verify(&stage).await;
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.last, report.protected_up_to), (11, 10));
}
