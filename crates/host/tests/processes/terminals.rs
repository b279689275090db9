//! Commands with a terminal.

use bytes::Bytes;
use garth_contract::{Code, Exit, Input, ProcessId, Shell, Size, Stdin, Stream};

use crate::place::{Place, bytes_of, place, script};

const SIZE: Size = Size { rows: 30, columns: 100 };

/// A place that has terminals, if there are any here.
fn place_with_terminals() -> Option<Place> {
    let place = place();
    if place.shell.abilities().terminals {
        return Some(place);
    }
    println!("skipped: no terminals here");
    None
}

async fn start(place: &Place, text: &str, stdin: Stdin) -> ProcessId {
    let mut command = script(text);
    command.terminal = Some(SIZE);
    command.stdin = stdin;
    place.shell.start(command).await.unwrap()
}

async fn input(place: &Place, id: ProcessId, text: &'static [u8]) {
    place.shell.input(id, Input::Bytes(Bytes::from_static(text))).await.unwrap();
}

#[tokio::test]
async fn all_three_streams_are_a_terminal_that_is_its_own() {
    let Some(place) = place_with_terminals() else { return };
    let text =
        "test -t 0 && test -t 1 && test -t 2 && stty size && echo tty > /dev/tty && echo err >&2";
    let id = start(&place, text, Stdin::Open).await;
    let (out, err) = place.whole(id).await;
    assert_eq!(String::from_utf8_lossy(&out), "30 100\r\ntty\r\nerr\r\n");
    assert_eq!(err, b"");
    let listed = place.shell.list().await.unwrap();
    assert!(listed[0].terminal);
}

#[tokio::test]
async fn a_new_size_is_told_to_the_command() {
    let Some(place) = place_with_terminals() else { return };
    let text = "trap 'stty size; exit 3' WINCH; echo ready; while :; do sleep 0.05; done";
    let id = start(&place, text, Stdin::Open).await;
    place.await_text(id, "ready").await;
    place.shell.resize(id, Size { rows: 7, columns: 9 }).await.unwrap();
    place.await_text(id, "7 9").await;
    place.whole(id).await;
    assert_eq!(place.shell.end(id).await.unwrap().exit, Exit::Code(3));
    let error = place.shell.resize(id, SIZE).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidParams);
}

#[tokio::test]
async fn only_a_terminal_has_a_size() {
    let place = place();
    let id = place.start("sleep 1000").await;
    assert_eq!(place.shell.resize(id, SIZE).await.unwrap_err().code(), Code::InvalidParams);
}

#[tokio::test]
async fn control_c_interrupts_what_is_in_the_foreground() {
    let Some(place) = place_with_terminals() else { return };
    let id =
        start(&place, "trap 'echo caught; exit 4' INT; echo ready; read line", Stdin::Open).await;
    place.await_text(id, "ready").await;
    input(&place, id, b"\x03").await;
    place.await_text(id, "caught").await;
    place.whole(id).await;
    assert_eq!(place.shell.end(id).await.unwrap().exit, Exit::Code(4));
}

#[tokio::test]
async fn the_end_of_input_is_a_character_after_which_a_terminal_goes_on() {
    let Some(place) = place_with_terminals() else { return };
    let id = start(&place, "stty -echo; echo ready; cat; echo between; cat", Stdin::Open).await;
    place.await_text(id, "ready").await;
    input(&place, id, b"first\n").await;
    place.shell.input(id, Input::Close).await.unwrap();
    place.await_text(id, "first\r\nbetween").await;
    input(&place, id, b"second\n").await;
    place.shell.input(id, Input::Close).await.unwrap();
    let (out, _) = place.whole(id).await;
    let expected = "ready\r\nfirst\r\nbetween\r\nsecond\r\n";
    assert_eq!(String::from_utf8_lossy(&out), expected);
}

#[tokio::test]
async fn bytes_for_a_terminal_are_followed_by_its_end() {
    let Some(place) = place_with_terminals() else { return };
    for bytes in [&b"line\n"[..], b"line"] {
        let id = start(&place, "cat > file", Stdin::Bytes(Bytes::from_static(bytes))).await;
        place.whole(id).await;
        assert_eq!(std::fs::read(place.root().join("file")).unwrap(), bytes);
    }
    let id = start(&place, "cat; echo over", Stdin::Empty).await;
    place.await_text(id, "over").await;
    let error = place.shell.input(id, Input::Close).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidParams);
}

#[tokio::test]
async fn what_is_printed_last_is_not_lost_and_nothing_stays() {
    let Some(place) = place_with_terminals() else { return };
    for _ in 0..20 {
        let mut command = script("sleep 1000 & seq 2000; printf last");
        command.terminal = Some(SIZE);
        let report = place.run_command(command).await;
        assert!(report.stdout.head.ends_with(b"2000\r\nlast"), "{:?}", report.stdout);
        let printed = place.output(report.id, 0).await;
        assert_eq!(bytes_of(&printed, Stream::Stdout), report.stdout.head);
    }
    assert_eq!(place.survivors(), []);
}
