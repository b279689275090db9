//! The proxy on a real socket, with real servers on this machine's loopback.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{path::PathBuf, time::Duration};

use garth_egress::{Bounds, Proxy, Rules};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, UnixListener, UnixStream},
    task::JoinHandle,
};

struct Place {
    _dir: TempDir,
    socket: PathBuf,
    serving: JoinHandle<()>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn proxy(rules: &[&str], bounds: Bounds) -> Place {
    let dir = TempDir::new().unwrap();
    let socket = dir.path().join("way-out");
    let listener = UnixListener::bind(&socket).unwrap();
    let rules = Rules::parse(rules.iter().copied()).unwrap();
    let serving = tokio::spawn(Proxy::new(rules, bounds).serve(listener));
    Place { _dir: dir, socket, serving }
}

/// A server that answers each connection with what it was sent, after `got:`.
async fn server() -> (u16, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut buffer = vec![0; 4096];
                let read = stream.read(&mut buffer).await.unwrap_or(0);
                let _ = stream.write_all(b"got:").await;
                let _ = stream.write_all(&buffer[..read]).await;
            });
        }
    });
    (port, serving)
}

async fn ask(place: &Place, request: &str) -> String {
    let mut stream = UnixStream::connect(&place.socket).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    tokio::time::timeout(Duration::from_secs(30), read).await.unwrap().unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn what_is_allowed_is_reached_by_tunnel_and_by_request() {
    let (port, serving) = server().await;
    let place = proxy(&[&format!("127.0.0.1:{port}")], Bounds::usual());
    let tunnel = ask(&place, &format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nhello")).await;
    assert_eq!(tunnel, "HTTP/1.1 200 Connection established\r\n\r\ngot:hello");
    let request = format!("GET http://127.0.0.1:{port}/x HTTP/1.1\r\nHost: other\r\n\r\n");
    let answer = ask(&place, &request).await;
    assert!(answer.starts_with(&format!("got:GET /x HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n")));
    serving.abort();
}

#[tokio::test]
async fn what_is_not_allowed_is_refused_and_never_asked() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let other = if port == 1 { 2 } else { 1 };
    let place = proxy(&[&format!("127.0.0.1:{other}"), "example.org:443"], Bounds::usual());
    for request in [
        format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n"),
        format!("CONNECT localhost:{port} HTTP/1.1\r\n\r\n"),
        format!("CONNECT [::ffff:127.0.0.1]:{port} HTTP/1.1\r\n\r\n"),
        format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: example.org:443\r\n\r\n"),
    ] {
        let answer = ask(&place, &request).await;
        assert!(answer.starts_with("HTTP/1.1 403 "), "{request:?}: {answer}");
    }
    // Whatever came would stand in the listener's queue by now.
    let came = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
    assert!(came.is_err(), "somebody came");
}

#[tokio::test]
async fn nonsense_is_answered_and_a_flood_of_headers_is_cut() {
    let place = proxy(&["example.org:443"], Bounds::usual());
    assert!(ask(&place, "hello\r\n\r\n").await.starts_with("HTTP/1.1 400 "));
    let long = format!("GET http://a.org/ HTTP/1.1\r\nX: {}", "x".repeat(40_000));
    let mut stream = UnixStream::connect(&place.socket).await.unwrap();
    // The proxy may close before all of it was taken.
    let _ = stream.write_all(long.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    assert!(answer.starts_with(b"HTTP/1.1 431 "));
}

#[tokio::test]
async fn a_client_that_says_nothing_gives_its_place_back() {
    let (port, serving) = server().await;
    let bounds = Bounds { connections: 1, patience: Duration::from_millis(100), ..Bounds::usual() };
    let place = proxy(&[&format!("127.0.0.1:{port}")], bounds);
    let _silent = UnixStream::connect(&place.socket).await.unwrap();
    let answer = ask(&place, &format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nx")).await;
    assert!(answer.ends_with("got:x"), "{answer}");
    serving.abort();
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let place = proxy(&[&format!("127.0.0.1:{port}")], Bounds::usual());
    let answer = ask(&place, &format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
}
