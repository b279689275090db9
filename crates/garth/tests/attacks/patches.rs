//! Patches against the scenarios of the tool whose grammar they follow, sent to
//! `apply_patch` of the dialect `workspace`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{client::Client, yard::outcome};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/apply_patch");

/// Files by path.
type Tree = BTreeMap<PathBuf, Vec<u8>>;

fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for path in fs::read_dir(&dir).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn every_patch_ends_as_expected() {
    let Ok(cases) = fs::read_dir(CASES) else {
        println!("skipped: no shared cases");
        return;
    };
    let cases = cases.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let mut count = 0;
    for case in cases {
        let name = case.file_name().unwrap().to_str().unwrap();
        let root = tempfile::tempdir().unwrap();
        let input = tree(&case.join("input"));
        for (path, bytes) in &input {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let patch = fs::read_to_string(case.join("patch.txt")).unwrap();
        let mut client = Client::start(root.path(), &["--dialect", "workspace"]);
        let dry = json!({"patch": patch, "dry_run": true});
        let tried = outcome(&client.call("apply_patch", &dry));
        assert_eq!(tree(root.path()), input, "{name}: a dry run writes");
        let done = outcome(&client.call("apply_patch", &json!({"patch": patch})));
        // All files or none: where the scenario keeps the first half of a patch that
        // fails later, nothing is changed here.
        let expected = if name.contains("partial") { input } else { tree(&case.join("expected")) };
        assert_eq!(tree(root.path()), expected, "{name}: {done:?}");
        assert_eq!(done.is_err(), name.contains("rejects") || name.contains("partial"), "{name}");
        assert_eq!(tried.is_err(), done.is_err(), "{name}: a dry run says another thing");
        count += 1;
    }
    println!("{count} patches");
    assert!(count > 0, "{CASES} has no cases");
}
