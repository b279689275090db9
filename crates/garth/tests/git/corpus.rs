//! The shared collection of attacks: what it has on git is replayed here, or placed.

use std::collections::BTreeSet;

/// Where each attack is replayed.
const REPLAYED: &[(&str, &str)] = &[
    ("G01", "injections: a name that could be an option is refused"),
    ("G02", "injections: a ref that was planted is not named"),
    ("G04", "injections: a path outside is refused; files: what lies behind a link"),
    ("G05", "vectors: no hook runs, no setting reaches outside"),
];

/// Attacks on what reaches the remote, which is not run inside the sandbox.
const ELSEWHERE: &[(&str, &str)] = &[
    ("G07", "addresses and submodules of a remote belong to whoever fetches"),
    ("G08", "the credential belongs to whoever pushes"),
];

#[test]
fn every_shared_attack_on_git_is_replayed_or_placed() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/attacks.json");
    let Ok(text) = std::fs::read_to_string(corpus) else {
        println!("skipped: no shared cases");
        return;
    };
    let corpus: serde_json::Value = serde_json::from_str(&text).unwrap();
    let known: BTreeSet<&str> = REPLAYED.iter().chain(ELSEWHERE).map(|(id, _)| *id).collect();
    let missing: Vec<&str> = corpus["attacks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|attack| attack["surface"] == "git")
        .map(|attack| attack["id"].as_str().unwrap())
        .filter(|id| !known.contains(id))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}
