//! `garth acp`: stands between an editor and its agent, and speaks the Agent Client Protocol
//! with both.
//!
//! The editor starts it in place of the agent, and it starts the agent: as it is, or in a
//! sandbox. Messages pass as the bytes that they are; what is changed, refused, answered
//! and recorded is said in `from_client.rs`, `from_agent.rs` and `answer.rs`.

mod agent;
mod answer;
mod capabilities;
mod files;
mod from_agent;
mod from_client;
mod inside;
mod json;
mod lines;
mod log;
mod message;
mod places;
mod relay;
mod reply;
mod session;
mod table;
mod terminals;
mod translate;

use std::{
    path::{Path, PathBuf},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use garth_contract::{Code, Error, Policy, Result};
use garth_workspace::Workspace;
use rmcp::transport::stdio_pipes;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::time::{sleep, timeout};

use crate::{
    args, heap,
    output::{Format, Outcome, Output},
    providers::{Own, USUAL},
    root,
};
use agent::Agent;
use capabilities::Capabilities;
use log::Log;
use places::Places;
use relay::{End, Relay, Rules, Whose, Writes};
use session::Server;

/// The workspace's name in a sandbox.
const INSIDE: &str = garth_sandbox::WORKSPACE;

/// How often it is looked whether the client is still there.
const LOOK: Duration = Duration::from_millis(500);

/// How long what a client said last may be stuck once it is gone.
const STUCK: Duration = Duration::from_secs(5);

/// How long what a side said last may take to pass once it is gone.
const DRAIN: Duration = Duration::from_secs(2);

/// Stands between the two until one of them is gone.
pub(crate) fn run(args: &args::Acp, output: &Output) -> Outcome {
    heap::keep();
    match Prepared::of(args).and_then(|prepared| prepared.serve(output)) {
        Ok(outcome) => outcome,
        Err(error) => {
            output.failure(&error, Format::Text);
            let wrong_usage = [Code::InvalidParams, Code::InvalidPattern].contains(&error.code());
            if wrong_usage { Outcome::WrongUsage } else { Outcome::Failed }
        }
    }
}

struct Prepared<'a> {
    args: &'a args::Acp,
    workspace: Arc<Workspace>,
    own: Own,
    places: Places,
    rules: Rules,
    policy: Policy,
    log: Log,
}

impl<'a> Prepared<'a> {
    fn of(args: &'a args::Acp) -> Result<Self> {
        let root::Fenced { workspace, own, fence, names, policy } = root::of_acp(args)?;
        let inside = args.is_inside().then(|| INSIDE.to_owned());
        let places = Places::new(fence, names, inside)?;
        let workspace = Arc::new(workspace);
        let ours = Capabilities {
            read: true,
            write: !args.rules.read_only,
            terminal: workspace.runs_commands(),
        };
        if args.is_inside() && !ours.terminal {
            return Err(Error::new(Code::InvalidParams, "the agent cannot run in a sandbox here")
                .hint("--allow, --deny and --protect bind tools, and nothing in a sandbox."));
        }
        let args::Rules { read_only, allow, protect, .. } = &args.rules;
        let ruled = *read_only || !protect.is_empty() || !allow.is_empty();
        let rules = Rules {
            ours,
            writes: if ruled { Writes::Workspace } else { Writes::Client },
            terminals: if args.is_inside() { Whose::Workspace } else { Whose::Client },
            server: server(args, &places)?,
        };
        let log = if args.no_audit {
            Log::none(&args.root)?
        } else {
            let config = args.provide.config.clone();
            Log::open(&args::Place { data: args.data.clone(), config }, &absolute(&args.root)?)?
        };
        Ok(Self { args, workspace, own, places, rules, policy, log })
    }

    fn serve(self, output: &Output) -> Result<Outcome> {
        let failed = |_| Error::new(Code::Internal, "the runtime could not be started");
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let Self { args, workspace, own, places, rules, policy, log } = self;
        let between = async {
            let mut stopped = pin!(crate::providers::stopped());
            let (agent, streams) = tokio::select! {
                started = started(args, &workspace) => started?,
                () = &mut stopped => return Ok(Ended::Client),
            };
            if args.is_contained() && rules.server.is_some() {
                tokio::spawn(inside::attend(Arc::clone(&workspace), policy));
            }
            crate::mcp::widen(std::io::stdout());
            let (read, write) = stdio_pipes();
            let parts = (workspace, places, rules, log);
            let relay = Arc::new(Relay::new(parts, Box::new(write), streams.write));
            Ok(stand(relay, agent, (read, streams.read), stopped).await)
        };
        let served = runtime.block_on(own.around(between));
        // What still waits is given up with both of them.
        runtime.shutdown_background();
        match served {
            Err(error) => Err(error),
            // One that was asked to stop has done as it was told.
            Ok(Ended::Client | Ended::Agent(true)) => Ok(Outcome::Done),
            Ok(Ended::Agent(false)) => {
                output.note("garth: the agent has ended by itself, and not well");
                Ok(Outcome::Failed)
            }
        }
    }
}

/// Starts the agent where it is to run.
async fn started(args: &args::Acp, workspace: &Arc<Workspace>) -> Result<(Agent, agent::Streams)> {
    if args.is_inside() {
        let words = args.agent.clone();
        return Agent::inside(Arc::clone(workspace), words, args.variables()?).await;
    }
    Agent::child(&args.agent)
}

/// Who ended first.
#[derive(Clone, Copy, Debug)]
enum Ended {
    Client,
    /// The agent, and whether all was well.
    Agent(bool),
}

/// Lets both speak until one is gone, or this program is asked to stop, and then ends the other.
async fn stand(
    relay: Arc<Relay>,
    mut agent: Agent,
    (from_client, from_agent): (impl tokio::io::AsyncRead + Send + Unpin, agent::Read),
    stopped: impl Future<Output = ()>,
) -> Ended {
    let mut agent_speaks = Box::pin(relay.pump_agent(from_agent));
    let mut speaks = Speaks::On;
    let ended = {
        let mut client_speaks = Box::pin(relay.pump_client(from_client));
        tokio::select! {
            end = &mut client_speaks => match end {
                End::Read => Ended::Client,
                End::Written => Ended::Agent(exited(&mut agent).await),
            },
            end = &mut agent_speaks => {
                speaks = Speaks::NoMore;
                match end {
                    End::Read => Ended::Agent(exited(&mut agent).await),
                    End::Written => Ended::Client,
                }
            }
            well = agent.ended() => Ended::Agent(well),
            () = client_hung_up(&relay) => Ended::Client,
            () = stopped => Ended::Client,
        }
    };
    let told = async {
        match ended {
            Ended::Client => relay.client_is_gone().await,
            Ended::Agent(_) => {}
        }
        // What it said last, or says on the end of its input, may still be wanted.
        match speaks {
            Speaks::On => drop(agent_speaks.await),
            Speaks::NoMore => {}
        }
    };
    let _ = timeout(DRAIN, told).await;
    match ended {
        Ended::Client => {}
        Ended::Agent(_) => drop(timeout(DRAIN, relay.agent_is_gone()).await),
    }
    agent.end().await;
    relay.log.close().await;
    ended
}

/// Whether the agent may still say something.
#[derive(Clone, Copy, Debug)]
enum Speaks {
    On,
    NoMore,
}

/// Whether an agent that says nothing more has ended well; one that lives on without a
/// voice is none.
async fn exited(agent: &mut Agent) -> bool {
    timeout(DRAIN, agent.ended()).await.unwrap_or(false)
}

/// Waits until nobody is at the other end of the standard streams, and what was said last
/// is stuck: a pump that is not sees the end by itself, once it has taken all.
async fn client_hung_up(relay: &Relay) {
    let mut stuck = Duration::ZERO;
    let mut taken = relay.taken();
    while stuck < STUCK {
        sleep(LOOK).await;
        let now = relay.taken();
        let still = now == taken && is_hung_up();
        stuck = if still { stuck + LOOK } else { Duration::ZERO };
        taken = now;
    }
}

/// Looks whether nobody is at the other end of a standard stream.
fn is_hung_up() -> bool {
    let (input, output) = (std::io::stdin(), std::io::stdout());
    let mut streams =
        [PollFd::new(&input, PollFlags::empty()), PollFd::new(&output, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let gone = PollFlags::HUP | PollFlags::ERR;
    poll(&mut streams, Some(&now)).is_ok()
        && streams.iter().any(|stream| stream.revents().intersects(gone))
}

/// How the agent starts our server: `garth mcp` on the same directory with the same rules.
///
/// # Errors
/// `INTERNAL` where this program does not know its own path.
fn server(args: &args::Acp, places: &Places) -> Result<Option<Server>> {
    if args.no_server {
        return Ok(None);
    }
    if args.is_contained() {
        return Ok(Some(inside::server()));
    }
    if args.is_inside() && args.own_directory().is_none() {
        return Ok(None);
    }
    let unknown = || Error::new(Code::Internal, "this program does not know its own path");
    let program = std::env::current_exe().map_err(|_| unknown())?;
    let command = program.to_str().ok_or_else(unknown)?.to_owned();
    let mut arguments = vec!["mcp".to_owned()];
    arguments.extend(args.rules.words());
    // In a sandbox there is no other.
    let no_exec = args.no_exec || args.is_inside();
    let flags = [("--fast", args.disk.fast), ("--no-exec", no_exec)];
    arguments.extend(flags.into_iter().filter(|(_, set)| *set).map(|(name, _)| name.to_owned()));
    if !no_exec {
        let lists = [("--network", &args.rules.network), ("--set", &args.provide.set)];
        for (name, values) in lists {
            values.iter().for_each(|value| arguments.extend([name.to_owned(), value.clone()]));
        }
        let name = args.provide.name();
        let other = (name != USUAL).then(|| ["--provider".to_owned(), name]);
        arguments.extend(other.into_iter().flatten());
        let config = args.provide.config.as_deref().and_then(Path::to_str);
        let config = config.map(|file| ["--config".to_owned(), file.to_owned()]);
        arguments.extend(config.into_iter().flatten());
    }
    arguments.push(places.root_for_agent().to_owned());
    Ok(Some(Server { command, arguments }))
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path)
        .map_err(|_| Error::new(Code::WorkspaceNotFound, "the current directory is gone"))
}
