//! One entry of a tree, as replies carry it.

use garth_contract::{Entry, Kind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{timestamp::rfc3339, words::kind_name};

/// An entry in a payload.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// Where it is, from the root.
    pub(crate) path: String,
    /// What it is: file, dir, symlink, fifo, socket or device.
    pub(crate) kind: &'static str,
    /// The size of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size_bytes: Option<u64>,
    /// When its content last changed, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) modified_at: Option<String>,
    /// Its permission bits in octal, for example 0644.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<String>,
}

impl From<&Entry> for Listed {
    fn from(entry: &Entry) -> Self {
        Self {
            path: entry.path.to_string(),
            kind: kind_name(entry.kind),
            size_bytes: (entry.kind == Kind::File).then_some(entry.size),
            modified_at: entry.modified.map(rfc3339),
            mode: entry.mode.map(|mode| format!("{mode:04o}")),
        }
    }
}
