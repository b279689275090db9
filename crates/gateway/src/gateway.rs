//! The straight line of a call: resolve, authorize, admit, then run between the
//! opening and the closing of its record.
//!
//! It knows no protocol and no backend. An interface brings a [`Table`] of operations
//! and turns bytes into a [`Call`]; an [`Opener`] brings workspaces.

use std::sync::{Arc, Mutex, PoisonError};

use garth_contract::{Code, Error, Result};
use garth_redact::Redactor;
use garth_workspace::Workspace;
use serde::Serialize;

use crate::{
    Admitted, Answer, Call, Done, Limits, Moment, Opener, Registry, Resolved, Store, Table,
    agent_id::AgentId,
    approvals::Desk,
    audit::{self, Audit},
    call::Work,
    callers::Callers,
    housekeeping::Housekeeping,
    limits,
    registry::{Lease, Node, Once},
    resolve::{Asked, Ended},
    run::Ran,
    workspaces::Workspaces,
};

/// What a gateway is made of.
pub struct Setup {
    /// The database.
    pub store: Store,
    /// Which node this is.
    pub node: Node,
    /// What opens workspaces.
    pub opener: Arc<dyn Opener>,
    /// How much may be asked for.
    pub limits: limits::Config,
    /// Where the audit is anchored and how long it is kept.
    pub audit: audit::Config,
}

/// A gateway; clones are the same one.
#[derive(Clone)]
pub struct Gateway {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Clone)]
pub(crate) struct Inner {
    pub(crate) registry: Registry,
    pub(crate) audit: Audit,
    pub(crate) limits: Arc<Limits>,
    pub(crate) desk: Arc<Desk>,
    pub(crate) workspaces: Arc<Workspaces>,
    pub(crate) once: Arc<Once>,
    /// For what is recorded before it is known whose rules hold.
    pub(crate) redactor: Redactor,
    lease: Arc<Lease>,
    housekeeping: Arc<Mutex<Option<Housekeeping>>>,
}

/// A call that was begun.
#[must_use = "a call that is not ended is recorded as cancelled"]
pub struct Begun<A: Answer>(Stage<A>);

/// How far a call came. What is seldom is in boxes, so that the others do not carry it.
enum Stage<A: Answer> {
    Admitted(Admitted<A>),
    /// On its way to that.
    Later(Box<Later<A>>),
    /// Past it: only its record is waited for.
    Ran(Box<Ran<A>>),
}

impl<A: Answer> Begun<A> {
    /// Goes on to the end, as [`Gateway::call`] does.
    ///
    /// # Errors
    /// As for [`Gateway::call`].
    ///
    /// Cancel: as for [`Gateway::call`].
    pub async fn end(self) -> Result<Done<A>> {
        let admitted = match self.0 {
            Stage::Admitted(admitted) => admitted,
            Stage::Later(later) => Box::pin(later.admit()).await?,
            Stage::Ran(ran) => return Box::pin(ran.told()).await,
        };
        admitted.run().await
    }

    /// Ends it now, where nothing has to be waited for.
    ///
    /// # Errors
    /// The call itself as far as it came, to be [ended](Self::end).
    pub fn end_now(self) -> Result<Result<Done<A>>, Self> {
        let Self(Stage::Admitted(admitted)) = self else { return Err(self) };
        let ran = admitted.run_now().map_err(|admitted| Self(Stage::Admitted(admitted)))?;
        ran.told_now().map_err(|ran| Self(Stage::Ran(ran)))
    }
}

/// A call that has to wait on its way, as far as it came.
enum Later<A: Answer> {
    /// For a place for its record.
    Record(Box<(audit::Begin, Asked<A>)>),
    /// For what is known of its agent, or to be refused.
    Work(Box<Work<A>>),
    /// For the end of its record, which is all there is of it.
    Ends(Box<Ended>),
    /// For the end of its record.
    Refuse(Box<Work<A>>, Error),
}

impl<A: Answer> Later<A> {
    async fn admit(self) -> Result<Admitted<A>> {
        let work = match self {
            Self::Record(asked) => {
                let (begin, asked) = *asked;
                let record = asked.gateway.inner.audit.open(begin).await?;
                match asked.on_record(record) {
                    Ok(work) => work,
                    Err(ended) => return Err(ended.told().await),
                }
            }
            Self::Work(work) => work,
            Self::Ends(ended) => return Err(ended.told().await),
            Self::Refuse(work, error) => return Err(work.refuse(error).await),
        };
        let gateway = work.gateway.clone();
        gateway.admit(gateway.authorize(Resolved(work)).await?).await
    }
}

/// How a gateway is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// Whether the last record of the audit could be written.
    pub writable: bool,
    /// Whether this node holds its lease.
    pub leased: bool,
    /// Workspaces that are open.
    pub workspaces: u64,
    /// Approvals that are waited for.
    pub approvals: u64,
    /// How often the work in the background failed.
    pub faults: u64,
}

impl Gateway {
    /// Starts a gateway: joins as a node, under a new session, and begins to look after
    /// tokens, anchors and old records.
    ///
    /// # Errors
    /// `INTERNAL` when the registry, the audit's key or a thread cannot be used.
    pub async fn start(setup: Setup) -> Result<Self> {
        let Setup { store, node, opener, limits, audit } = setup;
        let registry = Registry::new(store.clone());
        let audit = Audit::new(store.clone(), audit)?;
        let lease = Arc::new(registry.join(node).await?);
        let once = Arc::new(Once::new(store.clone(), lease.session().to_owned()));
        let workspaces = Arc::new(Workspaces::new(opener, Arc::clone(&lease)));
        let limits = Arc::new(Limits::new(limits));
        let housekeeping = Housekeeping::start(crate::housekeeping::Charge {
            registry: registry.clone(),
            audit: audit.clone(),
            limits: Arc::clone(&limits),
            workspaces: Arc::clone(&workspaces),
            once: Arc::clone(&once),
        })?;
        let redactor = Redactor::new(&garth_redact::Config::standard())
            .map_err(|_| Error::new(Code::Internal, "the built-in redaction cannot be used"))?;
        let desk = Arc::new(Desk::new(store.clock().clone()));
        let housekeeping = Arc::new(Mutex::new(Some(housekeeping)));
        let inner = Inner {
            registry,
            audit,
            limits,
            desk,
            workspaces,
            once,
            redactor,
            lease,
            housekeeping,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The same gateway, for somebody who calls it often: how many hold it is counted apart.
    /// Two connections that work at the same time would else count at one place of memory.
    #[must_use]
    pub fn apart(&self) -> Self {
        let audit = self.inner.audit.apart();
        Self { inner: Arc::new(Inner { audit, ..Inner::clone(&self.inner) }) }
    }

    /// Does what a call asks for, or refuses it; either way there is a record of it on
    /// the disk when this returns.
    ///
    /// # Errors
    /// Those of every step and of the operation itself.
    ///
    /// Cancel: the record says `CANCELLED`; what the operation leaves behind, its own
    /// comment says. A call with a request id goes on to its end.
    pub async fn call<A: Answer>(&self, table: &Table<A>, call: Call<A::Along>) -> Result<Done<A>> {
        match self.begin(table, call).end_now() {
            Ok(done) => done,
            Err(begun) => begun.end().await,
        }
    }

    /// Begins a call: what need not wait of its first three steps is done when this returns,
    /// and that is most often all of it. It is to be [ended](Begun::end).
    pub fn begin<A: Answer>(&self, table: &Table<A>, call: Call<A::Along>) -> Begun<A> {
        Begun(self.admit_now(table, call).map_or_else(Stage::Later, Stage::Admitted))
    }

    fn admit_now<A: Answer>(
        &self,
        table: &Table<A>,
        call: Call<A::Along>,
    ) -> Result<Admitted<A>, Box<Later<A>>> {
        let (begin, asked) = self.ask(table, call);
        let Some(place) = self.inner.audit.place_now(&begin) else {
            return Err(Box::new(Later::Record(Box::new((begin, asked)))));
        };
        let record = self.inner.audit.open_in(place, begin);
        let work = asked.on_record(record).map_err(Later::Ends)?;
        let authorized = self.authorize_now(work).map_err(Later::Work)?;
        Ok(self.admit_authorized(authorized).map_err(|(work, error)| Later::Refuse(work, error))?)
    }

    /// The agents.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    /// The tokens.
    #[must_use]
    pub fn callers(&self) -> &Callers {
        self.inner.registry.callers()
    }

    /// The audit.
    #[must_use]
    pub fn audit(&self) -> &Audit {
        &self.inner.audit
    }

    /// The approvals that are waited for.
    #[must_use]
    pub fn approvals(&self) -> &Desk {
        &self.inner.desk
    }

    /// The budgets, and what was counted.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// This node's lease.
    #[must_use]
    pub fn lease(&self) -> &Lease {
        &self.inner.lease
    }

    /// Opens the workspace of an agent before anybody asks for it.
    ///
    /// # Errors
    /// `AGENT_NOT_FOUND`; those of the opener.
    pub async fn open_workspace(&self, id: &AgentId) -> Result<()> {
        let known = self.inner.registry.known(id).await?;
        self.inner.workspaces.open(&known.agent, Moment::now()).await.map(drop)
    }

    /// The open workspace of an agent, for work of the gateway itself on its sandbox
    /// within a call that was admitted.
    ///
    /// # Errors
    /// As for [`open_workspace`](Self::open_workspace).
    pub async fn workspace(&self, id: &AgentId) -> Result<Arc<Workspace>> {
        let known = self.inner.registry.known(id).await?;
        self.inner.workspaces.open(&known.agent, Moment::now()).await
    }

    /// Lets the open workspace of an agent go; it is opened anew when it is asked for.
    pub fn close_workspace(&self, id: &AgentId) {
        self.inner.workspaces.close(id);
    }

    /// How it is.
    #[must_use]
    pub fn health(&self) -> Health {
        let housekeeping = self.inner.housekeeping.lock().unwrap_or_else(PoisonError::into_inner);
        Health {
            writable: self.inner.audit.is_writable(),
            leased: self.inner.lease.check().is_ok(),
            workspaces: self.inner.workspaces.count() as u64,
            approvals: self.inner.desk.pending().len() as u64,
            faults: housekeeping.as_ref().map_or(0, Housekeeping::faults),
        }
    }

    /// Ends the work in the background, anchors the last record and closes the database.
    ///
    /// # Errors
    /// `INTERNAL` where the last record could not be anchored; all else is done then.
    pub async fn stop(&self) -> Result<()> {
        let housekeeping =
            self.inner.housekeeping.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.inner.audit.settle().await;
        let (audit, lease) = (self.inner.audit.clone(), Arc::clone(&self.inner.lease));
        let ended = tokio::task::spawn_blocking(move || {
            drop(housekeeping);
            lease.leave();
            audit.anchor_now()
        });
        let anchored =
            ended.await.unwrap_or_else(|_| Err(Error::new(Code::Internal, "a thread was stopped")));
        self.inner.registry.store().close().await;
        anchored
    }
}
