//! A unified diff, applied to the old text, gives the new text.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use garth_text::diff::{CONTEXT, Diff, Limit, Names, Tag, diff};
use proptest::prelude::*;

const NAMES: Names<'_> = Names { old: "a/file", new: "b/file" };

/// The lines of a text with their endings.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Applies a unified diff the way a strict reader would: every context and
/// every removed line must be there.
fn patched(old: &[u8], unified: &[u8]) -> Vec<u8> {
    let old = lines(old);
    let mut new: Vec<u8> = Vec::new();
    let mut at = 0;
    let mut rows = lines(unified).into_iter().skip(2).peekable();
    while let Some(row) = rows.next() {
        let (sign, rest) = row.split_at(1);
        let mut text = rest.to_vec();
        if rows.peek().is_some_and(|next| next.starts_with(b"\\")) {
            rows.next();
            text.pop();
        }
        match sign {
            b"@" => {
                let header = std::str::from_utf8(row).unwrap();
                let span = header.split(' ').nth(1).unwrap().trim_start_matches('-');
                let mut numbers = span.split(',').map(|number| number.parse::<usize>().unwrap());
                let (first, count) = (numbers.next().unwrap(), numbers.next().unwrap_or(1));
                let start = if count == 0 { first } else { first - 1 };
                new.extend(old[at..start].concat());
                at = start;
            }
            b" " => {
                assert_eq!(old[at], text);
                new.extend(text);
                at += 1;
            }
            b"-" => {
                assert_eq!(old[at], text);
                at += 1;
            }
            b"+" => new.extend(text),
            other => panic!("a row begins with {other:?}"),
        }
    }
    new.extend(old[at..].concat());
    new
}

/// The structured form counts what it holds and stands where it says.
fn check_hunks(found: &Diff<'_>, old: &[u8], new: &[u8]) {
    let (old, new) = (lines(old), lines(new));
    let count = |tag| {
        found.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.tag == tag).count()
    };
    assert_eq!((found.added, found.removed), (count(Tag::Added), count(Tag::Removed)));
    for hunk in &found.hunks {
        let side = |other: Tag| -> Vec<&[u8]> {
            hunk.lines.iter().filter(|line| line.tag != other).map(|line| line.text).collect()
        };
        let within = |first: usize, count: usize| first - 1..first - 1 + count;
        assert_eq!(side(Tag::Added), old[within(hunk.old.first, hunk.old.count)]);
        assert_eq!(side(Tag::Removed), new[within(hunk.new.first, hunk.new.count)]);
        let lead = hunk.lines.iter().take_while(|line| line.tag == Tag::Context).count();
        let trail = hunk.lines.iter().rev().take_while(|line| line.tag == Tag::Context).count();
        assert_eq!(lead, CONTEXT.min(hunk.old.first - 1 + lead), "all context there is");
        let after = old.len() - (hunk.old.first - 1 + hunk.old.count);
        assert!(trail == CONTEXT || after == 0, "all context there is");
    }
}

#[track_caller]
fn check(old: &[u8], new: &[u8]) {
    let found = diff(old, new);
    check_hunks(&found, old, new);
    let unified = found.unified(NAMES, Limit::NONE);
    if old == new {
        assert!(unified.text.is_empty());
    } else {
        assert_eq!(patched(old, &unified.text), new);
    }
}

fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a", "b", "c", "}", "", "  x", "long line with words"]);
    let ending = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\r"]);
    let body = prop::collection::vec((line, ending), 0..60);
    (body, prop::sample::select(vec!["", "", "end", "\r"])).prop_map(|(body, last)| {
        body.into_iter().map(|(line, ending)| format!("{line}{ending}")).collect::<String>() + last
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_diff_of_any_two_texts_leads_from_one_to_the_other(old in text(), new in text()) {
        check(old.as_bytes(), new.as_bytes());
    }

    #[test]
    fn a_diff_of_a_small_change_leads_there_too(
        front in text(), gone in text(), come in text(), back in text(), repeat in 1..4_usize,
    ) {
        let front = front.repeat(repeat);
        check(
            format!("{front}{gone}{back}").as_bytes(),
            format!("{front}{come}{back}").as_bytes(),
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_compared_all_the_same(
        old in prop::collection::vec(prop::sample::select(vec![0, b'\n', b'\r', b'a', 0xFF]), 0..40),
        new in prop::collection::vec(prop::sample::select(vec![0, b'\n', b'\r', b'a', 0xFF]), 0..40),
    ) {
        check(&old, &new);
    }
}

#[test]
fn a_change_in_a_large_file_is_one_small_hunk() {
    let line = |index: usize| format!("line {index} of a file that is long enough to matter\n");
    let old: String = (0..50_000).map(line).collect();
    let new = old.replace(&line(25_000), "changed\n");
    let found = diff(old.as_bytes(), new.as_bytes());
    assert_eq!((found.hunks.len(), found.added, found.removed), (1, 1, 1));
    assert_eq!(found.hunks[0].old.first, 25_001 - CONTEXT);
    check(old.as_bytes(), new.as_bytes());
}

#[test]
fn texts_with_nothing_in_common_and_endless_repetition_are_compared_in_reasonable_time() {
    let old: String = (0..40_000).map(|index| format!("{}\n", index * 7 % 11)).collect();
    let new: String = (0..40_000).map(|index| format!("{}\n", index * 5 % 13)).collect();
    check(old.as_bytes(), new.as_bytes());
    check("a\n".repeat(100_000).as_bytes(), "a\nb\n".repeat(50_000).as_bytes());
}
