//! What RFC 6455 allows and forbids, frame by frame: the cases of Autobahn's sections 2
//! (pings), 3 (reserved bits), 4 (opcodes), 5 (fragments), 6 (UTF-8) and 7 (closing).
//!
//! Autobahn's own client judges by an echo, and nothing is echoed here; so its cases are
//! sent from here and judged by how the connection ends or goes on.

use tokio_tungstenite::tungstenite::Message;

use crate::{client::End, server::Server};

const FIN: u8 = 0x80;
const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// A frame as a client sends it, masked with nothing.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match u16::try_from(payload.len()) {
        Ok(length) if length < 126 => bytes.push(0x80 | payload.len().to_le_bytes()[0]),
        Ok(length) => {
            bytes.push(0x80 | 126);
            bytes.extend(length.to_be_bytes());
        }
        Err(_) => {
            bytes.push(0x80 | 127);
            bytes.extend((payload.len() as u64).to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

fn close(code: u16, reason: &[u8]) -> Vec<u8> {
    frame(FIN | CLOSE, &[&code.to_be_bytes(), reason].concat())
}

/// A request, in two halves.
fn halves() -> (Vec<u8>, Vec<u8>) {
    let request = r#"{"type":"req","id":"ü","method":"nope"}"#.as_bytes();
    // In the middle of a character.
    let (first, second) = request.split_at(request.iter().position(|byte| *byte == 0xbc).unwrap());
    (first.to_vec(), second.to_vec())
}

#[test]
fn what_is_forbidden_ends_the_connection_with_its_code() {
    let server = Server::start();
    let (first, second) = halves();
    let long = [b'x'; 126];
    let cases: Vec<(&str, Vec<u8>, u16)> = vec![
        ("2.5 a ping of 126 bytes", frame(FIN | PING, &long), 1002),
        ("a pong of 126 bytes", frame(FIN | PONG, &long), 1002),
        ("3.1 a reserved bit", frame(FIN | 0x40 | TEXT, b"{}"), 1002),
        ("3.2 another one", frame(FIN | 0x20 | TEXT, b"{}"), 1002),
        ("3.4 the third one", frame(FIN | 0x10 | TEXT, b"{}"), 1002),
        ("3.5 one of a ping", frame(FIN | 0x40 | PING, b""), 1002),
        ("4.1.1 opcode 3", frame(FIN | 3, b""), 1002),
        ("4.1.5 opcode 7", frame(FIN | 7, b"x"), 1002),
        ("4.2.1 opcode 11", frame(FIN | 11, b""), 1002),
        ("4.2.5 opcode 15", frame(FIN | 15, b"x"), 1002),
        ("5.1 a ping in fragments", frame(PING, b"x"), 1002),
        ("a close in fragments", frame(CLOSE, b""), 1002),
        ("5.9 a continuation of nothing", frame(FIN | CONTINUATION, b"x"), 1002),
        ("5.10 the same, that goes on", frame(CONTINUATION, b"x"), 1002),
        (
            "5.18 a text within a text",
            [frame(TEXT, &first), frame(FIN | TEXT, &second)].concat(),
            1002,
        ),
        ("6.3 no UTF-8", frame(FIN | TEXT, b"\xce\xba\xed\xa0\x80"), 1007),
        (
            "6.4 no UTF-8 in the second fragment",
            [frame(TEXT, b"a"), frame(FIN | CONTINUATION, b"\xff")].concat(),
            1007,
        ),
        ("6.12 an unfinished character", frame(FIN | TEXT, b"\xf0\x9f\xa6"), 1007),
        ("7.3.2 a close of one byte", frame(FIN | CLOSE, b"x"), 1002),
        ("7.5.1 a reason that is no UTF-8", close(1000, b"\xff"), 1007),
        ("7.9.1 code 0", close(0, b""), 1002),
        ("7.9.2 code 999", close(999, b""), 1002),
        ("7.9.4 code 1005", close(1005, b""), 1002),
        ("7.9.5 code 1006", close(1006, b""), 1002),
        ("7.9.7 code 1100", close(1100, b""), 1002),
    ];
    for (case, bytes, code) in cases {
        let mut client = server.operator();
        client.send_raw(&bytes).unwrap();
        assert_eq!(client.end(), End::Code(code), "{case}");
    }
    server.operator().ok("agents.list", serde_json::json!({}));
}

#[test]
fn what_is_allowed_goes_on() {
    let server = Server::start();
    let mut client = server.operator();
    // 2.1 to 2.4: a ping is answered with what it says.
    for payload in [&b""[..], b"heron", b"\x00\xff", &[b'x'; 125]] {
        client.send_raw(&frame(FIN | PING, payload)).unwrap();
        let answered = client.message(|message| matches!(message, Message::Pong(_)));
        assert_eq!(answered.into_data(), payload);
    }
    // 2.7: a pong that nobody asked for.
    client.send_raw(&frame(FIN | PONG, b"unasked")).unwrap();
    // 5.3 to 5.8 and 6.2: a text in fragments, with a ping between them.
    let (first, second) = halves();
    for ping in [false, true] {
        client.send_raw(&frame(TEXT, &first)).unwrap();
        if ping {
            client.send_raw(&frame(FIN | PING, b"between")).unwrap();
        }
        client.send_raw(&frame(CONTINUATION, b"")).unwrap();
        client.send_raw(&frame(FIN | CONTINUATION, &second)).unwrap();
        assert_eq!(client.reply("ü")["error"]["code"], "UNKNOWN_METHOD");
    }
    // Octet by octet, as slow lines bring it.
    for byte in frame(FIN | TEXT, br#"{"type":"req","id":"1","method":"nope"}"#) {
        client.send_raw(&[byte]).unwrap();
    }
    assert_eq!(client.reply("1")["error"]["code"], "UNKNOWN_METHOD");
}

#[test]
fn a_goodbye_is_answered_with_its_code() {
    let server = Server::start();
    for code in [1000, 1001, 1003, 1007, 1011, 3000, 4999] {
        let mut client = server.operator();
        client.send_raw(&close(code, b"enough")).unwrap();
        assert_eq!(client.end(), End::Code(code));
    }
    let mut client = server.operator();
    client.send_raw(&frame(FIN | CLOSE, b"")).unwrap();
    assert!(matches!(client.end(), End::Silence | End::Code(1000)));
}
