//! Every sentence of the trait has a tag, and every tag a check.
//!
//! The table holds the trait's doc comments cut into claims. Together they must
//! be the comments, word for word, so that a changed sentence is noticed here
//! before a backend can disagree with it.

use std::collections::BTreeSet;

use garth_conformance::checks;

use self::{
    of_the_trait::{READING, TRAIT},
    of_the_types::TYPES,
};

mod of_the_trait;
mod of_the_types;

/// Claims that no check on one machine can make true or false, and why.
const UNTESTED: &[(&str, &str)] = &[
    ("changing.disk_full", "a full disk cannot be had without the rights to mount one"),
    ("watch.errors.quota", "the system's bound on watches belongs to all its programs"),
];

const SOURCES: &[&str] = &[
    include_str!("../../../contract/src/content.rs"),
    include_str!("../../../contract/src/entry.rs"),
    include_str!("../../../contract/src/policy.rs"),
    include_str!("../../../contract/src/query.rs"),
    include_str!("../../../contract/src/sink.rs"),
    include_str!("../../../contract/src/stage.rs"),
    include_str!("../../../contract/src/watch.rs"),
];

/// Every tag that a check may name.
fn tags() -> impl Iterator<Item = &'static str> {
    let of_trait = TRAIT.iter().flat_map(|(_, claims)| claims.iter());
    of_trait.chain(TYPES).map(|(tag, _)| *tag).filter(|tag| *tag != READING)
}

/// The doc comments of a source, each with the item it stands on.
fn comments(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut words = String::new();
    for line in source.lines().map(str::trim) {
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        match comment {
            Some(text) => {
                words.extend([text.trim(), " "].into_iter().filter(|text| !text.is_empty()))
            }
            None if words.is_empty() || line.starts_with("#[") => {}
            None => {
                let item = line
                    .trim_start_matches("pub ")
                    .trim_start_matches("trait ")
                    .trim_start_matches("fn ");
                let name = item
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap_or_default();
                let words = std::mem::take(&mut words);
                found.push((
                    name.to_owned(),
                    words.split_whitespace().collect::<Vec<_>>().join(" "),
                ));
            }
        }
    }
    found
}

#[test]
fn the_claims_together_are_the_comments_of_the_trait() {
    let source = include_str!("../../../contract/src/filesystem.rs");
    let (_, source) = source.split_once("WsPath,\n};").unwrap();
    let claimed: Vec<_> = TRAIT
        .iter()
        .map(|(item, claims)| {
            let text: Vec<_> = claims.iter().map(|(_, claim)| *claim).collect();
            ((*item).to_owned(), text.join(" "))
        })
        .collect();
    for (written, claimed) in comments(source).iter().zip(&claimed) {
        assert_eq!(written, claimed);
    }
    assert_eq!(comments(source).len(), claimed.len());
}

#[test]
fn the_claims_about_types_stand_in_the_contract() {
    let written: Vec<_> = SOURCES.iter().flat_map(|source| comments(source)).collect();
    for (tag, claim) in TYPES {
        assert!(written.iter().any(|(_, text)| text.contains(claim)), "{tag}: {claim}");
    }
}

#[test]
fn every_claim_is_checked_or_says_why_not() {
    let covered: BTreeSet<_> = checks().flat_map(|check| check.covers.iter().copied()).collect();
    let untested: BTreeSet<_> = UNTESTED.iter().map(|(tag, _)| *tag).collect();
    let known: BTreeSet<_> = tags().collect();
    let unchecked: Vec<_> =
        tags().filter(|tag| !covered.contains(tag) && !untested.contains(tag)).collect();
    assert!(unchecked.is_empty(), "no check covers {unchecked:?}");
    let unknown: Vec<_> = covered.union(&untested).filter(|tag| !known.contains(*tag)).collect();
    assert!(unknown.is_empty(), "these tags stand in no table: {unknown:?}");
    let tested: Vec<_> = untested.intersection(&covered).collect();
    assert!(tested.is_empty(), "these are checked after all: {tested:?}");
}

#[test]
fn every_tag_and_every_check_has_its_own_name() {
    let known: BTreeSet<_> = tags().collect();
    assert_eq!(known.len(), tags().count());
    let names: BTreeSet<_> = checks().map(|check| check.name).collect();
    assert_eq!(names.len(), checks().count());
}
