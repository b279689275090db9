//! What patches promise, one fact at a time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use garth_text::encoding::{self, Encoding};
use garth_text::patch::{
    ApplyError, Change, Chunk, FileError, Level, Line, Malformed, Misfit, ParseError, Place,
    Placed, Tag, apply, apply_to_file, parse,
};
use proptest::prelude::*;

/// The changes of a patch whose inner lines are given.
fn changes(inner: &str) -> Vec<Change<'static>> {
    let patch = format!("*** Begin Patch\n{inner}\n*** End Patch\n");
    parse(patch.leak()).unwrap()
}

/// The chunks of an update of one file.
fn chunks(inner: &str) -> Vec<Chunk<'static>> {
    let patch = format!("*** Update File: f\n{inner}");
    match changes(&patch).pop() {
        Some(Change::Update { chunks, .. }) => chunks,
        other => panic!("no update: {other:?}"),
    }
}

#[track_caller]
fn becomes(content: &str, inner: &str, expected: &str) -> Vec<Placed> {
    let applied = apply(content.as_bytes(), &chunks(inner)).unwrap();
    assert_eq!(String::from_utf8(applied.bytes).unwrap(), expected);
    applied.chunks
}

#[track_caller]
fn misfit(content: &str, inner: &str) -> ApplyError {
    apply(content.as_bytes(), &chunks(inner)).unwrap_err()
}

#[track_caller]
fn malformed(patch: &str) -> (usize, Malformed) {
    let ParseError { line, what } = parse(patch).unwrap_err();
    (line, what)
}

#[test]
fn a_patch_is_read_into_its_changes() {
    let read = changes(
        "*** Add File: a\n+one\n+\n*** Delete File: b\n*** Update File: c\n*** Move to: d\n\
         @@ class X\n@@   def y\n keep\n-old\n+new\n*** End of File",
    );
    let line = |tag, text| Line { tag, text };
    let chunk = Chunk {
        line: 8,
        headers: vec!["class X", "  def y"],
        lines: vec![line(Tag::Context, "keep"), line(Tag::Removed, "old"), line(Tag::Added, "new")],
        place: Place::EndOfFile,
    };
    assert_eq!(
        read,
        [
            Change::Add { path: "a", content: "one\n\n".to_owned() },
            Change::Delete { path: "b" },
            Change::Update { path: "c", to: Some("d"), chunks: vec![chunk] },
        ]
    );
}

#[test]
fn padding_and_a_here_document_around_a_patch_are_tolerated() {
    let plain = parse("*** Begin Patch\n*** Delete File: a\n*** End Patch").unwrap();
    for patch in [
        "\n\n  *** Begin Patch  \n\t*** Delete File: a \n\n *** End Patch \n\n",
        "<<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF\n",
        "<<EOF\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF",
        "apply_patch <<\"PATCH\"\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nPATCH\n",
        "*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch\r\n",
    ] {
        assert_eq!(parse(patch).unwrap(), plain, "{patch}");
    }
}

#[test]
fn what_is_no_patch_is_refused_with_its_line() {
    assert_eq!(malformed(""), (1, Malformed::NoBegin));
    assert_eq!(malformed("\nhello"), (2, Malformed::NoBegin));
    assert_eq!(malformed("*** Begin Patch"), (1, Malformed::NoEnd));
    assert_eq!(malformed("*** Begin Patch\n*** Delete File: a\n"), (2, Malformed::NoEnd));
    assert_eq!(malformed("<<'EOF'\n*** Begin Patch\n*** End Patch\nEND"), (1, Malformed::NoBegin));
    let inner = |inner: &str| malformed(format!("*** Begin Patch\n{inner}\n*** End Patch").leak());
    assert_eq!(inner(""), (3, Malformed::Empty));
    assert_eq!(inner("*** Frobnicate File: a"), (2, Malformed::BadHeader));
    assert_eq!(inner("*** Delete File:  "), (2, Malformed::BadHeader));
    assert_eq!(inner("*** Delete File: a\n-x"), (3, Malformed::BadHeader));
    assert_eq!(inner("*** Add File: a\nx"), (3, Malformed::BadAddition));
    assert_eq!(inner("*** Add File: a\n+x\n\n+y"), (5, Malformed::BadAddition));
    assert_eq!(inner("*** Update File: a"), (2, Malformed::EmptyUpdate));
    assert_eq!(inner("*** Update File: a\n*** Delete File: b"), (3, Malformed::EmptyUpdate));
    assert_eq!(inner("*** Update File: a\n@@ x"), (2, Malformed::EmptyChunk));
    assert_eq!(inner("*** Update File: a\n*** End of File"), (3, Malformed::EmptyChunk));
    assert_eq!(inner("*** Update File: a\n@@\nx"), (4, Malformed::BadUpdate));
    assert_eq!(inner("*** Update File: a\n@@\n-x\n*** End of File\n-y"), (6, Malformed::BadUpdate));
    assert_eq!(
        inner("*** Update File: a\n*** Move to: b\n*** Move to: c"),
        (4, Malformed::BadUpdate)
    );
}

#[test]
fn a_file_may_be_added_empty_or_only_moved() {
    assert_eq!(changes("*** Add File: a"), [Change::Add { path: "a", content: String::new() }]);
    assert_eq!(
        changes("*** Update File: a\n*** Move to: b"),
        [Change::Update { path: "a", to: Some("b"), chunks: vec![] }]
    );
}

#[test]
fn a_context_line_that_looks_like_a_header_is_context() {
    becomes(
        "*** Delete File: x\nold\n",
        "@@\n *** Delete File: x\n-old\n+new",
        "*** Delete File: x\nnew\n",
    );
}

#[test]
fn chunks_apply_in_order_and_each_behind_the_one_before() {
    let placed = becomes("a\nb\na\nb\n", "@@\n-a\n+1\n@@\n-a\n+2", "1\nb\n2\nb\n");
    assert_eq!(placed.iter().map(|placed| placed.line).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(misfit("a\nb\n", "@@\n-b\n+1\n@@\n-a\n+2").chunk, 1);
}

#[test]
fn header_lines_say_where_a_chunk_stands_from_the_outside_in() {
    let content = "class A:\n  def f():\n    pass\nclass B:\n  def f():\n    pass\n";
    becomes(
        content,
        "@@ class B:\n@@ def f():\n-    pass\n+    return 1",
        "class A:\n  def f():\n    pass\nclass B:\n  def f():\n    return 1\n",
    );
    assert_eq!(misfit(content, "@@ class C:\n-    pass").why, Misfit::HeaderNotFound);
}

#[test]
fn lines_that_only_come_go_behind_their_header_or_to_the_end() {
    becomes("a\nb\n", "@@ a\n+x", "a\nx\nb\n");
    becomes("a\nb\n", "@@\n+x", "a\nb\nx\n");
    becomes("", "@@\n+x", "x\n");
    becomes("a\nb\n", "@@\n+x\n@@\n-a\n+A", "A\nb\nx\n");
}

#[test]
fn the_end_of_the_file_is_meant_where_it_is_said() {
    becomes("x\ny\nx\n", "@@\n-x\n+z\n*** End of File", "x\ny\nz\n");
    assert_eq!(misfit("x\ny\n", "@@\n-x\n+z\n*** End of File").why, Misfit::NotFound);
}

#[test]
fn a_final_newline_comes_with_a_new_last_line_and_otherwise_stays_as_it_is() {
    becomes("a\nb", "@@\n-b\n+c", "a\nc\n");
    becomes("a\nb", "@@\n-a\n+c", "c\nb");
    becomes("a\nb", "@@\n+c", "a\nb\nc\n");
    becomes("a\r\nb", "@@\n a\n b\n+c", "a\r\nb\r\nc\r\n");
}

#[test]
fn endings_of_untouched_lines_stay_and_new_ones_follow_the_first_line() {
    becomes("a\r\nb\nc\r\n", "@@\n a\n-b\n+B\n c", "a\r\nB\r\nc\r\n");
    becomes("a\nb\r\nc\r\n", "@@\n+d", "a\nb\r\nc\r\nd\n");
    becomes("a\rb\rc", "@@\n-b\n+B", "a\rB\rc");
}

#[test]
fn a_lone_return_inside_a_line_of_the_patch_is_part_of_the_line() {
    becomes("a\rb\nc\n", "@@\n-a\rb\n+x", "x\nc\n");
}

#[test]
fn context_lines_keep_the_bytes_of_the_file() {
    let placed = becomes("a  \n“b”\nc\n", "@@\n a\n \"b\"\n-c\n+d", "a  \n“b”\nd\n");
    assert_eq!(placed, [Placed { line: 1, level: Level::Typography }]);
}

#[test]
fn forgiven_indentation_is_that_of_the_file_in_new_lines() {
    let placed = becomes(
        "def f():\n\tif x:\n\t\ty()\n",
        "@@\n if x:\n-    y()\n+    z()\n+    w()",
        "def f():\n\tif x:\n\t\tz()\n\t\tw()\n",
    );
    assert_eq!(placed, [Placed { line: 2, level: Level::Indentation }]);
}

#[test]
fn a_forgiving_match_must_be_the_only_one() {
    assert_eq!(
        misfit("\tfoo()\n}\n\tfoo()\n", "@@\n-    foo()\n+    bar()").why,
        Misfit::Ambiguous { lines: [1, 3] }
    );
    becomes("\tfoo()\n}\n\tfoo()\n", "@@ }\n-    foo()\n+    bar()", "\tfoo()\n}\n\tbar()\n");
}

#[test]
fn blank_lines_between_parts_of_a_patch_belong_to_nothing() {
    becomes("a\nb\n", "\n@@\n-a\n+x\n\n@@\n-b\n+y\n\n", "x\ny\n");
    becomes("a\n\nb\n", "@@\n a\n\n-b\n+y", "a\n\ny\n");
}

#[test]
fn a_chunk_that_fits_nowhere_is_named_by_its_line_in_the_patch() {
    let error = misfit("a\n", "@@\n-a\n+b\n@@ \n-missing");
    assert_eq!(error, ApplyError { chunk: 1, line: 6, why: Misfit::NotFound });
    assert_eq!(error.to_string(), "the lines of the chunk at patch line 6 are not in the file");
}

#[test]
fn files_in_other_encodings_are_patched_in_place() {
    let bytes = |text: &str| encoding::encode(text, Encoding::Utf16Be).unwrap();
    let applied = apply_to_file(&bytes("ä\r\nb\r\n"), Encoding::Utf16Be, &chunks("@@\n ä\n-b\n+ö"));
    assert_eq!(applied.unwrap().bytes, bytes("ä\r\nö\r\n"));
    let latin = Encoding::named("latin1").unwrap();
    let refused = apply_to_file(b"a\n", latin, &chunks("@@\n-a\n+☃")).unwrap_err();
    assert!(matches!(refused, FileError::Encoding(_)));
}

/// A quadratic search would take hours.
#[test]
fn repetitive_text_costs_no_more_than_reading_it() {
    let content = "a\n".repeat(200_000);
    let inner = format!("@@\n{}-b\n", "-a\n".repeat(50_000));
    assert_eq!(misfit(&content, &inner).why, Misfit::NotFound);
}

fn nasty() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "*** Begin Patch\n",
        "*** End Patch\n",
        "*** Add File: a\n",
        "*** Delete File: b\n",
        "*** Update File: c\n",
        "*** Move to: d\n",
        "@@\n",
        "@@ x\n",
        "*** End of File\n",
        " x\n",
        "-x\n",
        "+x\n",
        "\n",
        "  x \n",
        "- y\n",
        "+\ty\n",
        "x",
        "é\r",
        "“x”\n",
        "***",
    ]);
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_patch_makes_it_panic(patch in nasty(), content in nasty(), raw in any::<Vec<u8>>()) {
        for patch in [patch.clone(), format!("*** Begin Patch\n*** Update File: c\n{patch}*** End Patch")] {
            for change in parse(&patch).unwrap_or_default() {
                if let Change::Update { chunks, .. } = change {
                    let _ = apply(content.as_bytes(), &chunks);
                    let _ = apply(&raw, &chunks);
                }
            }
        }
    }

    /// A chunk made from a file by changing some of its lines applies to it,
    /// and touches nothing but those lines.
    #[test]
    fn a_patch_of_a_file_applies_to_it(
        lines in prop::collection::vec(("[a-c ]{0,2}[a-c]", 0..3_u8, any::<bool>()), 1..20),
        closed in any::<bool>(),
    ) {
        let (mut content, mut chunk, mut expected) = (String::new(), "@@\n".to_owned(), String::new());
        let ending = |crlf: bool| if crlf { "\r\n" } else { "\n" };
        let usual = if lines.len() > 1 || closed { ending(lines[0].2) } else { "\n" };
        for (index, (line, mark, crlf)) in lines.iter().enumerate() {
            let open = index + 1 == lines.len() && !closed;
            let row = format!("{line}{}", if open { "" } else { ending(*crlf) });
            content += &row;
            match mark {
                0 => {
                    chunk += &format!(" {line}\n");
                    expected += &row;
                }
                1 => chunk += &format!("-{line}\n"),
                _ => {
                    chunk += &format!("-{line}\n+new {line}\n");
                    expected += &format!("new {line}{usual}");
                }
            }
        }
        let applied = apply(content.as_bytes(), &chunks(&chunk)).unwrap();
        prop_assert_eq!(String::from_utf8(applied.bytes).unwrap(), expected);
    }
}
