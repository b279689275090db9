//! What a tool is: a row of a table.

use garth_contract::{BoxFuture, Result};
use garth_workspace::Workspace;
use schemars::Schema;
use serde_json::Value;

use crate::Reply;

/// One tool as a model sees it.
#[derive(Clone, Copy)]
pub struct Tool {
    /// What it is called.
    pub name: &'static str,
    /// The same for people.
    pub title: &'static str,
    /// What it does, for whoever chooses among tools.
    pub summary: &'static str,
    /// What it needs of a workspace.
    pub needs: Needs,
    /// The shape of its parameters.
    pub params: fn() -> Schema,
    /// The shape of its reply's payload.
    pub payload: fn() -> Schema,
    /// The keys of the payload that say what the text says, so that an interface
    /// which sends both can leave them out.
    pub repeats: &'static [&'static str],
    /// Does it.
    pub run: Run,
}

/// Runs a tool on a workspace with the parameters that a caller sent.
pub type Run = for<'a> fn(&'a Workspace, Value) -> BoxFuture<'a, Result<Reply>>;

/// What a tool needs of a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Reading: it changes nothing.
    Read,
    /// Writing, of new things only: nothing is lost.
    Add,
    /// Writing over what there is, or removing it.
    Replace,
}

/// Finds a row of a table by name.
#[must_use]
pub fn find(table: &'static [Tool], name: &str) -> Option<&'static Tool> {
    table.iter().find(|tool| tool.name == name)
}
