//! A guest in a virtual machine of QEMU, at a serial port of it.
//!
//! A serial port has no connections: what one client left unread the next one would
//! read. So the machine ends with its pipe, and the next pipe is that of another one on
//! the same disk. Both the port and the line by which QEMU is told what to do are
//! sockets without a name, so nobody else gets near them.

mod words;

use std::{os::fd::OwnedFd, path::PathBuf, sync::Arc, time::Duration};

use garth_contract::{Code, Error, ProcessId, Result};
use garth_wire::Handles;
use rustix::{
    io::fcntl_dupfd_cloexec,
    net::{AddressFamily, Shutdown, SocketFlags, SocketType, shutdown, socketpair},
};
use serde_json::json;
use tokio::{net::UnixStream, sync::Mutex, time};

use self::words::Open;
use crate::{
    Connect, Left,
    container::{Past, Place},
    machine::{
        Launch, Machine, Monitor, Running, Transport, find_program, prepare_disk, unavailable,
        write_first_files,
    },
};

/// How long a machine may take to write down what it holds and to end.
const GRACE: Duration = Duration::from_secs(20);

/// The name of the workspace's disk in the machine's directory.
const DISK: &str = "files.ext4";

/// QEMU, as this machine has it.
#[derive(Clone, Debug)]
pub struct Emulator {
    /// A path, or a name that is looked up.
    pub program: PathBuf,
    /// By what a machine's processor is run.
    pub accelerator: Accelerator,
    /// More words that this machine needs.
    pub flags: Vec<String>,
}

impl Emulator {
    fn find(&self) -> Result<PathBuf> {
        find_program(&self.program).ok_or_else(not_installed)
    }
}

/// By what a machine's processor is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accelerator {
    /// The processor itself, through the kernel.
    Kvm,
    /// A program that does what a processor would, many times slower.
    Software,
}

/// A workspace's machine in QEMU; clones are the same.
///
/// Dropping the last of them ends it. Its files stay on its disk.
#[derive(Clone, Debug)]
pub struct Qemu(Arc<Inside>);

#[derive(Debug)]
struct Inside {
    emulator: Emulator,
    machine: Machine,
    place: Place,
    /// Held while it is started or ended.
    now: Mutex<Now>,
}

#[derive(Debug)]
struct Now {
    running: Option<Alive>,
    past: Past,
}

/// A machine that runs.
#[derive(Debug)]
struct Alive {
    process: Running,
    monitor: Monitor,
    /// The pipe to its guest once more, to close it where its user does not.
    pipe: OwnedFd,
}

impl Qemu {
    /// A machine of its own; nothing is started yet.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a description that makes no sense.
    pub fn new(emulator: Emulator, machine: Machine) -> Result<Self> {
        machine.check()?;
        let place = Place::named(&machine.run, &machine.name());
        let now = Mutex::new(Now { running: None, past: Past::Unknown });
        Ok(Self(Arc::new(Inside { emulator, machine, place, now })))
    }

    /// Looks whether a machine could be had, and makes none.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` with what is missing.
    pub fn ready(&self) -> Result<()> {
        self.0.machine.ready()?;
        self.0.emulator.find().map(drop)
    }

    /// Stops the machine's processor; calls wait, and fail after the usual silence.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where none runs.
    pub async fn pause(&self) -> Result<()> {
        self.0.tell("stop").await
    }

    /// Lets a machine go on that was stopped.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where none runs.
    pub async fn resume(&self) -> Result<()> {
        self.0.tell("cont").await
    }

    /// Ends the machine, which writes down what it holds; the next call starts it anew
    /// on the same disk.
    ///
    /// # Errors
    /// None at present.
    pub async fn stop(&self) -> Result<()> {
        let mut now = self.0.now.lock().await;
        if let Some(alive) = now.running.take() {
            alive.end().await;
        }
        Ok(())
    }

    /// The same, and removes the disk with everything on it.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where it cannot be removed.
    pub async fn remove(&self) -> Result<()> {
        self.stop().await?;
        self.0.place.remove().map_err(|_| {
            unavailable(
                "the virtual machine's directory cannot be removed",
                "Remove what is left of it by hand.",
            )
        })
    }

    /// What the machine is called, and its directory below `run`.
    #[must_use]
    pub fn name(&self) -> String {
        self.0.machine.name()
    }
}

impl Connect for Qemu {
    type Pipe = Handles;

    async fn connect(&self, first: ProcessId) -> Result<Handles> {
        let mut now = self.0.now.lock().await;
        if let Some(before) = now.running.take() {
            before.end().await;
        }
        self.0.prepare(first, now.past).await?;
        let (alive, pipe) = self.0.boot().await?;
        *now = Now { running: Some(alive), past: Past::Known };
        Ok(pipe)
    }

    async fn left(&self) -> Result<Left> {
        let now = self.0.now.lock().await;
        let runs = now.running.as_ref().is_some_and(|alive| alive.process.lives());
        Ok(match (runs, self.0.place.had_a_life()) {
            (true, _) => Left::Runs,
            (false, true) => Left::Lost,
            (false, false) => Left::Nothing,
        })
    }
}

impl Inside {
    /// Makes what a machine is started with.
    async fn prepare(&self, first: ProcessId, past: Past) -> Result<()> {
        self.machine.ready()?;
        let user = self.machine.inhabitant()?;
        self.place.make(&self.machine.workspace, user)?;
        prepare_disk(&self.place.part(DISK), (&self.machine, user)).await?;
        let first = self.place.next_life(first, past)?;
        let initrd = self.place.part(words::FIRST);
        write_first_files(&initrd, (&self.machine, user), (Transport::Serial, first.0))
    }

    /// Starts it and waits until its guest is there.
    async fn boot(&self) -> Result<(Alive, Handles)> {
        let (pipe, theirs) = pair()?;
        let (line, their_line) = pair()?;
        let again = fcntl_dupfd_cloexec(&pipe, 3).map_err(|_| no_socket())?;
        let open = Open::of(&self.machine, &self.place).map_err(|_| {
            unavailable("a file of the virtual machine cannot be opened", "See who may read it.")
        })?;
        let launch = Launch {
            program: self.emulator.find()?,
            arguments: words::words(&self.emulator, &self.machine, &open),
            streams: Some((theirs, their_line)),
            files: open.files(),
            user: words::user(self.emulator.accelerator),
            directory: "/".into(),
        };
        let process = launch.start().map_err(|_| not_installed())?;
        let line = std::os::unix::net::UnixStream::from(line);
        line.set_nonblocking(true).map_err(|_| no_socket())?;
        let line = UnixStream::from_std(line).map_err(|_| no_socket())?;
        let up = async {
            let mut monitor = Monitor::open(line).await?;
            monitor.until_opened(words::PORT_ID).await?;
            Ok::<_, std::io::Error>(monitor)
        };
        let Ok(monitor) = up.await else {
            process.kill();
            process.ended().await;
            return Err(it_ended(&process));
        };
        let pipe = Handles::both_ways(pipe).map_err(|_| no_socket())?;
        Ok((Alive { process, monitor, pipe: again }, pipe))
    }

    async fn tell(&self, what: &str) -> Result<()> {
        let mut now = self.now.lock().await;
        let Some(alive) = now.running.as_mut().filter(|alive| alive.process.lives()) else {
            return Err(Error::new(Code::ProviderUnavailable, "no virtual machine runs"));
        };
        let told = alive.monitor.execute(what, json!({})).await;
        told.map(drop)
            .map_err(|_| Error::new(Code::ProviderUnavailable, "QEMU does not do as it is told"))
    }
}

impl Alive {
    /// Lets it end by itself, which it does without its pipe, and then makes it.
    async fn end(mut self) {
        // One that was stopped could not.
        let _ = self.monitor.execute("cont", json!({})).await;
        let _ = shutdown(&self.pipe, Shutdown::Both);
        if time::timeout(GRACE, self.process.ended()).await.is_err() {
            self.process.kill();
            self.process.ended().await;
        }
    }
}

fn it_ended(process: &Running) -> Error {
    unavailable(
        format!("the virtual machine ended before its guest was there: {}", process.said()),
        "Its kernel, its system or its memory may not be what it needs.",
    )
}

fn pair() -> Result<(OwnedFd, OwnedFd)> {
    let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
    socketpair(family, kind, SocketFlags::CLOEXEC, None).map_err(|_| no_socket())
}

fn no_socket() -> Error {
    Error::new(Code::ProviderUnavailable, "no pipe into the virtual machine could be made")
}

fn not_installed() -> Error {
    unavailable(
        "QEMU cannot be started",
        "Install it (on Debian: `apt-get install qemu-system-x86`), or name its program as \
         qemu.program.",
    )
}
