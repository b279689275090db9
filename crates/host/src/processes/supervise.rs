//! What a supervisor does: start one command, bury its dead, and leave nothing of it.
//!
//! It starts the command's own process at once, which then waits until it is sent on with
//! an [`Errand`]: so both can be made before there is a command for them.
//!
//! A supervisor is the process between us and a command. Whatever the command starts
//! and lets go of falls to it, daemons included, so everything that is left of a
//! tree can be found below it. It ends when the tree has ended, and it ends the tree
//! when the command's own process ends, when it is told to, and when we are gone.
//!
//! It shares our memory (see [`kernel`]): what runs here uses nothing but its own
//! stack, its [`Plan`], and calls of the kernel.

use std::{
    ffi::{CStr, CString, c_int, c_long},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicI32, AtomicI64, Ordering},
    },
};

use super::{
    filter::Filter,
    gate::Gate,
    kernel::{self, Signals, Strings, Waited},
    stack::Stack,
    start,
};

/// How the descendants of a supervisor are kept together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bond {
    /// What loses its parent falls to the supervisor.
    Subreaper,
    /// The supervisor is the first process of a pid namespace, which ends with it.
    Namespace,
}

/// What a command's own process is to become.
#[derive(Debug)]
pub(super) struct Errand {
    /// Where the program may be, in the order in which to try.
    pub(super) candidates: Vec<CString>,
    pub(super) words: Strings,
    pub(super) variables: Strings,
    /// How a complaint that the program cannot be run begins.
    pub(super) complaint: Vec<u8>,
}

/// Everything that a supervisor and its command's own process need to know.
#[derive(Debug)]
pub(super) struct Plan {
    /// What the command is; there before the gate is opened.
    pub(super) errand: OnceLock<Errand>,
    /// Where the command's own process waits until it is sent on.
    pub(super) gate: Gate,
    pub(super) bond: Bond,
    /// The signals that are to mean what they usually do.
    pub(super) signals: Signals,
    pub(super) files: Files,
    /// Those files again, in order, and the largest number at the end.
    pub(super) kept: Vec<c_int>,
    /// Whether its standard input is a terminal, which becomes that of its session.
    pub(super) has_terminal: bool,
    /// What the command may ask of the kernel, where that is not everything.
    pub(super) filter: Option<Filter>,
    /// The stack on which the command's own process starts.
    pub(super) stack: Stack,
    /// 0 once that process uses our memory no more, where the kernel is asked to say so.
    pub(super) shares: AtomicI32,
    /// The supervisor's own number, which it alone sets.
    pub(super) supervisor: AtomicI64,
    /// Raised once the command's own process becomes its program, or cannot.
    pub(super) begun: Arc<AtomicBool>,
    /// The number of that process, which sets it itself.
    pub(super) session: AtomicI32,
}

impl Plan {
    /// Whether nobody uses it, once the supervisor has been collected.
    pub(super) fn is_left(&self) -> bool {
        match self.bond {
            Bond::Subreaper => self.shares.load(Ordering::Acquire) == 0,
            // What is in a namespace dies before its first process can be collected.
            Bond::Namespace => true,
        }
    }
}

/// The files of a supervisor, by number; none is below 3.
#[derive(Clone, Copy, Debug)]
pub(super) struct Files {
    /// Orders come in and reports go out.
    pub(super) control: c_int,
    /// Has something to read once we are gone; -1 where the kernel has no such file.
    pub(super) alive: c_int,
    pub(super) workdir: c_int,
    pub(super) stdin: c_int,
    pub(super) stdout: c_int,
    pub(super) stderr: c_int,
}

/// Orders to a supervisor, each one byte.
pub(super) mod order {
    /// The user namespace is as it should be.
    pub(in super::super) const BEGIN: u8 = b'b';
    /// From now on the rest of the tree is not killed when the command ends.
    pub(in super::super) const SPARE: u8 = b's';
    /// Everything is killed.
    pub(in super::super) const KILL: u8 = b'k';
}

/// What a supervisor reports: one of these, and the status of the command's own
/// process, as `wait` encodes it.
pub(super) mod report {
    /// That process ended, and something of its tree is left.
    pub(in super::super) const ENDED: i32 = 1;
    /// Nothing is left.
    pub(in super::super) const OVER: i32 = 2;
    /// The bytes of a report.
    pub(in super::super) const SIZE: usize = 8;
}

/// How long a supervisor waits for a killed process to die before it looks for
/// others, in nanoseconds: what is being born meanwhile is caught then.
const AGAIN: c_long = 5_000_000;

/// The code of a command that cannot be run, as a shell has it.
const NOT_RUN: c_int = 126;
/// The code of a command that is missing.
const MISSING: c_int = 127;

/// Runs a supervisor; all signals are kept from it.
pub(super) extern "C" fn supervise(plan: &Plan) -> ! {
    kernel::reset_signals(plan.signals);
    // Whoever kills the group that we are in shall not kill it too.
    kernel::lead_group();
    // A name that is not ours: whoever kills us by name shall not kill it too.
    kernel::set_name(c"supervisor");
    // A command may have stopped it when we die, and then nobody else wakes it.
    kernel::control(libc::PR_SET_PDEATHSIG, libc::SIGCONT);
    close_others(&plan.kept);
    match plan.bond {
        Bond::Subreaper => {
            kernel::control(libc::PR_SET_CHILD_SUBREAPER, 1);
            plan.supervisor.store(kernel::own_pid(), Ordering::Relaxed);
        }
        Bond::Namespace => wait_for_begin(plan.files.control),
    }
    let children = kernel::child_signals();
    let Files { control, alive, workdir, stdin, stdout, stderr } = plan.files;
    let main = match start::command(plan) {
        Ok(pid) => pid,
        Err(errno) => {
            plan.shares.store(0, Ordering::Release);
            plan.begun.store(true, Ordering::Release);
            // Where there is no command yet there is nobody to tell.
            if let Some(errand) = plan.errand.get() {
                complain(errand, stderr, errno.raw_os_error());
                tell(control, report::OVER, NOT_RUN << 8);
            }
            kernel::exit(0);
        }
    };
    for file in [workdir, stdin, stdout, stderr] {
        kernel::close(file);
    }
    let (spares, kills, is_told, status) = (false, false, false, None);
    Watch { plan, main, children, control, alive, spares, kills, is_told, status }.run()
}

/// A supervisor once its command runs.
struct Watch<'a> {
    plan: &'a Plan,
    main: c_int,
    children: c_int,
    control: c_int,
    alive: c_int,
    spares: bool,
    kills: bool,
    /// Whether there is news of children that has not been read.
    is_told: bool,
    /// How the command's own process ended.
    status: Option<c_int>,
}

impl Watch<'_> {
    fn run(&mut self) -> ! {
        loop {
            self.wait(self.kills.then_some(AGAIN));
            self.collect();
            if self.kills {
                self.kill();
            }
        }
    }

    /// Buries what has died; ends when nothing is left.
    fn collect(&mut self) {
        let before = self.status;
        loop {
            match kernel::collect() {
                // Who dies from here on is told of anew. Most often nobody runs by now, and
                // this is not even read.
                Waited::Running if self.is_told => {
                    self.is_told = false;
                    kernel::read(self.children, &mut [0; 512]);
                }
                Waited::Running => break,
                Waited::Childless => {
                    self.tell(report::OVER);
                    kernel::exit(0);
                }
                Waited::Ended(pid, status) if pid == self.main => self.status = Some(status),
                Waited::Ended(..) => {}
            }
        }
        if before.is_none() && self.status.is_some() {
            // An order to spare the rest was given before the command was asked to end, and
            // may still wait to be read.
            self.wait(Some(0));
            self.kills |= !self.spares;
            self.tell(report::ENDED);
        }
    }

    fn tell(&self, what: i32) {
        if let Some(status) = self.status {
            tell(self.plan.files.control, what, status);
        }
    }

    fn kill(&self) {
        match self.plan.bond {
            // As the first process of a pid namespace it reaches all of it at once.
            Bond::Namespace if kernel::own_pid() == 1 => kernel::kill(-1, libc::SIGKILL),
            Bond::Namespace | Bond::Subreaper => kill_children(),
        }
    }

    /// Waits for a death, an order, or our own end, but at most so many nanoseconds.
    fn wait(&mut self, nanos: Option<c_long>) {
        let file = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut files = [file(self.children), file(self.control), file(self.alive)];
        kernel::poll(&mut files, nanos);
        let [children, control, alive] = files;
        self.is_told |= children.revents != 0;
        if control.revents != 0 {
            self.obey();
        }
        if alive.revents != 0 {
            (self.alive, self.kills) = (-1, true);
        }
    }

    fn obey(&mut self) {
        let mut order = [0; 1];
        if kernel::read(self.control, &mut order) != 1 {
            // There is nobody who could give another order.
            (self.control, self.kills) = (-1, true);
            return;
        }
        match order {
            [order::SPARE] => self.spares = true,
            [order::KILL] => self.kills = true,
            _ => {}
        }
    }
}

/// Waits until the user namespace has its users.
fn wait_for_begin(control: c_int) {
    let mut order = [0; 1];
    if kernel::read(control, &mut order) != 1 || order != [order::BEGIN] {
        kernel::exit(0);
    }
}

/// Closes every file but those in the list, which is in order.
fn close_others(kept: &[c_int]) {
    let mut first = 0;
    for &file in kept {
        if file > first {
            let last = file.wrapping_sub(1);
            if kernel::close_between(first, last) < 0 {
                // The list ends with the largest number there is, so this ends.
                (first..=last).for_each(kernel::close);
            }
        }
        first = file.wrapping_add(1);
    }
}

/// Kills every child, and the process group of each.
///
/// A group dies in one step in which nobody can fork, which a single process that
/// forks all the time could otherwise escape. A group is of the tree if its member
/// is: it lies in one session, and sessions are made below the supervisor.
fn kill_children() {
    let own = kernel::group_of(0);
    each_child(|pid| {
        let group = kernel::group_of(pid);
        if group > 1 && group != own {
            kernel::kill(c_int::try_from(-group).unwrap_or(pid), libc::SIGKILL);
        }
        kernel::kill(pid, libc::SIGKILL);
    });
}

/// Tells the number of each child, as far as the kernel shows them in one go.
fn each_child(mut tell: impl FnMut(c_int)) {
    let Ok(list) = c_int::try_from(kernel::open(CHILDREN)) else { return };
    if list < 0 {
        return;
    }
    let mut buffer = [0; 2048];
    let mut number = 0_i32;
    loop {
        let count = usize::try_from(kernel::read(list, &mut buffer)).unwrap_or(0);
        if count == 0 {
            break;
        }
        for &byte in buffer.iter().take(count) {
            if byte.is_ascii_digit() {
                let digit = i32::from(byte).wrapping_sub(i32::from(b'0'));
                number = number.wrapping_mul(10).wrapping_add(digit);
            } else {
                if number > 1 {
                    tell(number);
                }
                number = 0;
            }
        }
    }
    kernel::close(list);
}

/// Where the kernel lists the children of a process that has one thread.
pub(super) const CHILDREN: &CStr = c"/proc/thread-self/children";

/// Sends a report.
fn tell(control: c_int, what: i32, value: c_int) {
    let [a, b, c, d] = what.to_ne_bytes();
    let [e, f, g, h] = value.to_ne_bytes();
    kernel::write(control, &[a, b, c, d, e, f, g, h]);
}

/// What the command's own process does before it becomes the program: all that needs no
/// command first, and the rest when it has one.
pub(super) extern "C" fn become_command(plan: &Plan) -> ! {
    let Files { workdir, stdin, stdout, stderr, .. } = plan.files;
    let session = kernel::set_session();
    plan.session.store(c_int::try_from(session).unwrap_or(0), Ordering::Release);
    // A namespace ends with its supervisor.
    if plan.bond == Bond::Subreaper {
        kernel::control(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // A supervisor that was killed before the line above has nobody who ends this.
        if kernel::parent() != plan.supervisor.load(Ordering::Relaxed) {
            kernel::exit(NOT_RUN);
        }
    }
    kernel::put(stdin, 0);
    kernel::put(stdout, 1);
    kernel::put(stderr, 2);
    if plan.has_terminal {
        kernel::take_terminal(0);
    }
    let there = kernel::go_to(workdir);
    kernel::set_umask(0o022);
    let obeyed = plan.filter.as_ref().map_or(0, |filter| kernel::obey(filter.instructions()));
    plan.gate.pass();
    plan.begun.store(true, Ordering::Release);
    let Some(errand) = plan.errand.get() else { kernel::exit(NOT_RUN) };
    kernel::hear_signals();
    for refused in [there, obeyed] {
        if refused < 0 {
            complain(errand, 2, errno_of(refused));
            kernel::exit(NOT_RUN);
        }
    }
    let errno = execute(errand);
    complain(errand, 2, errno);
    kernel::exit(if errno == libc::ENOENT { MISSING } else { NOT_RUN })
}

/// Tries the places where the program may be; answers what speaks against it.
fn execute(errand: &Errand) -> c_int {
    let mut refused = libc::ENOENT;
    for path in &errand.candidates {
        match kernel::execute(path, &errand.words, &errand.variables) {
            libc::ENOENT | libc::ENOTDIR if errand.candidates.len() > 1 => {}
            libc::EACCES => refused = libc::EACCES,
            other => return other,
        }
    }
    refused
}

fn errno_of(answer: c_long) -> c_int {
    c_int::try_from(answer).unwrap_or(0).wrapping_neg()
}

/// Says on standard error why a program was not run.
fn complain(errand: &Errand, stderr: c_int, errno: c_int) {
    let why: &[u8] = match errno {
        libc::ENOENT => b"No such file or directory\n",
        libc::ENOTDIR => b"Not a directory\n",
        libc::EACCES | libc::EPERM => b"Permission denied\n",
        libc::ENOEXEC => b"Exec format error\n",
        libc::E2BIG => b"Argument list too long\n",
        libc::ELOOP => b"Too many levels of symbolic links\n",
        libc::ETXTBSY => b"Text file busy\n",
        libc::EAGAIN => b"Resource temporarily unavailable\n",
        libc::ENOMEM => b"Cannot allocate memory\n",
        _ => b"cannot be run\n",
    };
    kernel::write(stderr, &errand.complaint);
    kernel::write(stderr, why);
}
