//! What listens in a sandbox, asked from outside.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpStream},
};

use serde_json::{Value, json};

use crate::{
    client::{Answer, Asked},
    gateway::{Gateway, PATIENCE, Sandbox, started, until},
};

/// Says what it was asked; at `/large`, three megabytes in pieces.
const SERVER: &str = r#"
import http.server, json

class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/large":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for _ in range(48):
                self.wfile.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")
            return
        length = int(self.headers.get("Content-Length") or 0)
        heard = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(length)
        told = {"method": self.command, "path": self.path, "heard": heard, "length": len(body)}
        text = json.dumps(told).encode()
        self.send_response(418)
        self.send_header("X-Own", "kept")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_GET

http.server.ThreadingHTTPServer(("127.0.0.1", 8123), Answer).serve_forever()
"#;

/// Becomes a WebSocket, says hello and gives back what comes; without the wish for one it
/// says no.
const SOCKET: &str = r#"
import socket, threading

def serve(peer):
    head = b""
    while b"\r\n\r\n" not in head:
        head += peer.recv(4096)
    if b"upgrade: websocket" not in head.lower():
        peer.sendall(b"HTTP/1.1 418 No\r\nContent-Length: 0\r\n\r\n")
        return
    open("heard", "wb").write(head)
    peer.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                 b"Upgrade: websocket\r\nSec-WebSocket-Accept: abc\r\n\r\nhello")
    while data := peer.recv(65536):
        peer.sendall(data)
    open("ended", "wb")

listener = socket.create_server(("127.0.0.1", 8123))
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],)).start()
"#;

fn asked(sandbox: &Sandbox<'_>, method: &str, path: &str) -> Asked {
    Asked::new(method, path)
        .header("E2b-Sandbox-Id", &sandbox.id)
        .header("E2b-Sandbox-Port", "8123")
}

fn sent(sandbox: &Sandbox<'_>, asked: Asked) -> Answer {
    asked.header("X-Access-Token", &sandbox.token).send(&sandbox.gateway.address)
}

/// A sandbox in which the server listens, and whose stream is open while it does.
fn listening(sandbox: &Sandbox<'_>, server: &str) {
    let put = sandbox.asked("POST", "/files?path=server.py");
    let put = put.header("Content-Type", "application/octet-stream").body(server.into());
    assert_eq!(put.send(&sandbox.gateway.address).status, 200);
    let begun = sandbox.streaming("process.Process/Start", &started("exec python3 server.py"));
    let mut stream = begun.begin(&sandbox.gateway.address);
    assert!(stream.message()["event"]["start"].is_object());
    until("that it listens", || sent(sandbox, asked(sandbox, "GET", "/")).status == 418);
}

#[test]
fn a_request_comes_to_what_listens_inside_without_what_proves_a_right() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    let closed = sent(&sandbox, asked(&sandbox, "GET", "/"));
    assert_eq!(closed.status, 502, "{closed:?}");
    assert!(closed.json()["message"].as_str().unwrap().contains("port is not open"), "{closed:?}");
    listening(&sandbox, SERVER);
    let told = sent(&sandbox, asked(&sandbox, "POST", "/a/b?c=d").body(vec![b'y'; 300_000]));
    assert_eq!((told.status, told.header("x-own")), (418, Some("kept")), "{told:?}");
    let told: Value = told.json();
    assert_eq!(told["method"], "POST");
    assert_eq!(told["path"], "/a/b?c=d");
    assert_eq!(told["length"], 300_000);
    assert_eq!(told["heard"]["host"], "localhost:8123");
    let heard = told["heard"].to_string();
    for secret in [&sandbox.token, &sandbox.id] {
        assert!(!heard.contains(secret.as_str()), "{heard}");
    }
    let large = sent(&sandbox, asked(&sandbox, "GET", "/large"));
    assert_eq!((large.status, large.body.len()), (200, 48 << 16));
    // By the name of a host, too.
    let port = gateway.address.rsplit(':').next().unwrap();
    let named = Asked::new("GET", "/named").host(&format!("8123-{}.localhost:{port}", sandbox.id));
    assert_eq!(sent(&sandbox, named).json()["path"], "/named");
    // What carries requests is not among what the caller runs, and ends with them.
    let listed = sandbox.call("process.Process/List", &json!({})).json();
    assert_eq!(listed["processes"].as_array().unwrap().len(), 1, "{listed}");
    until("that nothing carries any more", || sandbox.run("pgrep -c -x cat || true") == "0\n");
}

#[test]
fn nobody_comes_to_a_port_without_a_right() {
    let gateway = Gateway::start();
    let (sandbox, other) = (gateway.sandbox(), gateway.sandbox());
    let status = |asked: Asked| asked.send(&gateway.address).status;
    assert_eq!(status(asked(&sandbox, "GET", "/")), 401);
    let wrong = asked(&sandbox, "GET", "/").header("X-Access-Token", &other.token);
    assert_eq!(status(wrong), 401);
    let upgrade = asked(&sandbox, "GET", "/").header("Upgrade", "h2c");
    assert_eq!(sent(&sandbox, upgrade).status, 501);
    let upgrade = asked(&sandbox, "GET", "/").header("Upgrade", "websocket");
    assert_eq!(sent(&sandbox, upgrade).status, 502);
    let upgrade = asked(&sandbox, "GET", "/").header("Upgrade", "websocket");
    assert_eq!(status(upgrade), 401);
    let nowhere = Asked::new("GET", "/").header("E2b-Sandbox-Id", "inone");
    let nowhere = nowhere.header("E2b-Sandbox-Port", "8123");
    assert_eq!(status(nowhere.header("X-Access-Token", &sandbox.token)), 502);
    for port in ["0", "70000", "abc"] {
        let asked = Asked::new("GET", "/").header("E2b-Sandbox-Id", &sandbox.id);
        assert_eq!(sent(&sandbox, asked.header("E2b-Sandbox-Port", port)).status, 502, "{port}");
    }
}

/// Asks for a WebSocket, and gives the head of the answer with the connection behind it.
fn web_socket(sandbox: &Sandbox<'_>) -> (String, BufReader<TcpStream>) {
    let mut stream = TcpStream::connect(&sandbox.gateway.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!(
        "GET /socket HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Key: key\r\nE2b-Sandbox-Id: {}\r\nE2b-Sandbox-Port: 8123\r\n\
         X-Access-Token: {}\r\n\r\n",
        sandbox.gateway.address, sandbox.id, sandbox.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(stream.read_line(&mut head).unwrap() > 0, "no answer: {head}");
    }
    (head.to_ascii_lowercase(), stream)
}

#[test]
fn a_web_socket_goes_both_ways_until_either_side_ends_it() {
    let gateway = Gateway::start();
    let sandbox = gateway.sandbox();
    listening(&sandbox, SOCKET);
    let (head, mut stream) = web_socket(&sandbox);
    assert!(head.starts_with("http/1.1 101 "), "{head}");
    for line in ["connection: upgrade", "upgrade: websocket", "sec-websocket-accept: abc"] {
        assert!(head.contains(&format!("{line}\r\n")), "{head}");
    }
    let mut hello = [0; 5];
    stream.read_exact(&mut hello).unwrap();
    assert_eq!(&hello, b"hello");
    // More than is under way at a time, in either direction.
    let much: Vec<u8> = (0..2_000_000_u32).map(|number| (number % 251) as u8).collect();
    let mut sender = stream.get_ref().try_clone().unwrap();
    let sent = much.clone();
    let sending = std::thread::spawn(move || sender.write_all(&sent).unwrap());
    let mut back = vec![0; much.len()];
    stream.read_exact(&mut back).unwrap();
    sending.join().unwrap();
    assert!(back == much);
    let heard = sandbox.run("cat heard");
    assert!(heard.contains("GET /socket HTTP/1.1") && !heard.contains(&sandbox.token), "{heard}");
    stream.get_ref().shutdown(Shutdown::Both).unwrap();
    until("that it heard the end", || sandbox.run("ls ended 2>/dev/null || true") == "ended\n");
    until("that nothing carries any more", || sandbox.run("pgrep -c -x cat || true") == "0\n");
    // A sandbox that stops ends it too.
    let (_, mut stream) = web_socket(&sandbox);
    stream.read_exact(&mut hello).unwrap();
    let killed = gateway.control("DELETE", &format!("/sandboxes/{}", sandbox.id), None);
    assert_eq!(killed.status, 204);
    assert!(matches!(stream.read(&mut hello), Ok(0) | Err(_)));
}
