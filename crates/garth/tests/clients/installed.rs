//! The clients that scripts/test installs, or why a test of them is skipped.

use std::path::{Path, PathBuf};

/// The interpreter that has a Python library, by the name of its requirements.
pub(crate) fn python(library: &str) -> Option<PathBuf> {
    found(&format!("py/{library}/bin/python"), library)
}

/// A program of a Node package, and the directory of the node that can run it.
pub(crate) fn node_program(name: &str) -> Option<(PathBuf, PathBuf)> {
    node_program_in("npm-clients", name)
}

/// The same for a package that is installed elsewhere.
pub(crate) fn node_program_in(place: &str, name: &str) -> Option<(PathBuf, PathBuf)> {
    let program = found(&format!("{place}/node_modules/.bin/{name}"), name)?;
    Some((program, node()?.parent()?.to_path_buf()))
}

/// A node that is young enough.
pub(crate) fn node() -> Option<PathBuf> {
    found("node/node", "node")
}

/// The packages of a Node library, and the node that can load them.
pub(crate) fn node_packages(place: &str, name: &str) -> Option<(PathBuf, PathBuf)> {
    found(&format!("{place}/node_modules/{name}"), name)?;
    let packages = found(&format!("{place}/node_modules"), name)?;
    Some((packages, found("node/node", "node")?))
}

fn found(path: &str, name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache").join(path);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {name} is not installed; scripts/test installs it");
    None
}
