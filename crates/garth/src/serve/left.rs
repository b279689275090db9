//! What an operation leaves open behind its answer: a watch, a terminal, a process in
//! the background.
//!
//! Its place in the budgets is known only when the call has ended and is recorded, and
//! what it tells must follow its answer. So an operation puts here how it goes on, and
//! whoever serves the call lets it.

use std::{
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use garth_contract::{Ask, ProcessId};
use garth_gateway::Held;
use garth_workspace::Workspace;
use tokio::sync::oneshot;

/// How long a process in the background is waited for at a time; its workspace is held
/// so long.
const LOOK: Duration = Duration::from_millis(500);
/// How long is waited before it is asked again.
const PAUSE: Duration = Duration::from_millis(50);

/// How it goes on, with its place in the budgets. It says nothing before the sender
/// that it gives is dropped.
type Open = Box<dyn FnOnce(Option<Held>) -> oneshot::Sender<()> + Send>;

/// What is left open; clones are the same. It is closed when nobody lets it go on.
#[derive(Clone, Default)]
pub(crate) struct Left(Arc<Mutex<Option<Open>>>);

impl Left {
    /// Leaves something open.
    pub(crate) fn put(
        &self,
        open: impl FnOnce(Option<Held>) -> oneshot::Sender<()> + Send + 'static,
    ) {
        *self.lock() = Some(Box::new(open));
    }

    /// Leaves a process running, which holds its place until it has ended.
    pub(crate) fn put_process(&self, workspace: &Arc<Workspace>, process: ProcessId) {
        let workspace = Arc::downgrade(workspace);
        self.put(move |held| {
            let (told, _) = oneshot::channel();
            tokio::spawn(async move {
                ended(&workspace, process).await;
                drop(held);
            });
            told
        });
    }

    /// Lets go on what was left open, with its place. What it has to tell, it tells
    /// once the answer of this is dropped.
    pub(crate) fn open(&self, held: Option<Held>) -> Option<oneshot::Sender<()>> {
        let open = self.lock().take()?;
        Some(open(held))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until a process has ended, or its workspace has. The workspace is not kept
/// for it: its processes end with it.
pub(crate) async fn ended(workspace: &Weak<Workspace>, process: ProcessId) {
    let mut at = 0;
    loop {
        let Some(workspace) = workspace.upgrade() else { return };
        let Ok(shell) = workspace.shell() else { return };
        let ask = Ask { from: at, most: 1, wait: LOOK };
        match shell.output(process, ask).await {
            Ok(printed) if printed.ended.is_none() => at = printed.total,
            Ok(_) | Err(_) => return,
        }
        drop(workspace);
        // One that prints all the time is not asked all the time.
        tokio::time::sleep(PAUSE).await;
    }
}
