//! A node's lease: who holds it may serve the workspaces that it owns.
//!
//! A thread renews it at a third of its time. Only the database's clock decides about
//! ownership; the node itself stops a little before by a clock of its own that
//! nobody can set, so that a node which cannot reach the database ends by itself.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
        mpsc,
    },
    thread::JoinHandle,
    time::Duration,
};

use garth_contract::{Code, Error, Result};

use super::{Registry, execute};
use crate::{clock::millis, random, store::sql};

/// A node that joins.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name; one process at a time has it, the last that took it.
    pub id: String,
    /// Where other nodes reach it.
    pub addr: String,
    /// How long the lease is good without being renewed.
    pub ttl: Duration,
}

impl Node {
    /// The one node of a gateway that runs alone.
    #[must_use]
    pub fn alone() -> Self {
        // Long enough for a busy machine, short enough for a takeover.
        Self { id: "local".to_owned(), addr: String::new(), ttl: Duration::from_secs(10) }
    }
}

/// A live session of a node. It is renewed until it is dropped, and over some time after.
pub struct Lease {
    held: Arc<Held>,
    thread: Mutex<Option<(mpsc::Sender<()>, JoinHandle<()>)>>,
}

struct Held {
    registry: Registry,
    node: String,
    session: String,
    ttl_ms: i64,
    /// By the steady clock: until when the node may go on without a renewal.
    good_until: AtomicI64,
}

impl Registry {
    /// Begins a new session of a node. What the node owned in its last session, it or
    /// any other can acquire again, each time under a new epoch.
    ///
    /// # Errors
    /// `INTERNAL` when the registry cannot be written.
    pub async fn join(&self, node: Node) -> Result<Lease> {
        let held = Arc::new(Held {
            registry: self.clone(),
            node: node.id,
            session: random::name()?,
            ttl_ms: millis(node.ttl).max(1),
            good_until: AtomicI64::new(0),
        });
        let asked_at = self.store().clock().steady_ms();
        let (id, session, ttl_ms) = (held.node.clone(), held.session.clone(), held.ttl_ms);
        let joined = self.store().write(move |connection| {
            execute(connection, sql::NODE_JOIN, (id, session, node.addr, ttl_ms))
        });
        joined.await?;
        held.renewed(asked_at);
        let (stop, stopped) = mpsc::channel();
        let renewing = Arc::clone(&held);
        let thread = std::thread::Builder::new()
            .name("garth-lease".to_owned())
            .spawn(move || renewing.keep(&stopped))
            .map_err(|_| Error::new(Code::Internal, "the lease's thread cannot be started"))?;
        Ok(Lease { held, thread: Mutex::new(Some((stop, thread))) })
    }
}

impl Lease {
    /// The node's name.
    #[must_use]
    pub fn node(&self) -> &str {
        &self.held.node
    }

    /// The session, another one at each start.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.held.session
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.held.registry
    }

    /// # Errors
    /// `PROVIDER_UNAVAILABLE` once the lease is over, or another process took the name.
    pub fn check(&self) -> Result<()> {
        let now = self.held.registry.store().clock().steady_ms();
        if now < self.held.good_until.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(Error::new(Code::ProviderUnavailable, "this node no longer holds its lease"))
    }

    /// Renews the lease now; the thread does the same at its time.
    ///
    /// It waits for the disk.
    ///
    /// # Errors
    /// As [`check`](Self::check), and `INTERNAL` when the registry cannot be written.
    pub fn renew(&self) -> Result<()> {
        self.held.renew()?;
        self.check()
    }
}

impl Held {
    /// Renews until it is told to stop or another process took the name.
    fn keep(&self, stopped: &mpsc::Receiver<()>) {
        let pause = Duration::from_millis(u64::try_from(self.ttl_ms / 3).unwrap_or(1).max(1));
        while let Err(mpsc::RecvTimeoutError::Timeout) = stopped.recv_timeout(pause) {
            match self.renew() {
                Ok(()) => {}
                // A registry that fails now may work again before the lease is over.
                Err(error) if error.code() == Code::Internal => {}
                Err(_) => return,
            }
        }
    }

    fn renew(&self) -> Result<()> {
        let asked_at = self.registry.store().clock().steady_ms();
        let values = (self.ttl_ms, self.node.clone(), self.session.clone());
        let renewed = self
            .registry
            .store()
            .write_waiting(move |connection| execute(connection, sql::NODE_RENEW, values))?;
        if renewed == 0 {
            self.good_until.store(0, Ordering::SeqCst);
            return Err(Error::new(
                Code::ProviderUnavailable,
                "another process took this node's name",
            ));
        }
        self.renewed(asked_at);
        Ok(())
    }

    /// A renewal counts from when it was asked for, less a tenth for what the two
    /// clocks may drift apart.
    fn renewed(&self, asked_at: i64) {
        let good_for = self.ttl_ms - self.ttl_ms / 10;
        self.good_until.store(asked_at.saturating_add(good_for), Ordering::SeqCst);
    }
}

impl Lease {
    /// Gives the lease back, so that others need not wait until it is over. It waits for
    /// the disk.
    pub(crate) fn leave(&self) {
        self.held.good_until.store(0, Ordering::SeqCst);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((stop, thread)) = thread {
            drop(stop);
            let _ = thread.join();
            let values = (self.held.node.clone(), self.held.session.clone());
            // Where it fails the lease is over by itself.
            let _ = self
                .registry()
                .store()
                .write_waiting(move |connection| execute(connection, sql::NODE_LEAVE, values));
        }
    }
}
