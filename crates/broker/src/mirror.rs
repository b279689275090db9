//! The remote of one workspace, as its repository reaches it.

use std::sync::Arc;

use garth_contract::{BoxFuture, Error, Report, Result};
use garth_git::{Branch, Cloned, Fetch, Fetched, Moved, Push, Pushed, Remotes, Repository, Tip};

use crate::{
    address::Address,
    bring::{self, Prune},
    broker::{Held, Shared},
    credential::Credential,
    failure::plain,
    git::Reads,
    handover::Handover,
    limits::Limits,
    policy::{Policy, Workflows},
    quarantine::Quarantine,
    send,
};

/// How often something is tried that failed because a token was not accepted: once more,
/// with a new one.
const TRIES: u32 = 2;

/// The remote of one workspace.
pub struct Mirror {
    pub(crate) shared: Arc<Shared>,
    pub(crate) held: Arc<Held>,
    pub(crate) workspace: String,
    pub(crate) address: Address,
    pub(crate) credential: Option<Credential>,
    pub(crate) policy: Policy,
}

impl Mirror {
    /// The remote's address, without a credential.
    #[must_use]
    pub fn url(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn limits(&self) -> &Limits {
        self.shared.git.limits()
    }

    /// Runs git with the remote: with a credential where there is one, and once more
    /// where the remote did not accept a token that another can be had for.
    pub(crate) async fn network(
        &self,
        quarantine: &Quarantine<'_>,
        arguments: &[&str],
    ) -> Result<Report> {
        let mut words = Vec::new();
        if let Some(certificates) = &self.shared.certificates {
            words.extend(["-c".to_owned(), format!("http.sslCAInfo={certificates}")]);
        }
        let Some(credential) = &self.credential else {
            words.extend(arguments.iter().map(|&word| word.to_owned()));
            return self.run(quarantine, &words).await;
        };
        let tokens = &self.shared.tokens;
        let mut tries = 0;
        loop {
            tries += 1;
            let login = tokens.login(&self.workspace, credential, &self.address).await?;
            let handover = Handover::open(&quarantine.run(), &self.address, login)?;
            let mut words = words.clone();
            words.extend(["-c".to_owned(), handover.helper(&self.address)]);
            words.extend(arguments.iter().map(|&word| word.to_owned()));
            let report = self.run(quarantine, &words).await?;
            let again = report.ended.exit.code() != 0
                && handover.was_refused()
                && tokens.refused(&self.workspace, credential, &self.address).await
                && tries < TRIES;
            if !again {
                return Ok(report);
            }
        }
    }

    async fn run(&self, quarantine: &Quarantine<'_>, words: &[String]) -> Result<Report> {
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        quarantine.work.run(&words, Reads::Nothing).await
    }

    async fn quarantine(&self) -> Result<Quarantine<'_>> {
        Quarantine::open(&self.shared.git, &self.workspace, &self.address).await
    }

    /// Sends what is wanted through an open quarantine.
    async fn send(
        &self,
        quarantine: &Quarantine<'_>,
        repository: Repository<'_>,
        wanted: &Push,
    ) -> Result<Pushed> {
        let Push { branch, tip } = wanted;
        let known = quarantine.known().await?;
        if !known.contains(tip) {
            let bundle = repository.bundle_out(&[branch.full()], &known).await.map_err(plain)?;
            if let Some(bundle) = bundle {
                let taken = quarantine.take(&repository, &bundle).await;
                repository.discard(&bundle.path).await.map_err(plain)?;
                taken?;
            }
        }
        quarantine.check_commit(tip).await?;
        match self.policy.workflows {
            Workflows::Allow => {}
            Workflows::Refuse => {
                let remote = bring::bring(self, quarantine, &Fetch::default()).await?;
                send::check_workflows(quarantine, (branch, tip), &remote).await?;
            }
        }
        let sent = send::send(self, quarantine, (branch, tip)).await?;
        // Both sides take note at once; it has been sent, so neither undoes it.
        let full = branch.full();
        let (noted, tracked) =
            tokio::join!(quarantine.note(&full, tip), repository.track_branch(branch, tip));
        noted?;
        tracked.map_err(plain)?;
        Ok(Pushed { url: self.url(), before: sent.before, now: tip.clone() })
    }

    /// Brings what is wanted through an open quarantine.
    async fn bring(
        &self,
        quarantine: &Quarantine<'_>,
        repository: Repository<'_>,
        wanted: &Fetch,
    ) -> Result<(Vec<Tip>, Vec<Moved>)> {
        let refs = bring::bring(self, quarantine, wanted).await?;
        let prune = if wanted.branches.is_empty() { Prune::Gone } else { Prune::Nothing };
        let moved = bring::hand_over(repository, quarantine, (&refs, prune)).await?;
        Ok((refs, moved))
    }
}

impl Remotes for Mirror {
    fn push<'a>(
        &'a self,
        repository: Repository<'a>,
        wanted: Push,
    ) -> BoxFuture<'a, Result<Pushed>> {
        Box::pin(self.held.while_there(async move {
            // Before anything moves.
            self.policy.admit(&wanted.branch.full())?;
            let _turn = self.held.turn(&self.shared).await?;
            let quarantine = self.quarantine().await?;
            let sent = self.send(&quarantine, repository, &wanted).await;
            quarantine.close(sent).await
        }))
    }

    fn fetch<'a>(
        &'a self,
        repository: Repository<'a>,
        wanted: Fetch,
    ) -> BoxFuture<'a, Result<Fetched>> {
        Box::pin(self.held.while_there(async move {
            let _turn = self.held.turn(&self.shared).await?;
            let quarantine = self.quarantine().await?;
            let brought = self.bring(&quarantine, repository, &wanted).await;
            let (_, moved) = quarantine.close(brought).await?;
            Ok(Fetched { url: self.url(), moved })
        }))
    }

    fn clone_into<'a>(
        &'a self,
        repository: Repository<'a>,
        wanted: Fetch,
    ) -> BoxFuture<'a, Result<Cloned>> {
        Box::pin(self.held.while_there(async move {
            let _turn = self.held.turn(&self.shared).await?;
            let quarantine = self.quarantine().await?;
            let brought = async {
                let head = bring::head(self, &quarantine).await?;
                let (refs, moved) = self.bring(&quarantine, repository, &wanted).await?;
                // One that has no commit is nothing that could be checked out.
                let there = |head: &Branch| refs.iter().any(|tip| tip.name == head.full());
                Ok((head.filter(there), moved))
            }
            .await;
            let (head, moved) = quarantine.close(brought).await?;
            Ok(Cloned { url: self.url(), head, moved })
        }))
    }
}

/// A remote that cannot be used as it is set up, and says so to whoever tries.
pub struct Unusable(pub Error);

impl Remotes for Unusable {
    fn push<'a>(&'a self, _: Repository<'a>, _: Push) -> BoxFuture<'a, Result<Pushed>> {
        Box::pin(async { Err(self.0.clone()) })
    }

    fn fetch<'a>(&'a self, _: Repository<'a>, _: Fetch) -> BoxFuture<'a, Result<Fetched>> {
        Box::pin(async { Err(self.0.clone()) })
    }

    fn clone_into<'a>(&'a self, _: Repository<'a>, _: Fetch) -> BoxFuture<'a, Result<Cloned>> {
        Box::pin(async { Err(self.0.clone()) })
    }
}
