//! Budgets: the numbers, and a time to wait that is right.

use std::{sync::Arc, time::Duration};

use garth_contract::{Code, Detail, Error};
use garth_gateway::{
    AgentId, Family, Kind, Limits, OwnLimits, Takes,
    limits::{Config, Demand},
};
use governor::clock::FakeRelativeClock;
use serde_json::json;

use crate::stage::{Stage, id_of};

/// What a caller may be wrong by about the time to wait.
const TOLERANCE: Duration = Duration::from_millis(50);

struct Bench {
    limits: Limits<FakeRelativeClock>,
    clock: FakeRelativeClock,
    agent: AgentId,
    caller: Arc<str>,
}

impl Bench {
    fn new() -> Self {
        let clock = FakeRelativeClock::default();
        let limits = Limits::with_clock(Config::standard(), clock.clone());
        Self { limits, clock, agent: id_of("own"), caller: Arc::from("one") }
    }

    fn demand(&self) -> Demand<'_> {
        Demand {
            caller: &self.caller,
            kind: Kind::Token,
            workspace: Some((&self.agent, OwnLimits::default())),
            family: Family::Worktree,
            takes: Takes::Nothing,
            bytes: 0,
        }
    }

    /// How many calls are admitted now, one right after the other.
    fn count(&self, demand: &Demand<'_>) -> usize {
        (0..10_000).take_while(|_| self.limits.admit(demand).is_ok()).count()
    }
}

fn wait(error: &Error) -> Duration {
    assert_eq!(error.code(), Code::RateLimitExceeded);
    match error.details() {
        [Detail::RetryAfter(wait)] => *wait,
        other => panic!("{other:?}"),
    }
}

fn refused<T>(result: garth_contract::Result<T>) -> Duration {
    wait(&result.map(drop).unwrap_err())
}

fn is_about(wait: Duration, expected: Duration) {
    assert!(wait.abs_diff(expected) <= TOLERANCE, "{wait:?} is not about {expected:?}");
}

#[test]
fn sixty_requests_a_minute_and_then_one_a_second() {
    let bench = Bench::new();
    assert_eq!(bench.count(&bench.demand()), 60);
    is_about(refused(bench.limits.admit(&bench.demand())), Duration::from_secs(1));
    bench.clock.advance(Duration::from_millis(400));
    is_about(refused(bench.limits.admit(&bench.demand())), Duration::from_millis(600));
    bench.clock.advance(Duration::from_millis(600));
    assert_eq!(bench.count(&bench.demand()), 1);
    bench.clock.advance(Duration::from_secs(60));
    assert_eq!(bench.count(&bench.demand()), 60);
}

#[test]
fn whoever_waits_as_long_as_was_said_is_admitted() {
    let bench = Bench::new();
    let large = Demand { bytes: 7_000_000, ..bench.demand() };
    for _ in 0..200 {
        if let Err(error) = bench.limits.admit(&large) {
            bench.clock.advance(wait(&error));
            assert!(bench.limits.admit(&large).is_ok());
        }
    }
}

#[test]
fn a_hundred_megabytes_a_minute() {
    let bench = Bench::new();
    let ten = Demand { bytes: 10_000_000, ..bench.demand() };
    assert_eq!(bench.count(&ten), 10);
    is_about(refused(bench.limits.admit(&ten)), Duration::from_secs(6));
    let small = Demand { bytes: 1_000_000, ..bench.demand() };
    is_about(refused(bench.limits.admit(&small)), Duration::from_millis(600));
    bench.clock.advance(Duration::from_millis(600));
    assert!(bench.limits.admit(&small).is_ok());
}

#[test]
fn a_reply_that_has_left_is_paid_for_before_the_next_call() {
    let bench = Bench::new();
    let held = bench.limits.admit(&bench.demand()).unwrap();
    bench.limits.settle(&held, 100_000_000);
    assert!(bench.limits.admit(&bench.demand()).is_ok(), "nothing is owed yet");
    bench.limits.settle(&held, 150_000_000);
    is_about(refused(bench.limits.admit(&bench.demand())), Duration::from_secs(90));
    bench.clock.advance(Duration::from_secs(89));
    is_about(refused(bench.limits.admit(&bench.demand())), Duration::from_secs(1));
    bench.clock.advance(Duration::from_secs(1));
    assert!(bench.limits.admit(&bench.demand()).is_ok());
}

#[test]
fn a_request_larger_than_the_budget_needs_a_full_one() {
    let bench = Bench::new();
    let huge = Demand { bytes: 300_000_000, ..bench.demand() };
    assert!(bench.limits.admit(&huge).is_ok());
    is_about(refused(bench.limits.admit(&bench.demand())), Duration::from_secs(120));
}

#[test]
fn a_caller_has_one_budget_for_all_workspaces() {
    let bench = Bench::new();
    let other = id_of("other");
    assert_eq!(bench.count(&bench.demand()), 60);
    let elsewhere = Demand { workspace: Some((&other, OwnLimits::default())), ..bench.demand() };
    assert_eq!(bench.count(&elsewhere), 0);
}

#[test]
fn a_workspace_has_one_budget_for_all_callers() {
    let bench = Bench::new();
    assert_eq!(bench.count(&bench.demand()), 60);
    assert_eq!(bench.count(&Demand { caller: &Arc::from("another"), ..bench.demand() }), 0);
}

#[test]
fn people_have_a_budget_of_their_own() {
    let bench = Bench::new();
    assert_eq!(bench.count(&bench.demand()), 60);
    let person = Demand { caller: &Arc::from("person"), kind: Kind::Session, ..bench.demand() };
    assert_eq!(bench.count(&person), 1_200);
}

#[test]
fn tools_and_the_gateway_itself_are_counted_apart() {
    let bench = Bench::new();
    assert_eq!(bench.count(&bench.demand()), 60);
    assert_eq!(bench.count(&Demand { family: Family::Tool, ..bench.demand() }), 600);
    let admin = Demand { family: Family::Admin, workspace: None, ..bench.demand() };
    assert_eq!(bench.count(&admin), 600);
}

#[test]
fn a_workspace_can_have_numbers_of_its_own() {
    let bench = Bench::new();
    let own = OwnLimits { requests_per_minute: Some(3), ..OwnLimits::default() };
    let demand = Demand { workspace: Some((&bench.agent, own)), ..bench.demand() };
    assert_eq!(bench.count(&demand), 3);
    is_about(refused(bench.limits.admit(&demand)), Duration::from_secs(20));
}

#[test]
fn five_reads_at_a_time() {
    let bench = Bench::new();
    let read = Demand { takes: Takes::Read, ..bench.demand() };
    let mut held: Vec<_> = (0..5).map(|_| bench.limits.admit(&read).unwrap()).collect();
    assert!(refused(bench.limits.admit(&read)) > Duration::ZERO);
    let other = Demand { caller: &Arc::from("another"), ..read.clone() };
    assert!(bench.limits.admit(&other).is_err(), "the workspace is full too");
    assert_eq!(bench.limits.snapshot().reads, 5);
    held.pop();
    assert!(bench.limits.admit(&read).is_ok());
    drop(held);
    assert_eq!(bench.limits.snapshot().reads, 0);
    assert_eq!(bench.limits.snapshot().in_flight, 0);
}

#[test]
fn a_refusal_takes_nothing() {
    let bench = Bench::new();
    let read = Demand { takes: Takes::Read, ..bench.demand() };
    let held: Vec<_> = (0..5).map(|_| bench.limits.admit(&read).unwrap()).collect();
    for _ in 0..1_000 {
        assert!(bench.limits.admit(&read).is_err());
    }
    drop(held);
    assert_eq!(bench.count(&bench.demand()), 55);
}

#[test]
fn there_is_a_bound_of_operations_at_a_time() {
    let config = Config { in_flight: 2, ..Config::standard() };
    let limits = Limits::new(config);
    let [a, b, c] = ["a", "b", "c"].map(Arc::<str>::from);
    let demand = |caller| Demand {
        caller,
        kind: Kind::Token,
        workspace: None,
        family: Family::Admin,
        takes: Takes::Nothing,
        bytes: 0,
    };
    let held = [limits.admit(&demand(&a)).unwrap(), limits.admit(&demand(&b)).unwrap()];
    assert!(limits.admit(&demand(&c)).is_err());
    drop(held);
    assert!(limits.admit(&demand(&c)).is_ok());
    assert_eq!(limits.snapshot().refused_in_flight, 1);
}

#[test]
fn what_is_counted_can_be_looked_at() {
    let bench = Bench::new();
    bench.count(&bench.demand());
    bench.count(&Demand {
        caller: &Arc::from("two"),
        bytes: 60_000_000,
        workspace: None,
        ..bench.demand()
    });
    let snapshot = bench.limits.snapshot();
    assert_eq!(snapshot.admitted, 61);
    assert_eq!(snapshot.refused_requests, 1);
    assert_eq!(snapshot.refused_bytes, 1);
    assert!(snapshot.budgets >= 3);
    bench.clock.advance(Duration::from_secs(300));
    bench.limits.sweep();
    assert_eq!(bench.limits.snapshot().budgets, 0);
}

#[tokio::test]
async fn a_call_over_the_limit_is_refused_and_recorded() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let mut codes = Vec::new();
    for _ in 0..80 {
        let result = stage.call(&caller, "worktree.delete", json!({"path": "a"})).await;
        codes.push(result.map(drop).map_err(|error| {
            assert!(wait(&error) <= Duration::from_secs(1));
            error.code()
        }));
    }
    // A minute's worth at once, and a few that came back while the others were recorded.
    let admitted = codes.iter().filter(|code| code.is_ok()).count();
    assert!(admitted >= 60, "{admitted}");
    let records = stage.records().await;
    assert_eq!(records.len(), 80);
    let refused = records.iter().filter(|record| record.entry.outcome == "RATE_LIMIT_EXCEEDED");
    assert_eq!(refused.count(), 80 - admitted);
}
