//! The properties that `fuzz/` searches counterexamples to, on generated input and
//! on the fuzzer's own seeds.

#![allow(clippy::disallowed_methods, reason = "these tests read the seeds from the repository")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "everything here is a test")]
#![allow(unreachable_pub, reason = "the properties are public where the fuzzer calls them")]

use std::{fs, path::Path};

use proptest::{collection::vec, prelude::*};

#[path = "../../../../fuzz/src/lib.rs"]
mod properties;

/// Bytes as they come, texts made of pieces, and several such texts in a row.
fn input(pieces: &'static [&'static str], texts: usize) -> impl Strategy<Value = Vec<u8>> {
    let text = vec(prop::sample::select(pieces), 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof![
        1 => vec(any::<u8>(), 0..64),
        4 => vec(text, texts).prop_map(|texts| texts.join("\u{1}").into_bytes()),
    ]
}

const PATHS: &[&str] = &[
    "a",
    "b",
    "/",
    "/",
    "..",
    ".",
    "\\x",
    "\\x5c",
    "\\x2e",
    "\\x2f",
    "ff",
    "/workspace",
    "\n",
    "é",
    " ",
];
const EDITS: &[&str] = &[
    "a",
    "b",
    "fn f() {",
    "}",
    "\n",
    "\n",
    "\r\n",
    "    ",
    "\t",
    " ",
    "\"",
    "“",
    "–",
    "-",
    "…",
    "// rest of code ...",
    "é",
];
const GLOBS: &[&str] =
    &["a", "b", ".", "/", "/", "*", "**", "?", "[", "]", "{", "}", ",", "!", "é"];
const PATCHES: &[&str] = &[
    "*** Begin Patch\n",
    "*** End Patch\n",
    "*** Update File: f\n",
    "*** End of File\n",
    "@@\n",
    "@@ a\n",
    " a\n",
    "-a\n",
    "+a\n",
    "+b\n",
    " b\n",
    "-b\n",
    "a\n",
    "  b\n",
    "\n",
    "c",
    "“",
    "\r\n",
];
const SECRETS: &[&str] = &[
    "password",
    " = ",
    "\"",
    "'",
    "hunter2hunter2",
    "\n",
    "://",
    "user:",
    "@",
    "key",
    "Bearer ",
    "eyJ",
    ".",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "[REDACTED: ",
    "#2]",
    "AKIA",
    "QWERTYUIOPASDFGH",
    "é",
];

/// Runs a property on the fuzzer's seeds, each as it is and cut short everywhere.
fn on_seeds(name: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
    let seeds: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!seeds.is_empty());
    for seed in seeds {
        let bytes = fs::read(seed).unwrap();
        for end in 0..=bytes.len() {
            check(bytes.split_at(end).0);
        }
    }
}

#[test]
fn the_seeds_of_the_fuzzer_hold() {
    on_seeds("edit", properties::edit::check);
    on_seeds("glob", properties::glob::check);
    on_seeds("patch", properties::patch::check);
    on_seeds("path", properties::path::check);
    on_seeds("redact", properties::redact::check);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn edits_hold(data in input(EDITS, 3)) {
        properties::edit::check(&data);
    }

    #[test]
    fn globs_hold(data in input(GLOBS, 2)) {
        properties::glob::check(&data);
    }

    #[test]
    fn paths_hold(data in input(PATHS, 1)) {
        properties::path::check(&data);
    }

    #[test]
    fn patches_hold(data in input(PATCHES, 2), inner in input(PATCHES, 2)) {
        properties::patch::check(&data);
        let update = b"*** Begin Patch\n*** Update File: f\n";
        let split = inner.iter().position(|byte| *byte == 1).unwrap_or(inner.len());
        let (lines, content) = inner.split_at(split);
        properties::patch::check(&[update, lines, b"\n*** End Patch\n", content].concat());
    }

    #[test]
    fn redactions_hold(data in input(SECRETS, 1)) {
        properties::redact::check(&data);
    }
}
