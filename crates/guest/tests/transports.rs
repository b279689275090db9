//! The guest at an address and behind a vsock, with the same words as over a pipe.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test sets its own scene"
)]

use std::{
    net::{SocketAddr, TcpListener},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use garth_contract::{Filesystem, Guard, Parents, ProcessId, Put, Shell, Span, WsPath};
use garth_remote::{Link, Patience, Remote, providers::Tcp};

const DEADLINE: Duration = Duration::from_secs(60);

/// A guest that listens, which ends with the test.
struct Guest(Child);

impl Guest {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_garth-guest"));
        Self(command.args(arguments).stdin(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An address that nobody had a moment ago.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

async fn link(address: SocketAddr) -> Remote {
    let begun = Instant::now();
    loop {
        match Link::open(Tcp::new(address), ProcessId(1), Patience::USUAL).await {
            Ok(link) => return Remote::new(link),
            Err(error) => assert!(begun.elapsed() < DEADLINE, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_guest_at_an_address_serves_one_client_after_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let (root, address) = (dir.path().to_str().unwrap(), free());
    let _guest = Guest::start(&["--root", root, "--listen-tcp", &address.to_string()]);
    let remote = link(address).await;
    let at = WsPath::from_bytes(b"file").unwrap();
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
    let large = vec![7_u8; 3 << 20];
    remote.write(&at, large.clone().into(), put).await.unwrap();
    drop(remote);
    let again = link(address).await;
    let read = again.read(&at, Span::Whole { at_most: 8 << 20 }).await.unwrap();
    assert_eq!(read.bytes, large);
    assert!(Shell::list(&again).await.unwrap().is_empty());
}

#[test]
fn a_guest_that_nobody_wants_any_more_leaves() {
    let dir = tempfile::tempdir().unwrap();
    let address = free().to_string();
    let root = dir.path().to_str().unwrap();
    let words = ["--root", root, "--listen-tcp", &address, "--leave-after", "1"];
    let mut guest = Guest::start(&words);
    let begun = Instant::now();
    loop {
        if let Some(ended) = guest.0.try_wait().unwrap() {
            assert!(ended.success(), "{ended}");
            return;
        }
        assert!(begun.elapsed() < DEADLINE, "it stays");
        std::thread::sleep(Duration::from_millis(20));
    }
}
