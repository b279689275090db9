//! Starts a sandbox, and keeps it.
//!
//! Each sandbox has a thread that makes it, waits for its end and cleans up. The kernel
//! ties a process to the *thread* that made it, so that thread must live as long; a thread
//! of a pool would not.

use std::{
    os::fd::{AsFd, OwnedFd},
    sync::{
        Arc,
        mpsc::{SyncSender, sync_channel},
    },
    thread,
};

use rustix::{
    io::{Errno, read},
    pipe::{PipeFlags, pipe_with},
    process::{WaitId, WaitIdOptions, waitid},
};

use crate::{
    Ended, Program, Refusal, Running, Spec, Stdio,
    act::{Act, During},
    clone_unsafe::{Made, clone},
    inside::become_program,
    namespaces,
    plan::Plan,
    program::Work,
    report,
    running::Kept,
};

/// The thread calls the kernel and holds little.
const STACK: usize = 256 << 10;

/// Starts a program in a sandbox of its own, as its first process.
///
/// Blocks the thread for some milliseconds.
///
/// *Errors*: the layer that could not be had; nothing runs then.
/// *After*: the program runs, or has ended; its streams are closed on this side. It and
/// all that it starts end when it ends, when [`Running`] is dropped, and when this
/// process ends, however it does.
pub fn start(spec: &Spec, program: &Program, stdio: Stdio) -> Result<Running, Refusal> {
    let plan = Plan::prepare(spec, Work::Program(program), &stdio)?;
    drop(stdio);
    start_planned(plan)
}

/// Starts what was made ready.
pub(crate) fn start_planned(plan: Plan) -> Result<Running, Refusal> {
    let (tell, hear) = sync_channel(1);
    let keeper = thread::Builder::new().name("garth-sandbox".to_owned()).stack_size(STACK);
    let keeper = keeper.spawn(move || keep(plan, &tell));
    keeper.map_err(|error| {
        Refusal::at(Act::Thread, Errno::from_io_error(&error).unwrap_or(Errno::AGAIN))
    })?;
    hear.recv().unwrap_or(Err(Refusal::of(Act::Vanished, "its thread ended")))
}

fn keep(mut plan: Plan, tell: &SyncSender<Result<Running, Refusal>>) {
    let launched = launch(&plan);
    let cgroup = plan.cgroup.take();
    // Its streams are closed here before anybody hears of it.
    drop(plan);
    let (made, lacking) = match launched {
        Ok(launched) => launched,
        Err(refusal) => {
            drop(cgroup);
            let _ = tell.send(Err(refusal));
            return;
        }
    };
    let kept = Arc::new(Kept::new(made.handle));
    // The other side cannot have gone away: it waits.
    let _ = tell.send(Ok(Running::new(Arc::clone(&kept), made.pid, lacking)));
    let ended = wait(kept.handle());
    drop(cgroup);
    kept.end(ended);
}

/// Makes the process; comes back when the program runs, or cannot.
fn launch(plan: &Plan) -> Result<(Made, u16), Refusal> {
    let (ours, theirs) =
        pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).during(Act::Channel)?;
    let pointers = plan.program.pointers();
    let lease = plan.program.lease(&plan.ids);
    let task = || become_program(plan, &pointers, (lease.memory, &theirs));
    let flags = namespaces::flags(&plan.ids);
    let made = clone(flags, lease.memory, &task).during(Act::Clone)?;
    drop(lease);
    let mut said = [0; report::ROOM];
    let length = read(&ours, &mut said).unwrap_or(0);
    match report::outcome(said.get(..length).unwrap_or_default()) {
        Ok(lacking) => Ok((made, lacking)),
        Err(refusal) => {
            wait(&made.handle);
            Err(refusal)
        }
    }
}

/// Waits for the end of a process of ours.
fn wait(handle: &OwnedFd) -> Ended {
    let status = loop {
        match waitid(WaitId::PidFd(handle.as_fd()), WaitIdOptions::EXITED) {
            Err(Errno::INTR) => {}
            answer => break answer.ok().flatten(),
        }
    };
    let Some(status) = status else { return Ended::Unknown };
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, Some(signal)) => Ended::Killed(signal),
        (None, None) => Ended::Unknown,
    }
}
