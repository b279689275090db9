//! Library code does not panic by itself, and unsafe code stands where it is looked for.

use std::collections::BTreeSet;

use crate::{
    source,
    tree::{self, File},
};

/// Crates whose library is made of tests: a failed check there is a panic.
const TESTING: [&str; 2] = ["conformance", "tidy"];

/// The files of libraries and programs, without those that only tests see.
fn production_files() -> impl Iterator<Item = &'static File> {
    let test_files: BTreeSet<String> =
        tree::files().iter().filter(|file| file.is_rust()).flat_map(test_files_of).collect();
    tree::files().iter().filter(move |file| {
        let in_test = test_files.iter().any(|test| {
            file.path.strip_prefix(test.as_str()).is_some_and(|r| r == ".rs" || r.starts_with('/'))
        });
        file.is_rust()
            && file.path.split('/').nth(2) == Some("src")
            && !file.crate_name().is_some_and(|name| TESTING.contains(&name))
            && !in_test
    })
}

/// The paths, without `.rs`, of the modules that a file declares for tests only.
fn test_files_of(file: &'static File) -> impl Iterator<Item = String> {
    let folder = match file.path.strip_suffix(file.name()) {
        Some(folder) if ["lib.rs", "main.rs", "mod.rs"].contains(&file.name()) => folder.to_owned(),
        _ => format!("{}/", file.path.trim_end_matches(".rs")),
    };
    source::test_modules(&file.text).into_iter().map(move |name| format!("{folder}{name}"))
}

/// Every place of production code that has one of the words, as `file:line`.
fn places(words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for file in production_files() {
        let code = source::production(&file.text);
        for word in words {
            let hits = code.match_indices(word);
            found.extend(
                hits.map(|(at, _)| format!("{}:{} {word}", file.path, source::line_of(&code, at))),
            );
        }
    }
    found
}

#[test]
fn library_code_neither_unwraps_nor_expects() {
    let found = places(&[".unwrap()", ".expect(", ".unwrap_err()", ".expect_err("]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn nothing_is_left_to_do_later() {
    let found = places(&["todo!", "unimplemented!", "dbg!"]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn unsafe_code_stands_in_files_named_so() {
    for file in tree::files().iter().filter(|file| file.is_rust()) {
        let code = source::code(&file.text);
        let found = words(&code).any(|word| word == "unsafe");
        assert!(
            !found || file.name().ends_with("_unsafe.rs"),
            "{} has unsafe code; it belongs into a file named *_unsafe.rs",
            file.path
        );
    }
}

#[test]
fn no_test_is_switched_off() {
    for file in tree::files().iter().filter(|file| file.is_rust()) {
        let code = source::code(&file.text);
        assert!(!code.contains("#[ignore"), "{} has an ignored test", file.path);
    }
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[test]
fn the_production_files_are_found() {
    let paths: Vec<_> = production_files().map(|file| file.path.as_str()).collect();
    assert!(paths.contains(&"crates/contract/src/path.rs"), "{paths:?}");
    assert!(!paths.contains(&"crates/contract/src/path/tests.rs"), "{paths:?}");
}
