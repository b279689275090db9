//! Windows of lines, with secrets inside them, across them and beside them.

use super::*;
use crate::fixture;

const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n\
                   VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNb\n\
                   -----END PRIVATE KEY-----\n";

fn lines(text: &str, window: Range<usize>) -> Vec<String> {
    let workspace = fixture::workspace();
    let path = WsPath::from_bytes(b"a.txt").unwrap();
    let shown = workspace.lines(&path, text, window).unwrap();
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
