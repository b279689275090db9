//! What a command is given, what it prints and what is reported of it.

use std::{fs, os::unix::fs::symlink};

use bytes::Bytes;
use garth_contract::{Announce, Cause, Code, Exit, Keep, Program, Shell, Stdin, Variables, WsPath};
use tokio::sync::oneshot;

use crate::place::{place, program, script};

fn at(path: &str) -> WsPath {
    WsPath::from_bytes(path.as_bytes()).unwrap()
}

#[tokio::test]
async fn a_report_has_what_was_printed_and_how_it_ended() {
    let report = place().run("echo out; echo err >&2; exit 3").await;
    assert_eq!((&report.stdout.head[..], report.stdout.total), (&b"out\n"[..], 4));
    assert_eq!((&report.stderr.head[..], report.stderr.total), (&b"err\n"[..], 4));
    assert_eq!((report.ended.exit, report.ended.cause), (Exit::Code(3), Cause::Itself));
}

#[tokio::test]
async fn a_death_by_signal_is_told_as_one() {
    let report = place().run("kill -SEGV $$").await;
    assert_eq!((report.ended.exit, report.ended.cause), (Exit::Signal(11), Cause::Itself));
}

#[tokio::test]
async fn the_environment_is_the_places_and_the_commands_and_nothing_else() {
    let place = place();
    let mut command = program(&["env"]);
    command.variables = Variables::new([
        ("MINE".to_owned(), "a b=c".to_owned()),
        ("PATH".to_owned(), "/bin".to_owned()),
    ])
    .unwrap();
    let report = place.run_command(command).await;
    let text = String::from_utf8(report.stdout.head.to_vec()).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    let mark = format!("PLACE={}", place.dir().to_str().unwrap());
    assert_eq!(lines, ["MINE=a b=c", "PATH=/bin", &mark]);
}

#[tokio::test]
async fn a_command_has_three_files_no_blocked_signals_and_a_session_of_its_own() {
    let place = place();
    // A file of ours that is not closed by itself must not get there either.
    let ours = rustix::io::dup(fs::File::open("/dev/null").unwrap()).unwrap();
    let report =
        place.run("umask; cat /proc/$$/stat; grep ^Sig /proc/self/status; ls /proc/$$/fd").await;
    drop(ours);
    let text = String::from_utf8(report.stdout.head.to_vec()).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "0022");
    let stat: Vec<_> = lines[1].rsplit(')').next().unwrap().split_whitespace().collect();
    let pid = lines[1].split_whitespace().next().unwrap();
    assert_eq!((stat[2], stat[3]), (pid, pid), "process group and session");
    for line in &lines[3..6] {
        let (_, signals) = line.split_once(":\t").unwrap();
        assert!(line.starts_with("SigP") || signals == "0000000000000000", "{line}");
    }
    let files: Vec<_> = lines.iter().skip_while(|line| **line != "0").collect();
    // The fourth is what bash itself reads by.
    assert!(files.starts_with(&[&"0", &"1", &"2"]) && files.len() <= 4, "{files:?}");
}

#[tokio::test]
async fn a_broken_pipe_ends_a_command_as_in_any_shell() {
    let report = place().run("yes | head -n 1; echo ${PIPESTATUS[0]}").await;
    assert_eq!(report.stdout.head, "y\n141\n");
}

#[tokio::test]
async fn a_command_runs_where_it_is_told_to() {
    let place = place();
    fs::create_dir_all(place.root().join("a/b")).unwrap();
    symlink("a/b", place.root().join("link")).unwrap();
    for path in ["a/b", "link"] {
        let mut command = program(&["pwd", "-P"]);
        command.workdir = at(path);
        let report = place.run_command(command).await;
        let text = String::from_utf8(report.stdout.head.to_vec()).unwrap();
        assert_eq!(text, format!("{}\n", place.root().join("a/b").to_str().unwrap()));
    }
}

#[tokio::test]
async fn a_working_directory_that_is_none_is_refused() {
    let place = place();
    fs::write(place.root().join("file"), "").unwrap();
    symlink(place.dir(), place.root().join("out")).unwrap();
    let expected = [
        ("missing", Code::FileNotFound),
        ("file", Code::NotADirectory),
        ("out", Code::PathOutsideWorkspace),
        ("out/spool", Code::PathOutsideWorkspace),
    ];
    for (path, code) in expected {
        let mut command = script("true");
        command.workdir = at(path);
        assert_eq!(place.refused(command.clone()).await, code, "{path}");
        assert_eq!(place.shell.start(command).await.unwrap_err().code(), code, "{path}");
    }
    assert_eq!(place.shell.list().await.unwrap(), []);
}

#[tokio::test]
async fn what_cannot_be_run_has_the_code_of_a_shell_and_says_why() {
    let place = place();
    fs::write(place.root().join("plain"), "#!/bin/sh\n").unwrap();
    fs::write(place.root().join("junk"), "\0").unwrap();
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    fs::set_permissions(place.root().join("junk"), mode(0o755)).unwrap();
    let expected = [
        ("no-such-program", 127, "garth: no-such-program: No such file or directory\n"),
        ("./missing", 127, "garth: ./missing: No such file or directory\n"),
        ("./plain", 126, "garth: ./plain: Permission denied\n"),
        ("./junk", 126, "garth: ./junk: Exec format error\n"),
        ("/", 126, "garth: /: Permission denied\n"),
    ];
    for (name, code, says) in expected {
        let report = place.run_command(program(&[name])).await;
        assert_eq!(report.ended.exit, Exit::Code(code), "{name}");
        assert_eq!(report.stderr.head, says);
    }
}

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    let place = place();
    let words = [&b"printf"[..], b"%s|", b"", b"a b", b"\xff\n", b"$HOME"];
    let command = Program::arguments(words.map(<[u8]>::to_vec).to_vec()).unwrap();
    let mut run = script("true");
    run.program = command;
    assert_eq!(place.run_command(run).await.stdout.head, &b"|a b|\xff\n|$HOME|"[..]);
}

#[tokio::test]
async fn with_nothing_to_read_the_end_comes_at_once() {
    assert_eq!(place().run("cat; echo over").await.stdout.head, "over\n");
}

#[tokio::test]
async fn bytes_to_read_arrive_whole_and_then_the_end() {
    let place = place();
    let mut command = script("sha1sum; echo over");
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| at.to_le_bytes()[(at % 3) as usize]).collect();
    fs::write(place.root().join("same"), &bytes).unwrap();
    command.stdin = Stdin::Bytes(Bytes::from(bytes));
    let whole = place.run_command(command.clone()).await.stdout.head;
    assert_eq!(whole, place.run("sha1sum < same; echo over").await.stdout.head);
    // Who does not read them ends all the same.
    command.program = Program::script("exit 7").unwrap();
    assert_eq!(place.run_command(command).await.ended.exit, Exit::Code(7));
}

#[tokio::test]
async fn a_report_keeps_the_beginning_and_the_end() {
    let place = place();
    let mut command = script("seq 100000; seq 3 >&2");
    command.keep = Keep { head: 10, tail: 6 };
    let report = place.run_command(command.clone()).await;
    assert_eq!(report.stdout.head, "1\n2\n3\n4\n5\n");
    assert_eq!(report.stdout.tail, "00000\n");
    assert_eq!((report.stdout.total, report.stdout.missing()), (588_895, 588_879));
    assert_eq!((&report.stderr.head[..], &report.stderr.tail[..]), (&b"1\n2\n3\n"[..], &b""[..]));
    command.program = Program::script("printf 0123456789abcdef").unwrap();
    let whole = place.run_command(command).await.stdout;
    assert_eq!((&whole.head[..], &whole.tail[..]), (&b"0123456789abcdef"[..], &b""[..]));
}

#[tokio::test]
async fn a_run_announces_its_number_so_that_it_can_be_followed() {
    let place = place();
    let mut command = script("echo first; read line; echo $line");
    command.stdin = Stdin::Open;
    let (sender, receiver) = oneshot::channel();
    let announce = Announce::to(move |id| sender.send(id).unwrap());
    let follow = async {
        let id = receiver.await.unwrap();
        place.await_text(id, "first\n").await;
        let line = garth_contract::Input::Bytes(Bytes::from_static(b"second\n"));
        place.shell.input(id, line).await.unwrap();
        id
    };
    let (report, id) = tokio::join!(place.shell.run(command, announce), follow);
    let report = report.unwrap();
    assert_eq!((report.id, &report.stdout.head[..]), (id, &b"first\nsecond\n"[..]));
}

#[tokio::test]
async fn a_list_shows_who_runs_and_who_ran() {
    let place = place();
    let long = format!("exit 2 # {}", "ä".repeat(300));
    let first = place.run(&long).await.id;
    let mut command = script("echo hello; sleep 1000");
    command.terminal = None;
    let second = place.shell.start(command).await.unwrap();
    place.await_text(second, "hello").await;
    let list = place.shell.list().await.unwrap();
    assert_eq!(list.iter().map(|process| process.id).collect::<Vec<_>>(), [first, second]);
    assert_eq!(list[0].ended.unwrap().exit, Exit::Code(2));
    assert_eq!((list[0].command.chars().count(), list[0].background), (200, false));
    assert_eq!((list[1].ended, list[1].printed), (None, 6));
    assert_eq!((&list[1].command[..], list[1].background), ("echo hello; sleep 1000", true));
}
