//! Sessions, tools and files for the tests.

use std::sync::Arc;

use garth_embed::{
    Answer, Backend, Bounds, Function, Needs, Policy, Registry, Result, Session, Setup, Value,
    dialect, json,
};

/// A schema without parameters.
pub(crate) fn nothing() -> Value {
    json!({ "type": "object", "properties": {} })
}

/// A tool that answers with a text.
pub(crate) fn says(name: &str, text: &'static str) -> Function {
    Function::new(
        name,
        "Says something.",
        nothing(),
        move |_, _| async move { Ok(Answer::text(text)) },
    )
    .needs(Needs::Read)
}

/// A tool made of a closure without interest in its workspace.
pub(crate) fn does<F>(name: &str, act: impl Fn() -> F + Send + Sync + 'static) -> Function
where
    F: Future<Output = Result<Answer>> + Send + 'static,
{
    Function::new(name, "Does something.", nothing(), move |_, _| act())
}

/// A registry with one tool.
pub(crate) fn with(bounds: Bounds, tool: Function) -> Registry {
    let mut registry = Registry::new(bounds);
    registry.add(tool).unwrap();
    registry
}

/// A session in RAM with one tool.
pub(crate) fn session_of(bounds: Bounds, tool: Function) -> Session {
    session(with(bounds, tool))
}

/// A session in RAM.
pub(crate) fn session(registry: Registry) -> Session {
    Session::new(Arc::new(registry), Setup::standard(memory())).unwrap()
}

/// Files in RAM.
pub(crate) fn memory() -> Backend {
    Backend::memory(Policy::open()).unwrap()
}

/// A registry with the default dialect.
pub(crate) fn workspace_tools() -> Registry {
    let mut registry = Registry::new(Bounds::standard());
    registry.register(dialect("workspace").unwrap()).unwrap();
    registry
}

/// A session in RAM with the default dialect.
pub(crate) fn workspace_session() -> Session {
    session(workspace_tools())
}
