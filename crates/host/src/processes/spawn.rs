//! From a command to a process that runs.

use std::{
    ffi::{CStr, CString, c_int},
    io::Write,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU64, Ordering},
    },
    time::Instant,
};

use garth_contract::{Cause, Code, Command, Error, MOST_COMMAND_SHOWN, Program, Result};
use rustix::{
    io::Errno,
    net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socketpair},
    process::{Pid, getgid, getuid},
};
use tokio::sync::Notify;

use super::{
    Shared,
    engine::Order,
    entry::{Entry, Ground, Output, State, Terminal},
    excerpt::Excerpt,
    gate::Gate,
    input::{End, Input},
    kernel::{self, Strings},
    lock,
    parked::{self, Workdir},
    spool::Spool,
    stack::Stack,
    start::{Supervisor, Users},
    streams::{self, Ours, Streams, above_standard},
    supervise::{Bond, Errand, Files, Plan, order},
    track::Track,
};

/// Where programs are looked for when no variable says so.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Which bash runs scripts, unless there is none or the caller says where to look.
const BASH: &CStr = c"/bin/bash";

/// Starts a command where processes wait for one like it, and enters it into the table.
///
/// # Errors
/// As for [`spawn`].
pub(super) fn spawn_waiting(
    shared: &Shared,
    command: &Command,
    ground: Ground,
) -> Option<Result<Arc<Entry>>> {
    if !command.workdir.is_root() {
        return None;
    }
    // Who gets no place hears why when no processes wait for him.
    let reservation = Reservation::new(shared).ok()?;
    let waiting = parked::take(shared, command, None)?;
    let born = Born { command, ground, waiting, workdir: Workdir::Root };
    Some(send_on(shared, born, reservation))
}

/// Starts a command in a directory and enters it into the table.
///
/// # Errors
/// `QUOTA_EXCEEDED` for too many processes or files; `UNSUPPORTED` for a terminal where
/// there are none.
pub(super) fn spawn(
    shared: &Shared,
    command: &Command,
    ground: Ground,
    workdir: OwnedFd,
) -> Result<Arc<Entry>> {
    if command.terminal.is_some() && !shared.abilities.terminals {
        return Err(Error::new(Code::Unsupported, "there are no terminals here"));
    }
    let reservation = Reservation::new(shared)?;
    let workdir = above_standard(workdir).map_err(refused)?;
    let waiting = match parked::take(shared, command, Some(&workdir)) {
        Some(waiting) => waiting,
        None => prepare(shared, streams::open(command).map_err(refused)?, workdir.as_fd())?,
    };
    let born = Born { command, ground, waiting, workdir: Workdir::of(command, workdir) };
    send_on(shared, born, reservation)
}

/// The processes of a command that is not known yet, with our ends of their files.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) supervisor: Supervisor,
    pub(super) control: OwnedFd,
    ours: Ours,
    end: End,
    terminal: Terminal,
}

/// Makes the processes of a command in a directory, whose number is above 2.
pub(super) fn prepare(
    shared: &Shared,
    streams: Streams,
    workdir: BorrowedFd<'_>,
) -> Result<Waiting> {
    let Streams { theirs, ours, end, terminal } = streams;
    let flags = SocketFlags::CLOEXEC;
    let (control, their_control) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).map_err(refused)?;
    let their_control = above_standard(their_control).map_err(refused)?;
    let files = Files {
        control: their_control.as_raw_fd(),
        alive: shared.alive.as_ref().map_or(-1, AsRawFd::as_raw_fd),
        workdir: workdir.as_raw_fd(),
        stdin: theirs.stdin.as_ref().unwrap_or(&shared.null).as_raw_fd(),
        stdout: theirs.stdout.as_raw_fd(),
        stderr: theirs.stderr.as_raw_fd(),
    };
    let supervisor = start(shared, plan(shared, files, &terminal)?, &control)?;
    Ok(Waiting { supervisor, control, ours, end, terminal })
}

/// A place in the table, given back unless a process takes it.
struct Reservation<'a>(Option<&'a Shared>);

impl<'a> Reservation<'a> {
    fn new(shared: &'a Shared) -> Result<Self> {
        lock(&shared.table).reserve()?;
        Ok(Self(Some(shared)))
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.0 {
            lock(&shared.table).release();
        }
    }
}

/// A command and the processes that are to be it.
struct Born<'a> {
    command: &'a Command,
    ground: Ground,
    waiting: Waiting,
    workdir: Workdir,
}

/// Lets a command run.
fn send_on(shared: &Shared, born: Born<'_>, reservation: Reservation<'_>) -> Result<Arc<Entry>> {
    let errand = match errand(shared, born.command) {
        Ok(errand) => errand,
        Err(error) => {
            shared.order(Order::Collect(born.waiting.supervisor));
            return Err(error);
        }
    };
    shared.started.ring();
    born.waiting.supervisor.send_on(errand);
    Ok(enter(shared, born, reservation))
}

/// Starts the supervisor.
fn start(shared: &Shared, plan: Box<Plan>, control: &OwnedFd) -> Result<Supervisor> {
    let bond = plan.bond;
    // Who looks for strays must not meet a supervisor that is not on the list.
    let mut supervisors = lock(&shared.supervisors);
    let (supervisor, users) = Supervisor::start(plan, &shared.stacks).map_err(refused)?;
    supervisors.insert(supervisor.pid());
    drop(supervisors);
    if bond == Bond::Namespace && begin(supervisor.pid(), users, control).is_err() {
        // It ends by itself when the control is closed.
        shared.order(Order::Collect(supervisor));
        return Err(Error::new(Code::Internal, "the namespace of a process cannot be set up"));
    }
    Ok(supervisor)
}

/// Gives a namespace its users and lets the supervisor begin.
fn begin(pid: Pid, users: Users, control: &OwnedFd) -> std::io::Result<()> {
    if users == Users::Own {
        let place = |name: &str| format!("/proc/{}/{name}", pid.as_raw_nonzero());
        let (user, group) = (getuid().as_raw(), getgid().as_raw());
        // Without creating: gVisor lacks one of them, and asks for none.
        static LACKS_SETGROUPS: AtomicBool = AtomicBool::new(false);
        let open = |name: &str| std::fs::File::options().write(true).open(place(name));
        open("uid_map")?.write_all(format!("{user} {user} 1").as_bytes())?;
        if !LACKS_SETGROUPS.load(Ordering::Relaxed) {
            match open("setgroups") {
                Ok(mut file) => file.write_all(b"deny")?,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    LACKS_SETGROUPS.store(true, Ordering::Relaxed);
                }
                Err(error) => return Err(error),
            }
        }
        open("gid_map")?.write_all(format!("{group} {group} 1").as_bytes())?;
    }
    send(control, &[order::BEGIN], SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Enters a process into the table and hands it over to the thread that tends it.
fn enter(shared: &Shared, born: Born<'_>, mut reservation: Reservation<'_>) -> Arc<Entry> {
    let Born { command, ground, waiting, workdir } = born;
    let Waiting { supervisor, control, ours, end, terminal } = waiting;
    let spool = Spool::new(Arc::clone(&shared.store), shared.bounds.spool_each);
    let excerpts = match ground {
        Ground::Fore => Some([Excerpt::new(command.keep), Excerpt::new(command.keep)]),
        Ground::Back => None,
    };
    let state = State { terminal, cause: Cause::Itself, ended: None, lost: false };
    let started = Instant::now();
    let pid = supervisor.pid();
    let begun = supervisor.begun();
    let mut table = lock(&shared.table);
    let entry = table.enter(|id| Entry {
        id,
        command: shown(&command.program),
        ground,
        started,
        output: Mutex::new(Output { spool, excerpts }),
        printed: AtomicU64::new(0),
        input: Mutex::new(Input::new(&command.stdin, end)),
        state: Mutex::new(state),
        supervisor: Mutex::new(Some(pid)),
        begun,
        changed: Notify::new(),
    });
    reservation.0 = None;
    let deadline = started + command.timeout.duration();
    let track = Track::new(Arc::clone(&entry), supervisor, (control, ours), deadline);
    // While the table is locked, nobody can give an order about it that comes before this.
    shared.order(Order::Adopt(Box::new(track), workdir));
    entry
}

/// What the supervisor needs to know.
fn plan(shared: &Shared, files: Files, terminal: &Terminal) -> Result<Box<Plan>> {
    Ok(Box::new(Plan {
        errand: OnceLock::new(),
        gate: Gate::default(),
        bond: shared.bond,
        signals: shared.signals,
        kept: kept(&files),
        files,
        has_terminal: !matches!(terminal, Terminal::None),
        filter: shared.filter.clone(),
        stack: Stack::new(&shared.stacks).map_err(refused)?,
        shares: AtomicI32::new(1),
        supervisor: AtomicI64::new(0),
        begun: Arc::default(),
        session: AtomicI32::new(0),
    }))
}

/// What the command's own process is to become.
fn errand(shared: &Shared, command: &Command) -> Result<Errand> {
    let words = command.program.words();
    let name = words.first().copied().unwrap_or_default();
    let variables = variables(shared, command);
    let path = variables.iter().find_map(|(name, value)| (*name == "PATH").then_some(*value));
    let mut candidates = candidates(name, path.unwrap_or(USUAL_PATH))?;
    let own_path = command.variables.iter().all(|(name, _)| name != "PATH");
    if own_path && command.program.as_script().is_some() {
        candidates.insert(0, BASH.to_owned());
    }
    let complaint = [b"garth: ", name, b": "].concat();
    let words = words.into_iter().map(string).collect::<Result<_>>()?;
    let pair = |(name, value): &(&str, &str)| string(format!("{name}={value}").as_bytes());
    let variables = variables.iter().map(pair).collect::<Result<_>>()?;
    let (words, variables) = (Strings::new(words), Strings::new(variables));
    Ok(Errand { candidates, words, variables, complaint })
}

/// The place's own variables with those of the command, which win.
fn variables<'a>(shared: &'a Shared, command: &'a Command) -> Vec<(&'a str, &'a str)> {
    let own = shared.environment.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let own = own.filter(|(name, _)| !command.variables.iter().any(|(other, _)| other == *name));
    own.chain(command.variables.iter()).collect()
}

/// Where a program may be: as it is named, or in one of the directories of a path.
fn candidates(name: &[u8], path: &str) -> Result<Vec<CString>> {
    if name.contains(&b'/') {
        return Ok(vec![string(name)?]);
    }
    let place = |directory: &str| match directory {
        "" => string(name),
        _ => string(&[directory.as_bytes(), b"/", name].concat()),
    };
    path.split(':').map(place).collect()
}

fn string(bytes: &[u8]) -> Result<CString> {
    CString::new(bytes).map_err(|_| Error::new(Code::InvalidParams, "the command holds a NUL byte"))
}

/// The files that a supervisor keeps, in order, and after them the end of all others.
fn kept(files: &Files) -> Vec<c_int> {
    let Files { control, alive, workdir, stdin, stdout, stderr } = *files;
    let mut kept = vec![control, alive, workdir, stdin, stdout, stderr];
    kept.retain(|file| *file >= 0);
    kept.push(last_file());
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// A number that no open file is above.
fn last_file() -> c_int {
    static CLOSES_RANGES: OnceLock<bool> = OnceLock::new();
    // Asks for nothing to be closed.
    let closes_ranges = || kernel::close_between(c_int::MAX, c_int::MAX) == 0;
    if *CLOSES_RANGES.get_or_init(closes_ranges) {
        return c_int::MAX;
    }
    let names = std::fs::read_dir("/proc/self/fd").into_iter().flatten();
    let numbers = names.filter_map(|name| name.ok()?.file_name().to_str()?.parse::<c_int>().ok());
    // Other threads open files meanwhile, but not that many.
    numbers.max().unwrap_or(0).saturating_add(64)
}

/// A command as a list shows it.
fn shown(program: &Program) -> String {
    let text = match program.as_script() {
        Some(script) => script.to_owned(),
        None => String::from_utf8_lossy(&program.words().join(&b' ')).into_owned(),
    };
    match text.char_indices().nth(MOST_COMMAND_SHOWN) {
        Some(_) => text.chars().take(MOST_COMMAND_SHOWN - 1).chain(['…']).collect(),
        None => text,
    }
}

fn refused(errno: Errno) -> Error {
    match errno {
        Errno::AGAIN | Errno::NOMEM | Errno::MFILE | Errno::NFILE | Errno::NOSPC => {
            Error::new(Code::QuotaExceeded, "the system has no room for another process")
        }
        _ => Error::new(Code::Internal, "a process cannot be started"),
    }
}
