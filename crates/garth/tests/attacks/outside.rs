//! What stands outside the workspace, and whether anything happened to it.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// What every file outside holds; no answer may ever show it.
pub(crate) const SECRET: &str = "outside-secret-93be";
/// A name that nothing inside has; no answer may ever show it.
pub(crate) const ONLY_OUTSIDE: &str = "only-outside-name";

/// A part of the file system as it was at one time, but for one directory in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Survey(BTreeMap<PathBuf, String>);

impl Survey {
    /// Looks at everything below a directory: each path with its kind, permissions,
    /// time and content.
    pub(crate) fn of(top: &Path, left_out: Option<&Path>) -> Self {
        let mut seen = BTreeMap::new();
        let mut left = vec![top.to_owned()];
        while let Some(path) = left.pop() {
            if left_out == Some(&*path) {
                continue;
            }
            // What is gone again was there: the directory it was in has changed.
            let Ok(metadata) = path.symlink_metadata() else { continue };
            if metadata.is_dir() {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                left.extend(entries.map(|entry| entry.path()));
            }
            let content = if metadata.is_file() { fs::read(&path) } else { Ok(Vec::new()) };
            let content = content.unwrap_or_default();
            let content = String::from_utf8_lossy(&content).into_owned();
            // The directory above the one that is left out changes with it.
            let above = left_out.and_then(Path::parent) == Some(&*path);
            let changed = (!above).then(|| metadata.modified().unwrap());
            let facts = (metadata.file_type(), metadata.permissions(), changed, content);
            seen.insert(path, format!("{facts:?}"));
        }
        Self(seen)
    }
}

/// Puts files with the secret into a directory that is to stay untouched.
pub(crate) fn plant(out: &Path) -> io::Result<()> {
    fs::create_dir_all(out.join("sub"))?;
    fs::create_dir_all(out.join(".ssh"))?;
    ["secret", "sub/secret", ONLY_OUTSIDE]
        .iter()
        .try_for_each(|name| fs::write(out.join(name), SECRET))
}
