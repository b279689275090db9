//! The tokens of apps: made on demand, kept until shortly before they end, and ended with
//! their workspace.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use garth_contract::{Code, Error, Result};

use crate::{
    address::Address,
    credential::{App, Credential, Flavour, Kind, fixed},
    github::{self, Minted},
    handover::Login,
    http::Client,
};

/// How long before its end a token is used no more: a push must end before it.
const MARGIN: Duration = Duration::from_secs(300);

/// How often the end of a token is asked for; it ends by itself within the hour.
const TRIES: u32 = 2;

/// What time it is.
pub type Now = fn() -> SystemTime;

/// The tokens that were made.
pub(crate) struct Tokens {
    client: Client,
    now: Now,
    made: Mutex<HashMap<Key, Arc<Slot>>>,
}

/// A workspace has its own, so that the end of one harms no other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    workspace: String,
    credential: String,
    repository: String,
}

/// Whoever comes second waits for the first.
type Slot = tokio::sync::Mutex<Option<(App, Minted)>>;

impl Tokens {
    pub(crate) fn new(client: Client, now: Now) -> Self {
        Self { client, now, made: Mutex::default() }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn now(&self) -> SystemTime {
        (self.now)()
    }

    /// What a workspace proves itself with at an address.
    ///
    /// Errors: `PERMISSION_DENIED` for another host than the credential's; those of
    /// GitHub's API.
    pub(crate) async fn login(
        &self,
        workspace: &str,
        credential: &Credential,
        address: &Address,
    ) -> Result<Login> {
        credential.check(address)?;
        let app = match credential.kind() {
            Kind::Fixed { username, password } => return Ok(fixed(username, password)),
            Kind::App(app) => app,
        };
        let repository = address.owner_and_name().ok_or_else(|| {
            Error::new(Code::InvalidParams, "a GitHub App reaches owner/name repositories only")
        })?;
        let slot = self.slot(key(workspace, credential, address));
        let mut slot = slot.lock().await;
        let now = self.now();
        let fresh = slot.as_ref().filter(|(_, minted)| minted.expires > now + MARGIN);
        let token = match fresh {
            Some((_, minted)) => minted.token.clone(),
            None => {
                let minted = github::mint(&self.client, app, repository, now).await?;
                let token = minted.token.clone();
                *slot = Some((app.clone(), minted));
                token
            }
        };
        Ok(Login { username: Flavour::Token.username().to_owned(), password: token })
    }

    /// Forgets a token that the remote did not accept; tells whether another can be had.
    pub(crate) async fn refused(
        &self,
        workspace: &str,
        credential: &Credential,
        address: &Address,
    ) -> bool {
        match credential.kind() {
            Kind::Fixed { .. } => false,
            Kind::App(_) => {
                let slot = self.slot(key(workspace, credential, address));
                slot.lock().await.take().is_some()
            }
        }
    }

    /// Ends the tokens of a workspace.
    pub(crate) async fn forget(&self, workspace: &str) {
        let slots: Vec<_> = {
            let mut made = self.lock();
            let keys: Vec<_> =
                made.keys().filter(|key| key.workspace == workspace).cloned().collect();
            keys.iter().filter_map(|key| made.remove(key)).collect()
        };
        for slot in slots {
            let Some((app, minted)) = slot.lock().await.take() else { continue };
            if minted.expires <= self.now() {
                continue;
            }
            for _ in 0..TRIES {
                let Err(error) = github::revoke(&self.client, &app, &minted.token).await else {
                    break;
                };
                let code = error.code().row().name;
                tracing::warn!(code, "A token could not be ended; it ends within the hour.");
            }
        }
    }

    fn slot(&self, key: Key) -> Arc<Slot> {
        Arc::clone(self.lock().entry(key).or_default())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<Slot>>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(workspace: &str, credential: &Credential, address: &Address) -> Key {
    Key {
        workspace: workspace.to_owned(),
        credential: credential.name().to_owned(),
        repository: address.to_string(),
    }
}
