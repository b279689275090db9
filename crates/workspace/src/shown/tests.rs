//! Windows of lines, with secrets inside them, across them and beside them.

use garth_redact::Span;

use super::*;
use crate::fixture;

const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n\
                   VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNb\n\
                   -----END PRIVATE KEY-----\n";

fn lines(text: &str, window: Range<usize>) -> Vec<String> {
    let workspace = fixture::workspace();
    let path = WsPath::from_bytes(b"a.txt").unwrap();
    let shown = workspace.lines(&path, text.as_bytes(), window).unwrap();
    shown.lines.iter().map(|line| line.as_ref().to_owned()).collect()
}

fn naive(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn text_without_secrets_comes_line_by_line() {
    for text in ["", "a", "a\n", "a\n\nb\r\nc\r", "\n", "é\n世\n"] {
        let expected: Vec<_> =
            text.split_inclusive('\n').map(|l| l.trim_end_matches('\n')).collect();
        let shown = lines(text, 0..text.len());
        assert_eq!(shown.len(), expected.len(), "{text:?}");
        for (shown, raw) in shown.iter().zip(&expected) {
            assert!(*shown == *raw || format!("{shown}\r") == **raw, "{text:?}");
        }
    }
    assert_eq!(lines("a\nb\nc\n", 2..4), ["b"]);
}

#[test]
fn a_secret_is_replaced_in_its_line_only() {
    let text = "one\napi_key = \"k8sT9qLz4VbX2mNp7RwY\"\nthree\n";
    let shown = lines(text, 0..text.len());
    assert_eq!(shown.len(), 3);
    assert_eq!((shown[0].as_str(), shown[2].as_str()), ("one", "three"));
    assert!(shown[1].starts_with("api_key = \"[REDACTED: "), "{shown:?}");
    assert!(!shown[1].contains("k8sT"), "{shown:?}");
}

#[test]
fn a_secret_of_many_lines_keeps_the_numbers_true() {
    let text = format!("before\n{KEY}after\n");
    let shown = lines(&text, 0..text.len());
    assert_eq!(shown.len(), naive(&text).len());
    assert_eq!(shown.first().map(String::as_str), Some("before"));
    assert_eq!(shown.last().map(String::as_str), Some("after"));
    for line in &shown[1..shown.len() - 1] {
        assert!(!line.contains("MII") && !line.contains("VJTU"), "{shown:?}");
    }
}

#[test]
fn a_window_that_begins_inside_a_secret_does_not_show_it() {
    let text = format!("before\n{KEY}after\n");
    let starts: Vec<_> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for start in &starts {
        for end in starts.iter().filter(|end| *end >= start) {
            let all = lines(&text, *start..*end).join("\n");
            assert!(!all.contains("MIIEvQ") && !all.contains("VJTUt9"), "{start}..{end}: {all}");
        }
    }
}

#[test]
fn every_window_is_a_part_of_the_whole() {
    let secret = "token: ghp_1234567890abcdefghijklmnopqrstuvwxyz\n";
    let text = format!("a\n{secret}b {secret}{KEY}{secret}c");
    let whole = lines(&text, 0..text.len());
    let mut starts: Vec<_> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    starts.insert(0, 0);
    for (index, start) in starts.iter().enumerate() {
        assert_eq!(lines(&text, *start..text.len()), whole[index..], "{index}");
    }
}

#[test]
fn secrets_side_by_side_do_not_shift_the_text_behind_them() {
    let span = |start, end, nth| Span { start, end, rule: "A", nth };
    let clean = Clean::fixed("[REDACTED: A][REDACTED: A#2] b\nnext");
    let pieces = Pieces::align("XYZ b\nnext", &clean, &[span(0, 1, 1), span(1, 3, 2)]);
    assert_eq!(pieces.part(&clean, &(0..5)).as_ref(), "[REDACTED: A][REDACTED: A#2] b");
    assert_eq!(pieces.part(&clean, &(6..10)).as_ref(), "next");
}

#[test]
fn a_replacement_of_a_rule_of_ones_own_goes_as_far_as_what_followed() {
    let span = Span { start: 2, end: 5, rule: "OWN", nth: 1 };
    let clean = Clean::fixed("a <hidden> b\nnext");
    let pieces = Pieces::align("a XYZ b\nnext", &clean, &[span]);
    assert_eq!(pieces.part(&clean, &(0..7)).as_ref(), "a <hidden> b");
    assert_eq!(pieces.part(&clean, &(8..12)).as_ref(), "next");
}
