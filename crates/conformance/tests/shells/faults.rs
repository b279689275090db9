//! Each fault on a right shell, and the check that must notice it.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use garth_conformance::{
    Suite,
    shell::{Backend, Subject},
};
use garth_contract::Result;

use crate::{
    fault::{FAULTS, Fault, Shows},
    faulty::Faulty,
    host::OnHost,
};

/// A right shell with one fault.
struct Wrong(Fault);

impl Backend for Wrong {
    fn name(&self) -> &str {
        "host with a fault"
    }

    async fn make(&self) -> Result<Subject> {
        let Subject { shell, files, traits, around } = self.place().open()?.0;
        let shell = Arc::new(Faulty::new(shell, traits.environment.clone(), self.0));
        Ok(Subject { shell, files, traits, around })
    }
}

impl Wrong {
    /// The bounds that the fault is about must be in reach.
    fn place(&self) -> OnHost {
        let narrow = OnHost::narrow();
        match self.0 {
            Fault::ForgetsTheMissing | Fault::RefusesNobody => narrow,
            _ => OnHost { bounds: garth_host::Bounds::usual(), ..narrow },
        }
    }
}

/// How many faults are tried at once: most of the time is spent waiting.
const AT_ONCE: usize = 4;

#[test]
fn every_fault_is_caught_by_its_check() {
    let next = AtomicUsize::new(0);
    let missed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(row) = FAULTS.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let why = misses(*row);
                    missed.lock().unwrap().extend(why);
                }
            });
        }
    });
    let missed = missed.into_inner().unwrap();
    println!("{} of {} faults caught", FAULTS.len() - missed.len(), FAULTS.len());
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Why a fault is not caught, if it is not.
fn misses((fault, shows, check): (Fault, Shows, &'static str)) -> Option<String> {
    let seconds = match shows {
        Shows::Hangs => 5,
        Shows::False => 120,
    };
    let deadline = Duration::from_secs(seconds);
    let suite = Suite { only: check, deadline, ..Suite::default() };
    let report = suite.run_shell(&Wrong(fault)).unwrap();
    let hung = report.failed.iter().any(|(_, why)| why.starts_with("it hangs"));
    if !report.caught(check) {
        return Some(format!("{fault:?} is not caught by {check}: {report}"));
    }
    let as_said = hung == (shows == Shows::Hangs);
    (!as_said).then(|| format!("{fault:?} is caught for another reason: {report}"))
}
