//! What the documents say exists does exist, and nothing names what must not be named.

use std::collections::BTreeSet;

use crate::tree::{self, File};

/// Hosts of package registries, in halves so that this file does not name them.
const REGISTRY_HOSTS: [(&str, &str); 9] = [
    ("crates", ".io"),
    ("npmjs", ".org"),
    ("npmjs", ".com"),
    ("pypi", ".org"),
    ("pythonhosted", ".org"),
    ("docker", ".io"),
    ("ghcr", ".io"),
    ("quay", ".io"),
    ("deb.debian", ".org"),
];

/// Tells whether cargo wrote this file, in which case its words are cargo's.
fn is_lock_file(file: &File) -> bool {
    file.name() == "Cargo.lock"
}

#[test]
fn no_file_names_a_registry_host() {
    for file in tree::files().iter().filter(|file| !is_lock_file(file)) {
        for (name, suffix) in REGISTRY_HOSTS {
            let host = format!("{name}{suffix}");
            assert!(!file.text.contains(&host), "{} names {host}", file.path);
        }
    }
}

/// The targets of the Makefile.
fn targets() -> BTreeSet<&'static str> {
    let lines = tree::text("Makefile").lines();
    lines.filter_map(|line| line.split_once(": ## ").map(|(target, _)| target)).collect()
}

#[test]
fn every_make_command_in_a_document_exists() {
    let targets = targets();
    for file in tree::files().iter().filter(|file| file.path.ends_with(".md")) {
        for (at, _) in file.text.match_indices("make ") {
            let quoted = file.text[..at].ends_with(['`', '\n']);
            let word: String =
                file.text[at + 5..].chars().take_while(char::is_ascii_lowercase).collect();
            if quoted && !word.is_empty() {
                assert!(targets.contains(word.as_str()), "{} speaks of `make {word}`", file.path);
            }
        }
    }
}

#[test]
fn the_first_screen_of_the_readme_has_the_two_commands() {
    let screen: Vec<_> = tree::text("README.md").lines().take(30).collect();
    for command in ["make run", "make test"] {
        assert!(screen.iter().any(|line| line.trim_start().starts_with(command)), "{command}");
    }
}

#[test]
fn every_link_between_documents_leads_to_a_file() {
    for file in tree::files().iter().filter(|file| file.path.ends_with(".md")) {
        for target in links(&file.text) {
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let path = tree::root().join(folder).join(target);
            assert!(path.exists(), "{} links to {target}", file.path);
        }
    }
}

/// The targets of `[text](target)` that are files, without their fragments.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let targets = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    targets.filter_map(|target| target.split('#').next())
}
