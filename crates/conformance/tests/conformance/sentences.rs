//! Every sentence of the traits has a tag, and every tag a check.
//!
//! A table holds a trait's doc comments cut into claims. Together they must be
//! the comments, word for word, so that a changed sentence is noticed here before
//! a backend can disagree with it.

use std::collections::BTreeSet;

use garth_conformance::{checks, shell};

use self::of_the_trait::READING;

mod of_the_shell;
mod of_the_trait;
mod of_the_types;

/// Claims, each with its tag.
type Claims = &'static [(&'static str, &'static str)];

/// A trait, what its comments claim, and what is checked of that.
struct Contract {
    /// The trait's source, from where its comments begin.
    source: &'static str,
    /// Its comments in order: whose, then their claims.
    claims: &'static [(&'static str, Claims)],
    /// The sources of the types it speaks in.
    type_sources: &'static [&'static str],
    /// Claims of theirs.
    type_claims: Claims,
    /// Claims that no check on one machine can make true or false, and why.
    untested: Claims,
    /// The name of each check, and the tags it covers.
    checks: Vec<(&'static str, Claimed)>,
}

type Claimed = &'static [&'static str];

fn contracts() -> [Contract; 2] {
    let files = include_str!("../../../contract/src/filesystem.rs");
    let shell = include_str!("../../../contract/src/shell.rs");
    [
        Contract {
            source: files.split_once("WsPath,\n};").unwrap().1,
            claims: of_the_trait::TRAIT,
            type_sources: &[
                include_str!("../../../contract/src/content.rs"),
                include_str!("../../../contract/src/entry.rs"),
                include_str!("../../../contract/src/policy.rs"),
                include_str!("../../../contract/src/query.rs"),
                include_str!("../../../contract/src/sink.rs"),
                include_str!("../../../contract/src/stage.rs"),
                include_str!("../../../contract/src/watch.rs"),
            ],
            type_claims: of_the_types::TYPES,
            untested: &[
                ("changing.disk_full", "a full disk cannot be had without the rights to mount one"),
                ("watch.errors.quota", "the system's bound on watches belongs to all its programs"),
            ],
            checks: checks().map(|check| (check.name, check.covers)).collect(),
        },
        Contract {
            source: shell.split_once("use crate::Result;\n").unwrap().1,
            claims: of_the_shell::TRAIT,
            type_sources: &[
                include_str!("../../../contract/src/shell/command.rs"),
                include_str!("../../../contract/src/shell/process.rs"),
            ],
            type_claims: of_the_shell::TYPES,
            untested: &[],
            checks: shell::checks().map(|check| (check.name, check.covers)).collect(),
        },
    ]
}

impl Contract {
    /// Every tag that a check may name.
    fn tags(&self) -> impl Iterator<Item = &'static str> {
        let of_trait = self.claims.iter().flat_map(|(_, claims)| claims.iter());
        of_trait.chain(self.type_claims).map(|(tag, _)| *tag).filter(|tag| *tag != READING)
    }
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
    for contract in contracts() {
        let claimed: Vec<_> = contract
            .claims
            .iter()
            .map(|(item, claims)| {
                let text: Vec<_> = claims.iter().map(|(_, claim)| *claim).collect();
                ((*item).to_owned(), text.join(" "))
            })
            .collect();
        let written = comments(contract.source);
        for (written, claimed) in written.iter().zip(&claimed) {
            assert_eq!(written, claimed);
        }
        assert_eq!(written.len(), claimed.len());
    }
}

#[test]
fn the_claims_about_types_stand_in_the_contract() {
    for contract in contracts() {
        let written: Vec<_> =
            contract.type_sources.iter().flat_map(|source| comments(source)).collect();
        for (tag, claim) in contract.type_claims {
            assert!(written.iter().any(|(_, text)| text.contains(claim)), "{tag}: {claim}");
        }
    }
}

#[test]
fn every_claim_is_checked_or_says_why_not() {
    for contract in contracts() {
        let covered: BTreeSet<_> =
            contract.checks.iter().flat_map(|(_, covers)| covers.iter().copied()).collect();
        let untested: BTreeSet<_> = contract.untested.iter().map(|(tag, _)| *tag).collect();
        let known: BTreeSet<_> = contract.tags().collect();
        let unchecked: Vec<_> = contract
            .tags()
            .filter(|tag| !covered.contains(tag) && !untested.contains(tag))
            .collect();
        assert!(unchecked.is_empty(), "no check covers {unchecked:?}");
        let unknown: Vec<_> =
            covered.union(&untested).filter(|tag| !known.contains(*tag)).collect();
        assert!(unknown.is_empty(), "these tags stand in no table: {unknown:?}");
        let tested: Vec<_> = untested.intersection(&covered).collect();
        assert!(tested.is_empty(), "these are checked after all: {tested:?}");
    }
}

#[test]
fn every_tag_and_every_check_has_its_own_name() {
    for contract in contracts() {
        let known: BTreeSet<_> = contract.tags().collect();
        assert_eq!(known.len(), contract.tags().count());
        let names: BTreeSet<_> = contract.checks.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), contract.checks.len());
    }
}
