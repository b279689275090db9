//! An entry of the tree, as replies carry it.

use garth_contract::{Entry, Kind, Links, WsPath, escape};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{timestamp::rfc3339, words::kind_name};

/// An entry in a payload.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::worktree) struct Listed {
    /// Where it is, from the root.
    pub(in crate::worktree) path: String,
    /// Its name.
    name: String,
    /// Whether it is a directory, or for a link whether it leads to one.
    kind: FileOrDir,
    /// What it is, where it is neither file nor directory: symlink, fifo, socket or device.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    special: Option<&'static str>,
    /// The size of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// When its content last changed, in ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_at: Option<String>,
    /// Its permissions, for example rw-r--r--.
    #[serde(skip_serializing_if = "Option::is_none")]
    permissions: Option<String>,
}

/// What everything is taken to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(in crate::worktree) enum FileOrDir {
    File,
    Dir,
}

impl FileOrDir {
    pub(in crate::worktree) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Dir => Self::Dir,
            Kind::File | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => Self::File,
        }
    }
}

/// The word for what is neither file nor directory.
pub(in crate::worktree) fn special(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::File | Kind::Dir => None,
        Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => Some(kind_name(kind)),
    }
}

impl Listed {
    /// An entry, and for a link what it leads to.
    ///
    /// A link that leads nowhere inside is told like one whose target is missing.
    pub(in crate::worktree) async fn of(workspace: &Workspace, entry: &Entry) -> Self {
        let target = match entry.kind {
            Kind::Symlink => workspace.fs().stat(&entry.path, Links::Follow).await.ok(),
            Kind::File | Kind::Dir | Kind::Fifo | Kind::Socket | Kind::Device => None,
        };
        Self::with(entry, target.as_ref().unwrap_or(entry))
    }

    /// The same for what is no link, which need not be looked at again.
    pub(in crate::worktree) fn of_no_link(entry: &Entry) -> Option<Self> {
        (entry.kind != Kind::Symlink).then(|| Self::with(entry, entry))
    }

    /// An entry with the facts of what it leads to.
    fn with(entry: &Entry, facts: &Entry) -> Self {
        Self {
            path: shown(&entry.path),
            name: name(&entry.path),
            kind: FileOrDir::of(facts.kind),
            special: special(entry.kind),
            size_bytes: (facts.kind == Kind::File).then_some(facts.size),
            modified_at: facts.modified.map(rfc3339),
            permissions: facts.mode.map(permissions),
        }
    }
}

/// A path from the root; the root itself is `/`.
pub(in crate::worktree) fn shown(path: &WsPath) -> String {
    if path.is_root() { "/".to_owned() } else { path.to_string() }
}

fn name(path: &WsPath) -> String {
    path.name().map_or_else(|| "/".to_owned(), escape)
}

/// Permission bits as `ls` writes them, without the letter for the kind.
fn permissions(mode: u32) -> String {
    let mut text = String::with_capacity(9);
    for (shift, special, letters) in [(6, 0o4000, "sS"), (3, 0o2000, "sS"), (0, 0o1000, "tT")] {
        let bits = mode >> shift;
        text.push(if bits & 4 != 0 { 'r' } else { '-' });
        text.push(if bits & 2 != 0 { 'w' } else { '-' });
        let mut letters = letters.chars();
        let (with, without) = (letters.next().unwrap_or('s'), letters.next().unwrap_or('S'));
        text.push(match (mode & special != 0, bits & 1 != 0) {
            (true, true) => with,
            (true, false) => without,
            (false, true) => 'x',
            (false, false) => '-',
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_read_as_ls_writes_them() {
        for (mode, text) in [
            (0o644, "rw-r--r--"),
            (0o755, "rwxr-xr-x"),
            (0o000, "---------"),
            (0o777, "rwxrwxrwx"),
            (0o4755, "rwsr-xr-x"),
            (0o2644, "rw-r-Sr--"),
            (0o1777, "rwxrwxrwt"),
            (0o1666, "rw-rw-rwT"),
        ] {
            assert_eq!(permissions(mode), text, "{mode:o}");
        }
    }

    #[test]
    fn the_root_is_a_slash() {
        assert_eq!((shown(&WsPath::root()), name(&WsPath::root())), ("/".into(), "/".into()));
        let path = WsPath::from_bytes(b"a/b\nc").unwrap();
        assert_eq!((shown(&path), name(&path)), (r"a/b\x0ac".into(), r"b\x0ac".into()));
    }
}
