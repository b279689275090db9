//! Attempts on networks outside, and on kinds of sockets that nobody needs.

use std::net::{Ipv4Addr, SocketAddrV4};

use rustix::{
    io::Errno,
    net::{
        AddressFamily, Protocol, SocketAddrUnix, SocketFlags, SocketType, connect, netlink, socket,
        socket_with,
    },
};

use super::{Bait, calls_unsafe};

/// Connects to a server on this machine's loopback.
pub(super) fn connect_loopback(bait: &Bait) -> Result<(), Errno> {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None)?;
    connect(socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, bait.port))
}

/// Connects to an abstract socket outside.
pub(super) fn connect_abstract(bait: &Bait) -> Result<(), Errno> {
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    connect(socket, &SocketAddrUnix::new_abstract_name(&bait.name)?)
}

fn open(family: AddressFamily, kind: SocketType, protocol: Option<Protocol>) -> Result<(), Errno> {
    socket_with(family, kind, SocketFlags::CLOEXEC, protocol).map(drop)
}

/// Opens a socket that sees every packet of a protocol.
pub(super) fn raw(_: &Bait) -> Result<(), Errno> {
    open(AddressFamily::INET, SocketType::RAW, Some(rustix::net::ipproto::ICMP))
}

/// Opens a socket that sees every packet.
pub(super) fn packet(_: &Bait) -> Result<(), Errno> {
    open(AddressFamily::PACKET, SocketType::DGRAM, None)
}

/// Opens a socket to the machine that hosts this one.
pub(super) fn vsock(_: &Bait) -> Result<(), Errno> {
    open(AddressFamily::VSOCK, SocketType::STREAM, None)
}

/// Opens a socket to the kernel's ciphers.
pub(super) fn alg(_: &Bait) -> Result<(), Errno> {
    calls_unsafe::socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0)
}

/// Opens a socket to the kernel's audit.
pub(super) fn netlink_audit(_: &Bait) -> Result<(), Errno> {
    open(AddressFamily::NETLINK, SocketType::RAW, Some(netlink::AUDIT))
}

/// Opens a socket to the kernel's packet filter.
pub(super) fn netfilter(_: &Bait) -> Result<(), Errno> {
    open(AddressFamily::NETLINK, SocketType::RAW, Some(netlink::NETFILTER))
}

/// Opens a socket of a protocol that would load a module.
pub(super) fn sctp(_: &Bait) -> Result<(), Errno> {
    open(AddressFamily::INET, SocketType::STREAM, Some(rustix::net::ipproto::SCTP))
}
