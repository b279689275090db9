//! What a call of a tool names, before anybody has done it: paths, a command.
//!
//! The parameters are read here by the very function that the tool reads them by, into
//! the same type; so whatever spelling of them the tool understands is understood, and
//! what cannot be read here cannot be run either.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    params::parse,
    worktree::{Reach, Touch},
};

/// What a call names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Every path that it would touch, as it was sent, and how far it goes from there.
    pub paths: Vec<Touch>,
    /// The command line or the code that it would run, as it was sent.
    pub command: Option<String>,
    /// What else tells one call from another: a pattern, a process.
    pub facts: Vec<(&'static str, String)>,
}

impl Names {
    /// The one entry at a path.
    pub(crate) fn this(path: String) -> Self {
        Self::default().and(path, Reach::This)
    }

    /// Everything at and below a path.
    pub(crate) fn tree(path: String) -> Self {
        Self::default().and(path, Reach::Tree)
    }

    /// A command that begins in a directory, or in the root. Nothing but the workspace's
    /// root holds it, so it may touch everything.
    pub(crate) fn run(command: String, workdir: Option<String>) -> Self {
        let mut names = Self::tree(String::new());
        if let Some(workdir) = workdir {
            names = names.and(workdir, Reach::Tree);
        }
        names.command = Some(command);
        names
    }

    /// A process that runs.
    pub(crate) fn process(id: String) -> Self {
        Self::default().fact("id", id)
    }

    /// The same with one path more.
    pub(crate) fn and(mut self, path: String, reach: Reach) -> Self {
        self.paths.push(Touch { path, reach });
        self
    }

    /// The same with a fact more.
    pub(crate) fn fact(mut self, name: &'static str, value: String) -> Self {
        self.facts.push((name, value));
        self
    }
}

/// Parameters that name something.
pub(crate) trait Naming {
    /// What they name: never less than what would be touched.
    fn names(self) -> Names;
}

/// What parameters of this type name; nothing where they cannot be read, since then
/// nothing is run.
pub(crate) fn names_of<P: DeserializeOwned + Naming>(params: &Value) -> Names {
    parse::<P>(params.clone()).map(Naming::names).unwrap_or_default()
}
