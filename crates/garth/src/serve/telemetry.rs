//! What other programs are told about operations: a span each, to a collector of
//! OpenTelemetry, where the operator names one.
//!
//! A span is made of the operation's record, at the one place where records are seen, and
//! has less: no paths, no commands, no summary. What speaks to the collector is behind the
//! feature `otlp`, since few need it and it brings packages of its own; without it a
//! configuration that names a collector is refused.

mod collector;
#[cfg(feature = "otlp")]
mod export;
#[cfg(not(feature = "otlp"))]
#[path = "telemetry/absent.rs"]
mod export;
#[cfg(feature = "otlp")]
mod span;

pub(crate) use collector::Collector;
pub(crate) use export::{Exporting, Spans};

use garth_gateway::Gateway;

/// What an operator says of it.
#[derive(Clone, Debug)]
pub(crate) struct Telemetry {
    /// Where spans go.
    pub(crate) otlp: Option<Collector>,
    /// What the gateway is called there.
    pub(crate) service: String,
    /// How many spans may wait.
    pub(crate) waiting: usize,
}

/// Spans that wait: some seconds of a busy gateway, and a few megabytes.
const WAITING: usize = 8_192;
/// The most that can be asked for, since each is some hundred bytes.
pub(crate) const MOST_WAITING: usize = 1 << 20;

impl Telemetry {
    /// What holds where nothing is set up: nobody is told.
    pub(crate) fn usual() -> Self {
        Self { otlp: None, service: "garth".to_owned(), waiting: WAITING }
    }

    /// Begins to send spans, where they go anywhere. Needs a runtime.
    pub(crate) fn begin(&self, gateway: &Gateway) -> Option<(Spans, Exporting)> {
        let collector = self.otlp.clone()?;
        Some(export::begin(collector, self, gateway))
    }
}

/// How many spans came to what end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The collector has them.
    pub(crate) sent: u64,
    /// There was no room for them.
    pub(crate) dropped: u64,
    /// The collector did not take them.
    pub(crate) failed: u64,
}
