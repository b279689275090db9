//! The edit engine against the vectors of OpenCode, Gemini and Crush.
//!
//! Where the strict generation of OpenCode (its third column) succeeds, the
//! same bytes are expected. Where only a looser one does, the edit is refused
//! or the text is indented like the file; the tables say which, and why.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test reads its cases from disk and says when there are none"
)]

use garth_text::edit::{Edit, Failure, Level, Mode, Replace, Why, apply};
use serde_json::Value;

/// Where the cases stand, beside the repository.
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases");

/// The cases of one file, or `None` where there are none to run.
fn cases(name: &str) -> Option<Value> {
    let Ok(text) = std::fs::read_to_string(format!("{CASES}/{name}")) else {
        println!("skipped: no shared cases");
        return None;
    };
    Some(serde_json::from_str(&text).expect("the case file is JSON"))
}

fn edit(content: &str, old: &str, new: &str, all: bool) -> Result<(String, Level), Failure> {
    let replace = if all { Replace::All } else { Replace::One };
    let edited = apply(content.as_bytes(), &[Edit { old, new, replace }], Mode::Forgiving)?;
    let text = String::from_utf8(edited.bytes).expect("edited text stays UTF-8");
    Ok((text, edited.reports[0].level))
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_else(|| panic!("{} has no {key}", case["id"]))
}

fn list<'a>(cases: &'a Value, key: &str) -> &'a [Value] {
    cases[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Cases where OpenCode's strict generation refuses and this engine does not:
/// whole lines differ in white space only, and the new ones get the file's.
const REINDENTED: [(&str, &str); 9] = [
    // The old text is flat; line for line, its depth is restored.
    ("oc-upstream-04", "  if (false) {\n    return true;\n  }"),
    // Two spaces are the tab of the file.
    ("oc-upstream-07", "function test() {\n\tconsole.log(\"world\");\n}"),
    // One whole line, white space inside it differs in amount.
    ("oc-upstream-09", "if (newCondition) {"),
    // The block stands deeper in the file than in the old text.
    (
        "oc-upstream-10",
        "    function nested() {\n      console.log(\"updated\");\n      return false;\n    }",
    ),
    ("oc-upstream-25", "  function test() {\n    return false;\n  }"),
    ("oc-upstream-27", "\n  if (condition) {\n    doNothing();\n  }\n"),
    // Flat again; brackets are kept, the line between gets its depth back.
    ("oc-upstream-31", "  \nfunction test() {\n  return 'new value';\n}\n  "),
    // Python, where a wrong depth would change the meaning.
    ("own-indent-not-adjusted", "def f():\n        if z:\n            y()\n"),
    ("own-tab-vs-space", "\tif (c) {\n\t\tb;\n\t}\n"),
];

/// Cases where a looser generation of OpenCode succeeds and this engine
/// refuses, with the reason.
const REFUSED: [(&str, &str); 12] = [
    ("oc-upstream-06", "first and last line agree, the method between would be lost"),
    ("oc-upstream-16", "an empty old text names no place in an existing file"),
    ("oc-upstream-19", "a backslash and an n are not a line ending"),
    ("oc-upstream-21", "a backslash in the old text is not in the file"),
    ("oc-upstream-22", "two backslashes are not one"),
    ("oc-upstream-28", "the lines between the anchors are not those in the file"),
    ("oc-upstream-37", "the line between the anchors is not the one in the file"),
    ("oc-upstream-46", "the line between the anchors is not one in the file"),
    ("loose-anchor-1", "four calls between the anchors would be lost"),
    ("loose-anchor-2", "a call between the anchors would be lost"),
    ("own-blockanchor-multi", "`three( )` is not `three()`: white space where there was none"),
    ("own-escape-overreach", "a line ending is not a backslash and an n"),
];

#[test]
fn opencode_edits_give_the_strict_result_or_never_a_corrupt_one() {
    let Some(cases) = cases("opencode_edit_golden.json") else { return };
    for case in list(&cases, "cases") {
        let id = text(case, "id");
        let all = case["replaceAll"] == true;
        let ours =
            edit(text(case, "content"), text(case, "oldString"), text(case, "newString"), all);
        let results: Vec<(&String, Option<&str>)> = case["expect"]
            .as_object()
            .expect("a column per generation")
            .iter()
            .map(|(column, outcome)| (column, outcome["result"].as_str()))
            .collect();
        let strict = results.iter().find(|(column, _)| column.starts_with("opencode_v2"));
        let strict = strict.and_then(|(_, result)| *result);
        match (ours, strict) {
            (Ok((ours, _)), Some(strict)) => assert_eq!(ours, strict, "{id}"),
            (Err(failure), Some(_)) => panic!("{id}: {failure}"),
            (Ok((ours, level)), None) => {
                assert_eq!(level, Level::Indentation, "{id}");
                let same_words =
                    |theirs: &&str| ours.split_whitespace().eq(theirs.split_whitespace());
                let loose = results.iter().filter_map(|(_, result)| *result).find(same_words);
                assert!(loose.is_some(), "{id}: more than white space was changed: {ours}");
            }
            (Err(_), None) => {}
        }
    }
}

#[test]
fn loose_opencode_edits_are_reindented_or_refused_as_listed() {
    let Some(cases) = cases("opencode_edit_golden.json") else { return };
    for case in list(&cases, "cases") {
        let (id, all) = (text(case, "id"), case["replaceAll"] == true);
        let ours =
            edit(text(case, "content"), text(case, "oldString"), text(case, "newString"), all);
        if let Some((_, expected)) = REINDENTED.iter().find(|(listed, _)| *listed == id) {
            assert_eq!(ours.unwrap().0, *expected, "{id}");
        } else if let Some((_, reason)) = REFUSED.iter().find(|(listed, _)| *listed == id) {
            assert!(ours.is_err(), "{id}: {reason}");
        }
    }
}

#[test]
fn refusals_begin_with_the_words_that_callers_rely_on() {
    let Some(cases) = cases("opencode_edit_golden.json") else { return };
    for case in list(&cases, "cases") {
        let (id, all) = (text(case, "id"), case["replaceAll"] == true);
        let ours =
            edit(text(case, "content"), text(case, "oldString"), text(case, "newString"), all);
        let Err(failure) = ours else { continue };
        let message = failure.to_string();
        let begins = match failure.why {
            Why::NotFound { .. } => "oldString not found in content",
            Why::Ambiguous { .. } => "Found multiple matches for oldString",
            Why::Same => "oldString and newString",
            Why::EmptyOld => "oldString is empty",
            Why::Omission { .. } => "line ",
            Why::TooLarge { .. } => "the edited content",
        };
        assert!(message.starts_with(begins), "{id}: {message}");
    }
}

/// Gemini's results that need a guess, and why they are refused.
const GUESSES: [(&str, &str); 3] = [
    ("gm-regex-ws", "white space where there was none, inside a line"),
    ("gm-fuzzy", "a comma is missing in the old text: edit distance"),
    ("gm-rebase-fuzzy", "a comma is missing in the old text: edit distance"),
];

#[test]
fn gemini_edits_give_the_same_result_unless_it_is_a_guess() {
    let Some(cases) = cases("gemini_edit_vectors.json") else { return };
    for case in list(&cases, "cases") {
        let (id, content) = (text(case, "id"), text(case, "content"));
        let all = case["allow_multiple"] == true;
        let ours = edit(content, text(case, "old_string"), text(case, "new_string"), all);
        let guess = GUESSES.iter().find(|(listed, _)| *listed == id);
        if let Some((_, reason)) = guess {
            assert!(ours.is_err(), "{id}: {reason}");
        } else if case["occurrences"] == 0 {
            assert!(matches!(ours.unwrap_err().why, Why::NotFound { .. }), "{id}");
        } else {
            assert_eq!(ours.unwrap().0, text(case, "expected"), "{id}");
        }
    }
}

#[test]
fn gemini_placeholders_are_refused_only_where_they_are_new() {
    let Some(cases) = cases("gemini_edit_vectors.json") else { return };
    for line in list(&cases["omission_placeholders"], "reject") {
        let line = line.as_str().expect("a line");
        let new = format!("fn b() {{}}\n{line}");
        let refused = edit("fn a() {}\n", "fn a() {}", &new, false).unwrap_err();
        assert_eq!(refused.why, Why::Omission { line: 2 }, "{line}");
        let held = format!("fn a() {{}}\n{line}\n");
        let kept = edit(&held, &format!("fn a() {{}}\n{line}"), &new, false);
        assert_eq!(kept.unwrap().0, format!("{new}\n"), "{line}");
    }
    let literal = "const s = \"rest of code ...\";";
    assert_eq!(edit("x\n", "x", literal, false).unwrap().0, format!("{literal}\n"));
}

#[test]
fn crush_edits_give_the_same_result() {
    let Some(cases) = cases("crush_whitespace_vectors.json") else { return };
    for case in list(&cases, "cases") {
        let (id, all) = (text(case, "id"), case["replace_all"] == true);
        let ours = edit(text(case, "content"), text(case, "old"), text(case, "new"), all);
        if case["must_fail"] == true {
            assert!(ours.is_err(), "{id}");
        } else {
            assert_eq!(ours.unwrap().0, text(case, "expected"), "{id}");
        }
    }
}
