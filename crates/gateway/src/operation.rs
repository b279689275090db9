//! What a caller can ask for: a row of a table that an interface fills.
//!
//! A row says what the operation needs, how its parameters read in the audit, and how
//! it is run. It is generic over its answer, since tools answer with texts and facts
//! and a download answers with a stream.

use std::{collections::BTreeMap, sync::Arc};

use garth_contract::{BoxFuture, Code, Result};
use garth_redact::Permit;
use garth_workspace::Workspace;
use serde_json::Value;

use crate::{AgentId, Caller, Family, Part, Takes, approvals::Reach};

/// What an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reading of a workspace.
    Read,
    /// Changing its files.
    Write,
    /// Running a process in it.
    Run,
    /// The operator's rights.
    Admin,
}

/// What an operation answers with.
pub trait Answer: Send + Sized + 'static {
    /// What comes along with a call beside its parameters: the body of an upload, who
    /// hears how far it is.
    type Along: Send + 'static;

    /// The code of an answer that says what failed, and shows what there is all the
    /// same; the record has it then.
    fn failed(&self) -> Option<Code> {
        None
    }

    /// What the record says of it beside what was asked: names and ids, never content.
    fn recorded(&self) -> Option<&str> {
        None
    }

    /// How many bytes leave with it, as far as is known.
    fn bytes(&self) -> u64;

    /// The answer as a text that [`recall`](Self::recall) reads, to be given again to a
    /// call with the same request id; `None` for one that cannot be given twice.
    fn keep(&self) -> Option<String>;

    /// The answer of a text that was kept; `None` for one that cannot be read.
    fn recall(kept: &str) -> Option<Self>;
}

/// JSON is its own text.
impl Answer for Value {
    type Along = ();

    fn bytes(&self) -> u64 {
        self.to_string().len() as u64
    }

    fn keep(&self) -> Option<String> {
        Some(self.to_string())
    }

    fn recall(kept: &str) -> Option<Self> {
        serde_json::from_str(kept).ok()
    }
}

/// One operation.
pub struct Operation<A: Answer> {
    /// What it is called.
    pub name: &'static str,
    /// What it needs.
    pub access: Access,
    /// Which budget it is counted on.
    pub family: Family,
    /// What it holds while it runs, or longer.
    pub takes: Takes,
    /// Says what a call of it is to do.
    pub describe: Describe,
    /// Does it.
    pub run: Run<A>,
}

/// Says what a call is to do, by its parameters: never their contents.
pub type Describe = Arc<dyn Fn(&Value) -> Summary + Send + Sync>;

/// How an operation is run.
pub enum Run<A: Answer> {
    /// On the workspace that the call names.
    Workspace(OnWorkspace<A>),
    /// On the gateway; for operators alone.
    Gateway(OnGateway<A>),
}

/// How one is run on a workspace.
pub struct OnWorkspace<A: Answer> {
    /// Answers where nothing has to be waited for and nothing goes wrong; else nothing was done.
    pub(crate) at_once: Option<AtOnce<A>>,
    pub(crate) run: Waiting<A>,
}

type AtOnce<A> =
    Arc<dyn for<'a> Fn(At<'a>, &Value, &<A as Answer>::Along) -> Option<A> + Send + Sync>;
type Waiting<A> = Arc<
    dyn for<'a> Fn(At<'a>, Value, <A as Answer>::Along) -> BoxFuture<'a, Result<A>> + Send + Sync,
>;
type OnGateway<A> =
    Arc<dyn Fn(Caller, Value, <A as Answer>::Along) -> BoxFuture<'static, Result<A>> + Send + Sync>;

impl<A: Answer> Run<A> {
    /// Something that is done on a workspace.
    pub fn on_workspace(
        run: impl for<'a> Fn(At<'a>, Value, A::Along) -> BoxFuture<'a, Result<A>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self::Workspace(OnWorkspace { at_once: None, run: Arc::new(run) })
    }

    /// The same, with a shorter way: what is asked for most is often there, and to begin
    /// something that can be waited for takes longer than to answer. It gives `None` where
    /// something has to be waited for or goes wrong, and has changed nothing then.
    #[must_use]
    pub fn or_at_once(
        self,
        at_once: impl for<'a> Fn(At<'a>, &Value, &A::Along) -> Option<A> + Send + Sync + 'static,
    ) -> Self {
        match self {
            Self::Workspace(on) => {
                Self::Workspace(OnWorkspace { at_once: Some(Arc::new(at_once)), ..on })
            }
            Self::Gateway(run) => Self::Gateway(run),
        }
    }

    /// Something that is done on the gateway itself.
    pub fn on_gateway(
        run: impl Fn(Caller, Value, A::Along) -> BoxFuture<'static, Result<A>> + Send + Sync + 'static,
    ) -> Self {
        Self::Gateway(Arc::new(run))
    }
}

/// Where an operation is run, and for whom.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// The agent's world.
    pub workspace: &'a Arc<Workspace>,
    /// Whose it is.
    pub agent: &'a AgentId,
    /// Who asks.
    pub caller: &'a Caller,
    /// The right to see text as it is, where the call asked for that and may.
    pub permit: Option<&'a Permit>,
}

/// What a call is to do, as the audit and whoever approves it read it.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The paths that it names, as they were sent.
    pub paths: Vec<Named>,
    /// The command line, as it was sent; it is redacted before anybody reads it.
    pub command: Option<String>,
    /// What else matters: a pattern, an id. Redacted too.
    pub facts: Vec<(&'static str, String)>,
    /// Whether text is asked for as it is.
    pub shows: Shows,
    /// Tells from the parameters what would change. Only whoever is asked reads it, without
    /// secrets; no record has it.
    pub change: Option<fn(&Value) -> Vec<Part>>,
}

/// A path that a call names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The path, as it was sent.
    pub path: String,
    /// How far the call goes from it.
    pub reach: Reach,
}

/// Whether text is asked for as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shows {
    /// Without its secrets.
    #[default]
    Clean,
    /// As it is, which is the operator's right only.
    Raw,
}

impl Summary {
    /// The same with one path more.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>, reach: Reach) -> Self {
        self.paths.push(Named { path: path.into(), reach });
        self
    }

    /// The same with a fact more.
    #[must_use]
    pub fn fact(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.facts.push((name, value.into()));
        self
    }
}

/// The operations of an interface, by name.
pub struct Table<A: Answer>(BTreeMap<&'static str, Arc<Operation<A>>>);

impl<A: Answer> Table<A> {
    /// A table of these rows; of two with one name the last counts.
    #[must_use]
    pub fn new(rows: impl IntoIterator<Item = Operation<A>>) -> Self {
        Self(rows.into_iter().map(|row| (row.name, Arc::new(row))).collect())
    }

    /// The row of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Operation<A>>> {
        self.0.get(name)
    }

    /// Every row, by name.
    pub fn rows(&self) -> impl Iterator<Item = &Operation<A>> {
        self.0.values().map(|row| &**row)
    }
}
