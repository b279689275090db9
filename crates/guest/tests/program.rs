//! The program as whoever starts it sees it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test sets its own scene"
)]

mod place;

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Command, Output, Stdio},
    sync::mpsc,
    time::Duration,
};

use garth_contract::{
    Announce, Ask, Code, Filesystem, Guard, Parents, ProcessId, Put, Shell, Span,
};
use garth_remote::{Link, Patience, Remote, providers::Process};
use place::{GUEST, Place, is_alive, link, path, run, script, soon, until};

const ANY: Put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };

fn start(arguments: &[&str]) -> Output {
    let mut guest = Command::new(GUEST);
    guest.args(arguments).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn wrong_arguments_are_told_and_end_with_2() {
    for wrong in [
        &[][..],
        &["--root"],
        &["--nope"],
        &["--root", ".", "--quota", "much"],
        &["--root", ".", "--env", "=x"],
        &["--root", ".", "--trees", "oak"],
        &["--root", ".", "--relay", "s"],
        &["--root", ".", "--meet", "s"],
        &["--find", "s", "--root", "."],
        &["--meet"],
    ] {
        let output = start(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(output.stdout.is_empty(), "{wrong:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("garth-guest --root"),
            "{wrong:?}"
        );
    }
}

#[test]
fn help_is_printed_when_asked_for() {
    let output = start(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("--listen"));
}

#[test]
fn what_cannot_be_served_is_a_failure() {
    // Nothing that could be waited for is at its standard streams.
    assert_eq!(start(&["--root", "/"]).status.code(), Some(1));
    assert_eq!(start(&["--root", "/no/such/directory"]).status.code(), Some(1));
    assert_eq!(start(&["--relay", "/no/such/socket"]).status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_read_and_a_command_run_through_a_child() {
    let place = Place::new();
    place.write("f", "hello");
    let guest = place.child(&[]).await;
    let content = Filesystem::read(&guest, &path("f"), Span::Whole { at_most: 100 }).await.unwrap();
    assert_eq!(content.bytes, "hello");
    let report = run(&guest, "echo out; echo err >&2; exit 3").await;
    assert_eq!((report.ended.exit.code(), report.id), (3, ProcessId(1)));
    assert_eq!((&report.stdout.head[..], &report.stderr.head[..]), (&b"out\n"[..], &b"err\n"[..]));
}

#[tokio::test(flavor = "multi_thread")]
async fn its_arguments_are_its_rules() {
    let place = Place::new();
    let guest = place.child(&["--read-only", "--env", "A=1"]).await;
    let refused = Filesystem::write(&guest, &path("f"), "x".into(), ANY).await.unwrap_err();
    assert_eq!(refused.code(), Code::ReadOnly);
    assert_eq!(run(&guest, "echo $A $HOME").await.stdout.head, "1\n");
    let guest = Process::new(GUEST.into(), place.arguments());
    let link = Link::open(guest, ProcessId(40), Patience::USUAL).await.unwrap();
    assert_eq!(run(&Remote::new(link), "true").await.id, ProcessId(40));
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_no_workspace_needs_are_refused_where_that_is_asked_for() {
    let place = Place::new();
    let filters = "sed -n 's/^Seccomp_filters:[[:space:]]*//p' /proc/self/status";
    let count = async |guest: &Remote| {
        let printed = run(guest, filters).await.stdout.head;
        String::from_utf8_lossy(&printed).trim().parse::<u32>().unwrap()
    };
    let usual = count(&place.child(&[]).await).await;
    let guest = place.child(&["--refuse-calls"]).await;
    assert_eq!(count(&guest).await, usual + 1);
    assert_ne!(run(&guest, "unshare --user true").await.ended.exit.code(), 0);
    // Everything else goes on as it did.
    assert_eq!(run(&guest, "echo one | cat; (exit 3)").await.ended.exit.code(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn large_files_go_both_ways() {
    let place = Place::new();
    let guest = place.child(&["--fast"]).await;
    let content: Vec<u8> = (0..10_u32 << 20).map(|byte| byte.to_le_bytes()[2]).collect();
    let written = Filesystem::write(&guest, &path("f"), content.clone().into(), ANY).await.unwrap();
    assert_eq!(written.version, garth_contract::Version::of(&content));
    let span = Span::Whole { at_most: 1 << 30 };
    let read = Filesystem::read(&guest, &path("f"), span).await.unwrap();
    assert!(read.bytes == content);
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_ends_with_its_streams() {
    let place = Place::new();
    let guest = place.child(&[]).await;
    guest.start(script("echo $$ > pid; exec sleep 1000")).await.unwrap();
    until(|| place.text("pid").is_some_and(|pid| pid.ends_with('\n'))).await;
    let pid = place.text("pid").unwrap();
    assert!(is_alive(&pid));
    drop(guest);
    until(|| !is_alive(&pid)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_whose_call_is_dropped_is_killed_with_its_tree() {
    let place = Place::new();
    let guest = place.child(&[]).await;
    let (tell, told) = mpsc::channel();
    let announce = Announce::to(move |id| tell.send(id).unwrap());
    let command = script("setsid sleep 1000 & echo $! > pid; wait");
    let call = tokio::spawn({
        let guest = guest.clone();
        async move { Shell::run(&guest, command, announce).await }
    });
    until(|| place.text("pid").is_some_and(|pid| pid.ends_with('\n'))).await;
    let pid = place.text("pid").unwrap();
    assert!(is_alive(&pid));
    assert_eq!(told.try_recv(), Ok(ProcessId(1)));
    call.abort();
    until(|| !is_alive(&pid)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_output_blocks_no_read() {
    let place = Place::new();
    place.write("f", "hello");
    let guest = place.child(&[]).await;
    let flood = guest.start(script("exec yes")).await.unwrap();
    let follower = tokio::spawn({
        let guest = guest.clone();
        async move {
            let mut from = 0;
            loop {
                let ask = Ask { from, most: Ask::MOST, wait: Duration::from_secs(10) };
                match guest.output(flood, ask).await {
                    Ok(printed) if printed.ended.is_none() => from = printed.next,
                    Ok(_) | Err(_) => return from,
                }
            }
        }
    });
    for _ in 0..200 {
        let (path, span) = (path("f"), Span::Whole { at_most: 100 });
        assert_eq!(soon(guest.read(&path, span)).await.unwrap().bytes, "hello");
    }
    soon(guest.end(flood)).await.unwrap();
    assert!(soon(follower).await.unwrap() > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_outlive_the_clients_of_a_guest_that_listens() {
    let mut place = Place::new();
    place.listen().await;
    let first = place.client().await;
    let id = first.start(script("echo there; exec sleep 1000")).await.unwrap();
    let running = tokio::spawn({
        let first = first.clone();
        async move {
            Shell::run(&first, script("echo $$ > pid; exec sleep 1000"), Announce::nobody()).await
        }
    });
    until(|| place.text("pid").is_some_and(|pid| pid.ends_with('\n'))).await;
    let pid = place.text("pid").unwrap();
    running.abort();
    drop(first);
    // Whoever waited for a command is gone, so it is too; what was started to stay stays.
    until(|| !is_alive(&pid)).await;
    let second = place.client().await;
    let ask = Ask { from: 0, most: 100, wait: Duration::from_secs(30) };
    let printed = second.output(id, ask).await.unwrap();
    assert_eq!((&printed.pieces[0].bytes[..], printed.ended), (&b"there\n"[..], None));
    soon(second.end(id)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_passes_everything_on() {
    let mut place = Place::new();
    place.listen().await;
    place.write("f", vec![7; 3 << 20]);
    let arguments = vec!["--relay".into(), place.socket().into()];
    // A relay takes no number of a process; `sh` leaves out what the provider adds.
    let mut line = vec!["-c".into(), "exec \"$0\" \"$1\" \"$2\"".into(), GUEST.into()];
    line.extend(arguments);
    let relayed = link(Process::new("/bin/sh".into(), line)).await;
    let span = Span::Whole { at_most: 4 << 20 };
    let read = Filesystem::read(&relayed, &path("f"), span).await.unwrap();
    assert!(read.bytes.len() == 3 << 20 && read.bytes.iter().all(|byte| *byte == 7));
    assert_eq!(run(&relayed, "echo hi").await.stdout.head, "hi\n");
}

#[test]
fn two_who_meet_pass_their_streams_on_to_each_other() {
    let place = tempfile::tempdir().unwrap();
    let socket = place.path().join("socket");
    let begin = |role: &str| {
        let mut guest = Command::new(GUEST);
        guest.arg(role).arg(&socket).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    };
    // Three come at once before anybody waits, and each finds one of its own.
    let mut come: Vec<_> = (0..3).map(|_| begin("--find")).collect();
    for guest in &mut come {
        let id = guest.id();
        writeln!(guest.stdin.as_mut().unwrap(), "{id} came").unwrap();
    }
    let mut found = Vec::new();
    for _ in 0..3 {
        let mut waits = begin("--meet");
        let mut heard = BufReader::new(waits.stdout.take().unwrap());
        let mut line = String::new();
        heard.read_line(&mut line).unwrap();
        write!(waits.stdin.as_mut().unwrap(), "hello, {line}").unwrap();
        found.push((waits, heard));
    }
    for mut guest in come {
        let mut line = String::new();
        let mut heard = BufReader::new(guest.stdout.take().unwrap());
        heard.read_line(&mut line).unwrap();
        assert_eq!(line, format!("hello, {} came\n", guest.id()));
        drop(guest.stdin.take());
        assert!(guest.wait().unwrap().success());
    }
    // The end of one is the end of the other.
    for (mut waits, mut heard) in found {
        let mut rest = String::new();
        heard.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        assert!(waits.wait().unwrap().success());
    }
}
