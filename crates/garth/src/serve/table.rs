//! The one table of operations: every interface of the gateway calls these rows.

mod admin;
mod describe;
mod files;

use std::sync::Arc;

use garth_gateway::{Access, Family, Gateway, Operation, Run, Shows, Summary, Table, Takes};
use garth_ops::{Call, Needs, Tool, worktree};
use serde_json::Value;

pub(crate) use admin::changed;

use super::{
    answer::{Along, Answer},
    data::Home,
    recalls::Recalls,
};

/// Every operation of a gateway.
pub(crate) fn of(gateway: &Gateway, data: &Home) -> Table<Answer> {
    let tools = tools().iter().map(tool);
    let recalls = Arc::new(Recalls::default());
    let methods = worktree::METHODS.iter().map(|row| method(row, &recalls));
    let files = files::rows(&recalls);
    Table::new(tools.chain(methods).chain(files).chain(admin::rows(gateway, data)))
}

/// The tools that are served over HTTP.
pub(crate) fn tools() -> &'static [Tool] {
    garth_ops::workspace::DIALECT.tools
}

/// A tool as an operation.
fn tool(tool: &'static Tool) -> Operation<Answer> {
    let run = Run::on_workspace(move |at, params, along: Along| {
        Box::pin(async move {
            let Along { announce, live, .. } = along;
            let run = |announce| (tool.run)(at.workspace, Call { params, announce });
            let result = match live {
                Some(live) => live.during(at.workspace, run).await,
                None => run(announce).await,
            };
            Ok(match result {
                Ok(reply) => Answer::Tool(Box::new(reply)),
                Err(failure) if failure.partial.is_some() => Answer::Failed(Box::new(failure)),
                Err(failure) => return Err(failure.error),
            })
        })
    });
    Operation {
        name: tool.name,
        access: access(tool.needs),
        family: Family::Tool,
        takes: takes(tool.needs),
        describe: Arc::new(move |params| describe::tool(tool.name, params)),
        run,
    }
}

/// A method of `worktree.*` as an operation.
fn method(method: &'static worktree::Method, recalls: &Arc<Recalls>) -> Operation<Answer> {
    let recalls = Arc::clone(recalls);
    let run = Run::on_workspace(move |at, params, _: Along| {
        let recall = recalls.of(at.caller, at.agent);
        Box::pin(async move {
            let ask = worktree::Ask { params, permit: at.permit, shown: &recall };
            (method.run)(at.workspace, ask).await.map(Answer::Facts)
        })
    });
    let describe = move |params: &Value| {
        let named = (method.names)(params);
        let summary = Summary { shows: shows(params), ..Summary::default() };
        named
            .into_iter()
            .fold(summary, |summary, touch| summary.path(touch.path, describe::reach(touch.reach)))
    };
    Operation {
        name: method.name,
        access: access(method.needs),
        family: Family::Worktree,
        takes: takes(method.needs),
        describe: Arc::new(describe),
        run,
    }
}

pub(crate) fn shows(params: &Value) -> Shows {
    match params.get("redact") {
        Some(Value::Bool(false)) => Shows::Raw,
        Some(_) | None => Shows::Clean,
    }
}

fn access(needs: Needs) -> Access {
    match needs {
        Needs::Read | Needs::Follow => Access::Read,
        Needs::Add | Needs::Replace => Access::Write,
        Needs::Run => Access::Run,
    }
}

fn takes(needs: Needs) -> Takes {
    match needs {
        Needs::Read => Takes::Read,
        Needs::Add | Needs::Replace | Needs::Follow => Takes::Nothing,
        Needs::Run => Takes::Process,
    }
}
