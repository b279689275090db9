//! Files of many kinds with every secret in them marked: how exact the rules are on real text.
//!
//! `tests/labelled/*.txt` hold documents, each behind a line `=== name`; a secret stands between
//! `⟦` and `⟧`, and a `‸` in it, which is left out, keeps scanners of code hosts from taking it for
//! one of theirs. Each document is written by itself; all values are made up. What is found and
//! not marked counts as wrong, and so does what is found only in part.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "tests say what must hold"
)]

use std::ops::Range;

use garth_redact::{Config, Redactor};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/labelled");

struct Document {
    name: String,
    text: String,
    secrets: Vec<Range<usize>>,
}

impl Document {
    fn read(name: &str, marked: &str) -> Self {
        let (mut text, mut secrets) = (String::new(), Vec::new());
        let mut rest = marked;
        while let Some((before, behind)) = rest.split_once('⟦') {
            let (secret, behind) = behind.split_once('⟧').unwrap();
            text.push_str(before);
            secrets.push(text.len()..text.len() + secret.len());
            text.push_str(secret);
            rest = behind;
        }
        text.push_str(rest);
        Self { name: name.to_owned(), text, secrets }
    }
}

#[expect(clippy::disallowed_methods, reason = "test data outside any workspace")]
fn documents() -> Vec<Document> {
    let mut documents: Vec<Document> = Vec::new();
    let mut files: Vec<_> =
        std::fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let text = format!("\n{}", std::fs::read_to_string(file).unwrap().replace('‸', ""));
        for part in text.split("\n=== ").skip(1) {
            let (name, marked) = part.split_once('\n').unwrap();
            documents.push(Document::read(name, marked));
        }
    }
    documents
}

#[test]
fn what_is_found_is_marked_and_what_is_marked_is_found() {
    let redactor = Redactor::new(&Config::standard()).unwrap();
    let documents = documents();
    let (mut right, mut wrong, mut missed) = (0, 0, 0);
    for document in &documents {
        let found = redactor.find(&document.text);
        for span in &found {
            if document.secrets.contains(&(span.start..span.end)) {
                right += 1;
            } else {
                wrong += 1;
                let text = &document.text[span.start..span.end];
                println!("wrong in {}: {} {text:?}", document.name, span.rule);
            }
        }
        for secret in &document.secrets {
            let hidden =
                found.iter().any(|span| span.start <= secret.start && secret.end <= span.end);
            if !hidden {
                missed += 1;
                println!("missed in {}: {:?}", document.name, &document.text[secret.clone()]);
            }
        }
    }
    let marked: usize = documents.iter().map(|document| document.secrets.len()).sum();
    println!(
        "{} documents, {marked} secrets: {right} right, {wrong} wrong, {missed} missed",
        documents.len()
    );
    assert!(documents.len() >= 300);
    assert!(right * 100 >= 95 * (right + wrong), "precision: {right} right, {wrong} wrong");
    assert!(missed * 100 <= 5 * marked, "recall: {missed} of {marked} missed");
}

#[test]
fn documents_without_a_secret_come_out_byte_for_byte() {
    let redactor = Redactor::new(&Config::standard()).unwrap();
    for document in documents().iter().filter(|document| document.secrets.is_empty()) {
        let found: Vec<_> = redactor.find(&document.text);
        assert!(found.is_empty(), "{}: {found:?}", document.name);
    }
}
