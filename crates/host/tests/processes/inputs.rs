//! What goes to a process's standard input.

use bytes::Bytes;
use garth_contract::{Code, Exit, Input, MOST_WAITING_INPUT, ProcessId, Shell, Stdin};

use crate::place::{Place, place, script, until};

async fn open(place: &Place, text: &str) -> ProcessId {
    let mut command = script(text);
    command.stdin = Stdin::Open;
    place.shell.start(command).await.unwrap()
}

fn bytes(text: &'static str) -> Input {
    Input::Bytes(Bytes::from_static(text.as_bytes()))
}

#[tokio::test]
async fn bytes_arrive_in_order_until_the_end() {
    let place = place();
    let id = open(&place, "cat").await;
    let mut expected = Vec::new();
    for at in 0..2_000 {
        let line = format!("line {at} {}\n", "x".repeat(at % 300));
        expected.extend_from_slice(line.as_bytes());
        place.shell.input(id, Input::Bytes(Bytes::from(line))).await.unwrap();
    }
    place.shell.input(id, Input::Close).await.unwrap();
    assert_eq!(place.shell.input(id, bytes("x")).await.unwrap_err().code(), Code::InvalidParams);
    let (out, _) = place.whole(id).await;
    assert_eq!(out, expected);
}

#[tokio::test]
async fn input_that_nobody_takes_is_refused() {
    let place = place();
    let closed = place.start("sleep 1000").await;
    let error = place.shell.input(closed, bytes("x")).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidParams);
    let ended = place.run("true").await.id;
    for input in [bytes("x"), Input::Close] {
        let error = place.shell.input(ended, input).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidParams);
    }
    let unknown = place.shell.input(ProcessId(99), Input::Close).await.unwrap_err();
    assert_eq!(unknown.code(), Code::InvalidParams);
}

#[tokio::test]
async fn who_closes_its_input_is_not_written_to_any_more() {
    let place = place();
    let id = open(&place, "exec 0<&-; echo closed; sleep 1000").await;
    place.await_text(id, "closed").await;
    let shell = place.shell.clone();
    let mut code = None;
    until("it is refused", || {
        let refused = at_once(shell.input(id, bytes("x")));
        code = refused.err().map(|error| error.code());
        code.is_some()
    })
    .await;
    assert_eq!(code, Some(Code::InvalidParams));
}

/// Runs a future that never waits.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(done) => done,
        std::task::Poll::Pending => panic!("input must not wait"),
    }
}

#[tokio::test]
async fn a_process_that_does_not_read_takes_only_so_much() {
    let place = place();
    let id = open(&place, "read line; echo $line; exec cat > all").await;
    let large = Input::Bytes(Bytes::from(vec![b'x'; MOST_WAITING_INPUT]));
    place.shell.input(id, bytes("first\n")).await.unwrap();
    place.await_text(id, "first\n").await;
    let id = open(&place, "while [ ! -e go ]; do sleep 0.01; done; wc -c").await;
    place.shell.input(id, large.clone()).await.unwrap();
    // What a pipe holds has gone by now, or will have; the rest waits.
    let error = place.shell.input(id, large).await.unwrap_err();
    assert_eq!(error.code(), Code::RateLimitExceeded);
    std::fs::write(place.root().join("go"), "").unwrap();
    place.shell.input(id, Input::Close).await.unwrap();
    let (out, _) = place.whole(id).await;
    assert_eq!(String::from_utf8_lossy(&out).trim(), MOST_WAITING_INPUT.to_string());
}

#[tokio::test]
async fn the_end_is_seen_though_other_commands_start_meanwhile() {
    let place = place();
    let id = open(&place, "cat; exit 9").await;
    let others: Vec<_> = (0..8).map(|_| script("sleep 1000")).collect();
    for other in others {
        place.shell.start(other).await.unwrap();
    }
    place.shell.input(id, Input::Close).await.unwrap();
    place.whole(id).await;
    assert_eq!(place.shell.end(id).await.unwrap().exit, Exit::Code(9));
}
