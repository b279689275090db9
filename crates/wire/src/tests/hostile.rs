//! Bytes that somebody made up: no panic, no memory for what has not come.

use bytes::Bytes;
use garth_contract::Code;
use proptest::{
    collection::vec,
    prelude::{any, prop_assert, proptest},
    sample::Index,
};

use super::{
    bytes, frame,
    samples::{answers, requests},
};
use crate::{Answer, Fault, Frame, Request};

fn of(head: &[u8], body: &[u8]) -> Frame {
    Frame { head: Bytes::copy_from_slice(head), body: Bytes::copy_from_slice(body) }
}

proptest! {
    #[test]
    fn random_bytes_are_read_or_refused(head in vec(any::<u8>(), 0..200), body in vec(any::<u8>(), 0..50)) {
        let _ = Request::decode(of(&head, &body));
        let _ = Answer::decode(of(&head, &body));
    }

    #[test]
    fn a_changed_message_is_read_or_refused(
        which in any::<Index>(),
        changes in vec((any::<Index>(), any::<u8>()), 1..4),
        cut in any::<Index>(),
    ) {
        let all: Vec<Vec<u8>> = requests()
            .into_iter()
            .map(|(_, request)| bytes(request.encode()))
            .chain(answers().into_iter().map(|(_, answer)| bytes(answer.encode())))
            .collect();
        let mut message = which.get(&all).clone();
        for (at, byte) in changes {
            let at = at.index(message.len());
            message[at] = byte;
        }
        message.truncate(cut.index(message.len()) + 1);
        if let Some(frame) = frame(&message) {
            let _ = Request::decode(frame.clone());
            let _ = Answer::decode(frame);
        }
    }

    #[test]
    fn whatever_is_read_is_written_as_it_was(head in vec(any::<u8>(), 0..60)) {
        // One message, one text: what differs in its bytes differs in its meaning. An
        // error is cleaned when it is read, so it may change.
        if let Ok(answer) = Answer::decode(of(&head, &[]))
            && !matches!(answer, Answer::Refused(_) | Answer::Told(_) | Answer::Names(_) | Answer::Found(_))
        {
            let again = bytes(answer.encode());
            prop_assert!(frame(&again).is_some_and(|frame| frame.head == head));
        }
    }
}

#[test]
fn a_count_alone_allocates_nothing() {
    // A list of events that says it has 2^40 of them.
    let head = [12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 1, 1, 1];
    assert!(matches!(Answer::decode(of(&head, &[])), Err(Fault::Malformed(_))));
    // A name that says it has 2^40 bytes.
    let head = [3, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 1];
    assert!(matches!(Answer::decode(of(&head, b"x")), Err(Fault::Malformed(_))));
}

#[test]
fn a_path_is_checked_where_it_enters() {
    for path in ["..", "/etc", "a//b", "a/../b", "a\0b", "a/"] {
        let mut head = vec![12, 1, 0, u8::try_from(path.len()).unwrap()];
        head.extend(path.as_bytes());
        head.push(0);
        assert!(matches!(Answer::decode(of(&head, &[])), Err(Fault::Malformed(_))), "{path:?}");
    }
}

#[test]
fn matches_outside_their_line_are_refused() {
    let line = |spans: &[u8]| {
        let mut head = vec![10, 4, 1, b'l', 1, 0, 4];
        head.extend(b"text");
        head.push(u8::try_from(spans.len() / 2).unwrap());
        head.extend(spans);
        Answer::decode(of(&head, &[]))
    };
    assert!(line(&[0, 4]).is_ok());
    assert!(line(&[0, 1, 1, 2]).is_ok());
    for wrong in [&[0, 5][..], &[3, 2], &[1, 2, 0, 1], &[0, 2, 1, 3]] {
        assert!(line(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn an_error_is_cleaned_on_its_way_in() {
    let mut head = vec![0];
    let mut text = |text: &str| {
        head.push(u8::try_from(text.len()).unwrap());
        head.extend(text.as_bytes());
    };
    text("NO_SUCH_CODE");
    text("one\ntwo\u{1b}[31m");
    head.extend([0, 0, 0]);
    let Ok(Answer::Refused(error)) = Answer::decode(of(&head, &[])) else { panic!("no error") };
    assert_eq!(error.code(), Code::Internal);
    assert_eq!(error.message(), "one\u{fffd}two\u{fffd}[31m");
}

#[test]
fn an_error_has_bounds() {
    let error = garth_contract::Error::new(Code::Conflict, "x".repeat(100_000));
    let details = (0..100).map(garth_contract::Detail::Places);
    let error = details.fold(error, garth_contract::Error::with);
    let sent = bytes(Answer::Refused(error).encode());
    let Ok(Answer::Refused(error)) = Answer::decode(frame(&sent).unwrap()) else {
        panic!("no error")
    };
    assert_eq!(error.message().len(), 8 << 10);
    assert_eq!(error.details().len(), 16);
}
