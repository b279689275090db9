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
        })
        .collect()
}

/// The quoted words of one list in a section: `key = [ "a", "b" ]` over several lines.
pub(crate) fn list(toml: &'static str, heading: &str, key: &str) -> Vec<&'static str> {
    let lines = section(toml, heading);
    let start = lines.iter().position(|line| line.starts_with(&format!("{key} = ["))).unwrap();
    let lines = lines[start + 1..].iter().take_while(|line| **line != "]");
    lines.filter_map(|line| line.split('"').nth(1)).collect()
}
