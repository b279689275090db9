//! Two programs in one sandbox that meet at a socket and pass their standard streams on to
//! each other: the streams of one are somebody's outside, who is to be found inside so.

use std::{path::Path, time::Duration};

use garth_contract::Result;
use rustix::fs::unlink;
use tokio::{
    io::{self, AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
    time::{Instant, sleep},
};

use super::{channel::Channel, failed, listen::bind, relay::pass};

/// How long one who comes looks for one who waits: whoever is outside starts the next one
/// when somebody came.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long to wait before another look.
const PAUSE: Duration = Duration::from_millis(20);

/// What one who comes is greeted with; a connection that ends before was none.
const GREETING: u8 = b'\n';

/// Waits at a socket for one who comes. The socket is the next one's from then on.
pub(super) async fn meet(socket: &Path) -> Result<()> {
    let channel = Channel::take_streams()?;
    let listener = bind(socket)?;
    let mut came = loop {
        let came = listener.accept().await;
        let (mut came, _) = came.map_err(|_| failed("nobody can come to the socket"))?;
        if came.write_all(&[GREETING]).await.is_ok() {
            break came;
        }
    };
    // Who else comes is not greeted, and looks again.
    let _ = unlink(socket);
    drop(listener);
    came.flush().await.map_err(|_| failed("who came is gone"))?;
    pass(channel, came).await
}

/// Finds one who waits at a socket.
pub(super) async fn find(socket: &Path) -> Result<()> {
    let channel = Channel::take_streams()?;
    let until = Instant::now() + PATIENCE;
    loop {
        match greeted(socket).await {
            Ok(found) => return pass(channel, found).await,
            Err(_) if Instant::now() < until => sleep(PAUSE).await,
            Err(_) => return Err(failed("nobody waits at the socket")),
        }
    }
}

async fn greeted(socket: &Path) -> io::Result<UnixStream> {
    let mut found = UnixStream::connect(socket).await?;
    match found.read_u8().await? {
        GREETING => Ok(found),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
