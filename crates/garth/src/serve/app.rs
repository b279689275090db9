//! What every connection of the gateway shares.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use garth_contract::Result;
use garth_gateway::{Call, Done, Gateway, Table};
use tokio::{runtime::Handle, sync::watch};
use tokio_rustls::TlsAcceptor;

use super::{
    answer::{Along, Answer},
    data::Home,
    e2b::E2b,
    guard::Names,
    lanes::Lanes,
    memory::Memory,
    metrics::Metrics,
    settings::MetricsFor,
    spool::Spool,
    strangers::Strangers,
    table,
    telemetry::Spans,
    wrong_tokens::WrongTokens,
};

/// How a gateway meets those who connect.
pub(crate) struct Front {
    pub(crate) names: Names,
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) most_connections: usize,
    pub(crate) most_frame: usize,
    pub(crate) metrics_for: MetricsFor,
    pub(crate) spool: Spool,
    pub(crate) e2b: Option<E2b>,
    pub(crate) spans: Option<Spans>,
    pub(crate) lanes: Lanes,
    pub(crate) runtime: Handle,
}

/// What every connection shares.
pub(crate) struct App {
    pub(crate) gateway: Gateway,
    pub(crate) table: Table<Answer>,
    /// By which names browsers may know this gateway.
    pub(crate) names: Names,
    /// What was counted, and who may read it.
    pub(crate) metrics: Metrics,
    /// What speaks TLS, where that is set up.
    pub(crate) tls: Option<TlsAcceptor>,
    /// Connections at a time.
    pub(crate) most_connections: usize,
    /// The largest frame, in bytes, once it is known who sends it.
    pub(crate) most_frame: usize,
    /// What bodies and files on their way may take.
    pub(crate) memory: Memory,
    /// Where bodies wait until all of them came.
    pub(crate) spool: Spool,
    /// The sandboxes of the E2B interface, where it is on.
    pub(crate) e2b: Option<E2b>,
    /// The threads that serve WebSockets.
    pub(crate) lanes: Lanes,
    /// Where all else is done.
    pub(crate) runtime: Handle,
    stopping: watch::Sender<bool>,
    /// One receiver per connection; none is left when all have ended.
    open: watch::Sender<()>,
    connections: AtomicU64,
    /// Where those wait whose token was wrong.
    pub(crate) wrong_tokens: WrongTokens,
    /// Those who were not let in.
    pub(crate) strangers: Strangers,
    started: Instant,
}

/// Held by a connection as long as it is open.
pub(crate) struct Open {
    _seat: watch::Receiver<()>,
}

impl App {
    pub(crate) fn new(gateway: Gateway, data: &Home, front: Front) -> Arc<Self> {
        let table = table::of(&gateway, data);
        let Front { names, tls, most_connections, most_frame, metrics_for, spool, .. } = front;
        let Front { e2b, spans, lanes, runtime, .. } = front;
        let metrics = Metrics::of(&gateway, metrics_for, spans);
        let strangers = Strangers::new(gateway.audit());
        Arc::new(Self {
            gateway,
            table,
            names,
            metrics,
            tls,
            most_connections,
            most_frame,
            memory: Memory::new(),
            spool,
            e2b,
            lanes,
            runtime,
            stopping: watch::Sender::new(false),
            open: watch::Sender::new(()),
            connections: AtomicU64::new(0),
            wrong_tokens: WrongTokens::new(),
            strangers,
            started: Instant::now(),
        })
    }

    /// Runs a call through the gateway, and lets go on what it leaves open.
    pub(crate) async fn call(&self, call: Call<Along>) -> Result<Done<Answer>> {
        let left = call.along.left.clone();
        let mut done = self.gateway.call(&self.table, call).await?;
        drop(left.open(done.held.take()));
        Ok(done)
    }

    /// A connection that counts as open until this is dropped.
    pub(crate) fn enter(&self) -> Open {
        Open { _seat: self.open.subscribe() }
    }

    /// How many connections are open.
    pub(crate) fn count(&self) -> usize {
        self.open.receiver_count()
    }

    /// A number that no other connection has.
    pub(crate) fn number(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// For how long it runs.
    pub(crate) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Tells every connection to end.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits until the gateway is asked to stop.
    ///
    /// Cancel: nothing happens.
    pub(crate) async fn stopping(&self) {
        let mut seen = self.stopping.subscribe();
        // The sender lives as long as `self`.
        let _ = seen.wait_for(|stopping| *stopping).await;
    }

    /// Waits until every connection has ended, but not for longer.
    pub(crate) async fn drained(&self, most: Duration) {
        let _ = tokio::time::timeout(most, self.open.closed()).await;
    }
}
