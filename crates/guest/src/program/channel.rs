//! The standard streams as a pipe of bytes, whatever they are: pipes, a socket, a
//! terminal or a serial port.

use std::{io, os::fd::OwnedFd};

use garth_contract::Result;
use garth_wire::Duplex;
use rustix::{
    fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl, open},
    io::fcntl_dupfd_cloexec,
    stdio,
};
use tokio::net::unix::pipe::{Receiver, Sender};

use super::failed;

/// What the program was started with.
pub(super) struct Channel {
    input: OwnedFd,
    output: OwnedFd,
}

impl Channel {
    /// Takes standard input and output for itself and leaves the void in their place,
    /// so that nothing else can read from or print into the channel.
    pub(super) fn take_streams() -> Result<Self> {
        let take = || -> rustix::io::Result<Self> {
            let input = fcntl_dupfd_cloexec(stdio::stdin(), 3)?;
            let output = fcntl_dupfd_cloexec(stdio::stdout(), 3)?;
            let nothing = open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
            stdio::dup2_stdin(&nothing)?;
            stdio::dup2_stdout(&nothing)?;
            Ok(Self { input, output })
        };
        take().map_err(|_| failed("there are no standard streams"))
    }

    /// Opens it for reading and writing without waiting.
    pub(super) fn open(self) -> Result<impl Duplex> {
        let both = || -> io::Result<_> {
            for end in [&self.input, &self.output] {
                fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK)?;
            }
            // Unchecked, since all that counts is that one can wait for it.
            let input = Receiver::from_owned_fd_unchecked(self.input)?;
            Ok(tokio::io::join(input, Sender::from_owned_fd_unchecked(self.output)?))
        };
        both().map_err(|_| failed("the standard streams are neither pipes nor a socket"))
    }
}
