//! A guest in a virtual machine of QEMU, at a serial port of it.
//!
//! A serial port has no connections: what one client left unread the next one would
//! read. So the machine ends with its pipe, and the next pipe is that of another one on
//! the same disk. Both the port and the line by which QEMU is told what to do are
//! sockets without a name, so nobody else gets near them.

mod words;

use std::{os::fd::OwnedFd, path::PathBuf, time::Duration};

use garth_contract::{Code, Error, ProcessId, Result};
use garth_wire::Handles;
use rustix::{
    io::fcntl_dupfd_cloexec,
    net::{AddressFamily, Shutdown, SocketFlags, SocketType, shutdown, socketpair},
};
use serde_json::json;
use tokio::{net::UnixStream, time};

use self::words::Open;
use crate::{
    Connect, Left,
    container::Past,
    machine::{
        Alive, DISK, FIRST, Inside, Launch, Line, Machine, Now, Runner, Running, Transport,
        Virtual, find_program, none_runs, prepare_disk, unavailable, write_first_files,
    },
};

/// How long a machine may take to write down what it holds and to end.
const GRACE: Duration = Duration::from_secs(20);

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
pub type Qemu = Virtual<Emulator>;

/// A machine that runs.
#[derive(Debug)]
pub struct InQemu {
    process: Running,
    line: Line,
    /// The pipe to its guest once more, to close it where its user does not.
    pipe: OwnedFd,
}

impl Runner for Emulator {
    type Alive = InQemu;

    fn ready(&self, machine: &Machine) -> Result<()> {
        machine.ready()?;
        self.find().map(drop)
    }
}

impl Qemu {
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
        Ok(self.look().await)
    }
}

impl Inside<Emulator> {
    /// Makes what a machine is started with.
    async fn prepare(&self, first: ProcessId, past: Past) -> Result<()> {
        self.machine.ready()?;
        let user = self.machine.inhabitant()?;
        self.place.make(&self.machine.workspace, user)?;
        prepare_disk(&self.place.part(DISK), (&self.machine, user)).await?;
        let first = self.place.next_life(first, past)?;
        let initrd = self.place.part(FIRST);
        write_first_files(&initrd, (&self.machine, user), (Transport::Serial, first.0))
    }

    /// Starts it and waits until its guest is there.
    async fn boot(&self) -> Result<(InQemu, Handles)> {
        let (pipe, theirs) = pair()?;
        let (line, their_line) = pair()?;
        let again = fcntl_dupfd_cloexec(&pipe, 3).map_err(|_| no_socket())?;
        let open = Open::of(&self.machine, &self.place).map_err(|_| {
            unavailable("a file of the virtual machine cannot be opened", "See who may read it.")
        })?;
        let launch = Launch {
            program: self.runner.find()?,
            arguments: words::words(&self.runner, &self.machine, &open),
            streams: Some((theirs, their_line)),
            files: open.files(),
            user: words::user(self.runner.accelerator),
            directory: "/".into(),
        };
        let process = launch.start().map_err(|_| not_installed())?;
        let line = std::os::unix::net::UnixStream::from(line);
        line.set_nonblocking(true).map_err(|_| no_socket())?;
        let line = UnixStream::from_std(line).map_err(|_| no_socket())?;
        let up = async {
            let mut line = Line::open(line).await?;
            line.until_opened(words::PORT_ID).await?;
            Ok::<_, std::io::Error>(line)
        };
        let Ok(line) = up.await else {
            process.kill();
            process.ended().await;
            return Err(it_ended(&process));
        };
        let pipe = Handles::both_ways(pipe).map_err(|_| no_socket())?;
        Ok((InQemu { process, line, pipe: again }, pipe))
    }

    async fn tell(&self, what: &str) -> Result<()> {
        let mut now = self.now.lock().await;
        let Some(alive) = now.running.as_mut().filter(|alive| alive.process.lives()) else {
            return Err(none_runs());
        };
        let told = alive.line.execute(what, json!({})).await;
        told.map(drop)
            .map_err(|_| Error::new(Code::ProviderUnavailable, "QEMU does not do as it is told"))
    }
}

impl Alive for InQemu {
    fn lives(&self) -> bool {
        self.process.lives()
    }

    async fn end(mut self) {
        // One that was stopped could not.
        let _ = self.line.execute("cont", json!({})).await;
        // It ends by itself without its pipe.
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
