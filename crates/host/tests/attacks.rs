//! Attacks on the boundary, replayed on the host backend with both resolvers.
//!
//! Each attack of the shared corpus that speaks of files has a function here, by
//! its id, or a line that says which later part it belongs to. After each one the
//! directory outside must be unchanged to the byte, and no answer may hold what
//! is in it.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests plant files behind the backend's back and fail by panicking"
)]

#[path = "attacks/replay.rs"]
mod replay;
#[path = "attacks/yard.rs"]
mod yard;

use std::collections::BTreeSet;

use garth_host::Resolver;
use yard::Yard;

/// Attacks whose operation does not exist in this crate, and where it will be met.
const ELSEWHERE: &[(&str, &str)] = &[
    ("P26", "a working directory belongs to processes"),
    ("P34", "agent ids belong to the gateway"),
    ("Z01", "archives belong to the gateway"),
    ("Z03", "archives belong to the gateway"),
    ("Z04", "archives belong to the gateway"),
];

async fn replay_all(resolver: Resolver) {
    for attack in replay::ATTACKS {
        let yard = Yard::new(resolver);
        (attack.run)(&yard).await;
        yard.assert_outside_is_untouched(attack.id);
    }
    println!("{} attacks replayed with {resolver:?}: 0 escapes, 0 hangs", replay::ATTACKS.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_attack_is_held_by_the_kernel() {
    replay_all(Resolver::Kernel).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_attack_is_held_by_the_walk() {
    replay_all(Resolver::Walk).await;
}

#[test]
fn every_shared_attack_on_files_is_replayed_or_placed() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/attacks.json");
    let Ok(text) = std::fs::read_to_string(corpus) else {
        println!("skipped: no shared cases");
        return;
    };
    let corpus: serde_json::Value = serde_json::from_str(&text).unwrap();
    let known: BTreeSet<&str> = replay::ATTACKS
        .iter()
        .map(|attack| attack.id)
        .chain(ELSEWHERE.iter().map(|(id, _)| *id))
        .collect();
    let missing: Vec<&str> = corpus["attacks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|attack| attack["surface"] == "file")
        .map(|attack| attack["id"].as_str().unwrap())
        .filter(|id| !known.contains(id))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}
