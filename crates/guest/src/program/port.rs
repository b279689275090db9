//! A serial port of a virtual machine as a pipe of bytes.
//!
//! It is found by its name, opened once and kept: to open it again would lose what came
//! in between. When the other side goes away it reads as ended.

use std::{
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    time::Duration,
};

use garth_contract::Result;
use garth_wire::Handles;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{CWD, Dir, Mode, OFlags, openat, stat},
    io::{Errno, read},
};
use tokio::time::{self, Instant};

use super::failed;

/// Where the kernel lists such ports.
const LIST: &str = "/sys/class/virtio-ports";

/// How long a port may take to come up, and its other side to be there: a machine that
/// is emulated on a busy one takes seconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often it is looked for.
const LOOK: Duration = Duration::from_millis(10);

/// The longest name of a port.
const MOST_NAME: usize = 256;

/// Opens the port of this name, once somebody is at its other side.
pub(super) async fn open(name: &str) -> Result<Handles> {
    let device = device(name).await?;
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let port = openat(CWD, device, flags, Mode::empty())
        .map_err(|_| failed("the serial port cannot be opened"))?;
    let until = Instant::now() + PATIENCE;
    // The kernel hears of the other side a little later than of the port.
    while !is_attended(&port) {
        if Instant::now() > until {
            return Err(failed("nobody is at the other side of the serial port"));
        }
        time::sleep(LOOK).await;
    }
    Handles::in_pieces(port).map_err(|_| failed("the serial port cannot be waited for"))
}

/// Waits until the port of a name is there, and says which device it is.
pub(super) async fn device(name: &str) -> Result<PathBuf> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(device) = find(name) {
            return Ok(device);
        }
        if Instant::now() > until {
            return Err(failed("there is no serial port of this name"));
        }
        time::sleep(LOOK).await;
    }
}

/// The device of the port of a name, once it is there.
fn find(name: &str) -> Option<PathBuf> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let list = openat(CWD, LIST, flags, Mode::empty()).ok()?;
    let entries = Dir::read_from(&list).ok()?.flatten();
    let devices = entries.filter_map(|entry| {
        let device = entry.file_name().to_str().ok()?.to_owned();
        let named = !device.starts_with('.') && name_of(&list, &device)? == name.as_bytes();
        named.then(|| Path::new("/dev").join(device))
    });
    devices.into_iter().find(|device| stat(device).is_ok())
}

fn name_of(list: &OwnedFd, device: &str) -> Option<Vec<u8>> {
    let file = openat(list, Path::new(device).join("name"), OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut name = vec![0; MOST_NAME];
    let length = read(&file, &mut name).ok()?;
    name.truncate(length);
    Some(name.trim_ascii_end().to_vec())
}

/// Whether the other side is there.
fn is_attended(port: &OwnedFd) -> bool {
    let mut polled = [PollFd::new(port, PollFlags::OUT)];
    match poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(_) => !polled.iter().any(|port| port.revents().contains(PollFlags::HUP)),
        Err(Errno::INTR) => false,
        Err(_) => true,
    }
}
