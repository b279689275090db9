//! The machine's disks: the system to live in, and the workspace in it.

use std::{ffi::CStr, fs::File, time::Duration};

use garth_contract::{Access, Error, Result};
use rustix::{
    fs::{Mode, mkdir, rmdir, stat},
    io::Errno,
    mount::{MountFlags, mount, mount_move},
    process::{chdir, chroot},
    system::finit_module,
};
use tokio::time::{self, Instant};

use crate::program::failed;

/// The first disk, in the order in which the machine has them: the system.
const SYSTEM: &str = "/dev/vda";

/// The second one: the workspace.
const FILES: &str = "/dev/vdb";

/// Where the system is until it is entered.
const AHEAD: &str = "/system";

/// Where the workspace is.
const WORKSPACE: &str = "/workspace";

/// How long the disks may take to show up.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often they are looked for.
const LOOK: Duration = Duration::from_millis(10);

/// Loads the kernel's modules. Which needs which differs from kernel to kernel, so one that
/// lacks another is tried again behind it.
pub(super) fn load_modules(modules: &[File]) -> Result<()> {
    let mut left: Vec<&File> = modules.iter().collect();
    while !left.is_empty() {
        let mut lacking = Vec::new();
        for module in &left {
            match finit_module(module, c"", 0) {
                Ok(()) | Err(Errno::EXIST) => {}
                // Something that it uses is not there.
                Err(Errno::NOENT) => lacking.push(*module),
                Err(_) => return Err(failed("a module of the kernel cannot be loaded")),
            }
        }
        if lacking.len() == left.len() {
            return Err(failed("a module of the kernel lacks another"));
        }
        left = lacking;
    }
    Ok(())
}

/// Makes the first disk the system and mounts the second one in it.
pub(super) async fn enter(access: Access) -> Result<()> {
    let until = Instant::now() + PATIENCE;
    while [SYSTEM, FILES].iter().any(|disk| stat(*disk).is_err()) {
        if Instant::now() > until {
            return Err(failed("the machine lacks a disk"));
        }
        time::sleep(LOOK).await;
    }
    let no_system = |_| failed("the first disk is no system");
    mkdir(AHEAD, Mode::from_raw_mode(0o755)).map_err(no_system)?;
    mount(SYSTEM, AHEAD, "ext4", MountFlags::RDONLY, None::<&CStr>).map_err(no_system)?;
    let place = format!("{AHEAD}{WORKSPACE}");
    let careful = MountFlags::NOSUID | MountFlags::NODEV;
    mount(FILES, place.as_str(), "ext4", careful, None::<&CStr>).map_err(no_workspace)?;
    // Made with the disk, and no file of the workspace; it may have something in it.
    let _ = rmdir(format!("{place}/lost+found"));
    if access == Access::ReadOnly {
        let flags = careful | MountFlags::RDONLY;
        rustix::mount::mount_remount(place.as_str(), flags, c"").map_err(no_workspace)?;
    }
    for part in ["/dev", "/proc", "/sys"] {
        mount_move(part, format!("{AHEAD}{part}")).map_err(no_system)?;
    }
    chdir(AHEAD).map_err(no_system)?;
    mount_move(".", "/").map_err(no_system)?;
    chroot(".").map_err(no_system)?;
    chdir("/").map_err(no_system)
}

fn no_workspace(_: Errno) -> Error {
    failed(
        "the second disk cannot be the workspace: the system has no such directory, or it is no ext4",
    )
}
