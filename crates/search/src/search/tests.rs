//! What is found in one file, one fact each.

use garth_contract::{
    Case, Collect, Facts, Grep, Hidden, Ignored, Kinds, LineKind, Order, Owned, Reach, Syntax,
    WsPath,
};

use super::*;
use crate::Delivery;

fn grep(pattern: &str) -> Grep {
    Grep {
        pattern: pattern.into(),
        syntax: Syntax::Regex,
        case: Case::Sensitive,
        lines: Lines::Single,
        output: Output::Content,
        before: 0,
        after: 0,
    }
}

fn query(grep: Grep) -> Query {
    Query {
        base: WsPath::root(),
        reach: Reach::Tree,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::Files,
        hidden: Hidden::Skip,
        ignored: Ignored::Skip,
        grep: Some(grep),
        facts: Facts::All,
        order: Order::Path,
        skip: 0,
        take: u64::MAX,
        after: None,
    }
}

/// Searches the bytes in both ways and shows the lines, `:` after the number of a
/// match and `-` after that of a context line.
fn run(grep: &Grep, bytes: &[u8]) -> (Vec<String>, Searched) {
    let query = query(grep.clone());
    let mut search = Search::compile(&query).unwrap().unwrap().start();
    let mut answers = Vec::new();
    for way in ["bytes", "reader"] {
        let mut hits = Hits::new();
        let mut spill = |_: &mut Hits| Flow::Continue;
        let searched = match way {
            "bytes" => search.bytes(b"f", bytes, &mut hits, &mut spill),
            _ => search.reader(b"f", bytes, &mut hits, &mut spill),
        };
        let sink = Collect::default();
        Delivery::new(&query, &sink).push(&hits);
        answers.push((sink.take().iter().map(show).collect::<Vec<_>>(), searched.unwrap()));
    }
    let last = answers.pop().unwrap();
    assert_eq!(answers, std::slice::from_ref(&last));
    last
}

fn show(found: &Owned) -> String {
    match found {
        Owned::Line(line) => {
            let sign = if line.kind == LineKind::Match { ':' } else { '-' };
            let spans: Vec<_> = line.spans.iter().map(|span| (span.start, span.end)).collect();
            format!("{}{sign}{}{spans:?}", line.number, String::from_utf8_lossy(&line.text))
        }
        Owned::File(path) => path.to_string(),
        Owned::Count(path, count) => format!("{path}={count}"),
        Owned::Entry(entry) => entry.path.to_string(),
        Owned::Name(path, _) => path.to_string(),
    }
}

fn lines(grep: &Grep, text: &str) -> Vec<String> {
    run(grep, text.as_bytes()).0
}

#[test]
fn a_match_has_its_line_number_and_spans() {
    let found = lines(&grep("b+"), "a\nxbbyb\n\nb");
    assert_eq!(found, ["2:xbbyb[(1, 3), (4, 5)]", "4:b[(0, 1)]"]);
}

#[test]
fn both_line_endings_are_left_out_of_the_text() {
    assert_eq!(lines(&grep("a.*"), "ab\r\nac\n"), ["1:ab[(0, 2)]", "2:ac[(0, 2)]"]);
}

#[test]
fn a_line_ends_before_either_line_ending() {
    let text = "x;\r\ny;\nz\r\n\r\n\n";
    assert_eq!(lines(&grep(";$"), text), ["1:x;[(1, 2)]", "2:y;[(1, 2)]"]);
    assert_eq!(lines(&grep("^$"), text), ["4:[(0, 0)]", "5:[(0, 0)]"]);
    let ends = lines(&grep(r"\r$"), text);
    assert_eq!(ends, ["1:x;[(2, 2)]", "3:z[(1, 1)]", "4:[(0, 0)]"]);
}

#[test]
fn context_lines_come_once_and_in_order() {
    let with = Grep { before: 1, after: 1, ..grep("x") };
    let found = lines(&with, "1\n2\nx3\n4\nx5\n6\n7\n8\nx9");
    assert_eq!(
        found,
        ["2-2[]", "3:x3[(0, 1)]", "4-4[]", "5:x5[(0, 1)]", "6-6[]", "8-8[]", "9:x9[(0, 1)]"]
    );
}

#[test]
fn case_follows_the_query() {
    let text = "Foo\nfoo\n";
    for (case, pattern, expected) in [
        (Case::Sensitive, "foo", 1),
        (Case::Insensitive, "FOO", 2),
        (Case::Smart, "foo", 2),
        (Case::Smart, "Foo", 1),
    ] {
        assert_eq!(lines(&Grep { case, ..grep(pattern) }, text).len(), expected, "{pattern}");
    }
}

#[test]
fn a_word_stands_alone_and_fixed_text_is_literal() {
    let word = Grep { syntax: Syntax::Word, ..grep("lock") };
    assert_eq!(lines(&word, "unlock\nlock()\n"), ["2:lock()[(0, 4)]"]);
    let fixed = Grep { syntax: Syntax::Fixed, ..grep("a.b(") };
    assert_eq!(lines(&fixed, "axb(\na.b(\n"), ["2:a.b([(0, 4)]"]);
}

#[test]
fn a_multi_line_match_is_one_result() {
    let multi = Grep { lines: Lines::Multi, ..grep("b.*d") };
    assert_eq!(lines(&multi, "a\nb\nc\nd\ne\n"), ["2:b\nc\nd[(0, 5)]"]);
}

#[test]
fn a_binary_file_is_passed_over_and_said_so() {
    for bytes in [b"needle\0x\n".as_slice(), b"\0needle\n", b"needle one\nfoo\0\nneedle two\n"] {
        let (lines, searched) = run(&grep("needle"), bytes);
        assert!(lines.is_empty());
        assert!(searched.binary);
    }
}

#[test]
fn what_stands_before_a_late_nul_is_found_as_ripgrep_finds_it() {
    let mut bytes = b"needle one\n".to_vec();
    bytes.extend_from_slice(&b"filler line\n".repeat(10_000));
    bytes.extend_from_slice(b"needle two\n\0needle three\n");
    let (lines, searched) = run(&grep("needle"), &bytes);
    assert_eq!(lines, ["1:needle one[(0, 6)]"]);
    assert!(searched.binary);
    let count = Grep { output: Output::Count, ..grep("needle") };
    assert_eq!(run(&count, &bytes).0, [""; 0]);
    let files = Grep { output: Output::Files, ..grep("needle") };
    assert_eq!(run(&files, &bytes).0, ["f"]);
}

#[test]
fn utf16_with_a_mark_is_text() {
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend("x\nneedle é\n".encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(run(&grep("needle"), &bytes).0, ["2:needle é[(0, 6)]"]);
    let marked = b"\xef\xbb\xbfneedle\n";
    assert_eq!(run(&grep("^needle"), marked).0, ["1:needle[(0, 6)]"]);
}

#[test]
fn files_and_counts_are_one_result_a_file() {
    let text = "a\na a\nb\n";
    let with = |output| Grep { output, ..grep("a") };
    assert_eq!(lines(&with(Output::Files), text), ["f"]);
    assert_eq!(lines(&with(Output::Count), text), ["f=2"]);
    let multi = Grep { lines: Lines::Multi, ..with(Output::Count) };
    assert_eq!(lines(&multi, text), ["f=3"]);
    assert_eq!(lines(&with(Output::Count), "none"), [""; 0]);
}

#[test]
fn a_file_is_left_once_it_has_enough() {
    struct Endless(u64);
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            assert!(self.0 < 100, "the search reads on");
            let line = b"needle\nother\n";
            let whole = buffer.len() / line.len() * line.len();
            for (byte, source) in buffer.iter_mut().zip(line.iter().cycle()) {
                *byte = *source;
            }
            Ok(if self.0 == 1 { buffer.len() } else { whole })
        }
    }
    let after = Grep { after: 1, ..grep("needle") };
    let query = Query { skip: 1, take: 2, ..query(after) };
    let mut hits = Hits::new();
    let mut search = Search::compile(&query).unwrap().unwrap().start();
    let searched = search.reader(b"f", Endless(0), &mut hits, &mut |_| Flow::Continue).unwrap();
    assert_eq!(searched.matches, 3);
    assert_eq!(hits.lines.len(), 6);
}

#[test]
fn large_results_are_offered_for_taking_away() {
    let text = "needle\n".repeat(100_000);
    let query = query(grep("needle"));
    let sink = Collect::default();
    let mut delivery = Delivery::new(&query, &sink);
    let mut hits = Hits::new();
    let mut largest = 0;
    let mut spill = |hits: &mut Hits| {
        largest = largest.max(hits.bytes());
        let flow = delivery.push(hits);
        hits.clear();
        flow
    };
    let mut search = Search::compile(&query).unwrap().unwrap().start();
    search.reader(b"f", text.as_bytes(), &mut hits, &mut spill).unwrap();
    assert!(largest < 1 << 20, "{largest}");
    delivery.push(&hits);
    assert_eq!(delivery.given(), 100_000);
    assert_eq!(sink.take().len(), 100_000);
}

#[test]
fn a_line_with_very_many_matches_has_a_bounded_number_of_spans() {
    let query = query(grep("a"));
    let mut hits = Hits::new();
    let mut search = Search::compile(&query).unwrap().unwrap().start();
    let line = "a".repeat(1 << 20);
    search.bytes(b"f", line.as_bytes(), &mut hits, &mut |_| Flow::Continue).unwrap();
    assert!(hits.spans.len() < 10_000);
    assert_eq!(hits.text.len(), 1 << 20);
}
