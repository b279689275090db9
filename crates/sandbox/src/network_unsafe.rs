//! The call that brings a network interface up, which no library wraps safely.

#![allow(unsafe_code, reason = "SIOCSIFFLAGS takes a structure with a union")]

use std::{
    ffi::c_char,
    os::fd::{AsFd, AsRawFd},
};

use rustix::io::Errno;

use crate::mounts_unsafe::last_errno;

/// Brings `lo` up in the network namespace of the socket.
pub(crate) fn bring_up_loopback(socket: impl AsFd) -> Result<(), Errno> {
    // SAFETY: the structure is plain numbers, for which zeroes are a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name[0] = b'l'.cast_signed() as c_char;
    request.ifr_name[1] = b'o'.cast_signed() as c_char;
    request.ifr_ifru.ifru_flags = UP;
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel reads one `ifreq`, which outlives the call.
    let answer = unsafe { libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request) };
    if answer == 0 { Ok(()) } else { Err(last_errno()) }
}

/// `IFF_UP | IFF_RUNNING`.
const UP: i16 = 0x41;
