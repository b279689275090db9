//! Runs a table of checks on one backend and never hangs itself.
//!
//! Each check runs on its own task with a deadline, so one that blocks its
//! thread, panics or waits for ever is a failure with its name on it and the
//! others still run.

use std::{
    future::Future,
    io,
    time::{Duration, Instant},
};

use garth_contract::BoxFuture;
use tokio::{runtime, time};

use crate::{Backend, Check, Report, Stop, Verdict, checks, shell};

/// How the suite is run.
#[derive(Clone, Copy, Debug)]
pub struct Suite<'a> {
    /// Runs the checks whose names begin so; all of them when empty.
    pub only: &'a str,
    /// How long one check may take before it counts as hung.
    pub deadline: Duration,
    /// Checks that are not made, each with what the place cannot do that no ability
    /// tells of.
    pub except: &'a [(&'a str, &'static str)],
}

/// Long enough for a loaded machine, since only a hang should ever reach it.
const DEADLINE: Duration = Duration::from_secs(120);
/// Enough threads that a few hung checks leave some to go on with.
const THREADS: usize = 8;

impl Default for Suite<'_> {
    fn default() -> Self {
        Self { only: "", deadline: DEADLINE, except: &[] }
    }
}

impl Suite<'_> {
    /// Runs the checks on a filesystem, each in a fresh workspace.
    ///
    /// # Errors
    /// When no runtime can be started.
    pub fn run(&self, backend: &impl Backend) -> io::Result<Report> {
        let on_files = async |check: &Check| {
            let subject = backend.make((check.policy)()).await?;
            let abilities = subject.fs.abilities();
            if let Some(need) = check.needs.iter().find(|need| !need.met(&abilities)) {
                return Err(Stop::Cannot(need.name()));
            }
            self.bounded((check.run)(subject)).await
        };
        self.all(backend.name(), checks().map(|check| (check.name, on_files(check))))
    }

    /// Runs the checks on a place that runs commands, each in a fresh workspace.
    ///
    /// # Errors
    /// When no runtime can be started.
    pub fn run_shell(&self, backend: &impl shell::Backend) -> io::Result<Report> {
        let on_shell = async |check: &shell::Check| {
            let subject = backend.make().await?;
            if let Some(need) = check.needs.iter().find(|need| !need.met(&subject)) {
                return Err(Stop::Cannot(need.name()));
            }
            self.bounded((check.run)(subject)).await
        };
        self.all(backend.name(), shell::checks().map(|check| (check.name, on_shell(check))))
    }

    /// Runs named checks one after the other; none has begun before its turn.
    fn all<F: Future<Output = Verdict>>(
        &self,
        backend: &str,
        checks: impl Iterator<Item = (&'static str, F)>,
    ) -> io::Result<Report> {
        let runtime = runtime()?;
        let report = runtime.block_on(async {
            let mut report = Report::of(backend);
            for (name, check) in checks.filter(|(name, _)| name.starts_with(self.only)) {
                if let Some((_, what)) = self.except.iter().find(|(one, _)| *one == name) {
                    report.skipped.push((name, what));
                    continue;
                }
                let started = Instant::now();
                let verdict = check.await;
                report.took.push((started.elapsed(), name));
                match verdict {
                    Ok(()) => report.passed.push(name),
                    Err(Stop::Cannot(what)) => report.skipped.push((name, what)),
                    Err(Stop::Failed(why)) => report.failed.push((name, why)),
                }
            }
            report
        });
        // A hung check may hold a thread for ever; waiting for it would hang too.
        runtime.shutdown_background();
        Ok(report)
    }

    async fn bounded(&self, run: BoxFuture<'static, Verdict>) -> Verdict {
        let task = tokio::spawn(run);
        let abort = task.abort_handle();
        match time::timeout(self.deadline, task).await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(panic)) => Err(Stop::Failed(format!("it panicked: {panic}"))),
            Err(_) => {
                abort.abort();
                Err(Stop::Failed(format!("it hangs: not done after {:?}", self.deadline)))
            }
        }
    }
}

/// Threads and a clock for checks to run on.
pub(crate) fn runtime() -> io::Result<runtime::Runtime> {
    runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()
}
