//! Beginnings and ends: nothing outlives the sandbox, and the sandbox outlives nobody.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Write},
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::PathBuf,
    process::Stdio as Streams,
    thread,
    time::Duration,
};

use garth_sandbox::{
    Access, Ended, Image, Limits, Needs, Network, Program, Root, Running, Spec, Stdio,
    base_environment, start,
};

use crate::yard::{DEADLINE, Who, Yard, await_end, await_that, is_root, processes_in, yards};

/// A yard for whoever runs the tests.
fn own_yard() -> Yard {
    Yard::new(if is_root() { Who::Root } else { Who::User })
}

fn spec(yard: &Yard) -> Spec {
    Spec {
        roots: vec![Root::whole(&yard.ws(), Access::ReadWrite).unwrap()],
        seat: garth_sandbox::Seat::Workspace,
        system: "/".into(),
        tenure: garth_sandbox::Tenure::Shown,
        visible: Vec::new(),
        environment: base_environment(),
        limits: Limits { memory: None, processes: 1200, ..Limits::usual() },
        network: Network::None,
        needs: Needs::all(),
    }
}

fn program(arguments: &[&str]) -> Program {
    let file = File::open(env!("CARGO_BIN_EXE_garth-attempt")).unwrap();
    let arguments = std::iter::once("attempt").chain(arguments.iter().copied());
    Program { image: Image::Open(file.into()), arguments: arguments.map(Into::into).collect() }
}

fn bash(script: &str) -> Program {
    Program {
        image: Image::Inside("/bin/bash".into()),
        arguments: ["bash", "-c", script].map(Into::into).to_vec(),
    }
}

/// Starts a program whose streams are one socket, and gives the other end.
fn start_with_socket(spec: &Spec, program: &Program) -> (Running, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    ours.set_read_timeout(Some(DEADLINE)).unwrap();
    let theirs = OwnedFd::from(theirs);
    let stdio = Stdio {
        input: theirs.try_clone().unwrap(),
        output: theirs,
        error: File::create("/dev/null").unwrap().into(),
    };
    (start(spec, program, stdio).unwrap(), ours)
}

fn namespace_of(running: &Running) -> PathBuf {
    fs::read_link(format!("/proc/{}/ns/pid", running.pid())).unwrap()
}

fn line(socket: &UnixStream) -> String {
    let mut line = String::new();
    BufReader::new(socket).read_line(&mut line).unwrap();
    line
}

#[test]
fn streams_are_what_was_given_and_end_with_the_program() {
    let yard = own_yard();
    let (running, mut socket) = start_with_socket(&spec(&yard), &bash("read x; echo got $x"));
    socket.write_all(b"a word\n").unwrap();
    assert_eq!(line(&socket), "got a word\n");
    assert_eq!(running.wait(), Ended::Exited(0));
    let mut rest = Vec::new();
    socket.read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty());
}

#[test]
fn how_it_ended_is_told() {
    let yard = own_yard();
    let (running, _socket) = start_with_socket(&spec(&yard), &bash("exit 7"));
    assert_eq!(running.wait(), Ended::Exited(7));
    assert_eq!(running.ended(), Some(Ended::Exited(7)));
    let (running, _socket) = start_with_socket(&spec(&yard), &bash("sleep 1000"));
    assert_eq!(running.wait_for(Duration::from_millis(1)), None);
    running.kill();
    running.kill();
    assert_eq!(running.wait(), Ended::Killed(9));
    assert_eq!(running.wait_for(Duration::ZERO), Some(Ended::Killed(9)));
    assert!(running.lacking().is_empty());
}

#[test]
fn a_thousand_that_detached_themselves_end_with_it() {
    let yard = own_yard();
    let (running, socket) = start_with_socket(&spec(&yard), &program(&["orphans", "1000"]));
    assert_eq!(line(&socket), "ready 1000\n");
    let namespace = namespace_of(&running);
    await_that("a thousand", || processes_in(&namespace).len() > 1000);
    running.kill();
    assert_eq!(running.wait(), Ended::Killed(9));
    assert_eq!(processes_in(&namespace), []);
}

#[test]
fn what_detached_itself_ends_when_the_program_ends_by_itself() {
    let yard = own_yard();
    let script = "setsid -f sleep 1000; (trap '' TERM HUP; nohup sleep 1000 &) ; echo ready; read";
    let (running, socket) = start_with_socket(&spec(&yard), &bash(script));
    assert_eq!(line(&socket), "ready\n");
    let namespace = namespace_of(&running);
    await_that("three processes", || processes_in(&namespace).len() >= 3);
    drop(socket);
    assert!(matches!(running.wait(), Ended::Exited(_)));
    assert_eq!(processes_in(&namespace), []);
}

#[test]
fn a_dropped_handle_ends_it() {
    let yard = own_yard();
    let (running, socket) = start_with_socket(&spec(&yard), &program(&["orphans", "10"]));
    assert_eq!(line(&socket), "ready 10\n");
    let namespace = namespace_of(&running);
    drop(running);
    await_that("nothing left", || processes_in(&namespace).is_empty());
}

#[test]
fn it_outlives_the_thread_that_asked_for_it() {
    let yard = own_yard();
    let (spec, cat) = (spec(&yard), bash("cat"));
    let asked = thread::spawn(move || start_with_socket(&spec, &cat));
    let (running, mut socket) = asked.join().unwrap();
    // Whoever is tied to that thread is being killed now.
    for _ in 0..20 {
        socket.write_all(b"still here\n").unwrap();
        assert_eq!(line(&socket), "still here\n");
    }
    assert_eq!(running.ended(), None);
}

#[test]
fn whoever_started_it_takes_it_along_when_killed() {
    for yard in yards() {
        let mut command = yard.attempt_entering(&[], &["orphans", "10"]);
        let mut child = command.stdout(Streams::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        assert_eq!(said, "ready 10\n");
        let token = yard.dir.path().display().to_string();
        child.kill().unwrap();
        child.wait().unwrap();
        await_that("nothing left", || running_with(&token).is_empty());
    }
}

#[test]
fn it_is_taken_along_at_every_moment_of_its_start() {
    const ROUNDS: u64 = 60;
    for yard in yards() {
        let token = format!("{}/moment", yard.dir.path().display());
        for round in 0..ROUNDS {
            let mut command = yard.enter(&["--env", &format!("TOKEN={token}")]);
            command.args(["--", "bash", "-c", "sleep 300; true", &token]);
            command.stderr(Streams::null());
            let mut child = command.spawn().unwrap();
            thread::sleep(Duration::from_micros(round * 150));
            child.kill().unwrap();
            await_end(&mut child);
        }
        await_that("nothing left", || running_with(&token).is_empty());
    }
}

/// The processes, in any namespace, that have a text among their arguments.
fn running_with(text: &str) -> Vec<u32> {
    crate::yard::numbered("/proc")
        .filter(|pid| *pid != std::process::id())
        .filter(|pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.windows(text.len()).any(|window| window == text.as_bytes())
        })
        .collect()
}

#[test]
fn many_start_at_once() {
    let yard = own_yard();
    thread::scope(|scope| {
        for number in 0..32 {
            let yard = &yard;
            scope.spawn(move || {
                let script =
                    format!("echo {number} > n{number}; id -u; ls /proc | grep -c '^[0-9]'");
                let (running, socket) = start_with_socket(&spec(yard), &bash(&script));
                assert_eq!(line(&socket), "1000\n");
                assert_eq!(running.wait(), Ended::Exited(0));
                let text = fs::read_to_string(yard.ws().join(format!("n{number}"))).unwrap();
                assert_eq!(text, format!("{number}\n"));
            });
        }
    });
}
