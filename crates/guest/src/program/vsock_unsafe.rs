//! A socket for clients outside a virtual machine, whose address no library has.

#![allow(unsafe_code, reason = "the address of a vsock has no safe wrapper")]

use std::{
    io,
    os::fd::{AsRawFd, OwnedFd},
};

use rustix::net::{AddressFamily, SocketFlags, SocketType, listen as begin, socket_with};
use tokio::io::unix::AsyncFd;

/// How many clients may wait to be accepted; there is one as a rule.
const BACKLOG: i32 = 16;

/// Listens on a port of this machine, whoever comes.
pub(super) fn listen(port: u32) -> io::Result<AsyncFd<OwnedFd>> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::VSOCK, SocketType::STREAM, flags, None)?;
    // SAFETY: the structure is plain numbers, for which zeroes are a value.
    let mut address: libc::sockaddr_vm = unsafe { std::mem::zeroed() };
    address.svm_family = u16::try_from(libc::AF_VSOCK).unwrap_or_default();
    address.svm_port = port;
    address.svm_cid = libc::VMADDR_CID_ANY;
    let length = u32::try_from(size_of::<libc::sockaddr_vm>()).unwrap_or_default();
    // SAFETY: the socket is open, and the kernel reads one address of this length.
    let bound = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) };
    if bound != 0 {
        return Err(io::Error::last_os_error());
    }
    begin(&socket, BACKLOG)?;
    // SAFETY: the socket is owned by what waits for it, and closed after that alone.
    Ok(unsafe { AsyncFd::register(socket) }?)
}
