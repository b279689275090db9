//! The proxy itself: one connection inside, one outside, bytes between them.

use std::{io, net::IpAddr, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpStream, UnixListener, lookup_host},
    sync::Semaphore,
    time::timeout,
};

use crate::{
    Rules, Target,
    head::{self, Bad, Kind, Wanted},
};

/// How much of the outside one sandbox may have at a time.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Connections at once; further ones wait.
    pub connections: usize,
    /// How long a request, a name or a server may take to come.
    pub patience: Duration,
    /// How long a connection may lie still.
    pub idle: Duration,
}

impl Bounds {
    /// What building and installing things needs.
    #[must_use]
    pub const fn usual() -> Self {
        Self { connections: 128, patience: Duration::from_secs(15), idle: Duration::from_secs(300) }
    }
}

/// A proxy that reaches what its rules allow.
#[derive(Clone, Debug)]
pub struct Proxy {
    rules: Arc<Rules>,
    bounds: Bounds,
    places: Arc<Semaphore>,
}

impl Proxy {
    /// A proxy with these rules.
    #[must_use]
    pub fn new(rules: Rules, bounds: Bounds) -> Self {
        let places = Arc::new(Semaphore::new(bounds.connections));
        Self { rules: Arc::new(rules), bounds, places }
    }

    /// Serves whoever connects, until it is dropped.
    pub async fn serve(self, listener: UnixListener) {
        let mut tasks = tokio::task::JoinSet::new();
        loop {
            let Ok(place) = self.places.clone().acquire_owned().await else { return };
            while tasks.try_join_next().is_some() {}
            match listener.accept().await {
                Ok((client, _)) => {
                    let proxy = self.clone();
                    tasks.spawn(async move {
                        proxy.connection(client).await;
                        drop(place);
                    });
                }
                // Out of descriptors, most likely: others will give some back.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    /// Serves one client to its end.
    pub async fn connection(&self, mut client: impl AsyncRead + AsyncWrite + Unpin) {
        let wanted = match timeout(self.bounds.patience, head::read(&mut client)).await {
            Ok(Ok(wanted)) => wanted,
            Ok(Err(Bad::Gone)) | Err(_) => return,
            Ok(Err(Bad::Long)) => {
                return say(&mut client, "431 Request Header Fields Too Large", "too long").await;
            }
            Ok(Err(Bad::Malformed)) => {
                return say(&mut client, "400 Bad Request", "not a request to a proxy").await;
            }
        };
        let Wanted { target, send, kind } = wanted;
        let mut server = match timeout(self.bounds.patience, self.reach(&target)).await {
            Ok(Ok(server)) => server,
            Ok(Err(refusal)) => return say(&mut client, refusal.status(), refusal.why()).await,
            Err(_) => return say(&mut client, "504 Gateway Timeout", "no answer in time").await,
        };
        let ready = b"HTTP/1.1 200 Connection established\r\n\r\n";
        if kind == Kind::Tunnel && client.write_all(ready).await.is_err() {
            return;
        }
        if server.write_all(&send).await.is_err() {
            return;
        }
        pass(&mut client, &mut server, self.bounds.idle).await;
    }

    async fn reach(&self, target: &Target) -> Result<TcpStream, Refusal> {
        if !self.rules.allow(target) {
            return Err(Refusal::Forbidden);
        }
        // Who allows an address by its number means that one; a name must not lead
        // back into this machine or its neighbourhood.
        if let Some(address) = target.address() {
            return TcpStream::connect((address, target.port)).await.map_err(|_| Refusal::Failed);
        }
        let found = lookup_host((target.host.as_str(), target.port));
        let found = found.await.map_err(|_| Refusal::Unknown)?;
        let mut refusal = Refusal::Unknown;
        for address in found {
            if target.host != "localhost" && !public(address.ip()) {
                refusal = Refusal::Inward;
                continue;
            }
            match TcpStream::connect(address).await {
                Ok(server) => return Ok(server),
                Err(_) => refusal = Refusal::Failed,
            }
        }
        Err(refusal)
    }
}

#[derive(Clone, Copy, Debug)]
enum Refusal {
    Forbidden,
    Inward,
    Unknown,
    Failed,
}

impl Refusal {
    fn status(self) -> &'static str {
        match self {
            Self::Forbidden | Self::Inward => "403 Forbidden",
            Self::Unknown | Self::Failed => "502 Bad Gateway",
        }
    }

    fn why(self) -> &'static str {
        match self {
            Self::Forbidden => "this address is not allowed for the workspace",
            Self::Inward => "the name leads to an address of a private network",
            Self::Unknown => "the name is not known",
            Self::Failed => "the server could not be reached",
        }
    }
}

/// Whether an address is of the network that everybody shares.
fn public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            let shared = a == 100 && (64..128).contains(&b);
            let odd = a == 0 || a >= 240 || (a == 198 && (b == 18 || b == 19));
            let own = v4.is_loopback() || v4.is_private() || v4.is_link_local();
            !(own || shared || odd || v4.is_multicast() || v4.is_documentation())
        }
        IpAddr::V6(v6) => {
            // Global unicast, less what carries an address of the fourth version.
            let [first, second, ..] = v6.segments();
            let tunnels = first == 0x2002 || (first == 0x2001 && second == 0);
            first & 0xe000 == 0x2000 && !tunnels
        }
    }
}

async fn say(client: &mut (impl AsyncWrite + Unpin), status: &str, why: &str) {
    let length = why.len() + 1;
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{why}\n"
    );
    // A client that does not wait for its answer needs none.
    let _ = client.write_all(answer.as_bytes()).await;
    let _ = client.shutdown().await;
}

/// Passes bytes both ways until both have ended, or neither says anything.
async fn pass(
    client: &mut (impl AsyncRead + AsyncWrite + Unpin),
    server: &mut TcpStream,
    idle: Duration,
) {
    let (mut from_client, mut to_client) = tokio::io::split(client);
    let (mut from_server, mut to_server) = server.split();
    let out = one_way(&mut from_client, &mut to_server, idle);
    let back = one_way(&mut from_server, &mut to_client, idle);
    tokio::pin!(out, back);
    // The server's end is the end; the client's may only mean that it has asked.
    tokio::select! {
        _ = &mut back => {}
        asked = &mut out => {
            if asked.is_ok() {
                let _ = back.await;
            }
        }
    }
}

async fn one_way(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    idle: Duration,
) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = timeout(idle, from.read(&mut buffer)).await??;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
            return to.shutdown().await;
        };
        timeout(idle, to.write_all(bytes)).await??;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_everybody_shares_are_public() {
        for text in ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"] {
            assert!(public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "127.0.0.1",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:0:1::",
            "ff02::1",
        ] {
            assert!(!public(text.parse().unwrap()), "{text}");
        }
    }
}
