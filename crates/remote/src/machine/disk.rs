//! The disk that a workspace's files lie on: a file of this machine with an ext4 in it.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use garth_contract::Result;
use rustix::{
    fs::{CWD, Mode, OFlags, fsync, ftruncate, openat, renameat, stat},
    io::Errno,
};
use tokio::{io::AsyncReadExt, process::Command, time};

use super::{Machine, wanted::unavailable};
use crate::container::{User, said};

/// The program that makes file systems, looked up where programs are.
const PROGRAM: &str = "mkfs.ext4";

/// Where it is on most machines, also for those who have not all programs on their path.
const USUALLY: &str = "/usr/sbin/mkfs.ext4";

/// How long it may take: a large directory is copied.
const PATIENCE: Duration = Duration::from_secs(600);

/// The most bytes that are read of what it complains about.
const MOST_SAID: u64 = 4 << 10;

/// Sees to it that there is a disk at a path; one that is there is left as it is.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` where it cannot be made.
///
/// Cancel: the disk is there whole, or not.
pub(crate) async fn prepare(at: &Path, (machine, user): (&Machine, User)) -> Result<()> {
    match stat(at) {
        Ok(_) => return Ok(()),
        Err(Errno::NOENT) => {}
        Err(_) => return Err(no_room()),
    }
    let mut part = at.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
    let file = openat(CWD, &part, flags, Mode::RUSR | Mode::WUSR).map_err(|_| no_room())?;
    ftruncate(&file, machine.disk).map_err(|_| no_room())?;
    make(&part, machine.seed.as_deref(), user).await?;
    fsync(&file).map_err(|_| no_room())?;
    renameat(CWD, &part, CWD, at).map_err(|_| no_room())
}

async fn make(at: &Path, seed: Option<&Path>, User { uid, gid }: User) -> Result<()> {
    let mut words: Vec<OsString> = ["-q", "-F", "-m", "0", "-E"].map(OsString::from).to_vec();
    words.push(format!("lazy_itable_init=1,root_owner={uid}:{gid}").into());
    if let Some(seed) = seed {
        words.extend(["-d".into(), seed.into()]);
    }
    words.push(at.into());
    let usually = stat(USUALLY).is_ok();
    let mut command = Command::new(if usually { USUALLY } else { PROGRAM });
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let work = async {
        let mut child = command.kill_on_drop(true).spawn()?;
        let mut words = Vec::new();
        if let Some(stderr) = child.stderr.take() {
            stderr.take(MOST_SAID).read_to_end(&mut words).await?;
        }
        Ok::<_, std::io::Error>((child.wait().await?.success(), words))
    };
    match time::timeout(PATIENCE, work).await {
        Ok(Ok((true, _))) => Ok(()),
        Ok(Ok((false, words))) => Err(unavailable(
            format!(
                "the workspace's disk cannot be made: {}",
                said(&String::from_utf8_lossy(&words))
            ),
            "The directory that it begins with may be larger than machines.disk, or this \
             machine's disk be full.",
        )),
        Ok(Err(_)) => Err(unavailable(
            "mkfs.ext4 is not installed, which makes the disks of virtual machines",
            "Install it (on Debian: `apt-get install e2fsprogs`).",
        )),
        Err(_) => Err(no_room()),
    }
}

fn no_room() -> garth_contract::Error {
    unavailable(
        "the workspace's disk cannot be made",
        "See whether the disk of this machine is full, and who may write to it.",
    )
}
