//! What every connection of the gateway shares.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use garth_contract::Result;
use garth_gateway::{Call, Done, Gateway, Table};
use tokio::sync::watch;

use super::{
    answer::{Along, Answer},
    data::Home,
    guard::Names,
    memory::Memory,
    table,
};

/// What every connection shares.
pub(crate) struct App {
    pub(crate) gateway: Gateway,
    pub(crate) table: Table<Answer>,
    /// By which names browsers may know this gateway.
    pub(crate) names: Names,
    /// What bodies and files on their way may take.
    pub(crate) memory: Memory,
    stopping: watch::Sender<bool>,
    /// One receiver per connection; none is left when all have ended.
    open: watch::Sender<()>,
    connections: AtomicU64,
}

/// Held by a connection as long as it is open.
pub(crate) struct Open {
    _seat: watch::Receiver<()>,
}

impl App {
    pub(crate) fn new(gateway: Gateway, names: Names, data: &Home) -> Arc<Self> {
        let table = table::of(&gateway, data);
        Arc::new(Self {
            gateway,
            table,
            names,
            memory: Memory::new(),
            stopping: watch::Sender::new(false),
            open: watch::Sender::new(()),
            connections: AtomicU64::new(0),
        })
    }

    /// Runs a call through the gateway.
    pub(crate) async fn call(&self, call: Call<Along>) -> Result<Done<Answer>> {
        self.gateway.call(&self.table, call).await
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
