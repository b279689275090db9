//! `garth mcp`: a dialect's tools for any client of MCP, over standard streams.

pub(crate) mod answer;
pub(crate) mod catalogue;
#[cfg(test)]
mod conformance;
mod contain;
mod lines;
pub(crate) mod progress;
pub(crate) mod resources;
mod room;
pub(crate) mod server;
pub(crate) mod updates;
pub(crate) mod uri;

use std::{os::fd::AsFd, sync::Arc};

use garth_contract::{Code, Error, Result};
use garth_embed::Place;
use garth_ops::{Allows, Dialect, Tool};
use rmcp::{ServiceExt, transport::stdio_pipes};

use crate::{
    args, dialect,
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
        let (workspace, own) = root::of_mcp(args)?;
        let workspace = Arc::new(workspace);
        let room = Room::new();
        let tools = tools(dialect, args, Allows::of(&workspace));
        let policy = root::policy_of_mcp(args);
        let place = Place::of(&workspace, Some(&policy));
        let instructions = garth_embed::instructions(dialect, place);
        let offer = Offer { dialect, tools, instructions };
        let server = Server::new(workspace, offer, room.clone());
        Ok(Self { server, room, own })
    }

    fn serve(self) -> Result<()> {
        let failed = |_| Error::new(Code::Internal, "the runtime could not be started");
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let Self { server, room, own } = self;
        let served = runtime.block_on(own.during(async {
            widen(std::io::stdout());
            let (read, write) = stdio_pipes();
            let Ok(service) = server.serve(Lines::new(read, write, room)).await else {
                // The client went away before it said what it wants.
                return Ok(());
            };
            service.waiting().await.map(drop)
        }));
        // Calls that are still under way are given up with the client.
        runtime.shutdown_background();
        // One that was asked to stop has done as it was told.
        let served = served.unwrap_or(Ok(()));
        served.map_err(|_| Error::new(Code::Internal, "the server ended by itself"))
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
fn tools(dialect: &'static Dialect, args: &args::Mcp, allows: Allows) -> Vec<&'static Tool> {
    let wanted = |tool: &&Tool| {
        (args.tools.is_empty() || args.tools.iter().any(|name| name == tool.name))
            && tool.needs.met(allows)
    };
    dialect.tools.iter().filter(wanted).collect()
}
