//! What commands reach: their own loopback, and what they are allowed.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use crate::yard::Yard;

/// A script that tries to reach an address and prints what it got.
fn reach(port: u16) -> String {
    format!(
        "python3 -c \"import socket; s=socket.create_connection(('127.0.0.1',{port}),5); \
         s.sendall(b'GET / HTTP/1.0\\\\r\\\\n\\\\r\\\\n'); print(s.recv(99))\" || echo held"
    )
}

#[test]
fn a_listener_of_the_host_is_out_of_reach() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    server.bash(&reach(listener.local_addr().unwrap().port())).held("the host's loopback");
    assert!(listener.accept().is_err(), "somebody came");
}

#[test]
fn other_kinds_of_sockets_cannot_be_made() {
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    for (family, kind) in
        [("AF_PACKET", "SOCK_RAW"), ("AF_INET", "SOCK_RAW"), ("AF_VSOCK", "SOCK_STREAM")]
    {
        let script =
            format!("python3 -c 'import socket as s; s.socket(s.{family}, s.{kind})' || echo held");
        server.bash(&script).held(family);
    }
}

#[test]
fn what_is_allowed_is_reached_through_the_proxy_and_nothing_else() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 1024];
        let _ = stream.read(&mut request).unwrap();
        stream.write_all(b"HTTP/1.0 200 OK\r\nContent-Length: 7\r\n\r\nreached").unwrap();
    });
    let yard = Yard::new();
    let mut server = yard.server(&["--network", &format!("127.0.0.1:{port}")]);
    let fetch = |port: u16| {
        format!(
            "http_proxy=$http_proxy no_proxy= NO_PROXY= python3 -c \"import urllib.request as u; \
             print(u.urlopen('http://127.0.0.1:{port}/').read())\" 2>&1 | tail -n 1"
        )
    };
    let ran = server.bash(&fetch(port));
    assert!(ran.text.contains("reached"), "{ran:?}");
    serving.join().unwrap();
    let ran = server.bash(&fetch(other.local_addr().unwrap().port()));
    assert!(ran.text.contains("403"), "{ran:?}");
    assert!(other.accept().is_err(), "somebody came");
}
