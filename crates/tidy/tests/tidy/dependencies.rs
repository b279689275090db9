//! What is linked in: few packages, from one place, under licences that deny.toml allows.

use std::{collections::BTreeSet, process::Command};

use serde_json::Value;

use crate::{manifest, tree};

/// What the reader of a lock file can still look through.
const MOST_PACKAGES: usize = 550;

#[test]
fn few_packages_are_locked() {
    let count = manifest::locked().len();
    println!("locked packages: {count}");
    assert!(count < MOST_PACKAGES);
}

#[test]
fn every_locked_package_is_ours_or_from_the_one_registry() {
    let locked = manifest::locked();
    let foreign = locked.iter().filter(|package| package.source.is_none());
    let ours = foreign.filter(|package| !package.name.starts_with("garth"));
    assert_eq!(ours.map(|package| package.name).collect::<Vec<_>>(), [""; 0]);
    let sources: BTreeSet<_> = locked.iter().filter_map(|package| package.source).collect();
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert!(sources.iter().all(|source| source.starts_with("registry+")), "{sources:?}");
}

#[test]
fn no_banned_package_is_locked() {
    let (banned, locked) = (manifest::banned(), manifest::locked());
    let names: Vec<_> = banned.iter().map(|banned| banned.name).collect();
    assert!(names.contains(&"aws-lc-sys") && names.contains(&"openssl-sys"), "{names:?}");
    for banned in banned {
        let there = locked.iter().any(|package| package.name == banned.name);
        assert!(!there || !banned.wrappers.is_empty(), "{} is banned by deny.toml", banned.name);
        for package in &locked {
            let has = package.dependencies.contains(&banned.name);
            let may = banned.wrappers.contains(&package.name);
            assert!(!has || may, "{} has {}, which deny.toml bans", package.name, banned.name);
        }
    }
}

#[test]
fn every_linked_package_has_an_allowed_licence() {
    let allowed = manifest::list(tree::text("deny.toml"), "licenses", "allow");
    let packages = linked_packages();
    assert!(packages.len() > 10, "{packages:?}");
    for (name, licence) in packages {
        assert!(permits(&licence, &allowed), "{name} has the licence {licence:?}");
    }
}

/// Name and licence of every package that is built on Linux.
fn linked_packages() -> Vec<(String, String)> {
    let cargo = std::env::var_os("CARGO").expect("cargo runs the tests");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked", "--offline"])
        .arg("--filter-platform=x86_64-unknown-linux-gnu")
        .current_dir(tree::root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().unwrap();
    packages.iter().map(|package| (text(&package["name"]), text(&package["license"]))).collect()
}

/// Tells whether a licence expression can be met with the allowed licences alone.
fn permits(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = expression.split_whitespace().peekable();
    let met = any_of(&mut words, allowed);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let mut met = all_of(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all_of(words, allowed);
    }
    met
}

fn all_of(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let mut met = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Words<'_>, allowed: &[&str]) -> bool {
    let Some(word) = words.next() else { return false };
    if word == "(" {
        let met = any_of(words, allowed);
        return words.next() == Some(")") && met;
    }
    let mut licence = word.trim_end_matches('+').to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        licence = format!("{licence} WITH {}", words.next().unwrap_or_default());
    }
    allowed.contains(&licence.as_str())
}

#[test]
fn a_licence_expression_is_read_as_it_is_meant() {
    let allowed = ["MIT", "ISC", "MPL-2.0", "Apache-2.0 WITH LLVM-exception"];
    for good in [
        "MIT",
        "MIT/GPL-3.0",
        "GPL-3.0 OR MIT",
        "(GPL-3.0 OR MIT) AND ISC",
        "MPL-2.0+",
        "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
    ] {
        assert!(permits(good, &allowed), "{good}");
    }
    for bad in
        ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0", "Apache-2.0", "MIT MIT"]
    {
        assert!(!permits(bad, &allowed), "{bad}");
    }
}
