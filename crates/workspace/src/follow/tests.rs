//! Where a stretch ends, and what the last line is.

use bytes::Bytes;
use garth_contract::{Cause, Exit};

use super::*;

fn printed(start: u64, pieces: &[(Stream, &str)]) -> Printed {
    let piece = |(stream, text): &(Stream, &str)| Piece {
        stream: *stream,
        bytes: Bytes::copy_from_slice(text.as_bytes()),
    };
    let pieces: Vec<_> = pieces.iter().map(piece).collect();
    let next = start + length(&pieces) as u64;
    Printed { start, pieces, next, missing: 0, total: next, ended: None }
}

fn ended(printed: Printed) -> Printed {
    let ended = Ended { exit: Exit::Code(0), cause: Cause::Itself, ran: Duration::ZERO };
    Printed { ended: Some(ended), ..printed }
}

use Stream::{Stderr, Stdout};

#[test]
fn an_unfinished_line_is_not_shown_while_its_end_may_come() {
    let open = printed(10, &[(Stdout, "one\ntw")]);
    assert_eq!(stop(&open, 100, Patience::Left), 14);
    assert_eq!(stop(&open, 100, Patience::Over), 16);
    assert_eq!(stop(&ended(open), 100, Patience::Left), 16);
    let nothing = printed(10, &[(Stdout, "tw")]);
    assert_eq!(stop(&nothing, 100, Patience::Left), 10);
}

#[test]
fn an_unfinished_line_of_one_stream_holds_back_what_the_other_printed_after_it() {
    let both = printed(0, &[(Stdout, "a\ntok"), (Stderr, "warning\n"), (Stdout, "en\nx\n")]);
    assert_eq!(whole_lines(&both), 18);
    let open = printed(0, &[(Stdout, "a\ntok"), (Stderr, "warning\n")]);
    assert_eq!(whole_lines(&open), 2);
    let twice = printed(0, &[(Stdout, "tok"), (Stdout, "en"), (Stderr, "w\n")]);
    assert_eq!(whole_lines(&twice), 0);
}

#[test]
fn a_long_stretch_is_cut_after_a_line_where_there_is_one() {
    let text = "line\n".repeat(100);
    let lines = printed(0, &[(Stdout, &text)]);
    assert_eq!(stop(&lines, 12, Patience::Over), 10);
    let endless = "x".repeat(100);
    let endless = printed(0, &[(Stdout, &endless)]);
    assert_eq!(stop(&endless, 12, Patience::Over), 12);
}

#[test]
fn a_line_longer_than_what_is_looked_at_is_shown_before_it_ends() {
    let text = "x".repeat(AROUND + 12);
    assert_eq!(stop(&printed(0, &[(Stdout, &text)]), 12, Patience::Left), 12);
    assert_eq!(stop(&printed(0, &[(Stdout, &text)]), 13, Patience::Left), 0);
}

#[test]
fn the_last_line_is_the_last_one_with_something_to_see() {
    for (text, last) in [
        ("", ""),
        ("\n\n", ""),
        ("one\ntwo\n", "two"),
        ("one\n  \n\n", "one"),
        ("10%\r20%\r", "20%"),
        ("\u{1b}[1;32mok\u{1b}[0m \u{7}done\n", "ok done"),
        ("é世\r\n\u{1b}[2K\r\n", "é世"),
    ] {
        let workspace = crate::fixture::workspace();
        let raw = garth_redact::Raw::from(text);
        let clean = workspace.clean(&garth_contract::WsPath::root(), raw).unwrap();
        assert_eq!(last_line_of(&clean).as_ref(), last, "{text:?}");
    }
}
