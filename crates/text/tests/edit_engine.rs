//! What the edit engine promises, one fact at a time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use garth_text::edit::{Edit, FileError, Level, Mode, Place, Replace, Why, apply, apply_to_file};
use garth_text::encoding::{self, Encoding};

fn one<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit { old, new, replace: Replace::One }
}

fn all<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit { old, new, replace: Replace::All }
}

#[track_caller]
fn becomes(content: &str, edit: Edit<'_>, level: Level, expected: &str) {
    let edited = apply(content.as_bytes(), &[edit], Mode::Forgiving).unwrap();
    assert_eq!(String::from_utf8(edited.bytes).unwrap(), expected);
    assert_eq!(edited.reports[0].level, level);
}

#[track_caller]
fn refused(content: &str, edit: Edit<'_>) -> Why {
    apply(content.as_bytes(), &[edit], Mode::Forgiving).unwrap_err().why
}

#[test]
fn new_text_takes_the_endings_of_the_file() {
    becomes("a\r\nb\r\n", one("a", "x\ny"), Level::Exact, "x\r\ny\r\nb\r\n");
    becomes("a\nb\n", one("a", "x\r\ny"), Level::Exact, "x\ny\nb\n");
    becomes("a", one("a", "x\r\ny"), Level::Exact, "x\ny");
}

#[test]
fn new_text_in_a_mixed_file_takes_the_endings_of_its_place() {
    let content = "a\r\nb\r\nc\r\nd\ne\n";
    becomes(content, one("d\ne", "x\ny\nz"), Level::Exact, "a\r\nb\r\nc\r\nx\ny\nz\n");
    becomes(content, one("a\nb", "x\ny\nz"), Level::LineEndings, "x\r\ny\r\nz\r\nc\r\nd\ne\n");
    becomes(content, one("d", "x\ny"), Level::Exact, "a\r\nb\r\nc\r\nx\r\ny\ne\n");
}

#[test]
fn endings_of_lines_that_the_edit_keeps_stay_byte_for_byte() {
    let content = "a\r\nb\nc\r\nd\n";
    becomes(content, one("a\nb\nc\nd", "a\nb\nX\nd"), Level::LineEndings, "a\r\nb\nX\r\nd\n");
    becomes(content, one("a\r\nb\nc", "a\nB\nc"), Level::Exact, "a\r\nB\nc\r\nd\n");
}

#[test]
fn an_old_text_that_begins_with_a_newline_leaves_no_return_behind() {
    becomes("a\r\nb\r\n", one("\nb", "\nc"), Level::Exact, "a\r\nc\r\n");
    becomes("a\r\nb\r\n", one("\nb", ""), Level::Exact, "a\r\n");
}

#[test]
fn lone_returns_are_never_touched() {
    becomes("a\rb\rc", one("b", "X\nY"), Level::Exact, "a\rX\nY\rc");
    becomes("a\rb\r\nc", one("b\nc", "d\ne"), Level::LineEndings, "a\rd\r\ne");
}

#[test]
fn typography_in_the_file_or_in_the_old_text_is_forgiven() {
    becomes("say “hi” – now", one("\"hi\" - n", "N"), Level::Typography, "say Now");
    becomes("say \"hi\" - now", one("“hi” – n", "N"), Level::Typography, "say Now");
    becomes("wait… done", one("wait...", "go"), Level::Typography, "go done");
    becomes("a\u{a0}b\r\nc", one("a b\nc", "x\ny"), Level::Typography, "x\r\ny");
}

#[test]
fn lines_that_the_edit_keeps_keep_their_typography() {
    becomes(
        "“a”\n‘b’\n“c”\n",
        one("\"a\"\n'b'\n\"c\"", "\"a\"\n'B'\n\"c\""),
        Level::Typography,
        "“a”\n'B'\n“c”\n",
    );
}

#[test]
fn two_dots_are_found_at_the_end_of_three() {
    becomes("“a”...", one("\"a\"..", "b"), Level::Typography, "b.");
}

#[test]
fn a_blank_line_that_goes_leaves_no_white_space_behind() {
    becomes("x\n  \n‘a’\t\n\ty\n", one("\n'a'\n", ""), Level::TrailingWhitespace, "x\n\ty\n");
}

#[test]
fn trailing_white_space_is_forgiven_in_whole_lines_only() {
    becomes("a  \nb\t\nc\n", one("a\nb", "x"), Level::TrailingWhitespace, "x\nc\n");
    becomes("a\nb\nc\n", one("a \nb\t", "x"), Level::TrailingWhitespace, "x\nc\n");
    becomes("a  \nb\n", one("a\nb", "a\nB"), Level::TrailingWhitespace, "a  \nB\n");
    assert_eq!(refused("xa  \nb\n", one("a\nb", "y")), Why::NotFound { nearest: Some(1) });
}

#[test]
fn a_file_without_a_final_newline_stays_without_one() {
    becomes("a\nb", one("b\n", "c\n"), Level::TrailingWhitespace, "a\nc");
    becomes("a\n\tb", one("    b\n", "    c\n"), Level::Indentation, "a\n\tc");
}

#[test]
fn whole_lines_never_run_into_the_next_one() {
    becomes(
        "if a:\n\tb()\n\tc()\n",
        one("    b()\n", "    d()"),
        Level::Indentation,
        "if a:\n\td()\n\tc()\n",
    );
    becomes("if a:\n\tb()\n\tc()\n", one("    b()\n", ""), Level::Indentation, "if a:\n\tc()\n");
}

#[test]
fn white_space_alone_is_found_exactly_or_not_at_all() {
    assert!(matches!(refused("a\n\nb\n", one("\t", "x")), Why::NotFound { .. }));
    becomes("a\n\n\nb\n", one("\n\n\n", "\n"), Level::Exact, "a\nb\n");
}

#[test]
fn a_looser_level_never_hides_that_a_stricter_one_is_ambiguous() {
    let content = "x = 1\nx = 1\n  x = 1 \n";
    let Why::Ambiguous { level, lines, total } = refused(content, one("x = 1\n", "y\n")) else {
        panic!("two exact places");
    };
    assert_eq!((level, lines, total), (Level::Exact, vec![1, 2], 2));
}

#[test]
fn an_ambiguous_forgiving_match_is_refused_with_its_lines() {
    let why = refused("\tfoo()\n}\n\tfoo()\n", one("    foo()", "    bar()"));
    assert_eq!(why, Why::Ambiguous { level: Level::Indentation, lines: vec![1, 3], total: 2 });
}

#[test]
fn the_list_of_lines_is_bounded_and_says_how_many_are_missing() {
    let content = "x\n".repeat(50);
    let failure = apply(content.as_bytes(), &[one("x", "y")], Mode::Forgiving).unwrap_err();
    assert_eq!(
        failure.to_string(),
        "Found multiple matches for oldString: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, \
         14, 15, 16, 17, 18, 19, 20 and 30 more"
    );
}

#[test]
fn all_places_of_the_first_level_that_has_any_are_replaced() {
    becomes("“a” \"a\" “a”", all("\"a\"", "b"), Level::Exact, "“a” b “a”");
    becomes("“a” ‘a’ “a”", all("\"a\"", "b"), Level::Typography, "b ‘a’ b");
    becomes("aaaa", all("aa", "b"), Level::Exact, "bb");
}

#[test]
fn new_text_is_literal() {
    becomes(
        "x = OLD; OLD",
        all("OLD", "$& $1 \\0 ${n}"),
        Level::Exact,
        "x = $& $1 \\0 ${n}; $& $1 \\0 ${n}",
    );
}

#[test]
fn exact_mode_forgives_nothing() {
    let strict = |content: &str, old| {
        apply(content.as_bytes(), &[one(old, "new")], Mode::Exact).unwrap_err().why
    };
    assert!(matches!(strict("a\r\nb", "a\nb"), Why::NotFound { .. }));
    assert!(matches!(strict("“a”", "\"a\""), Why::NotFound { .. }));
    assert!(matches!(strict("\ta\n\tb", "a\nb"), Why::NotFound { .. }));
}

#[test]
fn edits_apply_in_order_and_all_or_none() {
    let edits = [one("a", "b"), all("b", "c")];
    let edited = apply(b"a b", &edits, Mode::Forgiving).unwrap();
    assert_eq!(edited.bytes, b"c c");
    let edits = [one("a", "b"), one("missing", "c")];
    let failure = apply(b"a", &edits, Mode::Forgiving).unwrap_err();
    assert_eq!((failure.edit, &failure.why), (1, &Why::NotFound { nearest: None }));
    assert_eq!(
        failure.to_string(),
        "oldString not found in content (edit 2 of 2; none was applied)"
    );
}

#[test]
fn an_edit_that_changes_nothing_is_an_error() {
    assert_eq!(refused("a", one("a", "a")), Why::Same);
    assert_eq!(refused("a\r\nb", one("a\r\nb", "a\nb")), Why::Same);
    assert_eq!(refused("", one("", "")), Why::Same);
    assert_eq!(refused("a", one("", "b")), Why::EmptyOld);
}

#[test]
fn a_report_says_which_bytes_changed_and_on_which_lines() {
    let edited = apply(b"a\nb a\n", &[all("a", "xyz")], Mode::Forgiving).unwrap();
    let places = vec![
        Place { line: 1, before: 0..1, after: 0..3 },
        Place { line: 2, before: 4..5, after: 6..9 },
    ];
    assert_eq!((edited.reports[0].count, &edited.reports[0].places), (2, &places));
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    let content = b"\xEF\xBB\xBF\tfoo()\n";
    let edited =
        apply_to_file(content, Encoding::Utf8Bom, &[one("  foo()", "  bar()")], Mode::Forgiving)
            .unwrap();
    assert_eq!(edited.bytes, b"\xEF\xBB\xBF\tbar()\n");
}

#[test]
fn other_encodings_are_edited_in_place() {
    for encoding in [
        Encoding::Utf16Le,
        Encoding::Utf16Be,
        Encoding::named("utf-16le").unwrap(),
        Encoding::named("windows-1252").unwrap(),
        Encoding::named("euc-kr").unwrap(),
    ] {
        let text = |word: &str| encoding::encode(&format!("one\r\n{word}\r\nthree"), encoding);
        let edited = apply_to_file(
            &text("two").unwrap(),
            encoding,
            &[one("two\nthree", "2\nthree")],
            Mode::Forgiving,
        )
        .unwrap();
        assert_eq!(edited.bytes, text("2").unwrap(), "{}", encoding.name());
    }
}

#[test]
fn a_new_text_that_the_encoding_lacks_is_refused() {
    let encoding = Encoding::named("latin1").unwrap();
    let refused = apply_to_file(b"caf\xE9", encoding, &[one("caf", "☕")], Mode::Forgiving);
    let expected = encoding::Error::Unencodable('☕', "windows-1252");
    assert_eq!(refused, Err(FileError::Encoding(expected)));
    let refused = apply_to_file(b"\xFF", Encoding::Utf8, &[one("a", "b")], Mode::Forgiving);
    assert!(matches!(refused, Err(FileError::Encoding(encoding::Error::Undecodable(_)))));
}

#[test]
fn a_text_does_not_grow_without_bound() {
    let new = "b".repeat(1 << 20);
    let why = refused(&"a".repeat(1 << 10), all("a", &new));
    assert_eq!(why, Why::TooLarge { limit: (256 << 20) + (1 << 10) });
}

/// A quadratic search would take hours on any of these.
#[test]
fn repetitive_text_costs_no_more_than_reading_it() {
    let content = "a\n".repeat(200_000);
    let old = format!("{}b\n", "a\n".repeat(50_000));
    assert!(matches!(refused(&content, one(&old, "x")), Why::NotFound { nearest: Some(_) }));
    let old = format!("{}b", " a\n".repeat(50_000));
    assert!(matches!(refused(&content, one(&old, "x")), Why::NotFound { .. }));
    let content = "…".repeat(100_000);
    let old = format!("{}x", ".".repeat(50_000));
    assert!(matches!(refused(&content, one(&old, "x")), Why::NotFound { .. }));
    let content = format!("{}x\n", " ".repeat(200_000)).repeat(2);
    let old = format!("{}x", "\t".repeat(50_000));
    assert!(matches!(refused(&content, one(&old, "y")), Why::Ambiguous { .. }));
}

/// Many indentations, none of which leads to any of the others.
#[test]
fn indentation_made_to_be_compared_with_all_others_is_led_back_once() {
    let indents = |first: char| {
        (0..20_000_u32).map(move |bits| {
            let tail = (0..16).map(|bit| if bits >> bit & 1 == 0 { ' ' } else { '\t' });
            std::iter::once(first).chain(tail).collect::<String>()
        })
    };
    let block = |first, word: &str| {
        indents(first)
            .enumerate()
            .map(|(line, indent)| format!("{indent}{word}{line}\n"))
            .collect::<String>()
    };
    let content: String = (0..20_000).map(|line| format!("\t\ta{line}\n")).collect();
    let (old, new) = (block('\t', "a"), block(' ', "b"));
    assert!(matches!(refused(&content, one(&old, &new)), Why::NotFound { nearest: Some(1) }));
}
