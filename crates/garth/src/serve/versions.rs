//! What files held before: texts that went through the gateway, for a while.
//!
//! A caller that was told a version can ask what changed since. For that the contents
//! that callers were shown or wrote are kept in the gateway's own directory, by path and
//! version, bounded per workspace and over all of them. One thread writes them beside the work: nobody waits
//! for it, and under load some are left out. Nothing here is promised to outlive a crash;
//! a content that is not what its name says is none.

mod keeping;
mod room;
mod shelf;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use garth_contract::{BoxFuture, Code, DynFilesystem, Error, Result, Version, WsPath};
use garth_gateway::{Agent, AgentId};
use garth_workspace::Earlier;
use tokio::sync::{mpsc, oneshot};

use keeping::Keeping;
use room::Room;

/// The largest content that is kept, in bytes.
pub(crate) const MOST_FILE: u64 = 1 << 20;
/// Contents that wait to be written; more are left out.
const MOST_WAITING: usize = 1_024;
/// Bytes of those.
const MOST_WAITING_BYTES: u64 = 16 << 20;

/// The contents of all workspaces; clones are the same ones.
#[derive(Clone)]
pub(crate) struct Versions {
    queue: mpsc::Sender<Message>,
    waiting: Arc<AtomicU64>,
}

enum Message {
    Keep { of: Arc<Key>, path: WsPath, bytes: Bytes, version: Option<Version> },
    Find { of: Arc<Key>, path: WsPath, version: Version, reply: oneshot::Sender<Option<Bytes>> },
    Forget { agent: AgentId, done: oneshot::Sender<()> },
}

/// Which workspace: an agent of the same name that was made anew is another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    agent: AgentId,
    created_ms: i64,
}

impl Versions {
    /// Keeps contents below the gateway's own directory, of all workspaces together at most
    /// so many bytes.
    ///
    /// # Errors
    /// `INTERNAL` where no thread can be started.
    pub(crate) fn new(data: &Path, most_bytes: u64) -> Result<Self> {
        let (queue, messages) = mpsc::channel(MOST_WAITING);
        let waiting = Arc::new(AtomicU64::new(0));
        let (place, of_thread) = (place(data), Arc::clone(&waiting));
        std::thread::Builder::new()
            .name("garth-versions".to_owned())
            .spawn(move || serve(Room::open(place, most_bytes), &of_thread, messages))
            .map_err(|_| Error::new(Code::Internal, "a thread cannot be started"))?;
        Ok(Self { queue, waiting })
    }

    /// The files of an agent, of which what is read and written is kept, and what was.
    pub(crate) fn of(
        &self,
        agent: &Agent,
        fs: Arc<dyn DynFilesystem>,
    ) -> (Arc<dyn DynFilesystem>, Arc<dyn Earlier>) {
        let key = Key { agent: agent.id.clone(), created_ms: agent.created_ms };
        let keeper = Keeper { versions: self.clone(), of: Arc::new(key) };
        (Arc::new(Keeping::new(fs, keeper.clone())), Arc::new(keeper))
    }

    /// Forgets what is kept of an agent.
    pub(crate) async fn forget(&self, agent: &AgentId) {
        let (done, wait) = oneshot::channel();
        if self.queue.send(Message::Forget { agent: agent.clone(), done }).await.is_ok() {
            let _ = wait.await;
        }
    }
}

/// Forgets what is kept of an agent, where no gateway runs. It waits for the disk.
pub(crate) fn forget(data: &Path, agent: &AgentId) {
    shelf::remove(&place(data).join(agent.as_str()));
}

fn place(data: &Path) -> PathBuf {
    data.join("versions")
}

/// The contents of one workspace.
#[derive(Clone)]
struct Keeper {
    versions: Versions,
    of: Arc<Key>,
}

impl Keeper {
    /// Keeps a content, unless too many wait. It never waits.
    fn keep(&self, path: &WsPath, bytes: Bytes, version: Option<Version>) {
        let (waiting, size) = (&self.versions.waiting, bytes.len() as u64);
        if waiting.fetch_add(size, Ordering::Relaxed) + size > MOST_WAITING_BYTES {
            waiting.fetch_sub(size, Ordering::Relaxed);
            return;
        }
        let message =
            Message::Keep { of: Arc::clone(&self.of), path: path.clone(), bytes, version };
        if self.versions.queue.try_send(message).is_err() {
            waiting.fetch_sub(size, Ordering::Relaxed);
        }
    }
}

impl Earlier for Keeper {
    fn find<'a>(
        &'a self,
        path: &'a WsPath,
        version: Version,
    ) -> BoxFuture<'a, Result<Option<Bytes>>> {
        Box::pin(async move {
            let stopped = || Error::new(Code::Internal, "earlier contents cannot be looked up");
            let (reply, found) = oneshot::channel();
            let of = Arc::clone(&self.of);
            // It comes behind all that is to be kept before it.
            let message = Message::Find { of, path: path.clone(), version, reply };
            self.versions.queue.send(message).await.map_err(|_| stopped())?;
            found.await.map_err(|_| stopped())
        })
    }
}

/// Works until nobody can ask any more.
fn serve(mut room: Room, waiting: &AtomicU64, mut messages: mpsc::Receiver<Message>) {
    while let Some(message) = messages.blocking_recv() {
        match message {
            Message::Keep { of, path, bytes, version } => {
                let size = bytes.len() as u64;
                room.keep(&of, &path, &bytes, version);
                drop(bytes);
                waiting.fetch_sub(size, Ordering::Relaxed);
            }
            Message::Find { of, path, version, reply } => {
                let _ = reply.send(room.find(&of, &path, version));
            }
            Message::Forget { agent, done } => {
                room.forget(&agent);
                let _ = done.send(());
            }
        }
    }
}
