//! The program as whoever starts it sees it.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test sets its own scene")]

use garth_contract::{Announce, Command, Filesystem, ProcessId, Program, Shell, Span, WsPath};
use garth_remote::{Link, Patience, Remote, providers::Process};

async fn guest(root: &std::path::Path) -> Remote {
    let program = env!("CARGO_BIN_EXE_garth-guest").into();
    let process = Process::new(program, vec!["--root".into(), root.into()]);
    Remote::new(Link::open(process, ProcessId(1), Patience::USUAL).await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_read_through_a_child() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f"), "hello").unwrap();
    let remote = guest(dir.path()).await;
    let path = WsPath::from_bytes(b"f").unwrap();
    let content = Filesystem::read(&remote, &path, Span::Whole { at_most: 100 }).await.unwrap();
    assert_eq!(content.bytes, "hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_run_through_a_child() {
    let dir = tempfile::tempdir().unwrap();
    let remote = guest(dir.path()).await;
    let command = Command::new(Program::script("echo out; echo err >&2; exit 3").unwrap());
    let report = Shell::run(&remote, command, Announce::nobody()).await.unwrap();
    assert_eq!((report.ended.exit.code(), report.id), (3, ProcessId(1)));
    assert_eq!((&report.stdout.head[..], &report.stderr.head[..]), (&b"out\n"[..], &b"err\n"[..]));
}
