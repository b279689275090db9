//! A guest in a sandbox of E2B's, on its cloud or at anything else that speaks its wire.
//!
//! The sandbox holds the workspace's files, so there is one for as long as the workspace
//! lives: it is made once, found again by what is remembered and by its metadata, and it
//! is paused, not ended, when nobody uses it. One that is gone is not made anew in
//! silence: its files are gone with it.

use std::{
    fmt,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::{Arc, Weak},
    time::Duration,
};

use garth_contract::{Code, Error, Policy, ProcessId, Result};
use rustix::{
    fs::{CWD, Mode, OFlags, openat},
    process::{getgid, getuid},
};
use tokio::{sync::Mutex, time};

use crate::{
    Connect, Left,
    container::{Leftover, Past, Place, User, guest_rules, machine_name, make_dir},
    e2b::{Account, Envd, Found, Met, New, Pipe, Spoke, Visit, no_guest, unavailable},
};

/// How often in its time a sandbox that is used is renewed: its time is so never over
/// in between.
const LOOKS: u32 = 4;

/// Which sandbox was made for a workspace, among what is remembered.
const SANDBOX: &str = "sandbox";

/// The name of the file with what this installation is known by.
const INSTALLATION: &str = "e2b-owner";

/// What a workspace's sandbox is to be.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The workspace's id.
    pub workspace: String,
    /// Whose sandboxes they are on this machine.
    pub owner: String,
    /// What tells them from everybody else's in the account.
    pub installation: String,
    /// A directory of this machine that is the gateway's own.
    pub run: PathBuf,
    /// The guest's static program on this machine.
    pub guest: PathBuf,
    /// What E2B makes the sandbox of.
    pub template: String,
    /// How long it lives without being used before it is paused.
    pub timeout: Duration,
    /// Where the workspace is inside, an absolute path.
    pub directory: String,
    /// What the variables of commands are.
    pub variables: Vec<(String, String)>,
    /// Whether it reaches the internet, where its keeper can prevent that.
    pub internet: bool,
    /// What the guest lets be done with files.
    pub policy: Policy,
}

/// A workspace's sandbox; clones are the same.
///
/// Dropping it leaves the sandbox as it is, for whoever comes next.
#[derive(Clone)]
pub struct E2b(Arc<Inside>);

struct Inside {
    account: Account,
    wanted: Workspace,
    words: Vec<String>,
    place: Place,
    /// Held while it is looked for, so that it is made once however many want it.
    now: Mutex<Now>,
}

struct Now {
    past: Past,
    /// The guest that the last pipe led to.
    last: Option<(String, Arc<Spoke>)>,
}

impl fmt::Debug for E2b {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("E2b").field("workspace", &self.0.wanted.workspace).finish_non_exhaustive()
    }
}

impl E2b {
    /// A sandbox in an account; nothing is asked yet.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a description that makes no sense.
    pub fn new(account: Account, wanted: Workspace) -> Result<Self> {
        wanted.check()?;
        let place = Place::named(&wanted.run, &machine_name(&wanted.owner, &wanted.workspace));
        let words = wanted.words();
        let now = Mutex::new(Now { past: Past::Unknown, last: None });
        Ok(Self(Arc::new(Inside { account, wanted, words, place, now })))
    }

    /// Looks whether a sandbox could be had, and makes none.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` with what is missing.
    pub async fn ready(&self) -> Result<()> {
        rustix::fs::stat(&self.0.wanted.guest).map_err(|_| no_guest())?;
        self.0.account.ready().await
    }

    /// Ends the guest and all that it runs; the sandbox stays as it is.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn rest(&self) -> Result<()> {
        let mut now = self.0.now.lock().await;
        now.last = None;
        let Some(met) = self.0.meet().await? else { return Ok(()) };
        self.0.visit(&met.envd)?.end().await
    }

    /// Ends everything that runs in the sandbox and pauses it. Its files stay, and the next
    /// call lets it go on.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn stop(&self) -> Result<()> {
        let mut now = self.0.now.lock().await;
        now.last = None;
        let Some(id) = self.0.place.recall(SANDBOX) else { return Ok(()) };
        let Some(met) = self.0.meet().await? else { return Ok(()) };
        self.0.visit(&met.envd)?.end().await?;
        self.0.account.pause(&id).await
    }

    /// Ends the sandbox with its files, and forgets it.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn remove(&self) -> Result<()> {
        let mut now = self.0.now.lock().await;
        now.last = None;
        if let Some(id) = self.0.place.recall(SANDBOX) {
            self.0.account.kill(&id).await?;
        }
        self.0.place.remove().map_err(|_| {
            unavailable(
                "the sandbox's directory on this machine cannot be removed",
                "Remove what is left of it by hand.",
            )
        })
    }

    /// The sandboxes that an installation has left in an account, running or paused.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn leftovers(account: &Account, installation: &str) -> Result<Vec<Leftover>> {
        let found = account.list(installation).await?;
        let leftover = |one: crate::e2b::Listed| Leftover {
            name: one.id,
            workspace: one.workspace,
            running: one.running,
        };
        Ok(found.into_iter().map(leftover).collect())
    }

    /// Ends one of them.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn end_leftover(account: &Account, left: &Leftover) -> Result<()> {
        account.kill(&left.name).await
    }

    /// What E2B calls the sandbox, once there is one.
    #[must_use]
    pub fn id(&self) -> Option<String> {
        self.0.place.recall(SANDBOX)
    }
}

impl Connect for E2b {
    type Pipe = Pipe;

    async fn connect(&self, first: ProcessId) -> Result<Pipe> {
        let mut now = self.0.now.lock().await;
        let met = self.0.sandbox().await?;
        let visit = self.0.visit(&met.envd)?;
        let spoke = Arc::<Spoke>::default();
        let (name, pipe) = match visit.find(now.last.as_ref()).await? {
            Found::Runs(name) => {
                let pipe = visit.reach(&name, Arc::clone(&spoke)).await?;
                (name, pipe)
            }
            Found::None => {
                let first = self.0.place.next_life(first, now.past)?;
                let started = visit.start(first.0, Arc::clone(&spoke)).await?;
                now.past = Past::Known;
                started
            }
        };
        now.last = Some((name, Arc::clone(&spoke)));
        self.0.keep_alive(met.id, &spoke);
        Ok(pipe)
    }

    async fn left(&self) -> Result<Left> {
        if !self.0.place.had_a_life() {
            return Ok(Left::Nothing);
        }
        let Some(id) = self.0.place.recall(SANDBOX) else { return Ok(Left::Lost) };
        Ok(if self.0.account.has(&id).await? { Left::Runs } else { Left::Lost })
    }
}

impl Inside {
    /// The sandbox, which is made if there never was one.
    async fn sandbox(&self) -> Result<Met> {
        let user = User { uid: getuid().as_raw(), gid: getgid().as_raw() };
        self.place.make(&self.wanted.workspace, user)?;
        if self.place.recall(SANDBOX).is_some() {
            return self.meet().await?.ok_or_else(gone);
        }
        // One may have been made by a program that was ended before it took note.
        let Workspace { workspace, installation, timeout, template, internet, .. } = &self.wanted;
        let left = self.account.list(installation).await?;
        if let Some(one) = left.into_iter().find(|one| one.workspace == *workspace) {
            self.remember(&one.id)?;
            return self.meet().await?.ok_or_else(gone);
        }
        let once = random_name()?;
        let new = New {
            template,
            timeout: *timeout,
            owner: installation,
            workspace,
            internet: *internet,
            once: &once,
        };
        let made = self.account.create(&new).await?;
        self.remember(&made.id)?;
        Ok(made)
    }

    fn remember(&self, id: &str) -> Result<()> {
        self.place.remember(SANDBOX, id).map_err(|_| {
            unavailable(
                "the sandbox's directory on this machine cannot be written",
                "See whether the disk is full.",
            )
        })
    }

    /// Meets the sandbox that is remembered, which goes on if it was paused; nothing where
    /// there is none.
    async fn meet(&self) -> Result<Option<Met>> {
        match self.place.recall(SANDBOX) {
            Some(id) => self.account.connect(&id, self.wanted.timeout).await,
            None => Ok(None),
        }
    }

    fn visit<'a>(&'a self, envd: &'a Envd) -> Result<Visit<'a>> {
        Visit::new(envd, (&self.wanted.directory, &self.words), &self.wanted.guest)
    }

    /// Renews the sandbox's time for as long as something passes through a pipe.
    fn keep_alive(&self, id: String, spoke: &Arc<Spoke>) {
        let (account, timeout) = (self.account.clone(), self.wanted.timeout);
        let spoke = Arc::downgrade(spoke);
        tokio::spawn(renew(account, (id, timeout), spoke));
    }
}

/// Renews a sandbox that is used, until its pipe is no more.
async fn renew(account: Account, (id, timeout): (String, Duration), spoke: Weak<Spoke>) {
    let mut before = 0;
    loop {
        time::sleep(timeout / LOOKS).await;
        let Some(now) = spoke.upgrade().map(|spoke| spoke.moves()) else { return };
        if now != before {
            // Where that fails, it is tried again before the time is over.
            let _ = account.renew(&id, timeout).await;
        }
        before = now;
    }
}

impl Workspace {
    fn check(&self) -> Result<()> {
        let wrong = |what: &'static str| Err(Error::new(Code::InvalidParams, what));
        if self.workspace.is_empty() || self.workspace.chars().any(char::is_control) {
            return wrong("the workspace's id is empty or holds a control character");
        }
        let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if self.installation.is_empty() || !self.installation.bytes().all(known) {
            return wrong("an installation is known by letters, digits and hyphens");
        }
        let path = Path::new(&self.directory);
        if !path.is_absolute() || path == Path::new("/") || self.directory.contains('\0') {
            return wrong("the workspace's directory inside is an absolute path below the root");
        }
        Ok(())
    }

    /// The guest's words, but for the way by which it is spoken to.
    fn words(&self) -> Vec<String> {
        let mut words = vec!["--root".to_owned(), self.directory.clone()];
        words.extend(["--alias".to_owned(), self.directory.clone()]);
        for (name, value) in &self.variables {
            words.extend(["--env".to_owned(), format!("{name}={value}")]);
        }
        words.extend(guest_rules(&self.policy));
        words
    }
}

/// What an installation is known by in an account, whose sandboxes others may use from
/// other machines: a name at random, made once and kept below `run`.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` where it cannot be kept.
pub fn installation(run: &Path) -> Result<String> {
    let keep = || -> io::Result<String> {
        if let Some(above) = run.parent() {
            make_dir(above)?;
        }
        make_dir(run)?;
        let path = run.join(INSTALLATION);
        let fresh = random_name().map_err(|_| io::ErrorKind::Other)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        if let Ok(file) = openat(CWD, &path, flags, Mode::RUSR | Mode::WUSR) {
            std::fs::File::from(file).write_all(fresh.as_bytes())?;
            return Ok(fresh);
        }
        let flags = OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = std::fs::File::from(openat(CWD, &path, flags, Mode::empty())?);
        let mut text = String::new();
        file.take(64).read_to_string(&mut text)?;
        Ok(text.trim().to_owned())
    };
    keep().map_err(|_| {
        unavailable(
            "what this installation is known by at E2B cannot be kept",
            "See whether the data directory can be written.",
        )
    })
}

fn random_name() -> Result<String> {
    let mut bytes = [0; 16];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(count) if count == bytes.len() => Ok(format!("{:032x}", u128::from_be_bytes(bytes))),
        Ok(_) | Err(_) => Err(Error::new(Code::Internal, "the system has no random numbers")),
    }
}

fn gone() -> Error {
    unavailable(
        "the workspace's E2B sandbox is gone, and its files with it",
        "Delete the agent and create it again to begin with a new one.",
    )
}
