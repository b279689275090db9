//! The log: lines on standard error, as text or as JSON; no contents, no secrets.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use garth_gateway::audit::{Entry, OK};

use super::settings::{Log, LogFormat};

/// Refusals that are logged in a time; callers must not be able to fill a disk.
const MOST_REFUSALS: u32 = 50;
/// The time.
const WINDOW: Duration = Duration::from_secs(10);

/// Begins to log; who begins twice goes on as before.
pub(crate) fn begin(log: Log) {
    let builder = tracing_subscriber::fmt()
        .with_max_level(log.level)
        .with_target(false)
        .with_ansi(false)
        .with_writer(std::io::stderr);
    // What is known is never the token: callers have ids, and summaries stay in the audit.
    let _ = match log.format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}

/// Logs requests: all of them for whoever looks closely, refusals for everybody.
#[derive(Default)]
pub(crate) struct Requests(Mutex<Window>);

struct Window {
    began: Instant,
    logged: u32,
    left_out: u64,
}

impl Default for Window {
    fn default() -> Self {
        Self { began: Instant::now(), logged: 0, left_out: 0 }
    }
}

impl Requests {
    /// Logs one request that has ended.
    pub(crate) fn ended(&self, entry: &Entry<&str>) {
        let Entry { caller, role, session, workspace, operation, outcome, .. } = entry;
        let (micros, bytes_in, bytes_out) = (entry.duration_us, entry.bytes_in, entry.bytes_out);
        tracing::debug!(
            operation,
            outcome,
            workspace,
            caller,
            role,
            session,
            micros,
            bytes_in,
            bytes_out,
            "A request ended."
        );
        if *outcome == OK || !REFUSED.contains(outcome) {
            return;
        }
        match self.take() {
            Take::Log(0) => {}
            Take::Log(left_out) => tracing::info!(left_out, "More requests were refused."),
            Take::LeaveOut => return,
        }
        tracing::info!(operation, outcome, workspace, caller, role, "A request was refused.");
    }

    fn take(&self) -> Take {
        let mut window = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if window.began.elapsed() >= WINDOW {
            let left_out = window.left_out;
            *window = Window { logged: 1, ..Window::default() };
            return Take::Log(left_out);
        }
        if window.logged >= MOST_REFUSALS {
            window.left_out += 1;
            return Take::LeaveOut;
        }
        window.logged += 1;
        Take::Log(0)
    }
}

/// Whether a refusal is logged.
enum Take {
    /// It is, after so many that were not.
    Log(u64),
    LeaveOut,
}

/// The outcomes that are refusals.
const REFUSED: &[&str] =
    &["UNAUTHENTICATED", "PERMISSION_DENIED", "RATE_LIMIT_EXCEEDED", "APPROVAL_REFUSED"];
