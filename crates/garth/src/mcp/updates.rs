//! Tells clients that a resource they named has changed.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use garth_contract::{
    Code, Error, Event, Hidden, Ignored, Kind, Links, Reach, Result, Watch, WatchSpec, WsPath,
};
use garth_workspace::Workspace;
use rmcp::{
    Peer, RoleServer, model::ResourceUpdatedNotificationParam, service::SubscriptionContext,
};
use tokio::task::{AbortHandle, JoinSet};

use super::uri;

/// How many resources one client can follow.
const MOST: usize = 256;

/// The resources that are followed for clients of the revisions before `listen`.
pub(crate) struct Updates {
    workspace: Arc<Workspace>,
    followed: Mutex<HashMap<String, AbortHandle>>,
}

impl Updates {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace, followed: Mutex::default() }
    }

    /// Follows one resource until it is unsubscribed from.
    ///
    /// # Errors
    /// Those of the address and of watching; `QUOTA_EXCEEDED` for too many.
    pub(crate) async fn subscribe(&self, address: &str, peer: Peer<RoleServer>) -> Result<()> {
        let mut followed = Followed::begin(&self.workspace, address).await?;
        let mut all = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, task| !task.is_finished());
        if all.len() >= MOST {
            return Err(too_many());
        }
        let address = address.to_owned();
        let named = address.clone();
        let task = tokio::spawn(async move {
            while followed.changed().await {
                let update = ResourceUpdatedNotificationParam::new(address.clone());
                if peer.notify_resource_updated(update).await.is_err() {
                    return;
                }
            }
        });
        if let Some(before) = all.insert(named, task.abort_handle()) {
            before.abort();
        }
        Ok(())
    }

    /// Follows it no longer.
    pub(crate) fn unsubscribe(&self, address: &str) {
        let mut all = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = all.remove(address) {
            task.abort();
        }
    }

    /// Follows what a client listens for, until it stops.
    ///
    /// # Errors
    /// As for [`subscribe`](Self::subscribe).
    pub(crate) async fn listen(&self, context: SubscriptionContext) -> Result<()> {
        let addresses = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let followed = Followed::all(&self.workspace, addresses).await?;
        tell(followed, &context).await;
        Ok(())
    }
}

/// Tells a client of changes until it stops listening.
///
/// Cancel: nothing is followed any more.
pub(crate) async fn tell(followed: Vec<Followed>, context: &SubscriptionContext) {
    let mut following = JoinSet::new();
    for mut followed in followed {
        let sink = context.sink().clone();
        following.spawn(async move {
            // The client was told that it is heard before the watch began, and what
            // changed in between is not known: it is told once to look again.
            loop {
                if sink.notify_resource_updated(followed.address.clone()).await.is_err() {
                    return;
                }
                if !followed.changed().await {
                    return;
                }
            }
        });
    }
    context.cancelled().await;
}

fn too_many() -> Error {
    Error::new(Code::QuotaExceeded, format!("at most {MOST} resources can be followed"))
}

/// The changes of one resource.
pub(crate) struct Followed {
    address: String,
    path: WsPath,
    watch: Watch,
}

impl Followed {
    /// Follows several.
    ///
    /// # Errors
    /// Those of the addresses and of watching; `QUOTA_EXCEEDED` for too many.
    pub(crate) async fn all(workspace: &Workspace, addresses: Vec<String>) -> Result<Vec<Self>> {
        if addresses.len() > MOST {
            return Err(too_many());
        }
        let mut all = Vec::with_capacity(addresses.len());
        for address in addresses {
            all.push(Self::begin(workspace, &address).await?);
        }
        Ok(all)
    }

    async fn begin(workspace: &Workspace, address: &str) -> Result<Self> {
        let path = uri::path(address)?;
        let entry = workspace.fs().stat(&path, Links::Follow).await?;
        // A file is watched from its directory, so that one that is replaced, as
        // every write does, is still the same resource.
        let (base, reach) = match entry.kind {
            Kind::Dir => (path.clone(), Reach::Tree),
            Kind::File | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
                (path.parent().unwrap_or_else(WsPath::root), Reach::Entries)
            }
        };
        let spec =
            WatchSpec { path: base, reach, hidden: Hidden::Include, ignored: Ignored::Include };
        let watch = workspace.fs().watch(&spec).await?;
        Ok(Self { address: address.to_owned(), path, watch })
    }

    /// Waits for a change; false when there will be none any more.
    async fn changed(&mut self) -> bool {
        while let Some(event) = Next(&mut self.watch).await {
            match event {
                Event::Overflow => return true,
                Event::Changed { path, .. }
                    if path == self.path || path.below(&self.path).is_some() =>
                {
                    return true;
                }
                Event::Changed { .. } => {}
            }
        }
        false
    }
}

/// The next event of a watch.
struct Next<'a>(&'a mut Watch);

impl Future for Next<'_> {
    type Output = Option<Event>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll_next(context)
    }
}
