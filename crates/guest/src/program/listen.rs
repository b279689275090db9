//! Clients that come to a socket of whichever kind, one after the other or a few at once.
//!
//! What is served stays when a client goes: its processes run on, and the next
//! client finds the same session.

use std::{io, net::SocketAddr, os::fd::OwnedFd, path::Path, sync::Arc, time::Duration};

use garth_contract::{Code, Error, Result};
use garth_wire::Handles;
use rustix::{
    fs::{FileType, Mode, lstat, unlink},
    io::Errno,
    net::{SocketFlags, accept_with},
    process::umask,
};
use tokio::{
    io::{Interest, unix::AsyncFd},
    net::{TcpListener, UnixListener},
    sync::{Notify, Semaphore},
    time,
};

use super::{failed, vsock_unsafe};
use crate::{Served, serve};

/// How many clients are served at once. There is one, and for a moment two when it
/// comes again before its first pipe is seen to be broken.
const MOST_CLIENTS: usize = 8;

/// How long to wait before another try when the system has no handle to give.
const PAUSE: Duration = Duration::from_millis(100);

/// Where clients come from.
pub(super) enum Door {
    /// A socket among the files,
    Socket(UnixListener),
    /// the outside of a virtual machine,
    Vsock(AsyncFd<OwnedFd>),
    /// or a network.
    Tcp(TcpListener),
}

impl Door {
    /// Takes the socket's path, also from a guest that is no more.
    pub(super) fn socket(path: &Path) -> Result<Self> {
        Ok(Self::Socket(bind(path)?))
    }

    /// Takes a port of this machine for clients outside it.
    pub(super) fn vsock(port: u32) -> Result<Self> {
        let listener = vsock_unsafe::listen(port).map_err(|_| failed("there is no such port"))?;
        Ok(Self::Vsock(listener))
    }

    /// Takes an address.
    pub(super) async fn tcp(address: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind(address).await;
        Ok(Self::Tcp(listener.map_err(|_| failed("the address cannot be had"))?))
    }

    /// The next client.
    async fn accept(&self) -> io::Result<Handles> {
        let client: OwnedFd = match self {
            Self::Socket(listener) => listener.accept().await?.0.into_std()?.into(),
            Self::Tcp(listener) => {
                let (client, _) = listener.accept().await?;
                // Messages are small, and each is waited for.
                client.set_nodelay(true)?;
                client.into_std()?.into()
            }
            Self::Vsock(listener) => {
                let accept = |fd: &OwnedFd| Ok(accept_with(fd, SocketFlags::CLOEXEC)?);
                listener.async_io(Interest::READABLE, accept).await?
            }
        };
        Handles::both_ways(client)
    }
}

/// Serves whoever comes, until the program is ended; or, where that is bounded, until
/// nobody has been there for so long.
pub(super) async fn listen(door: Door, served: Arc<Served>, leave_after: Option<Duration>) {
    let places = Arc::new(Semaphore::new(MOST_CLIENTS));
    let gone = Arc::new(Notify::new());
    loop {
        let alone = places.available_permits() == MOST_CLIENTS;
        let client = tokio::select! {
            client = door.accept() => client,
            () = gone.notified() => {
                if leave_after.is_some() {
                    // Whoever ends a machine that nobody uses does not ask it first.
                    tokio::task::spawn_blocking(rustix::fs::sync);
                }
                continue;
            }
            () = time::sleep(leave_after.unwrap_or(Duration::MAX)), if alone && leave_after.is_some() => return,
        };
        let Ok(client) = client else {
            time::sleep(PAUSE).await;
            continue;
        };
        // One client too many is let go; it sees that at once.
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
        let (served, gone) = (Arc::clone(&served), Arc::clone(&gone));
        tokio::spawn(async move {
            // Who was no client is nobody's concern here.
            let _ = serve(client, served).await;
            drop(place);
            gone.notify_one();
        });
    }
}

/// Takes the socket's path, also from a guest that is no more.
pub(super) fn bind(socket: &Path) -> Result<UnixListener> {
    match lstat(socket) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Socket => {
            unlink(socket).map_err(|_| failed("the old socket cannot be removed"))?;
        }
        Ok(_) => {
            return Err(Error::new(Code::FileExists, "something else is where the socket goes"));
        }
        Err(Errno::NOENT) => {}
        Err(_) => return Err(failed("the socket's directory cannot be looked at")),
    }
    // Whoever can connect can do all that the guest can, so it is never anyone else's.
    // Nothing else of this program makes files yet; to change the mode afterwards, gVisor
    // would want to open the socket.
    let usual = umask(Mode::from_raw_mode(0o177));
    let listener = UnixListener::bind(socket);
    umask(usual);
    listener.map_err(|_| failed("the socket cannot be made"))
}
