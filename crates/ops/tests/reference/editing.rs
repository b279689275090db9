//! `edit_file`: what edits make of a file, and how they answer.

use garth_contract::Code;
use serde_json::{Value, json};

use crate::stage::{Stage, everywhere};

const CODE: &str = "function greet() {\n  console.log('hi');\n  return 1;\n}\n";

fn edit(stage: &Stage, name: &str, edits: &[(&str, &str)]) -> Value {
    let edits: Vec<Value> =
        edits.iter().map(|(old, new)| json!({"oldText": old, "newText": new})).collect();
    json!({"path": stage.at(name), "edits": edits})
}

/// What edits make of a file.
fn made(content: &str, edits: &[(&str, &str)]) -> String {
    let made = std::cell::RefCell::new(Vec::new());
    everywhere(&[("f", content)], |stage| {
        stage.text("edit_file", edit(stage, "f", edits));
        made.borrow_mut().push(stage.content("f"));
    });
    let made = made.into_inner();
    assert_eq!(made[0], made[1]);
    made[0].clone()
}

#[test]
fn an_edit_answers_with_a_fenced_diff() {
    everywhere(&[("code.ts", CODE)], |stage| {
        let at = stage.at("code.ts");
        let params = edit(stage, "code.ts", &[("return 1;", "return 2;")]);
        let expected = format!(
            "```diff\nIndex: {at}\n\
             ===================================================================\n\
             --- {at}\toriginal\n+++ {at}\tmodified\n@@ -1,4 +1,4 @@\n function greet() {{\n   \
             console.log('hi');\n-  return 1;\n+  return 2;\n }}\n```\n\n"
        );
        let mut dry = params.clone();
        dry["dryRun"] = json!(true);
        assert_eq!(stage.text("edit_file", dry), expected);
        assert_eq!(stage.content("code.ts"), CODE, "a dry run writes nothing");
        assert_eq!(stage.text("edit_file", params), expected);
        assert_eq!(stage.content("code.ts"), CODE.replace("return 1", "return 2"));
    });
}

#[test]
fn edits_apply_in_order_and_all_or_none() {
    assert_eq!(made("a\nb\nc\n", &[("a", "x"), ("x", "y"), ("c", "z")]), "y\nb\nz\n");
    everywhere(&[("f", "a\nb\n")], |stage| {
        let params = edit(stage, "f", &[("a", "x"), ("nope", "y")]);
        stage.refused(Code::TextNotFound, "edit_file", params);
        assert_eq!(stage.content("f"), "a\nb\n");
    });
}

#[test]
fn new_text_is_taken_literally() {
    let dollars = "price=$$; match=$&; before=$`; after=$'";
    assert_eq!(made("line1\nline2\n", &[("line2", dollars)]), format!("line1\n{dollars}\n"));
}

#[test]
fn text_that_is_not_there_is_repeated_in_the_error() {
    everywhere(&[("code.ts", CODE)], |stage| {
        let params = edit(stage, "code.ts", &[("return 9;", "x")]);
        let error = stage.refused(Code::TextNotFound, "edit_file", params);
        assert_eq!(error.message(), "Could not find exact match for edit:\nreturn 9;");
        let differs = edit(stage, "code.ts", &[("console.log('hi');\nreturn 2;", "x")]);
        stage.refused(Code::TextNotFound, "edit_file", differs);
        let long = "x".repeat(100_000);
        let params = edit(stage, "code.ts", &[(&long, "y")]);
        let error = stage.refused(Code::TextNotFound, "edit_file", params);
        assert!(error.message().len() < 3_000);
        assert_eq!(stage.content("code.ts"), CODE);
    });
}

#[test]
fn the_fence_is_wider_than_what_it_holds() {
    everywhere(&[("f", "a\n")], |stage| {
        let text = stage.text("edit_file", edit(stage, "f", &[("a", "````")]));
        assert!(text.starts_with("`````diff\n") && text.ends_with("\n`````\n\n"), "{text}");
    });
}

#[test]
fn line_endings_stay_what_they_are() {
    let crlf = made("a\r\nb\r\n", &[("a\r\n", "c\r\n"), ("b\n", "d\ne\n")]);
    assert_eq!(crlf, "c\r\nd\r\ne\r\n");
    assert_eq!(made("line1\r\nline2\r\nline3\r\n", &[("line2", "x")]), "line1\r\nx\r\nline3\r\n");
    assert_eq!(made("a\nb\n", &[("a", "c\r\nd")]), "c\nd\nb\n");
    assert_eq!(made("a\r\nb\nc\r\n", &[("b", "x")]), "a\r\nx\nc\r\n");
    assert_eq!(made("\u{feff}a\r\nb", &[("b", "x")]), "\u{feff}a\r\nx");
}

#[test]
fn white_space_that_differs_is_forgiven_and_kept() {
    assert_eq!(
        made("  line1\n    line2\n  line3\n", &[("line2", "modified line2")]),
        "  line1\n    modified line2\n  line3\n"
    );
    assert_eq!(
        made(CODE, &[("console.log('hi');\nreturn 1;", "console.log('bye');\nreturn 0;")]),
        "function greet() {\n  console.log('bye');\n  return 0;\n}\n"
    );
    let block = "    if (a) {\n        b();\n    }\n";
    assert_eq!(
        made(block, &[("if (a) {\n  b();\n}", "if (a) {\n  c();\n}")]),
        "    if (a) {\n        c();\n    }\n"
    );
    assert_eq!(made("  a\n  b\n", &[("a\nb", "a\n\nb")]), "  a\n\n  b\n");
    assert_eq!(made("  x\n      y\n", &[("x\n    y", "x\n z")]), "  x\n   z\n");
    assert_eq!(made("x\n  y\n", &[("x\n    y", "x\nz")]), "x\nz\n");
    assert_eq!(made("  a\nb\n", &[("a ", "a\n  added")]), "  a\n    added\nb\n");
    assert_eq!(
        made(
            "    if (condition) {\n        doSomething();\n    }",
            &[("doSomething();", "doSomethingElse();\n        doAnotherThing();")]
        ),
        "    if (condition) {\n        doSomethingElse();\n        doAnotherThing();\n    }"
    );
}

#[test]
fn what_is_no_text_file_is_not_edited() {
    everywhere(&[("d/", "")], |stage| {
        stage.put("binary", b"a\0b");
        for (name, code) in [
            ("missing", Code::FileNotFound),
            ("d", Code::NotAFile),
            ("binary", Code::UnsupportedEncoding),
        ] {
            stage.refused(code, "edit_file", edit(stage, name, &[("a", "b")]));
        }
        stage.refused(Code::InvalidParams, "edit_file", edit(stage, "binary", &[]));
    });
}

#[test]
fn edits_that_undo_each_other_show_a_diff_without_lines() {
    everywhere(&[("f", "a\n")], |stage| {
        let text = stage.text("edit_file", edit(stage, "f", &[("a", "b"), ("b", "a")]));
        let at = stage.at("f");
        assert!(text.ends_with(&format!("--- {at}\toriginal\n+++ {at}\tmodified\n```\n\n")));
        assert_eq!(stage.content("f"), "a\n");
    });
}

#[test]
fn a_diff_that_was_cut_says_so() {
    let (old, new) = ("a\n".repeat(3_000), "b\n".repeat(3_000));
    everywhere(&[("f", &old)], |stage| {
        let text = stage.text("edit_file", edit(stage, "f", &[(&old, &new)]));
        assert!(text.ends_with("lines of the diff left out]\n"), "{}", &text[text.len() - 60..]);
    });
}
