//! Patches against the scenarios of the tool whose grammar they follow, on a
//! tree in memory, all files or none.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test reads its cases from disk and says when there are none"
)]

use std::collections::BTreeMap;
use std::path::Path;

use garth_text::patch::{Change, apply, parse};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/apply_patch");

/// Files by path.
type Tree = BTreeMap<String, Vec<u8>>;

fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let path = entry.path();
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The tree after a patch, or why nothing was changed.
fn patched(before: &Tree, patch: &str) -> Result<Tree, String> {
    let mut after = before.clone();
    for change in parse(patch).map_err(|error| error.to_string())? {
        match change {
            Change::Add { path, content } => {
                after.insert(path.to_owned(), content.into_bytes());
            }
            Change::Delete { path } => {
                after.remove(path).ok_or_else(|| format!("no file {path}"))?;
            }
            Change::Update { path, to, chunks } => {
                let content = after.remove(path).ok_or_else(|| format!("no file {path}"))?;
                let applied = apply(&content, &chunks).map_err(|error| error.to_string())?;
                after.insert(to.unwrap_or(path).to_owned(), applied.bytes);
            }
        }
    }
    Ok(after)
}

#[test]
fn every_scenario_ends_as_expected() {
    let Ok(folders) = std::fs::read_dir(CASES) else {
        println!("skipped: no shared cases");
        return;
    };
    let mut count = 0;
    for folder in folders.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let patch = std::fs::read_to_string(folder.join("patch.txt")).unwrap();
        let (input, expected) = (tree(&folder.join("input")), tree(&folder.join("expected")));
        let outcome = patched(&input, &patch);
        if let Err(reason) = &outcome {
            println!("{name}: {reason}");
        }
        assert!(outcome.is_err() || !name.contains("rejects"), "{name}");
        // All files or none: where the scenario keeps the first half of a
        // patch that fails later, nothing is changed here.
        let expected = if name.contains("partial") { &input } else { &expected };
        assert_eq!(outcome.as_ref().unwrap_or(&input), expected, "{name}");
        count += 1;
    }
    println!("{count} scenarios");
}
