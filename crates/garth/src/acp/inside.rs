//! Our server for an agent in a container, where this program is not.
//!
//! The guest's program is in every container. One process of it waits at a socket inside,
//! and its streams come out to us, as those of every command there do. What the agent
//! starts as the server is the guest too, and finds the one who waits. The server itself is
//! here: on the same workspace, under the same rules, with its commands in the same
//! container.

use std::sync::Arc;

use garth_contract::{Command, Policy, ProcessId, Program, Result, Stdin, Timeout};
use garth_remote::container::GUEST;
use garth_workspace::Workspace;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    sync::Semaphore,
};

use super::{
    agent::{Read, Streams, Write},
    session::Server,
};

/// Where the two meet: in a directory that is in memory, and the container's own.
const SOCKET: &str = "/tmp/.garth-server";

/// The most servers at once: an agent has one for each of its sessions.
const MOST_SERVERS: usize = 16;

/// How often nobody may come before no more are waited for: the guest in the container is
/// too old to wait, or the container is gone.
const MOST_FAILURES: u32 = 3;

/// How an agent in a container starts our server.
pub(super) fn server() -> Server {
    let arguments = ["--find", SOCKET].map(str::to_owned).to_vec();
    Server { command: GUEST.to_owned(), arguments }
}

/// Serves every client that is started in the container, until it is gone.
pub(super) async fn attend(workspace: Arc<Workspace>, policy: Policy) {
    let policy = Arc::new(policy);
    let places = Arc::new(Semaphore::new(MOST_SERVERS));
    let mut failures = 0;
    while failures < MOST_FAILURES {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Some(came) = came(&workspace).await else {
            failures += 1;
            continue;
        };
        failures = 0;
        let (workspace, policy) = (Arc::clone(&workspace), Arc::clone(&policy));
        tokio::spawn(async move {
            crate::mcp::serve_on(&workspace, &policy, (came.read, came.write)).await;
            if let Ok(shell) = workspace.shell() {
                // Where it cannot be ended, it has ended.
                let _ = shell.end(came.process).await;
            }
            drop(place);
        });
    }
}

/// One who came.
struct Came {
    process: ProcessId,
    read: BufReader<Read>,
    write: Write,
}

/// Waits for one who comes; nothing where nobody can.
async fn came(workspace: &Arc<Workspace>) -> Option<Came> {
    let process = waiting(workspace).await.ok()?;
    let Streams { read, write } = Streams::of(workspace, process);
    let mut read = BufReader::new(read);
    // A client speaks first.
    let said = read.fill_buf().await.is_ok_and(|said| !said.is_empty());
    said.then_some(Came { process, read, write })
}

async fn waiting(workspace: &Workspace) -> Result<ProcessId> {
    let words = [GUEST, "--meet", SOCKET].map(|word| word.as_bytes().to_vec());
    let mut command = Command::new(Program::arguments(words.to_vec())?);
    command.stdin = Stdin::Open;
    command.timeout = Timeout::LASTING;
    workspace.shell()?.start(command).await
}
