//! The shared patch cases: a patch, the files before it, the files after it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::stage::{Ground, Setting, Stage};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/apply_patch");

#[test]
fn every_shared_case_leaves_the_expected_files() {
    if !Path::new(CASES).is_dir() {
        println!("skipped: no shared cases");
        return;
    }
    let mut count = 0;
    for case in sorted(Path::new(CASES)).into_iter().filter(|case| case.is_dir()) {
        for ground in [Ground::Memory, Ground::Host] {
            let stage = Stage::new(ground, &[], Setting::usual());
            for (path, bytes) in files(&case.join("input")) {
                stage.put(&path, &bytes);
            }
            let patch = read(&case.join("patch.txt"));
            let patch = String::from_utf8(patch).unwrap();
            let answer = stage.call("apply_patch", json!({"patch": patch}));
            let expected = files(&case.join("expected"));
            let tree: Vec<_> = stage
                .tree()
                .into_iter()
                .filter_map(|path| {
                    let bytes = stage.bytes(&path)?;
                    Some((path, bytes))
                })
                .collect();
            assert_eq!(tree, expected, "{} on {ground:?}: {answer:?}", case.display());
            let rejects = case.file_name().unwrap().to_str().unwrap().contains("rejects");
            assert_eq!(answer.is_err(), rejects, "{} on {ground:?}", case.display());
        }
        count += 1;
    }
    assert!(count > 0, "{CASES} has no cases");
}

/// Every file below a directory, by path.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        for path in sorted(&next) {
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                found.push((name, read(&path)));
            }
        }
    }
    found.sort();
    found
}

#[allow(clippy::disallowed_methods, reason = "the cases are no workspace of anybody")]
fn sorted(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[allow(clippy::disallowed_methods, reason = "the cases are no workspace of anybody")]
fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}
