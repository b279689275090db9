//! The methods `worktree.*`: an agent's files for programs, JSON in and JSON out.
//!
//! A method knows neither the caller nor the protocol: whoever serves them walks the
//! table. Parameters are taken as they are defined, and nothing near them; a path is
//! shown from the root, and the root itself is `/`.

mod delete;
mod diff;
mod edit;
mod list;
mod mkdir;
mod r#move;
mod read;
mod search;
mod stat;
pub mod transfer;
mod usage;
mod write;

/// What several methods say alike.
mod wire {
    pub(super) mod agent;
    pub(super) mod cursor;
    pub(super) mod encoding;
    pub(super) mod entry;
    pub(super) mod json;
    pub(super) mod named;
}

use garth_contract::{BoxFuture, Result};
use garth_redact::Permit;
use garth_workspace::Workspace;
use schemars::Schema;
use serde_json::Value;

use crate::Needs;
pub use crate::recall::Recall;
pub use wire::json::Json;

/// Every method, in the order in which they are shown.
pub static METHODS: &[Method] = &[
    list::METHOD,
    stat::METHOD,
    usage::METHOD,
    read::METHOD,
    write::METHOD,
    edit::METHOD,
    mkdir::METHOD,
    r#move::METHOD,
    delete::METHOD,
    search::METHOD,
    diff::METHOD,
];

/// Finds a method by its name.
#[must_use]
pub fn method(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

/// One method.
#[derive(Clone, Copy)]
pub struct Method {
    /// What it is called, for example `worktree.list`.
    pub name: &'static str,
    /// The same for people.
    pub title: &'static str,
    /// What it does, in a sentence or two.
    pub summary: &'static str,
    /// What it needs of a workspace.
    pub needs: Needs,
    /// The shape of its parameters.
    pub params: fn() -> Schema,
    /// The shape of what it answers with.
    pub payload: fn() -> Schema,
    /// The paths that parameters name, as they were sent, and how far the call goes
    /// from each. It never fails: who keeps a record asks before anything is checked.
    pub names: fn(&Value) -> Vec<Touch>,
    /// Does it where nothing has to be waited for, if that is often so.
    pub at_once: Option<AtOnce>,
    /// Does it.
    pub run: Run,
}

/// Answers from what is there already, with parameters as they were sent. It gives `None`
/// where something has to be waited for or is wrong, and has done nothing then: whoever asks
/// goes on with [`Run`], which says what is wrong.
pub type AtOnce = fn(&Workspace, &Value, &Recall) -> Option<Json>;

/// Runs a method on a workspace.
///
/// Cancel: the future leaves things whole wherever it waits.
pub type Run = for<'a> fn(&'a Workspace, Ask<'a>) -> BoxFuture<'a, Result<Json>>;

/// What a caller sends to a method.
pub struct Ask<'a> {
    /// The parameters; `agentId` must be among them and is not looked at.
    pub params: Value,
    /// The right to see text as it is, where the caller is an operator that asked for it.
    pub permit: Option<&'a Permit>,
    /// What this caller was shown of this workspace before; it is kept by whoever
    /// serves the caller, one for each workspace.
    pub shown: &'a Recall,
}

/// A path that a call names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The path, as it was sent.
    pub path: String,
    /// How far the call goes from it.
    pub reach: Reach,
}

/// How far a call goes from a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The one entry.
    This,
    /// Everything below it too: a search, a removal of a tree, a move.
    Tree,
}
