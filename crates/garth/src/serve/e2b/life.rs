//! The lives of sandboxes: made, renewed, paused, resumed, ended; by their callers, and
//! by their time.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use garth_contract::{Code, Error, Links, Result, Signal};
use garth_gateway::{AgentId, Caller, Closed, Credential, Gateway, Grant, Role, Settings};
use tokio::sync::Notify;

use super::{
    line::{self, Asked},
    options::{Made, Options},
    record::{OnTimeout, Record, Shelf, State},
    sandbox::{Phase, Sandbox},
    settle::settle,
};
use crate::serve::{app::App, data::Home, opener};

/// How often everything that runs is stopped anew when a sandbox is paused: what was
/// started between a look and its signal is found by the next one.
const STOP_ROUNDS: usize = 3;

/// Every sandbox of this wire; clones are the same.
#[derive(Clone)]
pub(crate) struct E2b(Arc<Shared>);

struct Shared {
    options: Options,
    gateway: Gateway,
    home: Home,
    shelf: Shelf,
    since_ms: i64,
    all: Mutex<HashMap<AgentId, Arc<Sandbox>>>,
    /// Told when a sandbox may end earlier than was known.
    renewed: Notify,
    /// Held while one is made, so that no two are made for one name.
    making: tokio::sync::Mutex<()>,
}

/// How long a sandbox lives that goes on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lives {
    /// So long from now.
    For(Duration),
    /// So long from now, or until its time is over where that is later.
    AtLeast(Duration),
}

impl Lives {
    fn until(self, before_ms: i64) -> i64 {
        let from_now = |lives| now_ms().saturating_add(millis(lives));
        match self {
            Self::For(lives) => from_now(lives),
            Self::AtLeast(lives) => from_now(lives).max(before_ms),
        }
    }
}

/// What a new sandbox is to be.
pub(super) struct Wanted {
    pub(super) template: String,
    pub(super) lives: Duration,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) on_timeout: OnTimeout,
    pub(super) auto_resume: bool,
    pub(super) internet: Option<bool>,
    pub(super) once: Option<String>,
}

impl E2b {
    /// Takes over the sandboxes of an earlier life of the gateway. Their files are as they
    /// were; nothing runs in them any more.
    ///
    /// # Errors
    /// `INTERNAL` where the records cannot be read.
    pub(crate) async fn open(options: Options, gateway: Gateway, home: Home) -> Result<Self> {
        let shelf = Shelf::open(&home.path)?;
        let mut all = HashMap::new();
        for (id, record) in shelf.all()? {
            match gateway.registry().get(&id).await {
                Ok(_) => drop(all.insert(id.clone(), Arc::new(Sandbox::new(id, record)))),
                Err(error) if error.code() == Code::AgentNotFound => shelf.forget(&id),
                Err(error) => return Err(error),
            }
        }
        let (all, renewed) = (Mutex::new(all), Notify::new());
        let making = tokio::sync::Mutex::default();
        let since_ms = now_ms();
        Ok(Self(Arc::new(Shared { options, gateway, home, shelf, since_ms, all, renewed, making })))
    }

    /// Since when it answers, in milliseconds since 1970.
    pub(super) fn since_ms(&self) -> i64 {
        self.0.since_ms
    }

    pub(super) fn options(&self) -> &Options {
        &self.0.options
    }

    /// The sandbox of an id.
    pub(super) fn find(&self, id: &str) -> Option<Arc<Sandbox>> {
        let id = AgentId::parse(id).ok()?;
        self.lock().get(&id).cloned()
    }

    /// Every sandbox.
    pub(super) fn all(&self) -> Vec<Arc<Sandbox>> {
        self.lock().values().cloned().collect()
    }

    /// Makes a sandbox that runs, or finds the one that was made by the same name.
    ///
    /// # Errors
    /// `RATE_LIMIT_EXCEEDED` where there are too many; those of the provider.
    ///
    /// Cancel: what was begun is ended when its time is over.
    pub(super) async fn make(&self, wanted: Wanted) -> Result<Arc<Sandbox>> {
        let _making = self.0.making.lock().await;
        if let Some(once) = &wanted.once {
            let named = |sandbox: &Arc<Sandbox>| sandbox.record().once.as_ref() == Some(once);
            if let Some(sandbox) = self.all().into_iter().find(named) {
                return Ok(sandbox);
            }
        }
        if self.lock().len() >= self.0.options.most {
            let message = "there are as many sandboxes as there may be";
            return Err(Error::new(Code::RateLimitExceeded, message)
                .hint("Kill one, or set e2b.sandboxes."));
        }
        let Made { provider, system } = self.0.options.made(&wanted.template).ok_or_else(|| {
            let message = format!("there is no template {:?}", wanted.template);
            Error::new(Code::FileNotFound, message)
        })?;
        let id = new_id()?;
        let settings =
            Settings { home: true, system, ..Settings { provider, ..self.0.home.begins.clone() } };
        let made = self.begin(&id, &settings, wanted).await;
        if made.is_err() {
            self.remove(&id).await;
        }
        made
    }

    async fn begin(
        &self,
        id: &AgentId,
        settings: &Settings,
        wanted: Wanted,
    ) -> Result<Arc<Sandbox>> {
        let Shared { gateway, home, shelf, .. } = &*self.0;
        settings.check()?;
        home.sandboxes.ready(id, settings).await?;
        let (data, made, with) = (home.path.clone(), id.clone(), settings.clone());
        blocking(move || {
            opener::make_directory(&data, &made, &with)?;
            settle(&with, &with.directory(&data, &made))
        })
        .await?;
        gateway.registry().create(id, settings).await?;
        let grant =
            Grant { role: Role::Agent(id.clone()), label: "an E2B sandbox".to_owned(), ttl: None };
        let (secret, _) = gateway.callers().issue(grant).await?;
        let now = now_ms();
        let record = Record {
            template: wanted.template,
            root: self.0.options.has_root(&settings.provider),
            metadata: wanted.metadata,
            variables: wanted.variables,
            started_ms: now,
            end_ms: now.saturating_add(millis(wanted.lives)),
            state: State::Running,
            on_timeout: wanted.on_timeout,
            auto_resume: wanted.auto_resume,
            internet: wanted.internet,
            token: secret.reveal(),
            once: wanted.once,
        };
        let (kept, shelf, named) = (record.clone(), shelf.clone(), id.clone());
        blocking(move || shelf.keep(&named, &kept)).await?;
        // Made now, so that what it needs and is not there is said now.
        let workspace = gateway.workspace(id).await?;
        let inside = workspace.inside()?;
        inside.files.stat(&inside.home, Links::Follow).await?;
        let sandbox = Arc::new(Sandbox::new(id.clone(), record));
        self.lock().insert(id.clone(), Arc::clone(&sandbox));
        self.0.renewed.notify_one();
        Ok(sandbox)
    }

    /// Lets a sandbox live for so long from now.
    ///
    /// # Errors
    /// `INTERNAL` where that cannot be kept.
    pub(super) async fn renew(&self, sandbox: &Sandbox, lives: Duration) -> Result<()> {
        let end = now_ms().saturating_add(millis(lives));
        self.change(sandbox, move |record| record.end_ms = end).await
    }

    /// Lets a sandbox live for so long from now, where that is longer.
    ///
    /// # Errors
    /// `INTERNAL` where that cannot be kept.
    pub(super) async fn extend(&self, sandbox: &Sandbox, lives: Duration) -> Result<()> {
        let end = now_ms().saturating_add(millis(lives));
        self.change(sandbox, move |record| record.end_ms = record.end_ms.max(end)).await
    }

    async fn change(&self, sandbox: &Sandbox, change: impl FnOnce(&mut Record)) -> Result<()> {
        // What is kept last is what was changed last.
        let _keeping = sandbox.keeping.lock().await;
        let record = sandbox.change(change);
        let (shelf, id) = (self.0.shelf.clone(), sandbox.id.clone());
        blocking(move || shelf.keep(&id, &record)).await?;
        self.0.renewed.notify_one();
        Ok(())
    }

    /// Stops everything in a sandbox where it is; whoever follows it is let go.
    ///
    /// # Errors
    /// `CONFLICT` for one that does not run.
    pub(super) async fn pause(&self, sandbox: &Sandbox) -> Result<()> {
        let _turn = sandbox.turn.lock().await;
        if sandbox.phase() != Phase::Running {
            return Err(Error::new(Code::Conflict, "the sandbox does not run"));
        }
        let stop = Signal::parse("STOP")?;
        for _ in 0..STOP_ROUNDS {
            self.tell_all(sandbox, stop).await?;
        }
        sandbox.enter(Phase::Paused);
        self.change(sandbox, |record| record.state = State::Paused).await
    }

    /// Lets everything in a sandbox go on, for so long; says whether it was paused.
    ///
    /// # Errors
    /// `AGENT_NOT_FOUND` for one that has ended.
    pub(super) async fn resume(&self, sandbox: &Sandbox, lives: Lives) -> Result<bool> {
        let _turn = sandbox.turn.lock().await;
        match sandbox.phase() {
            Phase::Running => return Ok(false),
            Phase::Ended => return Err(Error::of(Code::AgentNotFound)),
            Phase::Paused => {}
        }
        self.tell_all(sandbox, Signal::parse("CONT")?).await?;
        sandbox.enter(Phase::Running);
        // Both at once: one that runs and whose time is over is ended.
        let change = |record: &mut Record| {
            record.state = State::Running;
            record.end_ms = lives.until(record.end_ms);
        };
        self.change(sandbox, change).await?;
        Ok(true)
    }

    /// Sends a signal to everything that runs in a sandbox.
    async fn tell_all(&self, sandbox: &Sandbox, signal: Signal) -> Result<()> {
        let workspace = self.0.gateway.workspace(&sandbox.id).await?;
        let shell = &workspace.inside()?.shell;
        for process in shell.list().await? {
            if process.ended.is_none() {
                // One that ended meanwhile needs none.
                let _ = shell.signal(process.id, signal).await;
            }
        }
        Ok(())
    }

    /// Ends a sandbox with everything in it, its files too.
    ///
    /// # Errors
    /// `AGENT_NOT_FOUND` for one that has ended.
    pub(super) async fn end(&self, sandbox: &Sandbox) -> Result<()> {
        let _turn = sandbox.turn.lock().await;
        if self.lock().remove(&sandbox.id).is_none() {
            return Err(Error::of(Code::AgentNotFound));
        }
        sandbox.enter(Phase::Ended);
        self.remove(&sandbox.id).await;
        Ok(())
    }

    /// Removes all there is of a sandbox; what cannot be removed is said in the log.
    async fn remove(&self, id: &AgentId) {
        let Shared { gateway, home, shelf, .. } = &*self.0;
        let before = gateway.registry().get(id).await;
        if let Ok(before) = before {
            if let Err(error) = gateway.registry().delete(id).await {
                tracing::warn!(sandbox = %id, code = error.code().row().name, "A sandbox stays.");
                return;
            }
            gateway.close_workspace(id);
            home.sandboxes.end(&before, Closed::Deleted).await;
            home.versions.forget(id).await;
            home.git.forget(&before).await;
        }
        let directory = home.path.join("agents").join(id.as_str());
        let removed = blocking(move || Ok(remove_tree(&directory))).await;
        if !matches!(removed, Ok(true)) {
            tracing::warn!(sandbox = %id, "The files of a sandbox could not all be removed.");
        }
        shelf.forget(id);
    }

    /// Ends or pauses sandboxes as their time is over; it never returns.
    pub(crate) async fn expire(self, app: Arc<App>) {
        loop {
            let mut next = i64::MAX;
            for sandbox in self.all() {
                let record = sandbox.record();
                if record.state != State::Running {
                    continue;
                }
                if record.end_ms > now_ms() {
                    next = next.min(record.end_ms);
                    continue;
                }
                self.over(&app, sandbox, record.on_timeout).await;
            }
            let wait = u64::try_from(next.saturating_sub(now_ms()).max(0)).unwrap_or(0);
            let wait = Duration::from_millis(wait.min(MOST_WAIT_MS));
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.0.renewed.notified() => {}
            }
        }
    }

    /// The time of a sandbox is over: that is done as the operator would, and on record.
    async fn over(&self, app: &App, sandbox: Arc<Sandbox>, then: OnTimeout) {
        let id = sandbox.id.clone();
        let operation = match then {
            OnTimeout::Kill => line::SANDBOX_KILL,
            OnTimeout::Pause => line::SANDBOX_PAUSE,
        };
        let credential = Credential::of_the_person_who_started_it();
        let asked = Asked {
            caller: Caller::new(credential, "timeout"),
            operation,
            params: serde_json::json!({ "sandbox": id.as_str() }),
            bytes: 0,
        };
        let all = self.clone();
        let done = line::about(app, asked, async move {
            match then {
                OnTimeout::Kill => all.end(&sandbox).await,
                OnTimeout::Pause => match all.pause(&sandbox).await {
                    // What cannot be paused must not go on.
                    Err(error) if error.code() != Code::Conflict => all.end(&sandbox).await,
                    paused => paused,
                },
            }
        });
        let ok = done.await.is_ok();
        tracing::info!(sandbox = %id, ok, "The time of a sandbox is over.");
        if !ok {
            // Not at once again.
            tokio::time::sleep(AGAIN).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AgentId, Arc<Sandbox>>> {
        self.0.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long is waited before what failed is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// The clock of the machine may be set, so the end of a sandbox is looked for that often.
const MOST_WAIT_MS: u64 = 60_000;

/// Now, in milliseconds since 1970.
pub(super) fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    millis(now)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// A new id; it can stand in the name of a host.
fn new_id() -> Result<AgentId> {
    AgentId::parse(&format!("i{}", random::<10>()?))
}

/// So many random bytes, as digits.
///
/// # Errors
/// `INTERNAL` where the kernel has none.
pub(super) fn random<const COUNT: usize>() -> Result<String> {
    let mut bytes = [0; COUNT];
    let flags = rustix::rand::GetRandomFlags::empty();
    match rustix::rand::getrandom(&mut bytes, flags) {
        Ok(count) if count == bytes.len() => {}
        Ok(_) | Err(_) => return Err(Error::new(Code::Internal, "there are no random numbers")),
    }
    Ok(bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}")))
}

/// Removes a directory with everything below it; links are removed and not followed.
#[allow(clippy::disallowed_methods, reason = "the sandbox is gone, and its files are ours")]
fn remove_tree(directory: &std::path::Path) -> bool {
    match std::fs::remove_dir_all(directory) {
        Ok(()) => true,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let stopped = |_| Err(Error::new(Code::Internal, "a thread was stopped"));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(stopped)
}
