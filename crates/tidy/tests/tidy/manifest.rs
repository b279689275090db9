//! Reads the manifests: what each crate depends on, what is locked, what is allowed.
//!
//! They are our own files in cargo's plain form, one entry a line, so lines and
//! headings are all that is looked at.

use crate::tree;

/// The lines below a heading of a TOML file, without comments and blank lines.
pub(crate) fn section<'a>(toml: &'a str, heading: &str) -> Vec<&'a str> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in toml.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.trim_start_matches('[').trim_end_matches(']') == heading;
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            lines.push(line);
        }
    }
    lines
}

/// Our own crates that a crate is built with, tests aside, without `garth-`.
pub(crate) fn own_dependencies(folder: &str) -> Vec<&'static str> {
    let toml = tree::text(&format!("crates/{folder}/Cargo.toml"));
    section(toml, "dependencies").into_iter().filter_map(own_name).collect()
}

fn own_name(line: &str) -> Option<&str> {
    let name = line.split(['.', ' ', '=']).next()?;
    name.strip_prefix("garth-")
}

/// One package of a lock file.
pub(crate) struct Locked {
    /// Its name.
    pub(crate) name: &'static str,
    /// Where it comes from; our own packages come from nowhere.
    pub(crate) source: Option<&'static str>,
    /// The names of what it is built with.
    pub(crate) dependencies: Vec<&'static str>,
}

/// Every package of the lock file.
pub(crate) fn locked() -> Vec<Locked> {
    let value = |block: &'static str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key));
        line.map(|line| line.trim_matches([' ', '=', '"']))
    };
    let blocks = tree::text("Cargo.lock").split("[[package]]").skip(1);
    blocks
        .map(|block| Locked {
            name: value(block, "name").expect("a locked package has a name"),
            source: value(block, "source"),
            dependencies: dependencies(block),
        })
        .collect()
}

/// What a locked package is built with; a version may stand behind a name.
fn dependencies(block: &'static str) -> Vec<&'static str> {
    let (_, list) = block.split_once("dependencies = [").unwrap_or_default();
    let names = list.split(']').next().unwrap_or_default().lines();
    names.filter_map(|line| line.split('"').nth(1)?.split(' ').next()).collect()
}

/// A package that must not be locked, and those that may have it all the same.
pub(crate) struct Banned {
    pub(crate) name: &'static str,
    pub(crate) wrappers: Vec<&'static str>,
}

/// What deny.toml bans.
pub(crate) fn banned() -> Vec<Banned> {
    let lines = section(tree::text("deny.toml"), "bans");
    let rows = lines.into_iter().filter(|line| line.starts_with("{ crate = "));
    let read = |line: &'static str| {
        let (_, wrappers) = line.split_once("wrappers = [").unwrap_or_default();
        let wrappers = wrappers.split(']').next().unwrap_or_default().split('"');
        Some(Banned {
            name: line.split('"').nth(1)?,
            wrappers: wrappers.skip(1).step_by(2).collect(),
        })
    };
    rows.filter_map(read).collect()
}

/// The quoted words of one list in a section: `key = [ "a", "b" ]` over several lines.
pub(crate) fn list(toml: &'static str, heading: &str, key: &str) -> Vec<&'static str> {
    let lines = section(toml, heading);
    let start = lines.iter().position(|line| line.starts_with(&format!("{key} = ["))).unwrap();
    let lines = lines[start + 1..].iter().take_while(|line| **line != "]");
    lines.filter_map(|line| line.split('"').nth(1)).collect()
}
