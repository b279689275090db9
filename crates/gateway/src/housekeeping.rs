//! What is looked after in the background: changes by other processes, tokens that
//! expire, anchors that are due, records and answers that are too old.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use garth_contract::{Code, Error, Result};

use crate::{Limits, Registry, audit::Audit, registry::Once, workspaces::Workspaces};

/// How often other processes' changes are looked for: a token that was taken back there
/// ends its connections here within a second.
const TICK: Duration = Duration::from_millis(200);

/// How often what is too old is looked for.
const SWEEP: Duration = Duration::from_secs(60);

/// What is looked after.
pub(crate) struct Charge {
    pub(crate) registry: Registry,
    pub(crate) audit: Audit,
    pub(crate) limits: Arc<Limits>,
    pub(crate) workspaces: Arc<Workspaces>,
    pub(crate) once: Arc<Once>,
}

/// The thread that does it; it ends when this is dropped.
pub(crate) struct Housekeeping {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    faults: Arc<AtomicU64>,
}

impl Housekeeping {
    pub(crate) fn start(charge: Charge) -> Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let faults = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&faults);
        let thread = std::thread::Builder::new()
            .name("garth-keeper".to_owned())
            .spawn(move || keep(&charge, &stopped, &count))
            .map_err(|_| Error::new(Code::Internal, "a thread cannot be started"))?;
        Ok(Self { stop: Some(stop), thread: Some(thread), faults })
    }

    /// How often something of it failed.
    pub(crate) fn faults(&self) -> u64 {
        self.faults.load(Ordering::Relaxed)
    }
}

impl Drop for Housekeeping {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn keep(charge: &Charge, stopped: &mpsc::Receiver<()>, faults: &AtomicU64) {
    let mut revision = charge.registry.revision().unwrap_or(0);
    let mut swept = Instant::now();
    while let Err(mpsc::RecvTimeoutError::Timeout) = stopped.recv_timeout(TICK) {
        let failed = |result: Result<()>| {
            if result.is_err() {
                faults.fetch_add(1, Ordering::Relaxed);
            }
        };
        failed(charge.follow(&mut revision));
        charge.registry.callers().expire();
        failed(charge.audit.anchor_if_due());
        if swept.elapsed() >= SWEEP {
            swept = Instant::now();
            charge.limits.sweep();
            failed(charge.once.sweep());
            failed(charge.registry.callers().sweep());
            failed(charge.audit.retain().map(drop));
        }
    }
}

impl Charge {
    /// Sees what other processes changed.
    fn follow(&self, seen: &mut i64) -> Result<()> {
        let revision = self.registry.revision()?;
        if revision != *seen {
            self.registry.forget();
            self.registry.callers().recheck()?;
            self.workspaces.recheck(&self.registry)?;
            *seen = revision;
        }
        Ok(())
    }
}
