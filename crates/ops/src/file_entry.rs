//! A file or a directory, as the dialect `vfs` carries it.

use garth_contract::{Entry, Kind, Links};
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Serialize;

use crate::words::kind_name;

/// An entry in a payload.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct FileEntry {
    /// Where it is, from the root.
    pub(crate) path: String,
    /// What it is, or where it leads to: file or directory.
    pub(crate) kind: &'static str,
    /// The size of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size_bytes: Option<u64>,
    /// What else it is: symlink, fifo, socket or device.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) special: Option<&'static str>,
}

impl FileEntry {
    /// Entries with links followed as far as they stay inside.
    pub(crate) async fn all(workspace: &Workspace, entries: &[Entry]) -> Vec<Self> {
        let mut all = Vec::with_capacity(entries.len());
        for entry in entries {
            let (kind, size) = match entry.kind {
                Kind::Symlink => match workspace.fs().stat(&entry.path, Links::Follow).await {
                    Ok(target) => (target.kind, target.size),
                    Err(_) => (Kind::Symlink, 0),
                },
                kind @ (Kind::File | Kind::Dir | Kind::Fifo | Kind::Socket | Kind::Device) => {
                    (kind, entry.size)
                }
            };
            all.push(Self {
                path: entry.path.to_string(),
                kind: if kind == Kind::Dir { "directory" } else { "file" },
                size_bytes: (kind == Kind::File).then_some(size),
                special: match entry.kind {
                    Kind::File | Kind::Dir => None,
                    Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
                        Some(kind_name(entry.kind))
                    }
                },
            });
        }
        all
    }
}
