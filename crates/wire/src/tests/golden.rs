//! The bytes of every message of this generation.
//!
//! A guest may be older than the program that speaks to it. Whoever changes a line of
//! these tables has made another generation, and says so in `GENERATION`.

use garth_contract::{Abilities, ProcessId, ShellAbilities};

use super::{
    bytes, frame,
    samples::{answers, requests},
};
use crate::{Answer, GENERATION, Request, Welcome, hello};

const REQUESTS: &[(&str, &str)] = &[];

const ANSWERS: &[(&str, &str)] = &[];

/// What both sides say first, the guest with a welcome.
const HELLO: &str = "";
const WELCOME: &str = "";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A table as it would be written down, to be compared whole.
fn table(rows: impl IntoIterator<Item = (&'static str, String)>) -> String {
    rows.into_iter().map(|(name, hex)| format!("    (\"{name}\", \"{hex}\"),\n")).collect()
}

fn golden(rows: &[(&'static str, &'static str)]) -> String {
    table(rows.iter().map(|(name, hex)| (*name, (*hex).to_owned())))
}

#[test]
fn every_request_has_its_bytes() {
    let now = requests().into_iter().map(|(name, one)| (name, hex(&bytes(one.encode()))));
    let now = table(now);
    assert!(now == golden(REQUESTS), "the requests of generation {GENERATION} are now\n{now}");
}

#[test]
fn every_answer_has_its_bytes() {
    let now = answers().into_iter().map(|(name, one)| (name, hex(&bytes(one.encode()))));
    let now = table(now);
    assert!(now == golden(ANSWERS), "the answers of generation {GENERATION} are now\n{now}");
}

#[test]
fn every_message_is_read_as_it_was_written() {
    for (name, request) in requests() {
        let written = bytes(request.encode());
        let read = Request::decode(frame(&written).unwrap()).unwrap();
        assert_eq!(bytes(read.encode()), written, "{name}");
    }
    for (name, answer) in answers() {
        let written = bytes(answer.encode());
        let read = Answer::decode(frame(&written).unwrap()).unwrap();
        assert_eq!(bytes(read.encode()), written, "{name}");
        assert_eq!(format!("{read:?}"), format!("{answer:?}"), "{name}");
    }
}

#[tokio::test]
async fn the_first_words_have_their_bytes() {
    let welcome = Welcome {
        session: *b"0123456789abcdef",
        first: ProcessId(200),
        files: Abilities {
            write: true,
            rename: false,
            empty_dirs: true,
            symlinks: false,
            special_files: true,
            modes: false,
            any_names: true,
            watch: false,
            find: true,
            durable: false,
        },
        shell: ShellAbilities { terminals: true },
    };
    let (mut ours, mut theirs) = tokio::io::duplex(1 << 10);
    let (asked, answered) =
        tokio::join!(hello::ask(&mut ours), hello::answer(&mut theirs, &welcome));
    assert_eq!(asked.as_ref(), Ok(&welcome));
    assert_eq!(answered, Ok(()));

    let said = |heard: tokio::io::DuplexStream| async move {
        use tokio::io::AsyncReadExt as _;
        let mut heard = heard;
        let mut words = Vec::new();
        heard.read_to_end(&mut words).await.unwrap();
        hex(&words)
    };
    let (mut ours, theirs) = tokio::io::duplex(1 << 10);
    let (hello, _) = tokio::join!(said(theirs), async move {
        tokio::select! { _ = hello::ask(&mut ours) => {}, () = tokio::task::yield_now() => {} }
    });
    assert_eq!(hello, HELLO);
    let (ours, mut theirs) = tokio::io::duplex(1 << 10);
    let (mut back, mut there) = tokio::io::split(ours);
    {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        there.write_all(&unhex(HELLO)).await.unwrap();
        hello::answer(&mut theirs, &welcome).await.unwrap();
        drop(theirs);
        let mut words = Vec::new();
        back.read_to_end(&mut words).await.unwrap();
        assert_eq!(hex(&words), WELCOME);
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digit).collect()
}
