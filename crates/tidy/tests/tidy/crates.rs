//! The crates are those of the architecture, and their arrows point down.

use std::collections::BTreeSet;

use crate::{manifest, tree};

/// From the ground up: a crate is built with crates of lower rows only.
///
/// `conformance` and `tidy` stand on top, since they test the others and nothing
/// is built with them.
const LAYERS: &[&[&str]] = &[
    &["contract"],
    &["egress", "redact", "search", "text", "wire"],
    &["archive", "git", "host", "memory", "roots", "sandbox"],
    &["broker", "editor", "workspace"],
    &["guest", "ops", "remote"],
    &["embed", "gateway"],
    &["garth"],
    &["conformance", "tidy"],
];

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

#[test]
fn every_crate_has_its_layer_and_every_layer_its_crates() {
    let folders: BTreeSet<_> = tree::crate_folders().into_iter().collect();
    let layered: BTreeSet<_> = LAYERS.concat().into_iter().collect();
    assert_eq!(folders, layered);
}

#[test]
fn the_arrows_between_crates_point_down() {
    for folder in tree::crate_folders() {
        for dependency in manifest::own_dependencies(folder) {
            assert!(
                layer(dependency) < layer(folder),
                "crates/{folder} is built with {dependency}, which is not below it"
            );
        }
    }
}

#[test]
fn the_table_of_crates_is_what_there_is() {
    let page = tree::text("ARCHITECTURE.md");
    let (_, rest) = page.split_once("\n## Crates").expect("ARCHITECTURE.md has a section Crates");
    let section = rest.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let table: Vec<_> = rows.collect();
    let folders: BTreeSet<_> = tree::crate_folders().into_iter().collect();
    assert_eq!(table.iter().copied().collect::<BTreeSet<_>>(), folders);
    assert_eq!(table.len(), folders.len(), "a crate stands in the table once");
}

#[test]
fn a_crate_is_named_after_its_folder() {
    for folder in tree::crate_folders() {
        let toml = tree::text(&format!("crates/{folder}/Cargo.toml"));
        let package = manifest::section(toml, "package");
        let name = package.iter().find_map(|line| line.strip_prefix("name = ")).unwrap();
        let expected = if folder == "garth" { "garth".into() } else { format!("garth-{folder}") };
        assert_eq!(name.trim_matches('"'), expected);
        let lints = manifest::section(toml, "lints");
        assert_eq!(lints, ["workspace = true"], "crates/{folder} takes the workspace's lints");
    }
}
