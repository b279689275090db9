//! No byte changes that was not edited, whatever a file's endings and encoding.

use serde_json::json;

use crate::vectors::Bench;

const LINES: [&str; 6] = ["first", "second  ", "\tthîrd", "fourth – “x”", "", "last"];

/// The endings of the lines, those of the last one included.
const ENDINGS: [(&str, [&str; 6]); 6] = [
    ("unix", ["\n", "\n", "\n", "\n", "\n", "\n"]),
    ("unix, no final newline", ["\n", "\n", "\n", "\n", "\n", ""]),
    ("windows", ["\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\r\n"]),
    ("windows, no final newline", ["\r\n", "\r\n", "\r\n", "\r\n", "\r\n", ""]),
    ("mixed", ["\n", "\r\n", "\n", "\r\n", "\r\n", "\n"]),
    ("mixed, with a bare return", ["\r\n", "\n", "\r\n", "\n", "\r", "\r\n"]),
];

#[derive(Clone, Copy, Debug)]
enum Form {
    Utf8,
    Utf8Bom,
    Utf16Le,
    Utf16Be,
}

const FORMS: [Form; 4] = [Form::Utf8, Form::Utf8Bom, Form::Utf16Le, Form::Utf16Be];

impl Form {
    /// The bytes of a text, written down here without the code under test.
    fn bytes(self, text: &str) -> Vec<u8> {
        let marked = format!("\u{feff}{text}");
        match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Utf8Bom => marked.into_bytes(),
            Self::Utf16Le => marked.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Be => marked.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

fn text(lines: [&str; 6], endings: [&str; 6]) -> String {
    lines.iter().zip(endings).map(|(line, ending)| format!("{line}{ending}")).collect()
}

/// Makes one edit on a file in each form and gives what it must be afterwards.
fn check(bench: &mut Bench, what: &str, before: &str, edit: (&str, &str), after: &str) {
    let (old, new) = edit;
    for form in FORMS {
        let arguments = json!({"path": "file.txt", "edits": [{"oldText": old, "newText": new}]});
        bench.put(&form.bytes(before));
        let done = bench.call("edit_file", &arguments);
        assert!(done.is_ok(), "{what} in {form:?}: {done:?}");
        assert_eq!(bench.bytes(), form.bytes(after), "{what} in {form:?}");
    }
}

#[test]
fn an_edit_within_a_line_changes_nothing_else() {
    let mut bench = Bench::new("reference");
    for (what, endings) in ENDINGS {
        let before = text(LINES, endings);
        for (index, old, new) in [
            (0, "first", "1st"),
            (2, "thîrd", "3rd 🦀"),
            (3, "fourth – “x”", "4"),
            (5, "last", "the very last"),
        ] {
            let mut lines = LINES;
            let changed = lines[index].replace(old, new);
            lines[index] = &changed;
            check(&mut bench, what, &before, (old, new), &text(lines, endings));
        }
    }
}

#[test]
fn an_edit_over_lines_keeps_the_endings_of_the_file() {
    let mut bench = Bench::new("reference");
    for (what, endings) in &ENDINGS[..4] {
        let before = text(LINES, *endings);
        // The caller saw the lines without their endings, and sends plain ones.
        let edit = ("second  \n\tthîrd\n", "2\n\n\t3\n");
        let ending = endings[0];
        let old = format!("second  {ending}\tthîrd{ending}");
        let after = before.replace(&old, &format!("2{ending}{ending}\t3{ending}"));
        assert_ne!(before, after);
        check(&mut bench, what, &before, edit, &after);
    }
}

#[test]
fn lines_that_are_removed_take_only_their_own_endings() {
    let mut bench = Bench::new("reference");
    for (what, endings) in ENDINGS {
        let before = text(LINES, endings);
        let after = before.replace(&format!("second  {}", endings[1]), "");
        let edit = (format!("second  {}", endings[1]), "");
        check(&mut bench, what, &before, (&edit.0, edit.1), &after);
    }
}

#[test]
fn a_text_read_and_written_back_is_the_same_file() {
    let mut bench = Bench::new("reference");
    for (what, endings) in ENDINGS {
        for form in [Form::Utf8, Form::Utf8Bom] {
            let bytes = form.bytes(&text(LINES, endings));
            bench.put(&bytes);
            let read = bench.call("read_text_file", &json!({"path": "file.txt"})).unwrap();
            bench.call("write_file", &json!({"path": "file.txt", "content": read})).unwrap();
            assert_eq!(bench.bytes(), bytes, "{what} in {form:?}");
        }
    }
}

#[test]
fn a_file_that_is_no_text_is_not_edited() {
    let mut bench = Bench::new("reference");
    for bytes in [
        &b"caf\xe9 name\n"[..],
        b"\x00\x01name\x00",
        b"name \xff\xfe\xfd",
        b"\x89PNG\r\n\x1a\nname",
    ] {
        let before = bench.put(bytes);
        let edits = json!([{"oldText": "name", "newText": "word"}]);
        let done = bench.call("edit_file", &json!({"path": "file.txt", "edits": edits}));
        assert_eq!(done, Err("UNSUPPORTED_ENCODING".to_owned()), "{bytes:?}");
        assert_eq!(bench.standing(), before, "{bytes:?}");
    }
}

#[test]
fn several_edits_are_made_together_or_not_at_all() {
    let mut bench = Bench::new("reference");
    let good = json!({"oldText": "first", "newText": "1st"});
    for (code, bad) in [
        ("AMBIGUOUS_MATCH", json!({"oldText": "twice", "newText": "once"})),
        ("TEXT_NOT_FOUND", json!({"oldText": "nowhere", "newText": "x"})),
        ("INVALID_PARAMS", json!({"oldText": "", "newText": "x"})),
        ("INVALID_PARAMS", json!({"oldText": "twice\ntwice", "newText": "twice\ntwice"})),
    ] {
        for edits in [json!([good, bad]), json!([bad, good]), json!([good, bad, good])] {
            let before = bench.put(b"first\r\ntwice\r\ntwice\r\n");
            let done = bench.call("edit_file", &json!({"path": "file.txt", "edits": edits}));
            assert_eq!(done, Err(code.to_owned()), "{edits}");
            assert_eq!(bench.standing(), before, "{edits}");
        }
    }
}
