//! Clients that come to a socket, one after the other or a few at once.
//!
//! What is served stays when a client goes: its processes run on, and the next
//! client finds the same session.

use std::{path::Path, sync::Arc, time::Duration};

use garth_contract::{Code, Error, Result};
use garth_wire::Handles;
use rustix::{
    fs::{FileType, Mode, lstat, unlink},
    io::Errno,
    process::umask,
};
use tokio::{net::UnixListener, sync::Semaphore, time};

use super::failed;
use crate::{Served, serve};

/// How many clients are served at once. There is one, and for a moment two when it
/// comes again before its first pipe is seen to be broken.
const MOST_CLIENTS: usize = 8;

/// How long to wait before another try when the system has no handle to give.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves whoever comes to this socket, until the program is ended.
pub(super) async fn listen(socket: &Path, served: Arc<Served>) -> Result<()> {
    let listener = bind(socket)?;
    let places = Arc::new(Semaphore::new(MOST_CLIENTS));
    loop {
        let Ok((client, _)) = listener.accept().await else {
            time::sleep(PAUSE).await;
            continue;
        };
        // One client too many is let go; it sees that at once.
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
        let Ok(client) = client.into_std().and_then(|client| Handles::both_ways(client.into()))
        else {
            continue;
        };
        let served = Arc::clone(&served);
        tokio::spawn(async move {
            // Who was no client is nobody's concern here.
            let _ = serve(client, served).await;
            drop(place);
        });
    }
}

/// Takes the socket's path, also from a guest that is no more.
fn bind(socket: &Path) -> Result<UnixListener> {
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
