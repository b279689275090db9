//! A terminal for a command: a pair of which we have one end.

use std::os::fd::{AsFd, OwnedFd};

use garth_contract::Size;
use rustix::{
    fs::{CWD, Mode, OFlags, fcntl_getfl, fcntl_setfl, openat},
    io::{Result, read, write},
    pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

/// The character that ends what a terminal brings.
pub(super) const END_OF_FILE: &[u8] = b"\x04";

/// Both ends of a terminal.
pub(super) struct Pair {
    /// Ours; it never makes us wait.
    pub(super) master: OwnedFd,
    /// The command's.
    pub(super) slave: OwnedFd,
}

/// Makes a terminal of a size.
pub(super) fn open(size: Size) -> Result<Pair> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let slave = match ioctl_tiocgptpeer(&master, flags) {
        Ok(slave) => slave,
        // A kernel that can only open it by its name.
        Err(_) => {
            let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
            openat(CWD, ptsname(&master, Vec::new())?, flags, Mode::empty())?
        }
    };
    resize(&master, size)?;
    fcntl_setfl(&master, fcntl_getfl(&master)? | OFlags::NONBLOCK)?;
    Ok(Pair { master, slave })
}

/// Changes the size of a terminal; the command hears of it by a signal.
pub(super) fn resize(master: impl AsFd, size: Size) -> Result<()> {
    let size = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(master, size)
}

/// Whether there are terminals here that do what terminals do.
///
/// Some kernels in user space have only the outside of one: characters that end a
/// line of input or interrupt a command pass through it like any other.
pub(super) fn there_are() -> bool {
    let works = || -> Result<bool> {
        let Pair { master, slave } = open(Size { rows: 24, columns: 80 })?;
        fcntl_setfl(&slave, fcntl_getfl(&slave)? | OFlags::NONBLOCK)?;
        write(&master, END_OF_FILE)?;
        Ok(read(&slave, &mut [0; 8])? == 0)
    };
    works().unwrap_or(false)
}
