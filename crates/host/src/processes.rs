//! [`Processes`]: the [`Shell`] of this machine.
//!
//! Each command runs below a supervisor of its own (see `processes/supervise.rs`), to
//! which everything falls that the command starts and lets go of. One thread tends
//! all of them (`processes/engine.rs`); what they print goes through it into one
//! file (`processes/store.rs`). The same code runs on the host and as the first
//! process of a sandbox.

mod engine;
mod entry;
mod excerpt;
mod family;
mod filter;
#[path = "processes/gate_unsafe.rs"]
mod gate;
mod input;
#[path = "processes/kernel_unsafe.rs"]
mod kernel;
mod parked;
mod quota;
mod spawn;
mod spool;
#[path = "processes/stack_unsafe.rs"]
mod stack;
#[path = "processes/start_unsafe.rs"]
mod start;
mod store;
mod streams;
mod supervise;
mod table;
mod terminal;
mod track;

use std::{
    collections::HashSet,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use garth_contract::{
    Aliases, Announce, Ask, Code, Command, Ended, Error, Input, Links, Policy, Printed, Process,
    ProcessId, Report, Result, Shell, ShellAbilities, Signal, Size,
};
use rustix::{
    event::{EventfdFlags, epoll, eventfd},
    fs::{CWD, Mode, OFlags, openat},
    io::{Errno, fcntl_dupfd_cloexec, write},
    process::{Pid, PidfdFlags, getpid, pidfd_open},
};

pub use self::filter::Filter;

use self::{
    engine::{Engine, ORDERS, Order},
    entry::{Entry, Ground},
    kernel::{EVERY_SIGNAL, Signals},
    parked::Parked,
    stack::Stacks,
    store::Store,
    supervise::{Bond, CHILDREN},
    table::Table,
};
use crate::{blocking, tree::Tree};

/// How the processes of a workspace are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The variables of every command; nothing is inherited.
    pub environment: Vec<(String, String)>,
    /// A directory for what is printed, for nobody else; made if there is none.
    pub spool: PathBuf,
    /// How much there may be of everything.
    pub bounds: Bounds,
    /// How what a command starts is kept together.
    pub trees: Trees,
    /// What becomes of processes that nobody owns.
    pub strays: Strays,
    /// The number of the first process.
    pub first: u64,
}

/// How much there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many processes run at once.
    pub processes: usize,
    /// How many that ended are kept with what they printed.
    pub kept: usize,
    /// How long they are.
    pub keep_for: Duration,
    /// How many bytes are kept of what one process printed; the oldest are dropped.
    pub spool_each: u64,
    /// How many of what all of them printed.
    pub spool_all: u64,
    /// How many bytes all files below the directory may have; what runs while they
    /// outgrow it is killed.
    pub files: Option<u64>,
}

impl Bounds {
    /// What is enough for one agent and no burden to a machine.
    #[must_use]
    pub const fn usual() -> Self {
        Self {
            processes: 256,
            kept: 1_024,
            keep_for: Duration::from_secs(3_600),
            spool_each: 64 << 20,
            spool_all: 1 << 30,
            files: None,
        }
    }
}

/// How what a command starts is kept together, however it detaches itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trees {
    /// What loses its parent falls to a supervisor.
    Subreaper,
    /// Each command has a pid namespace of its own. What signals mean to this process is
    /// not changed once there are [`Processes`] so, or commands inherit it.
    Namespace,
    /// The first where the kernel can do it, else the second.
    Detect,
}

/// What becomes of processes that lose their supervisor and fall to this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strays {
    /// They are killed and collected: this is the first process of a pid namespace, in
    /// which there is nothing but the trees of its commands.
    Kill,
    /// They do not fall to this process, or are its own.
    Leave,
}

/// The processes below one directory of this machine.
///
/// Cloning is cheap and gives the same processes. All of them are killed when the
/// last clone is dropped, and when this process dies, however it does.
#[derive(Clone, Debug)]
pub struct Processes {
    handle: Arc<Handle>,
}

#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    engine: Mutex<Option<JoinHandle<()>>>,
    // Ends with the processes.
    _quota: Option<quota::Watch>,
}

/// What callers share with the thread that tends the processes.
#[derive(Debug)]
struct Shared {
    tree: Tree,
    /// Its root, under a number above 2.
    root: OwnedFd,
    /// Stacks that were used and can be again.
    stacks: Arc<Stacks>,
    environment: Vec<(String, String)>,
    bounds: Bounds,
    bond: Bond,
    /// The signals that supervisors give their usual meaning.
    signals: Signals,
    strays: Strays,
    /// What commands may ask of the kernel, where that is not everything.
    filter: Option<Filter>,
    abilities: ShellAbilities,
    /// Has something to read once this process is gone, where the kernel knows that.
    alive: Option<OwnedFd>,
    null: OwnedFd,
    poll: OwnedFd,
    wake: OwnedFd,
    store: Arc<Store>,
    table: Mutex<Table>,
    /// Hears of every process that is started.
    started: quota::Bell,
    /// The processes that wait for a command, which the thread makes.
    parked: Mutex<Option<Parked>>,
    /// What the thread is to do; none when it has ended.
    orders: Mutex<Option<Vec<Order>>>,
    /// Our children that are supervisors.
    supervisors: Mutex<HashSet<Pid>>,
}

impl Processes {
    /// Prepares to run commands below a directory.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_FOUND` and `NOT_A_DIRECTORY` for the directory; `UNSUPPORTED`
    /// where the kernel cannot keep trees together in the way that is asked for;
    /// `DISK_FULL` and `PERMISSION_DENIED` for the directory of what is printed.
    pub fn open(root: &Path, settings: Settings) -> Result<Self> {
        Self::with(root, settings, None)
    }

    /// The same, and no command may ask the kernel for what the filter refuses.
    ///
    /// # Errors
    /// As for [`Processes::open`].
    pub fn filtered(root: &Path, settings: Settings, filter: Filter) -> Result<Self> {
        Self::with(root, settings, Some(filter))
    }

    fn with(root: &Path, settings: Settings, filter: Option<Filter>) -> Result<Self> {
        let shared = Arc::new(Shared::new(root, settings, filter)?);
        let engine = Engine::new(Arc::clone(&shared));
        let thread = thread::Builder::new().name("processes".to_owned());
        let thread = thread
            .spawn(move || engine.run())
            .map_err(|_| Error::new(Code::QuotaExceeded, "the system has no room for a thread"))?;
        let quota = match shared.bounds.files {
            Some(bytes) => Some(quota::Watch::start(Arc::clone(&shared), bytes)?),
            None => None,
        };
        let engine = Mutex::new(Some(thread));
        Ok(Self { handle: Arc::new(Handle { shared, engine, _quota: quota }) })
    }

    /// How trees are kept together: never [`Trees::Detect`].
    #[must_use]
    pub fn trees(&self) -> Trees {
        match self.shared().bond {
            Bond::Subreaper => Trees::Subreaper,
            Bond::Namespace => Trees::Namespace,
        }
    }

    /// Kills every process at once and removes what they printed.
    ///
    /// After it every call is `PROVIDER_UNAVAILABLE`.
    pub async fn stop(&self) {
        let handle = Arc::clone(&self.handle);
        blocking::run(move || {
            handle.stop();
            Ok(())
        })
        .await
        .ok();
    }

    fn shared(&self) -> &Shared {
        &self.handle.shared
    }

    fn entry(&self, id: ProcessId) -> Result<Arc<Entry>> {
        lock(&self.shared().table).get(id)
    }

    /// Starts a command: at once where the kernel has the working directory in memory,
    /// else on a thread that may block. Who gives a claim has it killed when that goes.
    async fn spawn(
        &self,
        command: Command,
        ground: Ground,
        claim: Option<&Claim>,
    ) -> Result<Arc<Entry>> {
        let held = claim.map(|claim| Arc::clone(&claim.held));
        let shared = Arc::clone(&self.handle.shared);
        if shared.started.is_outgrown() {
            let shared = Arc::clone(&shared);
            blocking::run(move || quota::check(&shared)).await?;
        }
        if let Some(spawned) = spawn::spawn_waiting(&shared, &command, ground) {
            return spawned.inspect(|entry| shared.hold_for(held.as_deref(), entry.id));
        }
        let cached = shared.tree.open_cached(&command.workdir, WORKDIR, Links::Follow);
        let spawn = move |workdir: Option<OwnedFd>| {
            let workdir = workdir.map_or_else(|| shared.tree.open_dir(&command.workdir), Ok)?;
            let entry = spawn::spawn(&shared, &command, ground, workdir)?;
            shared.hold_for(held.as_deref(), entry.id);
            Ok(entry)
        };
        match cached {
            Some(workdir) => spawn(Some(workdir)),
            None => blocking::run(move || spawn(None)).await,
        }
    }
}

/// How a working directory is opened.
const WORKDIR: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

impl Handle {
    /// Kills everything and waits until it is dead, but not for ever.
    fn stop(&self) {
        lock(&self.shared.table).close();
        self.shared.order(Order::Stop);
        // Who comes second waits for the first.
        let mut engine = lock(&self.engine);
        if let Some(thread) = engine.take() {
            thread.join().ok();
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn new(root: &Path, settings: Settings, filter: Option<Filter>) -> Result<Self> {
        let Settings { environment, spool, bounds, trees, strays, first } = settings;
        let failed = |_: Errno| Error::new(Code::QuotaExceeded, "the system has no room for files");
        let tree = Tree::open(root, Policy::open(), Aliases::none())?;
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(failed)?;
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let wake = eventfd(0, flags).map_err(failed)?;
        let data = epoll::EventData::new_u64(ORDERS);
        epoll::add(&poll, &wake, data, epoll::EventFlags::IN).map_err(failed)?;
        let null = openat(CWD, c"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|_| Error::new(Code::Unsupported, "there is no /dev/null"))?;
        let alive = pidfd_open(getpid(), PidfdFlags::empty()).ok();
        let root = fcntl_dupfd_cloexec(tree.root(), 3).map_err(failed)?;
        let bond = bond(trees)?;
        Ok(Self {
            tree,
            root,
            stacks: Arc::default(),
            environment,
            bounds,
            bond,
            signals: match bond {
                Bond::Subreaper => EVERY_SIGNAL,
                // Where the kernel is itself a program, to ask it for each takes longer than to
                // start a process.
                Bond::Namespace => kernel::unusual_signals(),
            },
            strays,
            filter,
            abilities: ShellAbilities { terminals: terminal::there_are() },
            alive: alive.map(streams::above_standard).transpose().map_err(failed)?,
            null: streams::above_standard(null).map_err(failed)?,
            poll,
            wake,
            store: Store::open(&spool, bounds.spool_all)?,
            table: Mutex::new(Table::new(bounds, first)),
            started: quota::Bell::default(),
            parked: Mutex::default(),
            orders: Mutex::new(Some(Vec::new())),
            supervisors: Mutex::default(),
        })
    }

    /// Notes what a caller started, if that wants to know; kills it if the caller is gone.
    fn hold_for(&self, held: Option<&Mutex<Held>>, id: ProcessId) {
        let Some(held) = held else { return };
        let mut held = lock(held);
        match *held {
            Held::Nothing | Held::Process(_) => *held = Held::Process(id),
            Held::LetGo => self.order(Order::Kill(id)),
        }
    }

    /// Gives the thread something to do.
    fn order(&self, order: Order) {
        match &mut *lock(&self.orders) {
            Some(orders) => orders.push(order),
            None => return,
        }
        // It fails only when it was woken so often that it wakes anyway.
        write(&self.wake, &1_u64.to_ne_bytes()).ok();
    }
}

/// How trees are kept together here.
fn bond(trees: Trees) -> Result<Bond> {
    let listed = openat(CWD, CHILDREN, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).is_ok();
    let subreaper = listed && kernel::has_subreaper();
    match trees {
        Trees::Subreaper if !subreaper => {
            Err(Error::new(Code::Unsupported, "the kernel has no subreapers"))
        }
        Trees::Subreaper => Ok(Bond::Subreaper),
        Trees::Detect if subreaper => Ok(Bond::Subreaper),
        Trees::Detect | Trees::Namespace => Ok(Bond::Namespace),
    }
}

/// Kills what a caller started, unless the caller lives to see its end.
struct Claim {
    shared: Arc<Shared>,
    held: Arc<Mutex<Held>>,
}

#[derive(Clone, Copy, Debug)]
enum Held {
    Nothing,
    Process(ProcessId),
    /// The caller is gone.
    LetGo,
}

impl Claim {
    fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared), held: Arc::new(Mutex::new(Held::Nothing)) }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let held = std::mem::replace(&mut *lock(&self.held), Held::LetGo);
        if let Held::Process(id) = held {
            self.shared.order(Order::Kill(id));
        }
    }
}

impl Shell for Processes {
    fn abilities(&self) -> ShellAbilities {
        self.shared().abilities
    }

    async fn run(&self, command: Command, announce: Announce) -> Result<Report> {
        let claim = Claim::new(&self.handle.shared);
        let entry = self.spawn(command, Ground::Fore, Some(&claim)).await?;
        announce.tell(entry.id);
        let ended = entry.end().await?;
        // Nothing is left to kill.
        *lock(&claim.held) = Held::LetGo;
        Ok(entry.report(ended))
    }

    async fn start(&self, command: Command) -> Result<ProcessId> {
        Ok(self.spawn(command, Ground::Back, None).await?.id)
    }

    async fn output(&self, id: ProcessId, ask: Ask) -> Result<Printed> {
        self.entry(id)?.read(ask).await
    }

    async fn input(&self, id: ProcessId, input: Input) -> Result<()> {
        self.entry(id)?.feed(input)?;
        self.shared().order(Order::Feed(id));
        Ok(())
    }

    async fn signal(&self, id: ProcessId, signal: Signal) -> Result<()> {
        let entry = self.entry(id)?;
        entry.wait_for_start().await;
        blocking::run(move || entry.signal(signal)).await
    }

    async fn resize(&self, id: ProcessId, size: Size) -> Result<()> {
        self.entry(id)?.resize(size)
    }

    async fn list(&self) -> Result<Vec<Process>> {
        let now = Instant::now();
        let all = lock(&self.shared().table).all()?;
        Ok(all.iter().map(|entry| entry.listed(now)).collect())
    }

    async fn end(&self, id: ProcessId) -> Result<Ended> {
        let entry = self.entry(id)?;
        self.shared().order(Order::End(id));
        entry.end().await
    }
}

/// Locks, whatever became of who had it locked before.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
