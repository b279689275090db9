//! Streams that are cut: where, and that no border shows half a secret.

use bytes::Bytes;
use garth_redact::{Behaviour, Config};

use super::*;
use crate::{Limits, fixture};

const SECRET: &str = "ghp_1234567890abcdefghijklmnopqrstuvwxyz";

/// What a shell gives of a stream that it was told to keep so much of.
fn kept(workspace: &Workspace, stream: &[u8]) -> Kept {
    let Keep { head, tail } = workspace.keep();
    let total = stream.len() as u64;
    if stream.len() <= head + tail {
        return Kept { head: Bytes::copy_from_slice(stream), tail: Bytes::new(), total };
    }
    Kept {
        head: Bytes::copy_from_slice(&stream[..head]),
        tail: Bytes::copy_from_slice(&stream[stream.len() - tail..]),
        total,
    }
}

fn excerpt(stream: &[u8]) -> Excerpt {
    let workspace = fixture::workspace();
    workspace.excerpt(&kept(&workspace, stream))
}

/// Streams around each bound: of what is shown, and of what is kept.
fn lengths() -> Vec<usize> {
    let shown = 51_200;
    let kept = shown + 2 * AROUND;
    let around = |bound: usize| [bound - 1, bound, bound + 1];
    [0, 1, 20_480, 30_720]
        .into_iter()
        .chain(around(shown))
        .chain(around(kept))
        .chain([300_000])
        .collect()
}

#[test]
fn a_stream_is_whole_up_to_its_bound_and_then_its_first_20_and_last_30_kilobytes() {
    for length in lengths() {
        let stream: String = "abcdefghijklmnopqrstuvw".chars().cycle().take(length).collect();
        let Excerpt { head, tail, missing, total } = excerpt(stream.as_bytes());
        assert_eq!(total, length as u64);
        if length <= 51_200 {
            assert_eq!((head.as_ref(), tail.as_ref(), missing), (stream.as_str(), "", 0));
        } else {
            assert_eq!(head.as_ref(), &stream[..20_480], "{length}");
            assert_eq!(tail.as_ref(), &stream[length - 30_720..], "{length}");
            assert_eq!(missing, total - 51_200);
        }
    }
}

#[test]
fn a_stream_is_cut_between_characters() {
    for (character, length) in [("é", 60_001), ("世", 100_000), ("😀", 300_000)] {
        for lead in ["", "a", "ab", "abc"] {
            let stream = format!("{lead}{}", character.repeat(length / character.len()));
            let Excerpt { head, tail, missing, total } = excerpt(stream.as_bytes());
            assert!(stream.starts_with(head.as_ref()), "{lead}{character}");
            assert!(stream.ends_with(tail.as_ref()), "{lead}{character}");
            assert!(head.len() > 20_480 - 4 && tail.len() > 30_720 - 4);
            assert!(head.len() <= 20_480 && tail.len() <= 30_720);
            assert_eq!(head.len() as u64 + tail.len() as u64 + missing, total);
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_shown_as_such() {
    let shown = excerpt(b"a\xffb\xc3");
    assert_eq!(shown.head.as_ref(), "a\u{fffd}b\u{fffd}");
    assert_eq!((shown.missing, shown.total), (0, 4));
    let shown = excerpt(&[0x80; 60_000]);
    assert_eq!(shown.missing, 60_000 - 51_200);
}

#[test]
fn a_secret_across_a_border_is_not_shown_in_part() {
    for length in [60_000, 80_000, 200_000] {
        for border in [20_480, length - 30_720] {
            for into in [1, 4, 5, 12, SECRET.len() - 1] {
                let mut stream = "plain text. ".repeat(length / 12 + 1).into_bytes();
                stream.truncate(length);
                let at = border - into;
                stream[at..at + SECRET.len()].copy_from_slice(SECRET.as_bytes());
                stream[at - 1] = b' ';
                stream[at + SECRET.len()] = b' ';
                let Excerpt { head, tail, .. } = excerpt(&stream);
                let all = format!("{head}{tail}");
                assert!(all.contains("[REDACTED: "), "{length} {border} {into}");
                for half in [&SECRET[4..], &SECRET[into..]].iter().filter(|half| half.len() > 8) {
                    let half = &half[..8];
                    assert!(!all.contains(half), "{length} {border} {into}: {half}");
                }
                assert!(!head.ends_with(&SECRET[..into]) || into < 4, "{length} {border} {into}");
            }
        }
    }
}

#[test]
fn a_secret_in_what_is_shown_does_not_move_the_borders() {
    let stream = format!("{SECRET} {}", "x".repeat(100_000));
    let Excerpt { head, tail, missing, total } = excerpt(stream.as_bytes());
    assert!(head.starts_with("[REDACTED: "), "{head}");
    assert!(head.ends_with('x') && tail.as_ref() == "x".repeat(30_720));
    assert_eq!(missing, total - 51_200);
}

#[test]
fn a_stream_with_a_secret_is_held_back_where_such_texts_are() {
    let redaction = Config { behaviour: Behaviour::Block, ..Config::standard() };
    let workspace = fixture::redacting(redaction);
    let shown = |text: &str| workspace.excerpt(&kept(&workspace, text.as_bytes())).head;
    assert_eq!(shown(SECRET).as_ref(), "[held back: it holds a secret]");
    assert_eq!(shown("plain").as_ref(), "plain");
}

#[test]
fn a_report_that_keeps_less_than_it_was_told_to_is_shown_as_it_is() {
    let workspace = fixture::workspace();
    let kept =
        Kept { head: Bytes::from_static(b"begin"), tail: Bytes::from_static(b"end"), total: 1_000 };
    let shown = workspace.excerpt(&kept);
    assert_eq!((shown.head.as_ref(), shown.tail.as_ref()), ("begin", "end"));
    assert_eq!((shown.missing, shown.total), (992, 1_000));
    let lying = Kept { total: 0, ..kept };
    assert_eq!(workspace.excerpt(&lying).total, 8);
    assert_eq!(workspace.excerpt(&Kept::default()).head.as_ref(), "");
    assert_eq!(Limits::standard().stream_head, 20_480);
}
