//! The whole sandbox of a workspace, for an interface that works inside it.

use std::{fmt, sync::Arc};

use garth_contract::{Code, DynFilesystem, DynShell, Error, Result, WsPath};

use crate::Workspace;

/// A sandbox as its guest serves it: its root is the fence.
#[derive(Clone)]
pub struct Inside {
    /// Its files, from its own root.
    pub files: Arc<dyn DynFilesystem>,
    /// Its commands, whose working directory is from its own root.
    pub shell: Arc<dyn DynShell>,
    /// Where the workspace is in it.
    pub home: WsPath,
}

impl fmt::Debug for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inside").field("home", &self.home).finish_non_exhaustive()
    }
}

impl Workspace {
    /// The same workspace, whose whole sandbox can be worked in.
    #[must_use]
    pub fn with_inside(mut self, inside: Inside) -> Self {
        self.inside = Some(inside);
        self
    }

    /// Its whole sandbox.
    ///
    /// # Errors
    /// `UNSUPPORTED` where only the workspace itself is served.
    pub fn inside(&self) -> Result<&Inside> {
        self.inside.as_ref().ok_or_else(|| {
            Error::new(Code::Unsupported, "of this sandbox only the workspace is served")
        })
    }
}
