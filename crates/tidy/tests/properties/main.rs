//! The properties that `fuzz/` searches counterexamples to, on generated input and
//! on the fuzzer's own seeds.

#![allow(clippy::disallowed_methods, reason = "these tests read the seeds from the repository")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "everything here is a test")]
#![allow(unreachable_pub, reason = "the properties are public where the fuzzer calls them")]

use std::{fs, path::Path};

use proptest::{collection::vec, prelude::*};

#[path = "../../../../fuzz/src/lib.rs"]
mod properties;

/// Bytes as they come, and bytes made of the pieces that paths and patterns are made of.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "/",
        "/",
        "..",
        ".",
        "\\x",
        "\\x5c",
        "ff",
        "workspace",
        "*",
        "**",
        "?",
        "[",
        "]",
        "{",
        "}",
        ",",
        "!",
        "\n",
        "\r\n",
        " ",
        "\t",
        "é",
        "\"",
        "=",
        "password",
        "key",
    ]);
    prop_oneof![
        vec(any::<u8>(), 0..64),
        vec(piece, 0..24).prop_map(|pieces| pieces.concat().into_bytes()),
    ]
}

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
fn paths_hold_on_the_seeds() {
    on_seeds("path", properties::path::check);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn paths_hold(data in input()) {
        properties::path::check(&data);
    }
}
