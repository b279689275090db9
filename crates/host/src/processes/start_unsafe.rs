//! Starting supervisors, and from a supervisor the process of its command.

#![allow(unsafe_code, reason = "the processes that are started here share our memory")]

use std::{
    ffi::c_int,
    mem::ManuallyDrop,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI32, Ordering},
    },
};

use rustix::{
    io::Errno,
    process::{Pid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid},
};

use super::{
    kernel::{self, Undisturbed},
    stack::{Stack, Stacks},
    supervise::{Bond, Errand, Plan, become_command, supervise},
};

/// A supervisor that runs, or has ended.
///
/// What it and its command use of our memory is freed when it has been collected and the
/// command uses none, and else never.
#[derive(Debug)]
pub(super) struct Supervisor {
    pid: Pid,
    memory: Option<ManuallyDrop<Memory>>,
    collected: bool,
}

#[derive(Debug)]
struct Memory {
    plan: Box<Plan>,
    _stack: Stack,
}

/// Whether a supervisor has ended and been collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Collected {
    Yes,
    No,
}

/// A supervisor does not signal its end to us, so that nobody else in this process who
/// waits for children of his own collects it by mistake; one has to ask for it so.
const ALL: WaitOptions = WaitOptions::from_bits_retain(libc::__WALL as u32);

/// Whose users a supervisor's namespace has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Users {
    /// Ours.
    Ours,
    /// Its own, and they are still to be told to the kernel.
    Own,
}

/// Whether a pid namespace of ours was refused once: no process gains rights later.
static NEEDS_OWN_USERS: AtomicBool = AtomicBool::new(false);

impl Supervisor {
    /// Starts one; it has copies of the plan's files when this returns.
    pub(super) fn start(plan: Box<Plan>, stacks: &Arc<Stacks>) -> Result<(Self, Users), Errno> {
        let stack = Stack::new(stacks)?;
        let namespaces = match plan.bond {
            Bond::Subreaper => 0,
            Bond::Namespace => libc::CLONE_NEWPID,
        };
        // Handlers of ours must not run in it, which has our memory and not our threads.
        let _undisturbed = Undisturbed::new();
        let nothing = AtomicI32::new(0);
        let memory = (&stack, &nothing);
        // SAFETY: plan and stack are kept until the supervisor has been collected; the
        // plan is boxed and does not move. What it runs stands in `supervise`.
        let start =
            |flags| unsafe { kernel::start(libc::CLONE_VM | flags, memory, supervise, &*plan) };
        let own = namespaces != 0 && NEEDS_OWN_USERS.load(Ordering::Relaxed);
        let started = if own { Err(Errno::PERM) } else { start(namespaces) };
        let (pid, users) = match started {
            // Who may not make a pid namespace may make one in a user namespace of his own.
            Err(Errno::PERM) if namespaces != 0 => {
                NEEDS_OWN_USERS.store(true, Ordering::Relaxed);
                (start(namespaces | libc::CLONE_NEWUSER)?, Users::Own)
            }
            started => (started?, Users::Ours),
        };
        let pid = Pid::from_raw(pid).ok_or(Errno::CHILD)?;
        let memory = Some(ManuallyDrop::new(Memory { plan, _stack: stack }));
        Ok((Self { pid, memory, collected: false }, users))
    }

    /// Its process number, which stays its own until it is collected.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Gives it its command, unless it has one, and lets that become its program.
    pub(super) fn send_on(&self, errand: Errand) {
        if let Some(memory) = &self.memory {
            // Who has one was sent on before.
            memory.plan.errand.set(errand).ok();
            memory.plan.gate.open();
        }
    }

    /// Is raised once the command's own process becomes its program, or cannot.
    pub(super) fn begun(&self) -> Arc<AtomicBool> {
        let plan = self.memory.as_ref().map(|memory| &memory.plan);
        plan.map_or_else(Arc::default, |plan| Arc::clone(&plan.begun))
    }

    /// Whether the command's own process becomes its program by now, or could not.
    pub(super) fn has_begun(&self) -> bool {
        let plan = self.memory.as_ref().map(|memory| &memory.plan);
        plan.is_none_or(|plan| plan.begun.load(Ordering::Acquire))
    }

    /// The session that the command was started in, as soon as there is one.
    pub(super) fn session(&self) -> Option<Pid> {
        Pid::from_raw(self.memory.as_ref()?.plan.session.load(Ordering::Acquire))
    }

    /// Collects it, if it has ended.
    pub(super) fn collect(&mut self) -> Collected {
        if self.collected {
            return Collected::Yes;
        }
        match waitpid(Some(self.pid), ALL | WaitOptions::NOHANG) {
            Ok(None) | Err(Errno::INTR) => Collected::No,
            // With an error somebody else has collected it.
            Ok(Some(_)) | Err(_) => {
                let memory = self.memory.take();
                // One that was killed before its command became a program may have left it in
                // the middle of that.
                if memory.as_ref().is_some_and(|memory| memory.plan.is_left()) {
                    drop(memory.map(ManuallyDrop::into_inner));
                }
                self.collected = true;
                Collected::Yes
            }
        }
    }

    /// Whether it has been stopped since this was last asked.
    pub(super) fn is_stopped(&self) -> bool {
        if self.collected {
            return false;
        }
        let all = WaitIdOptions::from_bits_retain(ALL.bits());
        let options = all | WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        matches!(waitid(WaitId::Pid(self.pid), options), Ok(Some(status)) if status.stopped())
    }
}

/// Starts the process of a supervisor's command, which waits at its gate.
pub(super) fn command(plan: &Plan) -> Result<c_int, Errno> {
    let told = match plan.bond {
        // The kernel says when it no longer uses our memory.
        Bond::Subreaper => libc::CLONE_CHILD_CLEARTID,
        Bond::Namespace => 0,
    };
    let flags = libc::CLONE_VM | libc::SIGCHLD | told;
    // SAFETY: the plan, its stack and its mark are kept as long as the process may use them
    // (`Plan::is_left`); the stack is its alone. What it runs stands in `supervise`.
    unsafe { kernel::start(flags, (&plan.stack, &plan.shares), become_command, plan) }
}
