//! Passes the standard streams on to a guest that listens, for engines whose only way
//! into a sandbox is to run a program there.

use std::path::Path;

use garth_contract::Result;
use tokio::{io, net::UnixStream};

use super::{channel::Channel, failed};

/// How much is passed on at a time.
const ROOM: usize = 64 << 10;

/// Finds the guest, and is between it and the streams until either side ends.
pub(super) async fn relay(socket: &Path) -> Result<()> {
    let channel = Channel::take_streams()?;
    let guest = UnixStream::connect(socket).await;
    let guest = guest.map_err(|_| failed("there is no guest at the socket"))?;
    pass(channel, guest).await
}

/// Copies in both directions until either side ends.
pub(super) async fn pass(channel: Channel, other: UnixStream) -> Result<()> {
    let (mut from_other, mut to_other) = io::split(other);
    let (mut input, mut output) = io::split(channel.open()?);
    let there = copy(&mut input, &mut to_other);
    let back = copy(&mut from_other, &mut output);
    // When one side is gone there is nothing to say to the other.
    tokio::pin!(there, back);
    futures::future::select(there, back).await;
    Ok(())
}

async fn copy<R, W>(from: &mut R, to: &mut W) -> io::Result<()>
where
    R: io::AsyncRead + Unpin,
    W: io::AsyncWrite + Unpin,
{
    let mut from = io::BufReader::with_capacity(ROOM, from);
    io::copy_buf(&mut from, to).await?;
    Ok(())
}
