//! gVisor's `runsc`, run without an engine on bundles that are written here.

use std::{
    ffi::OsString,
    fs::File,
    io,
    io::Read,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use garth_contract::{Error, ProcessId, Result};
use rustix::fs::{CWD, Dir, Mode, OFlags, openat};
use serde_json::Value;

use super::{
    Container, Leftover, Place, Platform, Standing, User, bundle,
    channel::Child,
    identity, owner,
    place::make_dir,
    platform, program,
    refuse::{self, said},
    wanted::{self, GUEST, MEETING, SOCKET},
};

/// How long `runsc` may take to say what there is.
const LOOK: Duration = Duration::from_secs(60);

/// How long `runsc` may take to make, start or end a sandbox on a busy machine.
const CHANGE: Duration = Duration::from_secs(120);

/// Where `runsc` keeps what it knows, below the directory for containers.
const STATE: &str = "runsc";

/// The most bytes of a log that are looked at for what went wrong.
const MOST_LOG: u64 = 4 << 10;

/// `runsc`, and how it runs sandboxes here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runsc {
    /// The program: a path, or a name that is looked up.
    pub program: PathBuf,
    /// What it runs programs by.
    pub platform: Platform,
    /// More flags of `runsc` itself that this machine needs, such as
    /// `--ignore-cgroups`.
    pub flags: Vec<String>,
}

impl Runsc {
    /// `runsc` with the fastest platform that works on this machine, which is found
    /// by trying: a tiny sandbox runs `guest` on each, with a deadline.
    ///
    /// `run` is the directory for containers.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`: not installed, or no platform works.
    pub async fn detect(
        program: &Path,
        flags: Vec<String>,
        (guest, run): (&Path, &Path),
    ) -> Result<Self> {
        let platform = platform::detect(program, &flags, (guest, run)).await?;
        Ok(Self { program: program.to_owned(), platform, flags })
    }

    /// Looks whether a sandbox could be made.
    pub(crate) async fn ready(&self, container: &Container) -> Result<()> {
        bundle::check(container)?;
        owner::find_program(&container.guest)?;
        let done = program::run(&self.program, &["--version"], LOOK).await?;
        if done.status.success() { Ok(()) } else { Err(refused("say its version", &done.stderr)) }
    }

    /// The sandboxes below a directory for containers that an owner's gateway has
    /// made, running or not.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn leftovers(&self, run: &Path, owner: &str) -> Result<Vec<Leftover>> {
        let mut found = Vec::new();
        for name in names(&run.join(STATE)) {
            let Some(workspace) = Place::named(run, &name).workspace() else { continue };
            // Others may keep their sandboxes here, under their own names.
            if wanted::name(owner, &workspace) != name {
                continue;
            }
            let running = self.status(run, &name).await?.as_deref() == Some("running");
            found.push(Leftover { name, workspace, running });
        }
        Ok(found)
    }

    /// Ends and removes a sandbox, and its directory below `run`.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn remove(&self, run: &Path, leftover: &Leftover) -> Result<()> {
        self.end(run, &leftover.name).await?;
        Place::named(run, &leftover.name).remove().map_err(|_| {
            refuse::unavailable(
                "the sandbox's directory on this machine cannot be removed",
                "Remove what is left of it by hand.",
            )
        })
    }

    /// Whether a sandbox runs as it is wanted; one that does not is removed.
    pub(crate) async fn standing(&self, container: &Container, place: &Place) -> Result<Standing> {
        let name = container.name();
        let status = self.status(&container.run, &name).await?;
        if status.is_none() {
            return Ok(Standing::Gone);
        }
        let print = self.print(container, container.inhabitant()?)?;
        if status.as_deref() == Some("running") && place.recall("spec") == Some(print) {
            return Ok(Standing::Runs);
        }
        self.end(&container.run, &name).await?;
        Ok(Standing::Gone)
    }

    /// Whether a sandbox runs.
    pub(crate) async fn lives(&self, container: &Container) -> Result<bool> {
        let status = self.status(&container.run, &container.name()).await?;
        Ok(status.as_deref() == Some("running"))
    }

    /// Makes a sandbox and starts it.
    pub(crate) async fn start(
        &self,
        container: &Container,
        place: &Place,
        first: ProcessId,
    ) -> Result<()> {
        let user = container.inhabitant()?;
        identity::write(place, (user, container.seat))?;
        let bundle = bundle::write(container, place, (user, first))?;
        let remembered = place.remember("spec", &self.print(container, user)?);
        remembered.map_err(|_| cannot_be_written())?;
        let name = container.name();
        let begin = async {
            let create = [OsString::from("create"), "--bundle".into(), bundle.into()];
            self.detached(container, place, &create).await?;
            self.detached(container, place, &[OsString::from("start")]).await
        };
        let begun = begin.await;
        if begun.is_err() {
            // It would be found and removed by the next call too.
            let _ = self.end(&container.run, &name).await;
        }
        begun
    }

    /// Ends a sandbox and everything in it, and removes it.
    pub(crate) async fn end(&self, run: &Path, name: &str) -> Result<()> {
        if self.status(run, name).await?.is_none() {
            return Ok(());
        }
        let arguments = self.arguments(run, &["delete", "--force", name]);
        let done = program::run(&self.program, &arguments, CHANGE).await?;
        if done.status.success() || self.status(run, name).await?.is_none() {
            return Ok(());
        }
        Err(refused("remove the sandbox", &done.stderr))
    }

    /// Starts a relay to the guest inside.
    pub(crate) fn relay(&self, container: &Container) -> Result<Child> {
        let User { uid, gid } = container.inhabitant()?;
        let (user, name) = (format!("--user={uid}:{gid}"), container.name());
        let socket = format!("{MEETING}/{SOCKET}");
        let words = ["exec", &user, &name, GUEST, "--relay", &socket];
        let mut command = program::command(&self.program, &self.arguments(&container.run, &words));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().ok().and_then(Child::of);
        child.ok_or_else(|| refused("enter the sandbox", ""))
    }

    /// A print of the sandbox and of how it is run.
    fn print(&self, container: &Container, user: User) -> Result<String> {
        Ok(format!("{} {:?} {:?}", container.print(user)?, self.platform, self.flags))
    }

    /// The status of a sandbox, if there is one.
    async fn status(&self, run: &Path, name: &str) -> Result<Option<String>> {
        if !names(&run.join(STATE)).iter().any(|there| there == name) {
            return Ok(None);
        }
        let arguments = self.arguments(run, &["state", name]);
        let done = program::run(&self.program, &arguments, LOOK).await?;
        let state: Value = serde_json::from_str(&done.stdout).unwrap_or_default();
        if state.get("pid").and_then(Value::as_u64).is_some_and(is_dead) {
            return Ok(Some("stopped".into()));
        }
        let status = state.get("status").and_then(Value::as_str);
        // One of which nothing can be said is there all the same, to be removed.
        Ok(Some(status.unwrap_or("unknown").to_owned()))
    }

    /// Runs a command whose sandbox may keep its streams: they go to the log.
    async fn detached(
        &self,
        container: &Container,
        place: &Place,
        words: &[OsString],
    ) -> Result<()> {
        let log = place.part("log");
        let mut arguments = self.arguments(&container.run, words);
        arguments.push(container.name().into());
        let work = async {
            make_dir(&container.run.join(STATE))?;
            // The sandbox writes to it as well, each at its own position.
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::CLOEXEC;
            let log = openat(CWD, &log, flags, Mode::RUSR | Mode::WUSR)?;
            let mut command = program::command(&self.program, &arguments);
            command.stdout(Stdio::from(log.try_clone()?)).stderr(Stdio::from(log));
            command.spawn()?.wait().await
        };
        let status = program::within(CHANGE, work).await?;
        if status.success() {
            return Ok(());
        }
        Err(refused("start the sandbox", &last_words(&log)))
    }

    /// The arguments of a call: where and how, then what.
    fn arguments(&self, run: &Path, words: &[impl Clone + Into<OsString>]) -> Vec<OsString> {
        let mut all = flags(self.platform, &self.flags, &run.join(STATE));
        all.extend(words.iter().cloned().map(Into::into));
        all
    }
}

/// The flags of every call.
pub(super) fn flags(platform: Platform, more: &[String], state: &Path) -> Vec<OsString> {
    let mut all: Vec<OsString> = vec![
        "--root".into(),
        state.into(),
        format!("--platform={}", platform.name()).into(),
        "--network=none".into(),
        // The guest makes one socket, in a directory that holds nothing else; it opens
        // none of this machine's.
        "--host-uds=create".into(),
    ];
    all.extend(more.iter().map(OsString::from));
    all
}

fn refused(what: &str, said_so: &str) -> Error {
    refuse::unavailable(
        format!("runsc refuses to {what}: {}", said(said_so)),
        "Read what it says; the sandbox's log may have more.",
    )
}

fn cannot_be_written() -> Error {
    refuse::unavailable(
        "the sandbox's directory on this machine cannot be written",
        "See whether the disk is full.",
    )
}

/// Whether a process has died and nobody has buried it, which `runsc` takes for life.
fn is_dead(pid: u64) -> bool {
    let read = || -> io::Result<String> {
        let path = format!("/proc/{pid}/stat");
        let file = File::from(openat(CWD, path, OFlags::CLOEXEC, Mode::empty())?);
        let mut text = String::new();
        file.take(MOST_LOG).read_to_string(&mut text)?;
        Ok(text)
    };
    // The state stands behind the name, which may hold anything but a last bracket.
    let state = |text: &str| text.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    read().is_ok_and(|text| matches!(state(&text), Some('Z' | 'X')))
}

/// The end of a log.
fn last_words(log: &Path) -> String {
    let read = || -> io::Result<String> {
        let mut file = File::from(openat(CWD, log, OFlags::CLOEXEC, Mode::empty())?);
        let length = file.metadata()?.len();
        io::Seek::seek(&mut file, io::SeekFrom::Start(length.saturating_sub(MOST_LOG)))?;
        let mut bytes = Vec::new();
        file.take(MOST_LOG).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().unwrap_or_default()
}

/// The names of the sandboxes that `runsc` keeps in a directory, sorted.
///
/// Its own list fails as a whole where one of them cannot be looked at.
fn names(state: &Path) -> Vec<String> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let read = || -> io::Result<Vec<String>> {
        let directory = openat(CWD, state, flags, Mode::empty())?;
        let mut names = Vec::new();
        for entry in Dir::read_from(&directory)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            // `runsc` calls the file of a sandbox NAME_sandbox:NAME.state.
            if let Some((name, _)) = name.strip_suffix(".state").and_then(|n| n.split_once('_')) {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    };
    read().unwrap_or_default()
}
