//! Calls of this wire on the gateway's line: a row each, so that roles, limits,
//! approvals and the audit hold as for every other interface.
//!
//! What a call does stands where its bytes are read; the row says what it needs and how
//! it reads in the audit, and runs it once it was admitted.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
};

use garth_contract::{BoxFuture, Code, Error, Result, Seat};
use garth_gateway::{
    Access, Call, Caller, Family, Operation, Run, Summary, Takes,
    approvals::{Hears, Reach},
};
use garth_workspace::Workspace;
use serde_json::{Map, Value};

use crate::serve::{
    answer::{Along, Answer},
    app::App,
    left::Left,
};

/// Work on its way.
type Doing = BoxFuture<'static, Result<u64>>;

/// What is to be done once a call is admitted; it says how many bytes it gave.
pub(crate) enum Job {
    /// In a sandbox.
    Inside(Box<dyn FnOnce(Arc<Workspace>, Left) -> Doing + Send>),
    /// With sandboxes.
    About(Box<dyn FnOnce() -> Doing + Send>),
}

/// An operation of this wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named(&'static str);

macro_rules! rows {
    ($($constant:ident $name:literal $access:ident $takes:ident;)*) => {
        $(pub(super) const $constant: Named = Named($name);)*
        const ROWS: &[(&str, Access, Takes)] =
            &[$(($name, Access::$access, Takes::$takes),)*];
    };
}

rows! {
    SANDBOX_CREATE  "e2b.sandboxes.create"  Admin Nothing;
    SANDBOX_LIST    "e2b.sandboxes.list"    Admin Nothing;
    SANDBOX_GET     "e2b.sandboxes.get"     Admin Nothing;
    SANDBOX_KILL    "e2b.sandboxes.kill"    Admin Nothing;
    SANDBOX_RENEW   "e2b.sandboxes.timeout" Admin Nothing;
    SANDBOX_PAUSE   "e2b.sandboxes.pause"   Admin Nothing;
    SANDBOX_CONNECT "e2b.sandboxes.connect" Admin Nothing;
    TEMPLATE_LIST   "e2b.templates.list"    Admin Nothing;
    FILE_READ       "e2b.files.read"        Read  Nothing;
    FILE_WRITE      "e2b.files.write"       Write Nothing;
    FILE_STAT       "e2b.files.stat"        Read  Nothing;
    FILE_LIST       "e2b.files.list"        Read  Nothing;
    FILE_MAKE_DIR   "e2b.files.make_dir"    Write Nothing;
    FILE_MOVE       "e2b.files.move"        Write Nothing;
    FILE_REMOVE     "e2b.files.remove"      Write Nothing;
    FILE_WATCH      "e2b.files.watch"       Read  Watch;
    FILE_EVENTS     "e2b.files.events"      Read  Nothing;
    PROCESS_START   "e2b.process.start"     Run   Process;
    PROCESS_CONNECT "e2b.process.connect"   Run   Nothing;
    PROCESS_LIST    "e2b.process.list"      Run   Nothing;
    PROCESS_INPUT   "e2b.process.input"     Run   Nothing;
    PROCESS_SIGNAL  "e2b.process.signal"    Run   Nothing;
    PROCESS_UPDATE  "e2b.process.update"    Run   Nothing;
    SANDBOX_USAGE   "e2b.sandboxes.metrics" Run   Nothing;
    PORT_OPEN       "e2b.ports.open"        Run   Process;
    CODE_CONTEXT    "e2b.code.context"      Run   Process;
    CODE_RUN        "e2b.code.run"          Run   Nothing;
    CODE_LIST       "e2b.code.list"         Run   Nothing;
    CODE_END        "e2b.code.end"          Run   Nothing;
}

/// The rows.
pub(crate) fn rows() -> Vec<Operation<Answer>> {
    ROWS.iter().map(|(name, access, takes)| row(name, *access, *takes)).collect()
}

fn row(name: &'static str, access: Access, takes: Takes) -> Operation<Answer> {
    let run = match access {
        Access::Admin => Run::on_gateway(|_, _, along: Along| {
            Box::pin(async move {
                match along.job {
                    Some(Job::About(job)) => job().await.map(given),
                    Some(Job::Inside(_)) | None => Err(not_by_this_wire()),
                }
            })
        }),
        Access::Read | Access::Write | Access::Run => Run::on_workspace(|at, _, along: Along| {
            Box::pin(async move {
                match along.job {
                    Some(Job::Inside(job)) => {
                        job(Arc::clone(at.workspace), along.left).await.map(given)
                    }
                    Some(Job::About(_)) | None => Err(not_by_this_wire()),
                }
            })
        }),
    };
    Operation { name, access, family: Family::Sandbox, takes, describe: Arc::new(describe), run }
}

fn given(bytes: u64) -> Answer {
    Answer::Stored { facts: Map::new(), unpaid: bytes }
}

fn not_by_this_wire() -> Error {
    Error::new(Code::Unsupported, "this is asked for by SDKs of E2B, on their own routes")
}

/// What the audit says of a call: the paths, the command, the sandbox.
fn describe(params: &Value) -> Summary {
    let text = |name: &str| params.get(name).and_then(Value::as_str);
    let mut summary = Summary::default();
    for name in ["path", "to"] {
        let Some(path) = text(name) else { continue };
        summary = match in_workspace(path) {
            Some(inside) => summary.path(inside, Reach::Tree),
            None => summary.fact(name, path),
        };
    }
    summary.command = text("command").map(ToOwned::to_owned);
    for name in ["sandbox", "template", "process", "port"] {
        if let Some(value) = text(name) {
            summary = summary.fact(name, value);
        }
    }
    summary
}

/// The path in the workspace of one in the sandbox, where it lies in it: rules of the
/// workspace are about those.
fn in_workspace(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(Seat::Home.workspace())?;
    if rest.is_empty() { Some("/") } else { rest.strip_prefix('/') }
}

/// A call that is to be made.
pub(super) struct Asked {
    pub(super) caller: Caller,
    pub(super) operation: Named,
    pub(super) params: Value,
    /// How many bytes came with it.
    pub(super) bytes: u64,
}

/// Does something in a sandbox, on the line.
///
/// # Errors
/// Those of every step, and of the work itself.
pub(super) async fn inside<T: Send + 'static, F>(
    app: &App,
    (asked, agent): (Asked, &str),
    work: impl FnOnce(Arc<Workspace>, Left) -> F + Send + 'static,
) -> Result<T>
where
    F: Future<Output = Result<(T, u64)>> + Send + 'static,
{
    let (slot, put) = slot();
    let job = Job::Inside(Box::new(move |workspace, left| {
        let doing = work(workspace, left);
        Box::pin(async move { doing.await.map(put) })
    }));
    made(app, (asked, Some(agent.to_owned())), job).await?;
    slot.take()
}

/// Does something with sandboxes, on the line.
///
/// # Errors
/// Those of every step, and of the work itself.
pub(super) async fn about<T: Send + 'static>(
    app: &App,
    asked: Asked,
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let (slot, put) = slot();
    let job = Job::About(Box::new(move || {
        Box::pin(async move { work.await.map(|value| put((value, 0))) })
    }));
    made(app, (asked, None), job).await?;
    slot.take()
}

async fn made(app: &App, (asked, agent): (Asked, Option<String>), job: Job) -> Result<()> {
    let Asked { caller, operation, params, bytes } = asked;
    let call = Call {
        caller,
        operation: operation.0.to_owned(),
        agent,
        params,
        bytes,
        request_id: None,
        hears: Hears::Waits,
        arrived: garth_gateway::Moment::now(),
        along: Along { job: Some(job), ..Along::nothing() },
    };
    app.call(call).await.map(drop)
}

/// Where what a call gives is left until it is on record.
struct Slot<T>(Arc<Mutex<Option<T>>>);

impl<T> Slot<T> {
    fn take(self) -> Result<T> {
        let value = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(|| Error::of(Code::Internal))
    }
}

fn slot<T: Send + 'static>() -> (Slot<T>, impl FnOnce((T, u64)) -> u64 + Send + 'static) {
    let shared = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&shared);
    let put = move |(value, bytes): (T, u64)| {
        *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        bytes
    };
    (Slot(shared), put)
}
