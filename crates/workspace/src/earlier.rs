//! What files held before, as far as somebody keeps it.

use bytes::Bytes;
use garth_contract::{BoxFuture, Result, Version, WsPath};

use crate::Workspace;

/// Earlier contents of the files of one workspace.
///
/// They are as raw as the files: what leaves passes through the redactor by the rules of
/// the path that it is asked for, so a content is found by its own path only.
pub trait Earlier: Send + Sync {
    /// The content of this version that the file at a path had; `None` where it is not
    /// kept, or no longer.
    ///
    /// *Cancel*: nothing is left.
    fn find<'a>(
        &'a self,
        path: &'a WsPath,
        version: Version,
    ) -> BoxFuture<'a, Result<Option<Bytes>>>;
}

impl Workspace {
    /// What its files held before, where that is kept.
    #[must_use]
    pub fn earlier(&self) -> Option<&dyn Earlier> {
        self.earlier.as_deref()
    }
}
