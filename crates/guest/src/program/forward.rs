//! A port inside a sandbox that leads to a unix socket, and so to whatever is outside.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use garth_contract::Result;
use tokio::{
    io,
    net::{TcpListener, UnixStream},
    sync::Semaphore,
    time,
};

use super::failed;

/// How many connections are passed on at once; further ones wait.
const MOST_CONNECTIONS: usize = 128;

/// How long to wait before another try when the system has no handle to give.
const PAUSE: Duration = Duration::from_millis(100);

/// Takes the port, and passes on whoever comes, in the background.
pub(super) async fn forward(address: SocketAddr, socket: PathBuf) -> Result<()> {
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|_| failed("the port of the proxy cannot be had"))?;
    let (places, socket) = (Arc::new(Semaphore::new(MOST_CONNECTIONS)), Arc::new(socket));
    tokio::spawn(async move {
        while let Ok(place) = Arc::clone(&places).acquire_owned().await {
            let Ok((mut inside, _)) = listener.accept().await else {
                time::sleep(PAUSE).await;
                continue;
            };
            let socket = Arc::clone(&socket);
            tokio::spawn(async move {
                if let Ok(mut outside) = UnixStream::connect(&*socket).await {
                    // However it ends, both sides see that it did.
                    let _ = io::copy_bidirectional(&mut inside, &mut outside).await;
                }
                drop(place);
            });
        }
    });
    Ok(())
}
