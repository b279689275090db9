//! The first process of a virtual machine: makes a system of the machine's disks, starts
//! a guest in it as an ordinary user, reaps what loses its parent, and turns the machine
//! off when the guest has ended.
//!
//! Whoever starts the machine puts into its first files, below `/garth`, what it is to
//! be: the modules to load, who runs inside, and the guest's arguments. The first disk
//! is the system, which is only read; the second one is the workspace.

mod commands;
mod disks;
mod given;
mod system;

use std::time::Duration;

use garth_contract::Result;
use rustix::{
    process::{Pid, Signal, WaitOptions, kill_process, wait},
    system::{RebootCommand, reboot},
};
use tokio::{
    signal::unix::{SignalKind, signal},
    time,
};

use self::given::Given;
use super::{failed, say};

/// How long the guest may take to end its processes when the machine is to stop.
const GRACE: Duration = Duration::from_secs(5);

/// Is the machine's first process, and comes back only where it is not.
pub(super) async fn run() -> Result<()> {
    if !rustix::process::getpid().is_init() {
        return Err(failed("--init is for the first process of a virtual machine"));
    }
    if let Err(error) = live().await {
        say(&format!("garth-guest: {error}\n"));
    }
    rustix::fs::sync();
    system::close();
    // To restart is what both QEMU and Firecracker are told to take for an end.
    let _ = reboot(RebootCommand::Restart);
    // A first process that ends would be a panic of the kernel.
    std::future::pending().await
}

async fn live() -> Result<()> {
    system::first_files()?;
    let given = Given::read()?;
    disks::load_modules(&given.modules)?;
    disks::enter(given.access).await?;
    system::furnish(&given)?;
    // A word from outside to stop is a signal, and not an end without one.
    let _ = reboot(RebootCommand::CadOff);
    let guest = commands::start(&given).await?;
    keep(guest).await
}

/// Waits for the guest's end, and reaps whatever else ends.
async fn keep(guest: Pid) -> Result<()> {
    let hear = |kind| signal(kind).map_err(|_| failed("signals cannot be heard"));
    let (mut ended, mut stop) = (hear(SignalKind::child())?, hear(SignalKind::interrupt())?);
    loop {
        if reap(guest) {
            return Ok(());
        }
        tokio::select! {
            _ = ended.recv() => {}
            _ = stop.recv() => break,
        }
    }
    let _ = kill_process(guest, Signal::TERM);
    let last = async {
        while !reap(guest) {
            ended.recv().await;
        }
    };
    let _ = time::timeout(GRACE, last).await;
    Ok(())
}

/// Takes note of all that has ended; says whether the guest has.
fn reap(guest: Pid) -> bool {
    while let Ok(Some((pid, _))) = wait(WaitOptions::NOHANG) {
        if pid == guest {
            return true;
        }
    }
    false
}
