//! The guest itself, as a process of its own beside the first one.

use std::{
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

use garth_contract::{Error, Result};
use rustix::{
    fs::{CWD, Gid, Mode, OFlags, Uid, chown, openat},
    process::Pid,
};

use super::given::Given;
use crate::program::{failed, port};

/// Starts the guest as whoever runs inside.
#[allow(
    clippy::disallowed_methods,
    reason = "nothing of host runs yet: this starts the process that it runs in"
)]
pub(super) async fn start(given: &Given) -> Result<Pid> {
    hand_over_port(given).await?;
    let console = openat(CWD, "/dev/console", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty());
    let console = console.map_or_else(|_| Stdio::null(), Stdio::from);
    // It is this program, wherever its file is by now.
    let guest = Command::new("/proc/self/exe")
        .args(&given.arguments)
        .env_clear()
        .uid(given.user.0)
        .gid(given.user.1)
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(console)
        .spawn()
        .map_err(|_| no_guest())?;
    Pid::from_raw(i32::try_from(guest.id()).map_err(|_| no_guest())?).ok_or_else(no_guest)
}

/// Lets the guest open the serial port that it is to speak through, which is the
/// superuser's.
async fn hand_over_port(given: &Given) -> Result<()> {
    let mut words = given.arguments.iter().skip_while(|word| *word != "--port").skip(1);
    let Some(name) = words.next().and_then(|name| name.to_str()) else { return Ok(()) };
    let device = port::device(name).await?;
    let (user, group) = (Uid::from_raw(given.user.0), Gid::from_raw(given.user.1));
    chown(device, Some(user), Some(group)).map_err(|_| no_guest())
}

fn no_guest() -> Error {
    failed("the guest cannot be started")
}
