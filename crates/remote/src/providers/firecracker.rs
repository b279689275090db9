//! A guest in a microVM of Firecracker, through the socket of its interface and then by
//! the machine's own.
//!
//! Unlike at a serial port there are connections here, so a pipe that broke is made anew
//! to the machine that runs. It ends with this program, or when it is stopped; it can
//! also be put to sleep on the disk, memory and all, and the next call wakes it.

mod jail;
mod requests;

use std::{io, path::PathBuf, time::Duration};

use garth_contract::{Error, ProcessId, Result};
use garth_wire::Handles;
use rustix::{
    fs::{CWD, renameat},
    io::Errno,
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time,
};

use self::jail::Layout;
use crate::{
    Connect, Left,
    container::Past,
    machine::{
        Alive, Api, DISK, FIRST, Inside, Launch, Machine, Now, Runner, Running, Transport,
        VSOCK_PORT, Virtual, connect_in, find_program, prepare_disk, unavailable,
        write_first_files,
    },
};

/// How long a machine may take to write down what it holds and to end.
const GRACE: Duration = Duration::from_secs(10);

/// How often what is not there yet is looked for.
const LOOK: Duration = Duration::from_millis(10);

/// The longest answer to a wish to be connected.
const MOST_ANSWER: usize = 32;

/// What a sleeping machine is: its state, and its memory.
const ASLEEP: [&str; 2] = ["asleep-state", "asleep-memory"];

/// Firecracker, as this machine has it.
#[derive(Clone, Debug)]
pub struct Monitors {
    /// A path, or a name that is looked up.
    pub program: PathBuf,
    /// The program that puts it into a place of its own; it needs the superuser. None
    /// runs Firecracker as it is, which fences itself.
    pub jailer: Option<PathBuf>,
    /// A network interface of this machine that the virtual one is connected to; none is
    /// no network.
    pub interface: Option<String>,
    /// Memory that is taken from the machine unless it needs it.
    pub balloon: Option<Balloon>,
    /// How fast its disk may be.
    pub disk_rate: RateLimit,
    /// How fast its network may be, each way.
    pub network_rate: RateLimit,
}

/// Memory that is taken from a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balloon {
    /// How many MiB of it.
    pub mebibytes: u32,
}

/// How much may pass in a second; what is left out has no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimit {
    /// Bytes.
    pub bytes: Option<u64>,
    /// Operations.
    pub operations: Option<u64>,
}

/// A workspace's microVM; clones are the same.
pub type Firecracker = Virtual<Monitors>;

/// A machine that runs.
#[derive(Debug)]
pub struct InFirecracker {
    process: Running,
    api: Api,
    layout: Layout,
}

impl Runner for Monitors {
    type Alive = InFirecracker;

    fn ready(&self, machine: &Machine) -> Result<()> {
        self.find()?;
        machine.ready()
    }
}

impl Firecracker {
    /// Stops the machine's processors; calls wait, and fail after the usual silence.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where none runs.
    pub async fn pause(&self) -> Result<()> {
        let now = self.0.now.lock().await;
        now.alive()?.api.patch("/vm", &json!({"state": "Paused"})).await
    }

    /// Lets a machine go on that was stopped.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where none runs.
    pub async fn resume(&self) -> Result<()> {
        let now = self.0.now.lock().await;
        now.alive()?.api.patch("/vm", &json!({"state": "Resumed"})).await
    }

    /// Writes the machine with its memory to the disk and ends it; the next call wakes
    /// it, with everything that runs in it.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where none runs, or it cannot be written.
    pub async fn sleep(&self) -> Result<()> {
        let mut now = self.0.now.lock().await;
        let alive = now.alive()?;
        alive.api.patch("/vm", &json!({"state": "Paused"})).await?;
        let [state, memory] = ASLEEP.map(|name| alive.layout.inside(&format!("{name}.part")));
        alive.api.put("/snapshot/create", &requests::sleep(&state, &memory)).await?;
        let Some(alive) = now.running.take() else { return Ok(()) };
        alive.process.kill();
        alive.process.ended().await;
        for name in ASLEEP {
            let from = alive.layout.outside(&format!("{name}.part"));
            renameat(CWD, from, CWD, self.0.place.part(name)).map_err(|_| {
                unavailable("the sleeping machine cannot be kept", "See whether the disk is full.")
            })?;
        }
        Ok(())
    }
}

impl Connect for Firecracker {
    type Pipe = Handles;

    async fn connect(&self, first: ProcessId) -> Result<Handles> {
        let mut now = self.0.now.lock().await;
        if let Some(alive) = &now.running
            && alive.process.lives()
            && let Ok(pipe) = alive.pipe().await
        {
            return Ok(pipe);
        }
        if let Some(before) = now.running.take() {
            before.end().await;
        }
        let alive = self.0.boot(first, now.past).await?;
        let pipe = alive.reach().await?;
        *now = Now { running: Some(alive), past: Past::Known };
        Ok(pipe)
    }

    async fn left(&self) -> Result<Left> {
        Ok(self.look().await)
    }
}

impl Inside<Monitors> {
    /// Starts the machine, or wakes the one that sleeps.
    async fn boot(&self, first: ProcessId, past: Past) -> Result<InFirecracker> {
        self.machine.ready()?;
        let user = self.machine.inhabitant()?;
        self.place.make(&self.machine.workspace, user)?;
        prepare_disk(&self.place.part(DISK), (&self.machine, user)).await?;
        let asleep = self.sleeps();
        if !asleep {
            let first = self.place.next_life(first, past)?;
            let files = self.place.part(FIRST);
            write_first_files(&files, (&self.machine, user), (Transport::Vsock, first.0))?;
        }
        let layout = Layout::prepare(&self.runner, &self.machine, &self.place)?;
        let process = self.launch(&layout)?;
        let api = Api::new(layout.directory().to_owned(), jail::API);
        let alive = InFirecracker { process, api, layout };
        alive.until_it_answers().await?;
        if asleep {
            let [state, memory] = ASLEEP.map(|name| alive.layout.inside(name));
            let woken = alive.api.put("/snapshot/load", &requests::wake(&state, &memory)).await;
            // Whether or not it could be woken, it never can be once more.
            self.forget_sleep();
            woken?;
        } else {
            requests::set_up(&alive.api, (&self.runner, &self.machine), &alive.layout).await?;
            alive.api.put("/actions", &json!({"action_type": "InstanceStart"})).await?;
        }
        Ok(alive)
    }

    fn launch(&self, layout: &Layout) -> Result<Running> {
        let (program, arguments) = layout.command(&self.runner, &self.machine.name())?;
        let launch = Launch {
            program,
            arguments,
            streams: None,
            files: Vec::new(),
            user: None,
            directory: layout.stand().to_owned(),
        };
        launch.start().map_err(|_| not_installed())
    }
}

impl InFirecracker {
    async fn until_it_answers(&self) -> Result<()> {
        while let Err(error) = self.api.get("/version").await {
            if !self.process.lives() {
                return Err(self.it_ended());
            }
            if connect_in(self.layout.directory(), jail::API).await.is_ok() {
                return Err(error);
            }
            time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// Tries until the guest listens or the machine is gone.
    async fn reach(&self) -> Result<Handles> {
        loop {
            if let Ok(pipe) = self.pipe().await {
                return Ok(pipe);
            }
            if !self.process.lives() {
                return Err(self.it_ended());
            }
            time::sleep(LOOK).await;
        }
    }

    /// A connection to the guest's port.
    async fn pipe(&self) -> io::Result<Handles> {
        let mut stream = connect_in(self.layout.directory(), jail::VSOCK).await?;
        stream.write_all(format!("CONNECT {VSOCK_PORT}\n").as_bytes()).await?;
        let mut answer = Vec::new();
        // One byte at a time: what follows the line is the guest's.
        while answer.last() != Some(&b'\n') {
            if answer.len() > MOST_ANSWER {
                return Err(io::ErrorKind::InvalidData.into());
            }
            answer.push(stream.read_u8().await?);
        }
        if !answer.starts_with(b"OK ") {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        Handles::both_ways(stream.into_std()?.into())
    }

    fn it_ended(&self) -> Error {
        unavailable(
            format!(
                "the virtual machine ended before its guest was there: {}",
                self.process.said()
            ),
            "Firecracker needs KVM, and a kernel that is not packed; `garth doctor` says more.",
        )
    }
}

impl Alive for InFirecracker {
    const ASLEEP: &'static [&'static str] = &ASLEEP;

    fn lives(&self) -> bool {
        self.process.lives()
    }

    async fn end(self) {
        if self.process.lives() {
            let end = json!({"action_type": "SendCtrlAltDel"});
            let asked = async {
                self.api.patch("/vm", &json!({"state": "Resumed"})).await.ok();
                self.api.put("/actions", &end).await.ok();
                self.process.ended().await;
            };
            let _ = time::timeout(GRACE, asked).await;
        }
        self.process.kill();
        self.process.ended().await;
    }
}

impl Monitors {
    /// Firecracker without a jailer, without a network and without bounds.
    #[must_use]
    pub fn plain(program: PathBuf) -> Self {
        Self {
            program,
            jailer: None,
            interface: None,
            balloon: None,
            disk_rate: RateLimit::default(),
            network_rate: RateLimit::default(),
        }
    }

    fn find(&self) -> Result<PathBuf> {
        find_program(&self.program).ok_or_else(not_installed)
    }
}

fn not_installed() -> Error {
    unavailable(
        "Firecracker is not installed",
        "Install it from its releases, and name it as firecracker.program.",
    )
}

/// What an operation on the machine's own directory came to.
fn kept(done: rustix::io::Result<()>) -> Result<()> {
    match done {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(_) => Err(unavailable(
            "the virtual machine's directory cannot be written",
            "See whether the disk is full.",
        )),
    }
}
