//! What is counted, as Prometheus reads it.
//!
//! Requests are counted by their records, so that whatever has a record is counted,
//! by whichever interface it came. The text is written by hand: it is a few dozen lines
//! of `name{labels} number`, and every label is a word of ours.

mod text;

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use garth_gateway::{Gateway, audit::Entry};

use super::{
    app::App,
    log,
    settings::MetricsFor,
    telemetry::{Counted, Spans},
};
use text::{Kind, Text};

/// The bounds of the histogram, in microseconds.
const BUCKETS: [i64; 12] = [
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 500_000, 2_500_000, 10_000_000,
    60_000_000,
];

/// Names of operations that are counted apart; there are fewer.
const MOST_OPERATIONS: usize = 512;

/// So many threads count apart from each other; more share.
const PARTS: usize = 16;

/// What is counted.
pub(crate) struct Metrics {
    /// Who may read it.
    pub(crate) readers: MetricsFor,
    requests: Arc<Requests>,
    turned_away: AtomicU64,
    not_accepted: AtomicU64,
    began: SystemTime,
    spans: Option<Spans>,
}

#[derive(Default)]
struct Requests {
    parts: [Part; PARTS],
    log: log::Requests,
}

/// What some of the threads counted. Apart also in memory: threads that work at the same time
/// would else wait for each other with every request.
#[derive(Default)]
#[repr(align(128))]
struct Part(Mutex<BTreeMap<String, Counts>>);

#[derive(Default)]
struct Counts {
    outcomes: BTreeMap<String, u64>,
    buckets: [u64; BUCKETS.len()],
    count: u64,
    micros: u64,
    bytes_in: u64,
    bytes_out: u64,
}

impl Metrics {
    /// Counts what goes through a gateway from now on, and hands it on where spans of it
    /// are sent.
    pub(crate) fn of(gateway: &Gateway, readers: MetricsFor, spans: Option<Spans>) -> Self {
        let requests = Arc::new(Requests::default());
        let (seen, told) = (Arc::clone(&requests), spans.clone());
        gateway.audit().watch(move |entry, trace| {
            seen.ended(entry);
            if let Some(spans) = &told {
                spans.ended(entry, trace);
            }
        });
        let (turned_away, not_accepted) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { readers, requests, turned_away, not_accepted, began: SystemTime::now(), spans }
    }

    /// Counts a connection that there was no room for.
    pub(crate) fn turned_away(&self) {
        if self.turned_away.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!("Connections are turned away: too many are open.");
        }
    }

    /// Counts a connection that could not be accepted.
    pub(crate) fn not_accepted(&self, error: &std::io::Error) {
        if self.not_accepted.fetch_add(1, Ordering::Relaxed) == 0 {
            let why = error.kind();
            tracing::warn!(%why, "Connections cannot be accepted.");
        }
    }
}

impl Requests {
    fn ended(&self, entry: &Entry<&str>) {
        self.log.ended(entry);
        // What a caller made up is no name of ours.
        let name = if entry.outcome == "UNKNOWN_METHOD" { "unknown" } else { entry.operation };
        let Some(part) = self.parts.get(own_part()) else { return };
        let mut all = part.lock();
        if let Some(counts) = all.get_mut(name) {
            return counts.add(entry);
        }
        let name = if all.len() < MOST_OPERATIONS { name } else { "other" };
        all.entry(name.to_owned()).or_default().add(entry);
    }

    /// What all threads counted.
    fn all(&self) -> BTreeMap<String, Counts> {
        let mut all: BTreeMap<String, Counts> = BTreeMap::new();
        for part in &self.parts {
            for (name, counts) in &*part.lock() {
                all.entry(name.clone()).or_default().join(counts);
            }
        }
        all
    }
}

impl Part {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Counts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part that this thread counts in.
fn own_part() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = THREADS.fetch_add(1, Ordering::Relaxed) % PARTS;
    }
    OWN.with(|own| *own)
}

impl Counts {
    /// Counts what somebody else counted.
    fn join(&mut self, other: &Self) {
        for (outcome, count) in &other.outcomes {
            *self.outcomes.entry(outcome.clone()).or_default() += count;
        }
        for (bucket, count) in self.buckets.iter_mut().zip(other.buckets) {
            *bucket += count;
        }
        self.count += other.count;
        self.micros = self.micros.saturating_add(other.micros);
        self.bytes_in = self.bytes_in.saturating_add(other.bytes_in);
        self.bytes_out = self.bytes_out.saturating_add(other.bytes_out);
    }

    fn add(&mut self, entry: &Entry<&str>) {
        match self.outcomes.get_mut(entry.outcome) {
            Some(count) => *count += 1,
            None => drop(self.outcomes.insert(entry.outcome.to_owned(), 1)),
        }
        let whole = |number: i64| u64::try_from(number).unwrap_or(0);
        self.count += 1;
        self.micros = self.micros.saturating_add(whole(entry.duration_us));
        self.bytes_in = self.bytes_in.saturating_add(whole(entry.bytes_in));
        self.bytes_out = self.bytes_out.saturating_add(whole(entry.bytes_out));
        for (bucket, most) in self.buckets.iter_mut().zip(BUCKETS) {
            *bucket += u64::from(entry.duration_us <= most);
        }
    }
}

/// Everything that is counted, as a page.
pub(crate) fn page(app: &App) -> String {
    let mut text = Text::default();
    requests(&mut text, &app.metrics.requests.all());
    limits(&mut text, app);
    gateway(&mut text, app);
    if let Some(spans) = &app.metrics.spans {
        telemetry(&mut text, spans.counted());
    }
    text.page()
}

fn telemetry(text: &mut Text, Counted { sent, dropped, failed }: Counted) {
    let help = "Spans by what became of them: taken by the collector, dropped for want of room, \
                not taken.";
    text.family("garth_otlp_spans_total", Kind::Counter, help);
    for (outcome, count) in [("sent", sent), ("dropped", dropped), ("failed", failed)] {
        text.number(&[("outcome", outcome)], count);
    }
}

fn requests(text: &mut Text, all: &BTreeMap<String, Counts>) {
    text.family("garth_requests_total", Kind::Counter, "Requests by operation and outcome.");
    for (operation, counts) in all {
        for (outcome, count) in &counts.outcomes {
            text.number(&[("operation", operation), ("outcome", outcome)], *count);
        }
    }
    let help = "How long requests took, until their record was on its way to the disk.";
    text.family("garth_request_seconds", Kind::Histogram, help);
    for (operation, counts) in all {
        let operation = ("operation", operation.as_str());
        for (most, count) in BUCKETS.iter().zip(counts.buckets) {
            let bound = text::seconds(u64::try_from(*most).unwrap_or(0));
            text.part("_bucket", &[operation, ("le", &bound)], &count.to_string());
        }
        text.part("_bucket", &[operation, ("le", "+Inf")], &counts.count.to_string());
        text.part("_sum", &[operation], &text::seconds(counts.micros));
        text.part("_count", &[operation], &counts.count.to_string());
    }
    text.family("garth_request_bytes_total", Kind::Counter, "Bytes of requests and of replies.");
    let sum = |part: fn(&Counts) -> u64| all.values().map(part).fold(0, u64::saturating_add);
    text.number(&[("direction", "in")], sum(|counts| counts.bytes_in));
    text.number(&[("direction", "out")], sum(|counts| counts.bytes_out));
    text.one(
        "garth_audit_records_total",
        Kind::Counter,
        "Records of the audit that were closed.",
        sum(|counts| counts.count),
    );
}

fn limits(text: &mut Text, app: &App) {
    let counted = app.gateway.limits().snapshot();
    text.one(
        "garth_admitted_total",
        Kind::Counter,
        "Requests that there was room for.",
        counted.admitted,
    );
    text.family("garth_refused_total", Kind::Counter, "Requests that a limit refused.");
    for (limit, count) in [
        ("requests", counted.refused_requests),
        ("bytes", counted.refused_bytes),
        ("reads", counted.refused_reads),
        ("watches", counted.refused_watches),
        ("processes", counted.refused_processes),
        ("in_flight", counted.refused_in_flight),
    ] {
        text.number(&[("limit", limit)], count);
    }
    let help = "Those who were not let in, by what they brought.";
    text.family("garth_strangers_total", Kind::Counter, help);
    for (brought, count) in app.strangers.counts() {
        text.number(&[("brought", brought.name())], count);
    }
    for (name, help, now) in [
        ("garth_in_flight", "Operations under way.", counted.in_flight),
        ("garth_reads", "Reads under way.", counted.reads),
        ("garth_watches", "Open watches.", counted.watches),
        ("garth_processes", "Running processes.", counted.processes),
        ("garth_budgets", "Budgets that are remembered.", counted.budgets),
    ] {
        text.one(name, Kind::Gauge, help, now);
    }
}

fn gateway(text: &mut Text, app: &App) {
    let health = app.gateway.health();
    let metrics = &app.metrics;
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let began = metrics.began.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    for (name, kind, help, number) in [
        ("garth_connections", Kind::Gauge, "Open connections.", app.count() as u64),
        (
            "garth_connections_turned_away_total",
            Kind::Counter,
            "Connections that there was no room for.",
            read(&metrics.turned_away),
        ),
        (
            "garth_connections_not_accepted_total",
            Kind::Counter,
            "Connections that the machine did not give.",
            read(&metrics.not_accepted),
        ),
        ("garth_workspaces", Kind::Gauge, "Workspaces that are open.", health.workspaces),
        ("garth_approvals", Kind::Gauge, "Approvals that are waited for.", health.approvals),
        (
            "garth_audit_writable",
            Kind::Gauge,
            "Whether the last record could be written.",
            u64::from(health.writable),
        ),
        (
            "garth_leased",
            Kind::Gauge,
            "Whether this node holds its lease.",
            u64::from(health.leased),
        ),
        (
            "garth_faults_total",
            Kind::Counter,
            "How often work in the background failed: anchors, retention, leases.",
            health.faults,
        ),
        (
            "garth_start_time_seconds",
            Kind::Gauge,
            "When the gateway began, in seconds since 1970.",
            began,
        ),
    ] {
        text.one(name, kind, help, number);
    }
    text.family("garth_build_info", Kind::Gauge, "Which version this is.");
    text.number(&[("version", env!("CARGO_PKG_VERSION"))], 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_threads_counted_is_told_together() {
        let requests = Requests::default();
        let entry = |outcome, duration_us| Entry {
            operation: "worktree.stat",
            outcome,
            duration_us,
            bytes_in: 2,
            bytes_out: 3,
            ..Entry::default()
        };
        let threads = 2 * PARTS;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    requests.ended(&entry("OK", 1));
                    requests.ended(&entry("OK", 300));
                    requests.ended(&entry("CONFLICT", 1));
                });
            }
        });
        let all = requests.all();
        let (threads, counts) = (threads as u64, &all["worktree.stat"]);
        assert_eq!(all.len(), 1);
        assert_eq!((counts.outcomes["OK"], counts.outcomes["CONFLICT"]), (2 * threads, threads));
        assert_eq!((counts.count, counts.micros), (3 * threads, 302 * threads));
        assert_eq!((counts.buckets[0], counts.buckets[1]), (2 * threads, 3 * threads));
        assert_eq!((counts.bytes_in, counts.bytes_out), (6 * threads, 9 * threads));
    }
}
