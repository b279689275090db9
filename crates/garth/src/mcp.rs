//! `garth mcp`: a dialect's tools for any client of MCP, over standard streams.

pub(crate) mod answer;
pub(crate) mod catalogue;
#[cfg(test)]
mod conformance;
mod contain;
mod lines;
mod long;
pub(crate) mod progress;
pub(crate) mod resources;
mod room;
pub(crate) mod server;
pub(crate) mod updates;
pub(crate) mod uri;

use std::{os::fd::AsFd, sync::Arc};

use garth_contract::{Code, Error, Policy, Result};
use garth_embed::Place;
use garth_host::Lone;
use garth_ops::{Allows, Dialect, Tool};
use garth_workspace::Workspace;
use rmcp::{ServiceExt, transport::stdio_pipes};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    args, dialect, heap,
    output::{Format, Outcome, Output},
    providers::Own,
    root,
};
use lines::Lines;
use room::Room;
use server::{Offer, Server};

/// How much of an answer a pipe takes at once; the most that everybody may ask for.
const PIPE_BYTES: usize = 1 << 20;

/// Serves until the client closes its end.
pub(crate) fn run(args: &args::Mcp, output: &Output) -> Outcome {
    heap::keep();
    let prepared = Prepared::of(args);
    match prepared.and_then(Prepared::serve) {
        Ok(()) => Outcome::Done,
        Err(error) => {
            output.failure(&error, Format::Text);
            let wrong_usage = [Code::InvalidParams, Code::InvalidPattern].contains(&error.code());
            if wrong_usage { Outcome::WrongUsage } else { Outcome::Failed }
        }
    }
}

struct Prepared {
    server: Server,
    room: Arc<Room>,
    own: Own,
}

impl Prepared {
    fn of(args: &args::Mcp) -> Result<Self> {
        let dialect = dialect::named(&args.dialect)?;
        check_names(dialect, args)?;
        let lone = Arc::new(Lone::default());
        let (workspace, own) = root::of_mcp(args, &lone)?;
        let policy = root::policy_of_mcp(args);
        let offered = (dialect, &*args.tools);
        let (server, room) = prepared(&Arc::new(workspace), &policy, (offered, lone));
        Ok(Self { server, room, own })
    }

    fn serve(self) -> Result<()> {
        let failed = |_| Error::new(Code::Internal, "the runtime could not be started");
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let Self { server, room, own } = self;
        // By itself, since each that has it within would be as large again.
        let serving = Box::pin(async {
            widen(std::io::stdout());
            let (read, write) = stdio_pipes();
            let Ok(service) = server.serve(Lines::new(read, write, room)).await else {
                // The client went away before it said what it wants.
                return Ok(());
            };
            service.waiting().await.map(drop)
        });
        let served = runtime.block_on(own.during(serving));
        // Calls that are still under way are given up with the client.
        runtime.shutdown_background();
        // One that was asked to stop has done as it was told.
        let served = served.unwrap_or(Ok(()));
        served.map_err(|_| Error::new(Code::Internal, "the server ended by itself"))
    }
}

/// A server of these tools on a workspace, and the bounds of its one client.
fn prepared(
    workspace: &Arc<Workspace>,
    policy: &Policy,
    ((dialect, names), lone): ((&'static Dialect, &[String]), Arc<Lone>),
) -> (Server, Arc<Room>) {
    let room = Room::new(lone);
    let tools = tools(dialect, names, Allows::of(workspace));
    let instructions = garth_embed::instructions(dialect, Place::of(workspace, Some(policy)));
    let offer = Offer { dialect, tools, instructions };
    (Server::new(Arc::clone(workspace), offer, Arc::clone(&room)), room)
}

/// Serves the usual tools on a workspace to one client, until it is gone.
pub(crate) async fn serve_on(
    workspace: &Arc<Workspace>,
    policy: &Policy,
    (read, write): (
        impl AsyncRead + Send + Sync + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    ),
) {
    let Ok(dialect) = dialect::named(dialect::USUAL) else { return };
    let (server, room) = prepared(workspace, policy, ((dialect, &[]), Arc::default()));
    if let Ok(service) = server.serve(Lines::new(read, write, room)).await {
        // However it ended, the client is gone.
        let _ = service.waiting().await;
    }
}

/// Gives a pipe room for a large answer, so that the client is woken once for it.
pub(crate) fn widen(pipe: impl AsFd) {
    // What is no pipe, or may not grow, does as it is.
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES);
}

/// Refuses the names of tools that there are not.
fn check_names(dialect: &'static Dialect, args: &args::Mcp) -> Result<()> {
    for name in &args.tools {
        if garth_ops::find(dialect.tools, name).is_none() {
            let names: Vec<_> = dialect.tools.iter().map(|tool| tool.name).collect();
            let message = format!("the dialect {} has no tool {name:?}", dialect.name);
            let hint = format!("Its tools are {}.", names.join(", "));
            return Err(Error::new(Code::InvalidParams, message).hint(hint));
        }
    }
    Ok(())
}

/// The tools that are offered: those asked for, and none that could only be refused.
fn tools(dialect: &'static Dialect, names: &[String], allows: Allows) -> Vec<&'static Tool> {
    let wanted = |tool: &&Tool| {
        (names.is_empty() || names.iter().any(|name| name == tool.name)) && tool.needs.met(allows)
    };
    dialect.tools.iter().filter(wanted).collect()
}
