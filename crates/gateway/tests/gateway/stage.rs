//! A gateway with agents, callers and a small table of operations.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use garth_contract::{Aliases, BoxFuture, Code, Error, Guard, Parents, Policy, Put, Result, Span};
use garth_gateway::{
    Access, Agent, AgentId, Call, Caller, Clock, Done, Family, Gateway, Grant, Node, Opener,
    Operation, Role, Run, Settings, Setup, Shows, Store, Summary, Table, Takes, approvals::Reach,
    audit, limits,
};
use garth_memory::Memory;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// Longer than anything takes on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) struct Stage {
    pub(crate) gateway: Gateway,
    pub(crate) table: Table<Value>,
    pub(crate) clock: Clock,
    pub(crate) files: Arc<Files>,
    pub(crate) held: Arc<Notify>,
    pub(crate) started: Arc<Notify>,
    pub(crate) runs: Arc<AtomicU64>,
    dir: tempfile::TempDir,
}

/// The files of every agent, in memory; `gone` has none.
#[derive(Default)]
pub(crate) struct Files {
    trees: Mutex<HashMap<AgentId, Arc<Memory>>>,
    pub(crate) opened: AtomicU64,
    /// How often somebody asked whether they are still there, and what is told.
    pub(crate) looks: AtomicU64,
    pub(crate) swapped: AtomicBool,
}

impl Opener for Files {
    fn open<'a>(&'a self, agent: &'a Agent) -> BoxFuture<'a, Result<Arc<Workspace>>> {
        Box::pin(async move {
            if agent.id.as_str() == "gone" {
                return Err(Error::of(Code::WorkspaceNotFound));
            }
            self.opened.fetch_add(1, Ordering::SeqCst);
            let mut trees = self.trees.lock().unwrap();
            let tree = trees
                .entry(agent.id.clone())
                .or_insert_with(|| Arc::new(Memory::new(Policy::open()).unwrap()));
            let workspace = Workspace::new(Parts {
                commands: Commands::None,
                fs: Arc::<Memory>::clone(tree),
                aliases: Aliases::none().with(b"/workspace"),
                redaction: agent.settings.redaction.config(),
                limits: Limits::standard(),
            });
            Ok(Arc::new(workspace?))
        })
    }

    fn is_current(&self, _: &Agent) -> bool {
        self.looks.fetch_add(1, Ordering::SeqCst);
        !self.swapped.swap(false, Ordering::SeqCst)
    }
}

/// Where a gateway begins.
pub(crate) struct Begin {
    pub(crate) limits: limits::Config,
    pub(crate) clock: Clock,
    pub(crate) node: Node,
    pub(crate) retention: audit::Retention,
    pub(crate) anchor_every: Duration,
}

impl Default for Begin {
    fn default() -> Self {
        Self {
            limits: limits::Config::standard(),
            clock: Clock::system(),
            // A lease that outlives what a test moves the clock by.
            node: Node { ttl: Duration::from_secs(24 * 3_600), ..Node::alone() },
            retention: audit::Retention { most_bytes: None, most_age: None },
            // So rarely that a test anchors when it says so, and nobody else does.
            anchor_every: Duration::from_secs(100_000_000),
        }
    }
}

impl Stage {
    /// Agents `own`, `other` and `gone`, whose directory is missing.
    pub(crate) async fn new() -> Self {
        Self::begin(Begin::default()).await
    }

    pub(crate) async fn begin(begin: Begin) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let stage = Self::in_directory(dir, begin).await;
        for id in ["own", "other", "gone"] {
            stage.gateway.registry().create(&id_of(id), &Settings::new("local")).await.unwrap();
        }
        stage
    }

    /// The same database again, by a gateway that starts anew.
    pub(crate) async fn again(self, begin: Begin) -> Self {
        let Self { gateway, dir, .. } = self;
        gateway.stop().await.unwrap();
        Self::in_directory(dir, begin).await
    }

    async fn in_directory(dir: tempfile::TempDir, begin: Begin) -> Self {
        let Begin { limits, clock, node, retention, anchor_every } = begin;
        let store = Store::open(&dir.path().join("garth.db"), clock.clone()).unwrap();
        let mut audit = audit::Config::in_directory(dir.path());
        audit.retention = retention;
        audit.every = anchor_every;
        audit.records = u64::MAX;
        let files = Arc::new(Files::default());
        let opener: Arc<dyn Opener> = Arc::<Files>::clone(&files);
        let setup = Setup { store, node, opener, limits, audit };
        let gateway = Gateway::start(setup).await.unwrap();
        let (held, started) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let runs = Arc::new(AtomicU64::new(0));
        let table = table(&gateway, &held, &started, &runs);
        Self { gateway, table, clock, files, held, started, runs, dir }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.dir.path().join("garth.db")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A connection beside the gateway's, as somebody with the file could open one.
    pub(crate) fn intruder(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.database()).unwrap();
        connection.busy_timeout(DEADLINE).unwrap();
        connection
    }

    pub(crate) async fn caller(&self, role: Role) -> Caller {
        let grant = Grant { role, label: "a test".to_owned(), ttl: None };
        let (secret, _) = self.gateway.callers().issue(grant).await.unwrap();
        let credential = self.gateway.callers().authenticate(&secret.reveal()).await.unwrap();
        Caller::new(credential, "session-1")
    }

    pub(crate) async fn operator(&self) -> Caller {
        self.caller(Role::Operator).await
    }

    pub(crate) async fn agent(&self, id: &str) -> Caller {
        self.caller(Role::Agent(id_of(id))).await
    }

    /// Calls an operation of `own` unless `params` name another agent.
    pub(crate) async fn call(
        &self,
        caller: &Caller,
        operation: &str,
        params: Value,
    ) -> Result<Done<Value>> {
        self.gateway.call(&self.table, call(caller, operation, params)).await
    }

    /// Every record, oldest first.
    pub(crate) async fn records(&self) -> Vec<audit::Record> {
        let page = self.gateway.audit().list(&audit::Filter::default(), None, 1_000).await.unwrap();
        assert_eq!(page.next, None);
        page.records.into_iter().rev().collect()
    }

    pub(crate) async fn last_record(&self) -> audit::Record {
        self.records().await.pop().unwrap()
    }
}

pub(crate) fn call(caller: &Caller, operation: &str, params: Value) -> Call {
    Call {
        caller: caller.clone(),
        operation: operation.to_owned(),
        agent: Some(params["agentId"].as_str().unwrap_or("own").to_owned()),
        bytes: params.to_string().len() as u64,
        request_id: params["requestId"].as_str().map(ToOwned::to_owned),
        hears: garth_gateway::approvals::Hears::Waits,
        arrived: garth_gateway::Moment::now(),
        params,
        along: (),
    }
}

pub(crate) fn id_of(text: &str) -> AgentId {
    AgentId::parse(text).unwrap()
}

/// Waits until something holds, for as long as a busy machine needs.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let end = tokio::time::Instant::now() + DEADLINE;
    while !holds().await {
        assert!(tokio::time::Instant::now() < end, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn describe(params: &Value) -> Summary {
    let mut summary = Summary::default();
    if let Some(path) = params["path"].as_str() {
        let reach = if params["recursive"] == true { Reach::Tree } else { Reach::This };
        summary = summary.path(path, reach);
    }
    summary.command = params["command"].as_str().map(ToOwned::to_owned);
    if params["redact"] == false {
        summary.shows = Shows::Raw;
    }
    summary
}

fn row(name: &'static str, access: Access, takes: Takes, run: Run<Value>) -> Operation<Value> {
    let family = match run {
        Run::Workspace(_) => Family::Worktree,
        Run::Gateway(_) => Family::Admin,
    };
    Operation { name, access, family, takes, describe: Arc::new(describe), run }
}

/// Reads, writes, something like a process, a watch, and the operator's own.
fn table(
    gateway: &Gateway,
    held: &Arc<Notify>,
    started: &Arc<Notify>,
    runs: &Arc<AtomicU64>,
) -> Table<Value> {
    let read = Run::on_workspace(|at, params, ()| {
        Box::pin(async move {
            let path = at.workspace.path(params["path"].as_str().unwrap_or_default())?;
            let content = at.workspace.fs().read(&path, Span::Whole { at_most: 1 << 20 }).await?;
            let text = String::from_utf8(content.bytes.to_vec()).unwrap();
            let raw = garth_redact::Raw::from(text);
            let shown = match at.permit {
                Some(permit) => raw.reveal(permit),
                None => at.workspace.clean(&path, raw)?,
            };
            Ok(json!({"content": shown}))
        })
    });
    let count = Arc::clone(runs);
    let write = Run::on_workspace(move |at, params, ()| {
        count.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            let path = at.workspace.path(params["path"].as_str().unwrap_or_default())?;
            let content = params["content"].as_str().unwrap_or_default().to_owned();
            let put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
            let written = at.workspace.fs().write(&path, content.into(), put).await?;
            Ok(json!({"version": written.version.to_string()}))
        })
    });
    let (wait, begun) = (Arc::clone(held), Arc::clone(started));
    let bash = Run::on_workspace(move |_, params, ()| {
        let (wait, begun) = (Arc::clone(&wait), Arc::clone(&begun));
        Box::pin(async move {
            if params["command"] == "wait" {
                begun.notify_one();
                wait.notified().await;
            }
            assert!(params["command"] != "panic", "the operation panics");
            Ok(json!({"exit_code": 0}))
        })
    });
    let nothing = || Run::on_workspace(|_, _, ()| Box::pin(async { Ok(json!({})) }));
    let registry = gateway.registry().clone();
    let agents = Run::on_gateway(move |_, _, ()| {
        let registry = registry.clone();
        Box::pin(async move { Ok(json!(registry.list("", 1_000).await?)) })
    });
    Table::new([
        row("worktree.read", Access::Read, Takes::Read, read),
        row("worktree.write", Access::Write, Takes::Nothing, write),
        row("worktree.delete", Access::Write, Takes::Nothing, nothing()),
        row("worktree.watch", Access::Read, Takes::Watch, nothing()),
        row("worktree.purge", Access::Admin, Takes::Nothing, nothing()),
        row("bash", Access::Run, Takes::Process, bash),
        row("agents.list", Access::Admin, Takes::Nothing, agents),
    ])
}
