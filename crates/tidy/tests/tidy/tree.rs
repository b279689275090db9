//! The files of the repository as a fresh clone has them.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use ignore::WalkBuilder;

/// One text file of the repository.
pub(crate) struct File {
    /// Where it is, from the repository's root, with `/`.
    pub(crate) path: String,
    /// What it says.
    pub(crate) text: String,
}

impl File {
    /// The name of the crate it belongs to, if it is below `crates/`.
    pub(crate) fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// Its name without folders.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    /// Tells whether it is Rust.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every text file that git does not ignore, sorted by path.
pub(crate) fn files() -> &'static [File] {
    static FILES: LazyLock<Vec<File>> = LazyLock::new(read_all);
    &FILES
}

/// The text of one file that must be there.
pub(crate) fn text(path: &str) -> &'static str {
    let file = files().iter().find(|file| file.path == path);
    &file.unwrap_or_else(|| panic!("{path} is missing")).text
}

/// The names of the folders directly below `crates/`.
pub(crate) fn crate_folders() -> Vec<&'static str> {
    let manifests = files().iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    manifests.filter_map(File::crate_name).collect()
}

fn read_all() -> Vec<File> {
    let root = root();
    let walk = WalkBuilder::new(&root)
        .hidden(false)
        .git_global(false)
        .parents(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let mut files: Vec<File> = walk
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            let path = entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            let text = String::from_utf8(fs::read(entry.path()).ok()?).ok()?;
            Some(File { path, text })
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}
