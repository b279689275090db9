//! Records by page and by line.

use std::time::Duration;

use garth_contract::{Code, Error};
use garth_gateway::{
    Clock,
    audit::{Begin as Opening, Filter, Outlives, Record},
};
use serde_json::json;

use crate::stage::{Begin, Stage, until};

fn opening(workspace: &str, operation: &str) -> Opening {
    Opening {
        caller: "c".into(),
        role: "operator".into(),
        session: "s".into(),
        workspace: workspace.to_owned().into(),
        operation: operation.to_owned().into(),
        summary: "".into(),
        bytes_in: 1,
        outlives: Outlives::Machine,
        trace: None,
    }
}

/// Forty records a second apart, of two workspaces and two operations.
async fn forty() -> Stage {
    let clock = Clock::set_to(1_000_000);
    let stage = Stage::begin(Begin { clock, ..Begin::default() }).await;
    for number in 0..40 {
        let workspace = if number % 4 == 0 { "own" } else { "other" };
        let operation = if number % 2 == 0 { "read" } else { "write" };
        let record = stage.gateway.audit().open(opening(workspace, operation)).await.unwrap();
        let outcome = if number % 5 == 0 { Err(Code::Conflict) } else { Ok(7) };
        record.close(outcome).await.unwrap();
        stage.clock.advance(Duration::from_secs(1));
    }
    stage
}

#[tokio::test]
async fn records_are_numbered_from_one_without_a_gap() {
    let stage = forty().await;
    let numbers: Vec<_> = stage.records().await.iter().map(|record| record.sequence).collect();
    assert_eq!(numbers, (1..=40).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_list_goes_from_the_newest_back_by_page() {
    let stage = forty().await;
    let (mut before, mut seen) = (None, Vec::new());
    loop {
        let page = stage.gateway.audit().list(&Filter::default(), before, 7).await.unwrap();
        seen.extend(page.records.iter().map(|record| record.sequence));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, (1..=40).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn a_filter_lets_through_what_it_names() {
    let stage = forty().await;
    let text = |text: &str| Some(text.to_owned());
    let whole = Filter::default();
    for (filter, count) in [
        (Filter { workspace: text("own"), ..whole.clone() }, 10),
        (Filter { workspace: text("nobody"), ..whole.clone() }, 0),
        (Filter { operation: text("write"), ..whole.clone() }, 20),
        (Filter { outcome: text("CONFLICT"), ..whole.clone() }, 8),
        (Filter { caller: text("c"), session: text("s"), ..whole.clone() }, 40),
        (Filter { caller: text("d"), ..whole.clone() }, 0),
        (Filter { since_ms: Some(1_010_000), until_ms: Some(1_015_000), ..whole.clone() }, 5),
        (Filter { workspace: text("own"), outcome: text("CONFLICT"), ..whole.clone() }, 2),
        (whole, 40),
    ] {
        let page = stage.gateway.audit().list(&filter, None, 1_000).await.unwrap();
        assert_eq!(page.records.len(), count, "{filter:?}");
        let mut lines = 0;
        let exported = stage.gateway.audit().export(&filter, |_| {
            lines += 1;
            Ok(())
        });
        assert_eq!(exported.await.unwrap(), count as u64);
        assert_eq!(lines, count, "{filter:?}");
    }
}

#[tokio::test]
async fn an_export_is_every_record_as_a_line_of_json_oldest_first() {
    let stage = forty().await;
    let mut lines = Vec::new();
    let keep = |line: &str| {
        lines.push(line.to_owned());
        Ok(())
    };
    stage.gateway.audit().export(&Filter::default(), keep).await.unwrap();
    let read: Vec<Record> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, stage.records().await);
    let first: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
    let expected = json!({
        "sequence": 1, "timeMs": 1_000_000, "caller": "c", "role": "operator", "session": "s",
        "workspace": "own", "operation": "read", "summary": "", "outcome": "CONFLICT",
        "durationUs": first["durationUs"], "bytesIn": 1, "bytesOut": 0, "hash": first["hash"],
    });
    assert_eq!(first, expected);
}

#[tokio::test]
async fn an_export_ends_where_its_reader_says() {
    let stage = forty().await;
    let mut count = 0;
    let whole = Filter::default();
    let ended = stage.gateway.audit().export(&whole, |_| {
        count += 1;
        if count == 3 { Err(Error::of(Code::Cancelled)) } else { Ok(()) }
    });
    assert_eq!(ended.await.unwrap_err().code(), Code::Cancelled);
    assert_eq!(count, 3);
}

#[tokio::test]
async fn records_that_are_dropped_and_closed_at_once_are_all_there() {
    let stage = Stage::new().await;
    let audit = stage.gateway.audit();
    let tasks: Vec<_> = (0..400)
        .map(|number| {
            let audit = audit.clone();
            tokio::spawn(async move {
                let record = audit.open(opening("own", "read")).await.unwrap();
                if number % 2 == 0 {
                    record.close(Ok(0)).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    until("400 records", async || stage.records().await.len() == 400).await;
    let records = stage.records().await;
    let cancelled = records.iter().filter(|record| record.entry.outcome == "CANCELLED");
    assert_eq!(cancelled.count(), 200);
    let report = audit.verify(&audit.public_key()).await.unwrap();
    assert!(report.is_sound(), "{report:?}");
}
