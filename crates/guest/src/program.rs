//! What the program `garth-guest` does, for whoever is the same program.

mod arguments;
mod channel;
mod forward;
mod init;
mod listen;
mod meet;
mod port;
mod relay;
mod vsock_unsafe;

use std::{ffi::OsString, io::Write, path::Path, process::ExitCode, sync::Arc, time::Duration};

use garth_contract::{Aliases, Code, Error, Result, WsPath};
use garth_host::{Filter, Host, Processes, Trees};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use tokio::runtime::{self, Runtime};

use self::{
    arguments::{Calls, Guest, Way, Wish},
    channel::Channel,
    listen::{Door, listen},
};
use crate::{Served, serve};

/// How many calls may wait for the disk at once; each has a thread.
const MOST_BLOCKING: usize = 64;

/// Does what the arguments ask for, which come without the program's name.
///
/// 0 is a client that came and went, 1 a failure, 2 arguments that are wrong.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let wish = match arguments::parse(arguments) {
        Ok(wish) => wish,
        Err(wrong) => {
            say(&format!("garth-guest: {wrong}\n\n{}", arguments::USAGE));
            return ExitCode::from(2);
        }
    };
    let done = match wish {
        Wish::Help => {
            // Nobody to tell when the output is closed.
            let _ = std::io::stdout().write_all(arguments::USAGE.as_bytes());
            Ok(())
        }
        Wish::Relay(socket) => {
            runtime().and_then(|runtime| runtime.block_on(relay::relay(&socket)))
        }
        Wish::Meet(socket) => runtime().and_then(|runtime| runtime.block_on(meet::meet(&socket))),
        Wish::Find(socket) => runtime().and_then(|runtime| runtime.block_on(meet::find(&socket))),
        Wish::Init => runtime().and_then(|runtime| runtime.block_on(init::run())),
        Wish::Serve(guest) => runtime().and_then(|runtime| start(&runtime, *guest)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("garth-guest: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

/// One thread serves: a request is answered where it is heard.
fn runtime() -> Result<Runtime> {
    let mut builder = runtime::Builder::new_current_thread();
    let built = builder.enable_all().max_blocking_threads(MOST_BLOCKING).build();
    built.map_err(|_| failed("no runtime could be started"))
}

fn start(runtime: &Runtime, guest: Guest) -> Result<()> {
    // Before anything else is opened, so that nothing prints into the channel.
    let channel = match guest.way {
        Way::Streams => Some(Channel::take_streams()?),
        Way::Port(_) | Way::Listen(_) | Way::Vsock(_) | Way::Tcp(_) => None,
    };
    runtime.block_on(async {
        let mut aliases = Aliases::none();
        if guest.root == Path::new("/") {
            // Every absolute link leads to somewhere in it.
            aliases = aliases.with_at(b"/", WsPath::root());
        }
        for alias in &guest.aliases {
            aliases = aliases.with(alias);
        }
        let files = Host::open(&guest.root, guest.policy, aliases)?;
        let processes = match guest.calls {
            Calls::All => Processes::open(&guest.root, guest.settings)?,
            Calls::Needed => {
                let filter = Filter::new(garth_sandbox::refused_calls()?);
                Processes::filtered(&guest.root, guest.settings, filter)?
            }
        };
        hide_from(&processes)?;
        let served = Arc::new(Served {
            files: Arc::new(files),
            shell: Arc::new(processes.clone()),
            session: session()?,
            first: guest.first,
        });
        if let Some((address, socket)) = guest.proxy {
            forward::forward(address, socket).await?;
        }
        let done = attend(guest.way, channel, (served, guest.leave_after)).await;
        processes.stop().await;
        done
    })
}

/// Serves whoever comes by the way that was asked for.
async fn attend(
    way: Way,
    channel: Option<Channel>,
    (served, leave_after): (Arc<Served>, Option<Duration>),
) -> Result<()> {
    let pipe = match (way, channel) {
        (Way::Streams, Some(channel)) => channel.open()?,
        (Way::Streams, None) => return Ok(()),
        (Way::Port(name), _) => port::open(&name).await?,
        (Way::Listen(path), _) => {
            listen(Door::socket(&path)?, served, leave_after).await;
            return Ok(());
        }
        (Way::Vsock(port), _) => {
            listen(Door::vsock(port)?, served, leave_after).await;
            return Ok(());
        }
        (Way::Tcp(address), _) => {
            listen(Door::tcp(address).await?, served, leave_after).await;
            return Ok(());
        }
    };
    let served = serve(pipe, served).await;
    served.map_err(|_| failed("there is no client at the other end"))
}

/// Keeps commands from reading this process's memory and variables in `/proc`: they
/// have the same user.
///
/// Where each command has a namespace of its own, that is a user namespace, whose
/// processes have no right to those outside; and this process must be open to whoever
/// writes down the users of such a namespace, which is itself.
fn hide_from(commands: &Processes) -> Result<()> {
    match commands.trees() {
        Trees::Subreaper => {
            let hidden = set_dumpable_behavior(DumpableBehavior::NotDumpable);
            hidden.map_err(|_| failed("the guest cannot keep its memory to itself"))
        }
        Trees::Namespace | Trees::Detect => Ok(()),
    }
}

/// A name for this life of the guest that no other has.
fn session() -> Result<garth_wire::Session> {
    let mut session = garth_wire::Session::default();
    let flags = rustix::rand::GetRandomFlags::empty();
    match rustix::rand::getrandom(&mut session, flags) {
        Ok(count) if count == session.len() => Ok(session),
        Ok(_) | Err(_) => Err(failed("the system has no random numbers")),
    }
}

fn failed(what: &'static str) -> Error {
    Error::new(Code::Internal, what)
}

/// Says something to whoever started the program, if they listen.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
