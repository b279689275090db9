//! Files that are larger than anybody keeps in memory: they come and go in pieces.

use std::{
    fs::{self, File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::Path,
};

use garth_contract::{PIECE, Version};

use crate::gateway::{Gateway, eventually};

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

fn at(path: &str) -> String {
    format!("/v1/workspaces/default/files/{path}")
}

fn tag(content: &[u8]) -> String {
    format!("\"{}\"", Version::of(content))
}

/// A gateway that lets much through.
fn generous() -> Gateway {
    let side = |side| format!("[limits.programs.{side}]\nbytes_per_minute = 4000000000\n");
    Gateway::start_with(&(side("caller") + &side("workspace")))
}

/// Bytes that are no text.
fn bytes(length: usize) -> Vec<u8> {
    let word = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
    let mut bytes = vec![0, 0xff];
    bytes.extend((0..length.div_ceil(8) as u64).flat_map(word));
    bytes.truncate(length);
    bytes
}

/// The names of temporary files below a directory.
fn leftovers(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".tmp")).collect()
}

#[test]
fn a_large_file_comes_and_goes_in_memory_that_does_not_grow_with_it() {
    const MOST: u64 = 16 << 20;
    let gateway = generous();
    // What a first file takes for good is not what a large one takes.
    let small = bytes(9 << 20);
    assert_eq!(gateway.ask("PUT", &at("small")).body(small.clone()).send().status, 201);
    assert!(gateway.ask("GET", &at("small")).send().body == small);
    let large = bytes((64 << 20) + 7);
    let before = gateway.resident();
    gateway.forget_peak();
    let put = gateway.ask("PUT", &at("new/large.bin")).body(large.clone()).send();
    assert_eq!(put.status, 201, "{}", put.text());
    assert_eq!(put.header("etag"), Some(tag(&large).as_str()));
    let file = gateway.directory("default").join("new/large.bin");
    assert!(fs::read(&file).unwrap() == large);
    assert_eq!(leftovers(&gateway.directory("default")), [""; 0]);
    let got = gateway.ask("GET", &at("new/large.bin")).send();
    assert_eq!((got.status, got.header("etag")), (200, Some(tag(&large).as_str())));
    assert!(got.body == large);
    let grown = gateway.peak().saturating_sub(before);
    println!("resident before: {before}, grown by at most {grown}");
    assert!(grown < MOST, "{grown} bytes more than the {before} before");
}

#[test]
fn a_body_whose_length_is_not_said_is_taken_as_well() {
    let gateway = generous();
    let content = bytes(3 << 20);
    let mut chunked = Vec::new();
    for chunk in content.chunks(300_000) {
        chunked.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        chunked.extend(chunk);
        chunked.extend(b"\r\n");
    }
    chunked.extend(b"0\r\n\r\n");
    let mut stream =
        gateway.ask("PUT", &at("chunked")).header("transfer-encoding", "chunked").open();
    stream.write_all(&chunked).unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    let reply = String::from_utf8_lossy(&reply).into_owned();
    assert!(reply.starts_with("HTTP/1.1 201"), "{reply}");
    assert!(fs::read(gateway.directory("default").join("chunked")).unwrap() == content);
}

#[test]
fn a_large_file_is_held_to_its_conditions_and_leaves_nothing_where_they_fail() {
    let gateway = generous();
    let (one, two) = (bytes(2 << 20), bytes(9 << 20));
    let put = |name: &str, value: &str, body: &[u8]| {
        gateway.ask("PUT", &at("a.bin")).header(name, value).body(body).send()
    };
    assert_eq!(put("if-match", "*", &one).refusal(), (412, "CONFLICT".to_owned()));
    assert_eq!(put("if-none-match", "*", &one).status, 201);
    assert_eq!(put("if-none-match", "*", &two).refusal(), (412, "FILE_EXISTS".to_owned()));
    assert_eq!(put("if-match", &tag(&two), &two).refusal(), (412, "CONFLICT".to_owned()));
    assert_eq!(put("if-match", &tag(&one), &two).status, 200);
    assert_eq!(put("if-match", &format!("{}, {}", tag(&one), tag(&two)), &one).status, 200);
    assert_eq!(put("if-none-match", &tag(&one), &two).refusal(), (412, "CONFLICT".to_owned()));
    let directory = gateway.directory("default");
    assert!(fs::read(directory.join("a.bin")).unwrap() == one);
    eventually("nothing is left", || leftovers(&directory).is_empty());
}

#[test]
fn what_a_client_did_not_send_to_the_end_leaves_nothing() {
    let gateway = generous();
    let directory = gateway.directory("default");
    fs::write(directory.join("a.bin"), "old").unwrap();
    let half = bytes(5 << 20);
    let request = gateway.ask("PUT", &at("a.bin")).header("content-length", "10000000");
    let stream = request.body(half).open();
    eventually("it comes", || !leftovers(&directory).is_empty());
    drop(stream);
    eventually("nothing is left", || leftovers(&directory).is_empty());
    assert_eq!(fs::read(directory.join("a.bin")).unwrap(), b"old");
}

#[test]
fn a_file_over_the_bound_of_its_workspace_is_refused_and_leaves_nothing() {
    let gateway = generous();
    let limited = serde_json::json!({"id": "small", "maxFileBytes": 3 << 20});
    let made = gateway.ask("POST", "/v1/workspaces").json(&limited).send();
    assert_eq!(made.status, 200, "{}", made.text());
    let path = "/v1/workspaces/small/files/a.bin";
    let refused = gateway.ask("PUT", path).body(bytes(4 << 20)).send();
    assert_eq!(refused.refusal(), (413, "FILE_TOO_LARGE".to_owned()));
    assert_eq!(gateway.ask("PUT", path).body(bytes(3 << 20)).send().status, 201);
    let directory = gateway.directory("small");
    eventually("nothing is left", || leftovers(&directory).is_empty());
}

#[test]
fn a_part_of_a_large_file_is_what_was_asked_for() {
    let gateway = generous();
    let content = bytes((9 << 20) + 100);
    fs::write(gateway.directory("default").join("a.bin"), &content).unwrap();
    let last = content.len() - 1;
    for (first, end) in [
        (0, 0),
        (0, PIECE - 1),
        (PIECE - 1, PIECE),
        (PIECE, 3 * PIECE - 1),
        (5, last),
        (last, last),
        (8 * PIECE + 3, last),
    ] {
        let range = format!("bytes={first}-{end}");
        let reply = gateway.ask("GET", &at("a.bin")).header("range", &range).send();
        assert_eq!(reply.status, 206, "{range}");
        assert!(reply.body == content[first..=end], "{range}: {} bytes", reply.body.len());
        let said = format!("bytes {first}-{end}/{}", content.len());
        assert_eq!(reply.header("content-range"), Some(said.as_str()));
        assert_eq!(reply.header("etag"), Some(tag(&content).as_str()));
    }
    let range = format!("bytes={}-", content.len());
    let outside = gateway.ask("GET", &at("a.bin")).header("range", &range).send();
    assert_eq!(outside.status, 416);
    let same = gateway.ask("GET", &at("a.bin")).header("if-none-match", &tag(&content)).send();
    assert_eq!((same.status, same.body.len()), (304, 0));
}

/// A text of so many bytes with a secret across the border of two pieces of these, and
/// one at its end.
fn text(length: usize, piece: usize) -> String {
    let mut text = String::new();
    while text.len() < piece - 20 - SECRET.len() / 2 {
        text.push_str("just äny line\n");
    }
    text.push_str(&format!("\nkey = \"{SECRET}\"\n"));
    while text.len() < length {
        text.push_str("and another line, with nothing in it at all\n");
    }
    text.push_str(&format!("key = \"{SECRET}\""));
    text
}

/// The shortest file that goes in pieces.
const LONG: usize = (8 << 20) + 1;

/// What leaves of a text that is long enough to go in pieces.
fn leaves(gateway: &Gateway, name: &str, file: &[u8], shown: &[u8]) {
    fs::write(gateway.directory("default").join(name), file).unwrap();
    let got = gateway.ask("GET", &at(name)).header("range", "bytes=0-9").send();
    assert_eq!((got.status, got.header("accept-ranges")), (200, Some("none")));
    assert_eq!(got.header("x-garth-redacted"), Some("STRIPE_KEY"));
    assert_eq!(got.header("etag"), Some(tag(file).as_str()));
    assert!(got.body == shown, "{} and {} bytes", got.body.len(), shown.len());
}

#[test]
fn a_large_text_leaves_without_its_secrets() {
    let gateway = generous();
    let text = text(LONG, PIECE);
    let shown = text.replace(SECRET, "[REDACTED: STRIPE_KEY]");
    leaves(&gateway, "a.txt", text.as_bytes(), shown.as_bytes());
    let raw = gateway.ask("GET", &at("a.txt?redact=false")).send();
    assert!(raw.status == 200 && raw.body == text.as_bytes());
    // What stands for a secret is not written over it.
    let put = gateway.ask("PUT", &at("a.txt")).body(shown).send();
    assert_eq!(put.refusal(), (409, "REDACTED_CONTENT".to_owned()));
    assert!(fs::read(gateway.directory("default").join("a.txt")).unwrap() == text.as_bytes());
}

#[test]
fn a_large_text_in_another_encoding_leaves_without_its_secrets_too() {
    let gateway = generous();
    let text = text(LONG / 2, PIECE / 2);
    let wide = |text: &str| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let shown = text.replace(SECRET, "[REDACTED: STRIPE_KEY]");
    leaves(&gateway, "wide.txt", &wide(&text), &wide(&shown));
}

#[test]
fn bytes_that_are_no_text_to_the_end_leave_as_they_are() {
    let gateway = generous();
    let mut odd = text(PIECE + 100, PIECE).into_bytes();
    odd.push(0xff);
    odd.resize(LONG, b'x');
    fs::write(gateway.directory("default").join("odd"), &odd).unwrap();
    let got = gateway.ask("GET", &at("odd")).send();
    assert!(got.status == 200 && got.body == odd && got.header("x-garth-redacted").is_none());
}

#[test]
fn a_file_that_changes_while_it_is_sent_breaks_the_answer_off() {
    let gateway = generous();
    let path = gateway.directory("default").join("a.bin");
    let content = bytes(64 << 20);
    fs::write(&path, &content).unwrap();
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let mut stream = gateway.ask("GET", &at("a.bin")).open();
    let mut got = vec![0; 100_000];
    stream.read_exact(&mut got).unwrap();
    // One byte near the end, and nothing that a look at the directory would tell.
    let mut file: File = OpenOptions::new().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(content.len() as u64 - 1000)).unwrap();
    file.write_all(b"x").unwrap();
    file.set_modified(modified).unwrap();
    // It may end in an error of the connection as well.
    let _ = stream.read_to_end(&mut got);
    let head = got.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let body = &got[head..];
    assert!(body.len() < content.len(), "all of it came");
    assert!(*body == content[..body.len()], "what came was what was announced");
    let again = gateway.ask("GET", &at("a.bin")).send();
    assert_eq!(again.body.len(), content.len());
    assert_ne!(again.header("etag"), Some(tag(&content).as_str()));
}

#[test]
fn a_token_that_is_taken_back_ends_what_is_being_sent() {
    let gateway = generous();
    let content = bytes(64 << 20);
    fs::write(gateway.directory("default").join("a.bin"), &content).unwrap();
    let role = garth_gateway::Role::Agent(garth_gateway::AgentId::parse("default").unwrap());
    let (secret, token) = gateway.issue(role);
    let mut stream = gateway.anybody("GET", &at("a.bin")).token(&secret).open();
    let mut got = vec![0; 100_000];
    stream.read_exact(&mut got).unwrap();
    gateway.revoke(&token);
    eventually("the token is known to be gone", || {
        gateway.anybody("GET", "/v1/session").token(&secret).send().status == 401
    });
    let _ = stream.read_to_end(&mut got);
    assert!(got.len() < content.len(), "all of it came");
}
