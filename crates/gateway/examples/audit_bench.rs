//! How many records a second reach the disk: one by one, and many at once.
//!
//! `cargo run --release -p garth-gateway --example audit_bench [DIR]`. A record of a
//! change is on the disk when it counts, one of a read is the system's. The directory should be on the disk that is meant.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints and may fail")]

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use garth_gateway::{
    AgentId, Clock, Family, Kind, Limits, OwnLimits, Store, Takes,
    audit::{Audit, Begin, Config, Outlives},
    limits,
};

const TIME: Duration = Duration::from_secs(2);

#[tokio::main]
async fn main() {
    let parent = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let dir = tempfile::tempdir_in(parent).unwrap();
    let store = Store::open(&dir.path().join("garth.db"), Clock::system()).unwrap();
    let audit = Audit::new(store.clone(), Config::in_directory(dir.path())).unwrap();
    for (outlives, of) in [(Outlives::Machine, "changes"), (Outlives::Gateway, "reads")] {
        let mut alone = 0.0;
        for tasks in [1_u32, 8, 64, 256, 1_024] {
            let (rate, p50, p99) = appends(&audit, tasks, outlives).await;
            if tasks == 1 {
                alone = rate;
            }
            let ratio = rate / alone;
            println!(
                "{tasks:>5} at once: {rate:>8.0} records of {of}/s ({ratio:>5.1} x one by one), \
                 p50 {p50:?}, p99 {p99:?}"
            );
        }
    }
    let begun = Instant::now();
    let report = audit.verify(&audit.public_key()).await.unwrap();
    let records = f64::from(u32::try_from(report.records).unwrap());
    let rate = records / begun.elapsed().as_secs_f64();
    println!(
        "verified {} records, {rate:.0} a second, sound: {}",
        report.records,
        report.is_sound()
    );
    println!("one check of the limits: {} ns", limit_check());
    store.close().await;
}

/// Appends by so many at once: records a second, and how long one took.
async fn appends(audit: &Audit, tasks: u32, outlives: Outlives) -> (f64, Duration, Duration) {
    let begun = Instant::now();
    let working: Vec<_> = (0..tasks)
        .map(|_| {
            let audit = audit.clone();
            tokio::spawn(async move {
                let mut took = Vec::new();
                while begun.elapsed() < TIME {
                    let one = Instant::now();
                    audit.open(begin(outlives)).await.unwrap().close(Ok(4_096)).await.unwrap();
                    took.push(one.elapsed());
                }
                took
            })
        })
        .collect();
    let mut took = Vec::new();
    for task in working {
        took.extend(task.await.unwrap());
    }
    let rate = f64::from(u32::try_from(took.len()).unwrap()) / begun.elapsed().as_secs_f64();
    took.sort();
    let at = |percent: usize| took.get((took.len() - 1) * percent / 100).copied().unwrap();
    (rate, at(50), at(99))
}

fn begin(outlives: Outlives) -> Begin {
    Begin {
        caller: "0123456789abcdef".into(),
        role: "agent:coder-1".into(),
        session: "a-session-of-the-agent".into(),
        workspace: "coder-1".into(),
        operation: "worktree.read".into(),
        summary: "src/registry/ownership.rs".into(),
        bytes_in: 120,
        outlives,
        trace: None,
    }
}

/// Nanoseconds for both sides of one call.
fn limit_check() -> u128 {
    let mut config = limits::Config::standard();
    let numbers = limits::Numbers {
        tools_per_minute: u32::MAX,
        bytes_per_minute: u64::MAX,
        ..config.programs.caller
    };
    config.programs = limits::Budget { caller: numbers, workspace: numbers };
    let limits = Limits::new(config);
    let agent = AgentId::parse("coder-1").unwrap();
    let demand = limits::Demand {
        caller: &std::sync::Arc::from("0123456789abcdef"),
        kind: Kind::Token,
        workspace: Some((&agent, OwnLimits::default())),
        family: Family::Tool,
        takes: Takes::Read,
        bytes: 120,
    };
    let rounds = 200_000;
    let begun = Instant::now();
    for _ in 0..rounds {
        drop(limits.admit(&demand).unwrap());
    }
    begun.elapsed().as_nanos() / rounds
}
