//! The one table of operations: every interface of the gateway calls these rows.

mod admin;
mod approvals;
mod archive;
mod audit;
mod change;
mod describe;
mod download;
mod files;
mod mcp;
mod row;
mod terminal;
mod tokens;
mod upload;
mod watch;

use std::sync::Arc;

use garth_contract::ProcessId;
use garth_gateway::{Access, Family, Gateway, Operation, Run, Shows, Summary, Table, Takes};
use garth_ops::{Call, Needs, Reply, Tool, worktree};
use serde_json::Value;

pub(crate) use admin::changed;

use super::{
    answer::{Along, Answer},
    data::Home,
    recalls::Recalls,
};
pub(crate) use terminal::Terminal;
pub(crate) use tokens::MOST_TTL_MS;
pub(crate) use upload::Upload;

/// Every operation of a gateway.
pub(crate) fn of(gateway: &Gateway, data: &Home) -> Table<Answer> {
    let tools = tools().iter().map(tool);
    let recalls = Arc::new(Recalls::default());
    let methods = worktree::METHODS.iter().map(|row| method(row, &recalls));
    let own = [
        admin::rows(gateway, data),
        approvals::rows(gateway),
        archive::rows(),
        audit::rows(gateway),
        download::rows(&recalls),
        super::e2b::rows(),
        files::rows(&recalls).into(),
        mcp::rows(gateway),
        terminal::rows(),
        tokens::rows(gateway),
        upload::rows(&recalls),
        watch::rows(),
    ];
    Table::new(tools.chain(methods).chain(own.into_iter().flatten()))
}

/// The tools that are served over HTTP.
pub(crate) fn tools() -> &'static [Tool] {
    garth_ops::workspace::DIALECT.tools
}

/// Tells whether an operation is one of them.
pub(crate) fn is_tool(name: &str) -> bool {
    // All others have a dot, and are most of what is asked for.
    !name.contains('.') && tools().iter().any(|tool| tool.name == name)
}

/// Tools that work on processes which run: whoever has as many as may run can still
/// speak to them and end them.
const OF_RUNNING: &[&str] = &["input", "kill"];

/// A tool as an operation.
fn tool(tool: &'static Tool) -> Operation<Answer> {
    let run = Run::on_workspace(move |at, params, along: Along| {
        Box::pin(async move {
            let Along { announce, live, left, place, .. } = along;
            if let Some(place) = place {
                // It is set once, by the call that it belongs to.
                let _ = place.set(Arc::downgrade(at.workspace));
            }
            let run = |announce| (tool.run)(at.workspace, Call { params, announce });
            let result = match live {
                Some(live) => live.during(at.workspace, run).await,
                None => run(announce).await,
            };
            Ok(match result {
                Ok(reply) => {
                    if let Some(process) = started(tool, &reply) {
                        left.put_process(at.workspace, process);
                    }
                    Answer::Tool(Box::new(reply))
                }
                Err(failure) if failure.partial.is_some() => Answer::Failed(Box::new(failure)),
                Err(failure) => return Err(failure.error),
            })
        })
    });
    Operation {
        name: tool.name,
        access: access(tool.needs),
        family: Family::Tool,
        takes: if OF_RUNNING.contains(&tool.name) { Takes::Nothing } else { takes(tool.needs) },
        describe: Arc::new(move |params| describe::tool(tool, params)),
        run,
    }
}

/// The process that a tool started and did not wait for.
fn started(tool: &Tool, reply: &Reply) -> Option<ProcessId> {
    let runs = match tool.needs {
        Needs::Run => !reply.payload.contains_key("exit_code"),
        Needs::Read | Needs::Follow | Needs::Add | Needs::Replace | Needs::Git => false,
    };
    let id = reply.payload.get("id").filter(|_| runs)?.as_str()?;
    ProcessId::parse(id).ok()
}

/// A method of `worktree.*` as an operation.
fn method(method: &'static worktree::Method, recalls: &Arc<Recalls>) -> Operation<Answer> {
    let recall = Arc::clone(recalls);
    let run = Run::on_workspace(move |at, params, along: Along| {
        let recall = recall.at_hand(along.link.as_deref(), at);
        Box::pin(async move {
            let ask = worktree::Ask { params, permit: at.permit, shown: &recall };
            (method.run)(at.workspace, ask).await.map(Answer::Written)
        })
    });
    let recall = Arc::clone(recalls);
    let run = match method.at_once {
        None => run,
        Some(at_once) => run.or_at_once(move |at, params, along: &Along| {
            let recall = recall.at_hand(along.link.as_deref(), at);
            at_once(at.workspace, params, &recall).map(Answer::Written)
        }),
    };
    let describe = move |params: &Value| {
        let named = (method.names)(params);
        let change = Some(change::of as fn(&Value) -> _);
        let summary = Summary { shows: shows(params), change, ..Summary::default() };
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
        Needs::Run | Needs::Git => Access::Run,
    }
}

fn takes(needs: Needs) -> Takes {
    match needs {
        Needs::Read => Takes::Read,
        Needs::Add | Needs::Replace | Needs::Follow => Takes::Nothing,
        Needs::Run | Needs::Git => Takes::Process,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_known_as_one_and_nothing_else_is() {
        assert!(tools().iter().all(|tool| is_tool(tool.name)));
        assert!(worktree::METHODS.iter().all(|method| !is_tool(method.name)));
        assert!(!is_tool("no-such-tool"));
    }
}
