//! The suite is tested itself: a plain backend passes it, and each of many small
//! faults in that backend is caught by the check that is there for it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a backend that is wrong on purpose may also be wrong loudly"
)]

use std::time::Duration;

use garth_conformance::{Backend, Subject, Suite, conform, model};
use garth_contract::{Policy, Result};

use crate::{
    fault::{FAULTS, Fault},
    naive::Naive,
    surroundings::Surroundings,
};

mod change;
mod fault;
mod find;
mod grep;
mod look;
mod naive;
mod stage;
mod surroundings;
mod veil;
mod watch;

conform!(without_a_fault, Plain(None));

/// The naive backend, perhaps with one fault.
struct Plain(Option<Fault>);

impl Backend for Plain {
    fn name(&self) -> &str {
        "naive"
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let naive = Naive::new(policy, self.0)?;
        let surroundings = Surroundings::of(&naive);
        Ok(Subject::new(naive).with(surroundings))
    }
}

/// The faults that show in nothing but a check that does not end.
const HANGS: [Fault; 5] = [
    Fault::BlocksOnPipes,
    Fault::BlocksTheThread,
    Fault::KeepsItsLock,
    Fault::WatchForgets,
    Fault::WatchNeverEnds,
];

#[test]
fn every_fault_is_caught_by_its_check() {
    for (fault, check) in FAULTS {
        let deadline = Duration::from_secs(5);
        let suite = Suite { only: check, deadline, ..Suite::default() };
        let report = suite.run(&Plain(Some(*fault))).unwrap();
        assert!(report.caught(check), "{fault:?} is not caught by {check}:\n{report}");
        let hung = report.failed.iter().any(|(_, why)| why.starts_with("it hangs"));
        assert_eq!(
            hung,
            HANGS.contains(fault),
            "{fault:?} is caught for another reason:\n{report}"
        );
    }
    println!("{} faults caught", FAULTS.len());
}

#[test]
fn a_random_run_catches_a_fault_too() {
    let length = model::Length { seed: 1, runs: 3, steps: 600, compare_every: 10 };
    for fault in [Fault::ClobbersOnRename, Fault::MakesParentsFirst, Fault::RemovesByPrefix] {
        let parting = model::run(&Plain(Some(fault)), length).unwrap_err();
        assert!(parting.contains("the last calls"), "{parting}");
    }
}
