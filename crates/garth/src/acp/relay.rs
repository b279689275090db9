//! Two pumps: what the client says goes to the agent and the other way round, each message
//! whole, in order, and as it came unless it has to be another.
//!
//! A pump reads no further while the other side does not take what it has, so nothing
//! piles up here. What is answered in a side's place is answered beside the pumps, by a
//! bounded number of tasks.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use garth_contract::{Code, Error, WsPath};
use garth_ops::worktree::Recall;
use garth_workspace::Workspace;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::{Mutex as AsyncMutex, Semaphore},
};

use super::{
    capabilities::Capabilities,
    json::Unclear,
    lines::{Line, Lines, MOST_BYTES},
    log::{Entry, Log, Recording},
    message::{MOST_ID, Message},
    places::Places,
    reply,
    session::Server,
    table::Table,
    terminals::Terminals,
};

/// Answers that are made at once: each can hold a file.
const MOST_ANSWERS: usize = 8;

/// Waits for the end of a command that there are at once: one for each terminal. More would
/// take every place that a sandbox has for calls that last, and to end a command is one.
const MOST_WAITS: usize = 64;

/// Sessions whose directory is remembered.
const MOST_SESSIONS: usize = 1_024;

/// Where messages go to one side, until nothing more does.
pub(super) type Out = AsyncMutex<Option<Box<dyn AsyncWrite + Send + Unpin>>>;

/// Everything that the two pumps share.
pub(super) struct Relay {
    pub(super) workspace: Arc<Workspace>,
    pub(super) places: Places,
    pub(super) rules: Rules,
    pub(super) log: Log,
    pub(super) client: Out,
    pub(super) agent: Out,
    pub(super) recall: Recall,
    pub(super) terminals: Terminals,
    /// What the client asked and the agent is to answer,
    pub(super) asked_by_client: Table<ForClient>,
    /// and the other way round.
    pub(super) asked_by_agent: Table<ForAgent>,
    pub(super) answers: Arc<Semaphore>,
    pub(super) waits: Arc<Semaphore>,
    known: Mutex<Known>,
    /// How many lines of the client were taken.
    taken: AtomicU64,
}

/// What was decided when the program started.
pub(super) struct Rules {
    /// What can be answered from the workspace.
    pub(super) ours: Capabilities,
    /// Whether files that the agent writes may go to the client.
    pub(super) writes: Writes,
    /// Whether terminals may be the client's.
    pub(super) terminals: Whose,
    /// How an agent starts our server, where it can.
    pub(super) server: Option<Server>,
}

/// Who writes what the agent writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    /// The client, where it can.
    Client,
    /// The workspace, since it has rules that no client knows.
    Workspace,
}

/// Whose terminals an agent gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The client's, where it has any.
    Client,
    /// Those of the workspace: the agent lives in a sandbox, and a command of the client
    /// would be outside of it.
    Workspace,
}

/// What the two sides have agreed on by now.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) era: Era,
    pub(super) client: Capabilities,
    sessions: HashMap<String, WsPath>,
}

/// Which protocol is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Era {
    /// The first version.
    #[default]
    First,
    /// Another, which is passed on as it comes.
    Other,
}

/// What is to be done with an agent's answer.
pub(super) enum ForClient {
    /// Nothing but to pass it on.
    Pass,
    /// It names the session that works here.
    Session(WsPath),
    /// It lists sessions, with their directories.
    Sessions,
}

/// What is to be done with a client's answer.
pub(super) enum ForAgent {
    /// Nothing but to pass it on.
    Pass,
    /// It closes a record.
    Record(Recording),
    /// It says what a person decided.
    Permission { recording: Recording, options: Vec<(String, String)> },
}

/// How a pump ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// There is nothing more to read.
    Read,
    /// There is nobody to write to.
    Written,
}

impl Relay {
    pub(super) fn new(
        (workspace, places, rules, log): (Arc<Workspace>, Places, Rules, Log),
        client: Box<dyn AsyncWrite + Send + Unpin>,
        agent: Box<dyn AsyncWrite + Send + Unpin>,
    ) -> Self {
        Self {
            workspace,
            places,
            rules,
            log,
            client: AsyncMutex::new(Some(client)),
            agent: AsyncMutex::new(Some(agent)),
            recall: Recall::new(),
            terminals: Terminals::default(),
            asked_by_client: Table::new(),
            asked_by_agent: Table::new(),
            answers: Arc::new(Semaphore::new(MOST_ANSWERS)),
            waits: Arc::new(Semaphore::new(MOST_WAITS)),
            known: Mutex::default(),
            taken: AtomicU64::new(0),
        }
    }

    /// Takes what the client says, until it says nothing more.
    pub(super) async fn pump_client(self: &Arc<Self>, from: impl AsyncRead + Unpin) -> End {
        let mut lines = Lines::new(from);
        loop {
            let passed = match lines.next().await {
                Ok(Some(Line::Whole(line))) if blank(&line) => send(&self.agent, &line).await,
                Ok(Some(Line::Whole(line))) => match Message::read(&line) {
                    Ok(message) => self.from_client(&line, &message).await,
                    Err(unclear) => self.unreadable_client(&unclear, line.len()).await,
                },
                Ok(Some(Line::TooLong(length))) => {
                    self.log_refused("client", "a message is too long", length).await;
                    // It may have been the answer to any of what the agent waits for.
                    self.fail_agent(&too_long(length)).await;
                    send(&self.client, reply::failed("null", &too_long(length)).as_bytes()).await
                }
                Ok(None) | Err(_) => return End::Read,
            };
            if passed.is_err() {
                return End::Written;
            }
            self.taken.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes what the agent says, until it says nothing more.
    pub(super) async fn pump_agent(self: &Arc<Self>, from: impl AsyncRead + Unpin) -> End {
        let mut lines = Lines::new(from);
        loop {
            let passed = match lines.next().await {
                Ok(Some(Line::Whole(line))) if blank(&line) => Ok(()),
                Ok(Some(Line::Whole(line))) => match Message::read(&line) {
                    Ok(message) => self.from_agent(&line, &message).await,
                    Err(unclear) => {
                        let why = format!("the line is no message: {unclear}");
                        self.log_refused("agent", &why, line.len()).await;
                        Ok(())
                    }
                },
                Ok(Some(Line::TooLong(length))) => {
                    self.log_refused("agent", "a message is too long", length).await;
                    self.fail_client(&too_long(length)).await;
                    Ok(())
                }
                Ok(None) | Err(_) => return End::Read,
            };
            if passed.is_err() {
                return End::Written;
            }
        }
    }

    /// How many lines of the client were taken so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    async fn unreadable_client(&self, unclear: &Unclear, length: usize) -> io::Result<()> {
        self.log_refused("client", &format!("the line is no message: {unclear}"), length).await;
        send(&self.client, reply::no_message(unclear).as_bytes()).await
    }

    /// Records what is not passed on.
    pub(super) async fn log_refused(&self, side: &str, why: &str, bytes: usize) {
        let operation = format!("refused:{side}");
        let entry =
            Entry { session: "", operation: &operation, summary: super::log::kept(why), bytes };
        self.log.told(entry, Err(Code::InvalidRequest)).await;
    }

    /// Tells whoever still waits for the agent that it is gone.
    pub(super) async fn agent_is_gone(&self) {
        self.fail_client(&Error::new(Code::ProviderUnavailable, "the agent has ended")).await;
    }

    /// Ends everything that the client waits for.
    async fn fail_client(&self, error: &Error) {
        for waiting in self.asked_by_client.take_all() {
            // Where the client is gone too, there is nobody to tell.
            let _ = send(&self.client, reply::failed(&waiting.raw_id, error).as_bytes()).await;
        }
    }

    /// Ends everything that the agent waits for.
    async fn fail_agent(&self, error: &Error) {
        for waiting in self.asked_by_agent.take_all() {
            let _ = send(&self.agent, reply::failed(&waiting.raw_id, error).as_bytes()).await;
            match waiting.purpose {
                ForAgent::Pass => {}
                ForAgent::Record(recording) | ForAgent::Permission { recording, .. } => {
                    recording.close(Err(error.code())).await;
                }
            }
        }
    }

    /// Tells the agent of everything that nobody will answer any more.
    pub(super) async fn client_is_gone(&self) {
        self.fail_agent(&Error::new(Code::Cancelled, "the client is gone")).await;
        // The end of its input tells the agent to end.
        if let Some(mut agent) = self.agent.lock().await.take() {
            let _ = agent.shutdown().await;
        }
    }

    /// What the two sides have agreed on.
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Remembers where a session works, unless its name is too long to be kept.
    pub(super) fn remember(&mut self, session: &str, place: WsPath) {
        if session.len() > MOST_ID {
            return;
        }
        if self.sessions.len() < MOST_SESSIONS || self.sessions.contains_key(session) {
            self.sessions.insert(session.to_owned(), place);
        }
    }

    /// Where a session works; in the root where that is not known.
    pub(super) fn place(&self, session: &str) -> WsPath {
        self.sessions.get(session).cloned().unwrap_or_else(WsPath::root)
    }
}

/// Sends a whole message, and nothing of another between.
///
/// # Errors
/// Where nobody reads any more.
pub(super) async fn send(to: &Out, message: &[u8]) -> io::Result<()> {
    let mut to = to.lock().await;
    let to = to.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    to.write_all(message).await?;
    to.flush().await
}

/// Passes a line on with other words in it, and the end that it has.
///
/// # Errors
/// Where nobody reads any more.
pub(super) async fn send_changed(
    to: &Out,
    line: &Bytes,
    whole: &str,
    made: &str,
) -> io::Result<()> {
    let end = line.get(whole.len()..).unwrap_or_default();
    let mut bytes = Vec::with_capacity(made.len() + end.len());
    bytes.extend_from_slice(made.as_bytes());
    bytes.extend_from_slice(end);
    send(to, &bytes).await
}

fn blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

fn too_long(length: usize) -> Error {
    let message =
        format!("the message has {length} bytes, more than the {MOST_BYTES} there may be");
    Error::new(Code::InvalidRequest, message)
}
