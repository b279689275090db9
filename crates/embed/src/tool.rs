//! What a registry runs: a row of a dialect or a tool of the author's own.

use std::{sync::Arc, time::Duration};

use garth_contract::{BoxFuture, Result};
use garth_ops::Needs;
use garth_workspace::Workspace;
use serde_json::Value;

use crate::Answer;

/// What a command gets at most, and some time for it to end: its tools keep time
/// themselves, by what the caller allowed.
const MOST_COMMAND: Duration = Duration::from_secs(3_600 + 60);

/// A tool as a model sees it and as a program runs it.
///
/// Every row of a dialect is one. For a closure there is
/// [`Function`](crate::Function). What a tool says about itself is asked once,
/// when it is registered.
pub trait Tool: Send + Sync {
    /// What it is called: up to 64 letters, digits, `_` and `-`.
    fn name(&self) -> &str;

    /// The same for people.
    fn title(&self) -> &str {
        self.name()
    }

    /// What it does, for whoever chooses among tools.
    fn summary(&self) -> &str;

    /// The JSON Schema of its parameters, which are an object.
    fn params(&self) -> Value;

    /// The JSON Schema of its facts, where there is one.
    fn payload(&self) -> Option<Value> {
        None
    }

    /// What it needs of a workspace; the most, unless it says less.
    fn needs(&self) -> Needs {
        Needs::Replace
    }

    /// How long it may run, where that is not what the registry says for all.
    fn deadline(&self) -> Option<Duration> {
        None
    }

    /// Does it, with parameters that are an object.
    ///
    /// The future is dropped when the caller drops the call or the deadline has
    /// passed, so it must leave things whole wherever it waits.
    ///
    /// # Errors
    /// Whatever it likes: the caller gets it as a failure.
    fn run<'a>(
        &'a self,
        workspace: &'a Arc<Workspace>,
        params: Value,
    ) -> BoxFuture<'a, Result<Answer>>;
}

impl Tool for garth_ops::Tool {
    fn name(&self) -> &str {
        self.name
    }

    fn title(&self) -> &str {
        self.title
    }

    fn summary(&self) -> &str {
        self.summary
    }

    fn params(&self) -> Value {
        (self.params)().to_value()
    }

    fn payload(&self) -> Option<Value> {
        Some((self.payload)().to_value())
    }

    fn needs(&self) -> Needs {
        self.needs
    }

    fn deadline(&self) -> Option<Duration> {
        match self.needs {
            Needs::Read | Needs::Add | Needs::Replace => None,
            Needs::Follow | Needs::Run | Needs::Git => Some(MOST_COMMAND),
        }
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Arc<Workspace>,
        params: Value,
    ) -> BoxFuture<'a, Result<Answer>> {
        let run = (self.run)(workspace, params.into());
        Box::pin(async move { Ok(run.await.map_or_else(Answer::from, Answer::from)) })
    }
}
