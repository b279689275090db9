//! From a command to a process that runs.

use std::{
    ffi::{CString, c_int},
    io::Write,
    os::fd::{AsRawFd, OwnedFd},
    sync::{
        Arc, Mutex,
        atomic::{AtomicI32, AtomicI64, AtomicU64},
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
    entry::{Entry, Ground, Output, State},
    excerpt::Excerpt,
    input::Input,
    kernel::{self, Stack, Strings},
    lock,
    spool::Spool,
    start::{Supervisor, Users},
    streams::{self, Streams, above_standard},
    supervise::{Bond, Files, Plan, order},
    track::Track,
};

/// Where programs are looked for when no variable says so.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

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
    shared.started.ring();
    let workdir = above_standard(workdir).map_err(refused)?;
    let streams = streams::open(command).map_err(refused)?;
    let flags = SocketFlags::CLOEXEC;
    let (control, theirs) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).map_err(refused)?;
    let theirs = above_standard(theirs).map_err(refused)?;
    let number = |file: &Option<OwnedFd>| file.as_ref().unwrap_or(&shared.null).as_raw_fd();
    let files = Files {
        control: theirs.as_raw_fd(),
        alive: shared.alive.as_ref().map_or(-1, AsRawFd::as_raw_fd),
        workdir: workdir.as_raw_fd(),
        stdin: number(&streams.theirs.stdin),
        stdout: streams.theirs.stdout.as_raw_fd(),
        stderr: streams.theirs.stderr.as_raw_fd(),
    };
    let plan = plan(shared, command, files)?;
    let main = Arc::clone(&plan.main);
    let supervisor = start(shared, plan, &control)?;
    drop((theirs, workdir));
    let born = Born { command, ground, streams, control, supervisor, main, reservation };
    Ok(enter(shared, born))
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

/// What is known of a process that was started a moment ago.
struct Born<'a> {
    command: &'a Command,
    ground: Ground,
    streams: Streams,
    control: OwnedFd,
    supervisor: Supervisor,
    main: Arc<AtomicI32>,
    reservation: Reservation<'a>,
}

/// Starts the supervisor.
fn start(shared: &Shared, plan: Box<Plan>, control: &OwnedFd) -> Result<Supervisor> {
    let bond = plan.bond;
    // Who looks for strays must not meet a supervisor that is not on the list.
    let mut supervisors = lock(&shared.supervisors);
    let (supervisor, users) = Supervisor::start(plan).map_err(refused)?;
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
        let open = |name: &str| std::fs::File::options().write(true).open(place(name));
        open("uid_map")?.write_all(format!("{user} {user} 1").as_bytes())?;
        match open("setgroups") {
            Ok(mut file) => file.write_all(b"deny")?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        open("gid_map")?.write_all(format!("{group} {group} 1").as_bytes())?;
    }
    send(control, &[order::BEGIN], SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Enters a process into the table and hands it over to the thread that tends it.
fn enter(shared: &Shared, born: Born<'_>) -> Arc<Entry> {
    let Born { command, ground, streams, control, supervisor, main, mut reservation } = born;
    let spool = Spool::new(Arc::clone(&shared.store), shared.bounds.spool_each);
    let excerpts = match ground {
        Ground::Fore => Some([Excerpt::new(command.keep), Excerpt::new(command.keep)]),
        Ground::Back => None,
    };
    let state =
        State { terminal: streams.terminal, cause: Cause::Itself, ended: None, lost: false };
    let started = Instant::now();
    let pid = supervisor.pid();
    let mut table = lock(&shared.table);
    let entry = table.enter(|id| Entry {
        id,
        command: shown(&command.program),
        ground,
        started,
        output: Mutex::new(Output { spool, excerpts }),
        printed: AtomicU64::new(0),
        input: Mutex::new(Input::new(&command.stdin, streams.end)),
        state: Mutex::new(state),
        supervisor: Mutex::new(Some(pid)),
        main,
        changed: Notify::new(),
    });
    reservation.0 = None;
    let deadline = started + command.timeout.duration();
    let track = Track::new(Arc::clone(&entry), supervisor, (control, streams.ours), deadline);
    // While the table is locked, nobody can give an order about it that comes before this.
    shared.order(Order::Adopt(Box::new(track)));
    entry
}

/// What the supervisor needs to know.
fn plan(shared: &Shared, command: &Command, files: Files) -> Result<Box<Plan>> {
    let words = command.program.words();
    let name = words.first().copied().unwrap_or_default();
    let variables = variables(shared, command);
    let path = variables.iter().find_map(|(name, value)| (*name == "PATH").then_some(*value));
    let candidates = candidates(name, path.unwrap_or(USUAL_PATH))?;
    let complaint = [b"garth: ", name, b": "].concat();
    let words = words.into_iter().map(string).collect::<Result<_>>()?;
    let pair = |(name, value): &(&str, &str)| string(format!("{name}={value}").as_bytes());
    let variables = variables.iter().map(pair).collect::<Result<_>>()?;
    Ok(Box::new(Plan {
        candidates,
        words: Strings::new(words),
        variables: Strings::new(variables),
        complaint,
        bond: shared.bond,
        kept: kept(&files),
        files,
        has_terminal: command.terminal.is_some(),
        filter: shared.filter.clone(),
        stack: Stack::new().map_err(refused)?,
        supervisor: AtomicI64::new(0),
        main: Arc::new(AtomicI32::new(0)),
        session: AtomicI32::new(0),
    }))
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
    // Asks for nothing to be closed.
    if kernel::close_between(c_int::MAX, c_int::MAX) == 0 {
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
