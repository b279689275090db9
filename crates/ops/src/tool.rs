//! What a tool is: a row of a table.

use garth_contract::{Announce, BoxFuture, Result};
use garth_workspace::Workspace;
use schemars::Schema;
use serde_json::Value;

use crate::{Failure, Names, Reply};

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
    /// What a call names: never less than it would touch, with paths as
    /// [`Workspace::path`] reads them where there is one root. It never fails: who keeps a
    /// record asks before anything is checked, and what cannot be read names nothing,
    /// since the call fails then.
    pub names: fn(&Value) -> Names,
    /// Does it.
    pub run: Run,
}

/// Runs a tool on a workspace.
///
/// Cancel: the future leaves things whole wherever it waits, and a command that it
/// runs is killed with it.
pub type Run = for<'a> fn(&'a Workspace, Call) -> BoxFuture<'a, Result<Reply, Failure>>;

/// What a caller sends to a tool.
pub struct Call {
    /// The parameters.
    pub params: Value,
    /// Hears the number of the command that the tool runs, if it runs one.
    pub announce: Announce,
}

/// A call of which only the answer matters.
impl From<Value> for Call {
    fn from(params: Value) -> Self {
        Self { params, announce: Announce::nobody() }
    }
}

/// What a tool needs of a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Reading: it changes nothing.
    Read,
    /// Writing, of new things only: nothing is lost.
    Add,
    /// Writing over what there is, or removing it.
    Replace,
    /// Commands, of which it only says what they do: it changes nothing.
    Follow,
    /// Commands, which it runs or steers: they can change anything.
    Run,
    /// A sandbox that git can run in, whose repositories it changes.
    Git,
}

/// What a workspace lets tools do beside reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allows {
    /// Changes of files.
    pub write: bool,
    /// Commands.
    pub run: bool,
    /// Git, which has a sandbox also where the caller's own commands have none.
    pub git: bool,
}

impl Allows {
    /// What this workspace lets tools do.
    #[must_use]
    pub fn of(workspace: &Workspace) -> Self {
        Self {
            write: workspace.fs().abilities().write,
            run: workspace.runs_commands(),
            git: workspace.runs_git(),
        }
    }
}

impl Needs {
    /// Tells whether a tool that needs this is of use where so much is allowed.
    #[must_use]
    pub fn met(self, allows: Allows) -> bool {
        match self {
            Self::Read => true,
            Self::Add | Self::Replace => allows.write,
            Self::Follow | Self::Run => allows.run,
            Self::Git => allows.git,
        }
    }

    /// Tells whether a tool that needs this changes nothing.
    #[must_use]
    pub fn changes_nothing(self) -> bool {
        match self {
            Self::Read | Self::Follow => true,
            Self::Add | Self::Replace | Self::Run | Self::Git => false,
        }
    }

    /// Tells whether a tool that needs this can take something away.
    #[must_use]
    pub fn destroys(self) -> bool {
        match self {
            Self::Replace | Self::Run | Self::Git => true,
            Self::Read | Self::Add | Self::Follow => false,
        }
    }
}

/// Finds a row of a table by name.
#[must_use]
pub fn find(table: &'static [Tool], name: &str) -> Option<&'static Tool> {
    table.iter().find(|tool| tool.name == name)
}
