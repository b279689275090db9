//! Tells a client that asked for it how far its call is: for how long it runs, and the
//! last line that its command printed.

use std::{
    convert::Infallible,
    sync::{Arc, OnceLock, Weak},
    time::Duration,
};

use garth_contract::{Announce, ProcessId};
use garth_workspace::Workspace;
use rmcp::{
    RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::RequestContext,
};
use tokio::time::Instant;

/// How often a client hears that a call is still under way.
const TICK: Duration = Duration::from_millis(500);
/// The most characters of a line that it is told.
const MOST_CHARACTERS: usize = 200;

/// The workspace that a call works in, once that is known.
pub(crate) type Where = Arc<OnceLock<Weak<Workspace>>>;

/// What is known of a call under way.
#[derive(Default)]
pub(crate) struct Progress {
    place: Where,
    process: Arc<OnceLock<ProcessId>>,
}

impl Progress {
    /// Of a call in a workspace.
    pub(crate) fn new(workspace: &Arc<Workspace>) -> Self {
        let place = OnceLock::from(Arc::downgrade(workspace));
        Self { place: Arc::new(place), process: Arc::default() }
    }

    /// Hears which workspace the call works in, where that is not known yet.
    pub(crate) fn place(&self) -> Where {
        Arc::clone(&self.place)
    }

    /// Hears which process the call runs.
    pub(crate) fn announce(&self) -> Announce {
        let process = Arc::clone(&self.process);
        Announce::to(move |id| {
            // A call runs one command; of a second one nothing would be told.
            let _ = process.set(id);
        })
    }

    /// Waits for a call, and tells the client meanwhile.
    pub(crate) async fn during<T>(
        &self,
        work: impl Future<Output = T>,
        context: &RequestContext<RoleServer>,
    ) -> T {
        let Some(token) = context.meta.get_progress_token() else { return work.await };
        tokio::select! {
            biased;
            done = work => done,
            never = self.tell(token, context) => match never {},
        }
    }

    async fn tell(&self, token: ProgressToken, context: &RequestContext<RoleServer>) -> Infallible {
        let begun = Instant::now();
        let mut ticks = tokio::time::interval_at(begun + TICK, TICK);
        loop {
            ticks.tick().await;
            let elapsed = begun.elapsed().as_secs_f64();
            let mut progress = ProgressNotificationParam::new(token.clone(), elapsed);
            progress.message = Some(match self.last_line().await {
                Some(line) => format!("{elapsed:.1} s: {line}"),
                None => format!("{elapsed:.1} s"),
            });
            // Who does not hear it will hear the answer.
            let _ = context.peer.notify_progress(progress).await;
        }
    }

    /// The last line that the command printed, shortened.
    async fn last_line(&self) -> Option<String> {
        let id = *self.process.get()?;
        let workspace = self.place.get()?.upgrade()?;
        let line = workspace.last_line(id).await.ok()?;
        let line = line.trim();
        if line.is_empty() {
            return None;
        }
        let mut characters = line.chars();
        let mut shown: String = characters.by_ref().take(MOST_CHARACTERS).collect();
        if characters.next().is_some() {
            shown.push('…');
        }
        Some(shown)
    }
}

#[cfg(test)]
mod tests;
