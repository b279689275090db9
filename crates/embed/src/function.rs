//! A tool made of a closure.

use std::{sync::Arc, time::Duration};

use garth_contract::{BoxFuture, Code, Error, Result};
use garth_ops::Needs;
use garth_workspace::Workspace;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Answer, Tool};

type Run = Box<dyn Fn(Arc<Workspace>, Value) -> BoxFuture<'static, Result<Answer>> + Send + Sync>;

/// A tool of the author's own, made of a closure.
///
/// ```
/// use garth_embed::{Answer, Function, Needs};
/// use serde_json::json;
///
/// let schema = json!({ "type": "object", "properties": {} });
/// let tool = Function::new("ping", "Answers pong.", schema, |_workspace, _params| async {
///     Ok(Answer::text("pong"))
/// })
/// .needs(Needs::Read);
/// ```
pub struct Function {
    name: String,
    title: Option<String>,
    summary: String,
    params: Value,
    needs: Needs,
    deadline: Option<Duration>,
    run: Run,
}

impl Function {
    /// A tool that does what a closure does with the workspace and the parameters.
    pub fn new<F>(
        name: impl Into<String>,
        summary: impl Into<String>,
        params: Value,
        run: impl Fn(Arc<Workspace>, Value) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Answer>> + Send + 'static,
    {
        Self {
            name: name.into(),
            title: None,
            summary: summary.into(),
            params,
            needs: Needs::Replace,
            deadline: None,
            run: Box::new(move |workspace, params| Box::pin(run(workspace, params))),
        }
    }

    /// The same tool with a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same tool, of which it is known what it needs.
    #[must_use]
    pub fn needs(mut self, needs: Needs) -> Self {
        self.needs = needs;
        self
    }

    /// The same tool, which may run so long.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }
}

impl Tool for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    fn summary(&self) -> &str {
        &self.summary
    }

    fn params(&self) -> Value {
        self.params.clone()
    }

    fn needs(&self) -> Needs {
        self.needs
    }

    fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Arc<Workspace>,
        params: Value,
    ) -> BoxFuture<'a, Result<Answer>> {
        (self.run)(Arc::clone(workspace), params)
    }
}

/// Reads the parameters of a tool into a type of the author's.
///
/// # Errors
/// `INVALID_PARAMS` with a sentence that says what is wrong.
pub fn params<P: DeserializeOwned>(params: Value) -> Result<P> {
    serde_json::from_value(params).map_err(|wrong| {
        Error::new(Code::InvalidParams, format!("{}: {wrong}", Code::InvalidParams.row().phrase))
    })
}
