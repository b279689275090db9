//! The files of a workspace, with the texts that an editor holds.

use std::{fmt, sync::Arc};

use garth_contract::{DynFilesystem, Result, WsPath};

use crate::{Root, Session};

/// The files of a workspace as the person at an editor sees them.
///
/// Texts are read from the client's buffers and written to them, as far as it
/// [offers](crate::Offers) that; everything else is had from the filesystem beneath:
/// listing, searching by name, looking, removing, moving, directories, links,
/// watching, whole trees, and every content that is no text (a NUL, no UTF-8),
/// larger than the bound, or under a name that is no UTF-8.
///
/// **Paths.** The filesystem beneath sees every path first, with its own rules, and
/// the client is told only where that leads: an absolute path below the session's
/// root, without a link on it. A client opens files by name, so a link that is put
/// on the way between our look and its own is followed by the client; against that
/// only the client can guard itself.
///
/// **Guards.** A version is of the text that the client holds. `Unchanged` and
/// `Holding` read the text again and compare right before the request to write, and
/// `Absent` asks beneath and the client. All changes through one session wait for
/// each other. What remains is what a person types, or another program saves,
/// between the client's answer to that read and its taking of the write: the
/// protocol has no write under a condition.
///
/// **After a write** the text is read back. A client that holds another one than it
/// was given (because it formats, or mends line endings) is reported as
/// `UNSUPPORTED`, with the version that is there now.
///
/// **Unsaved buffers** show in `read`, in what a search finds inside files, and in
/// the size that `stat` and `list` tell, for buffers that were read or written
/// through here: the protocol has no list of them. `watch` tells what reaches the
/// files beneath.
///
/// **A file is moved** with the text that its buffer holds: that is handed over
/// under the new name. Where something is removed, or replaced beneath, a buffer
/// that the client still holds for it no longer shows.
#[derive(Clone)]
pub struct Editor {
    pub(crate) session: Session,
    pub(crate) root: Root,
    pub(crate) beneath: Arc<dyn DynFilesystem>,
}

impl Editor {
    /// The files beneath, with the texts of a session; `root` is what the client
    /// calls the directory that they are.
    #[must_use]
    pub fn over(session: Session, root: Root, beneath: Arc<dyn DynFilesystem>) -> Self {
        Self { session, root, beneath }
    }

    /// What an absolute path that the client told means here.
    ///
    /// # Errors
    /// Those of [`Root::inside`].
    pub fn inside(&self, told: &str) -> Result<WsPath> {
        self.root.inside(told)
    }
}

impl fmt::Debug for Editor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Editor").field("session", &self.session).finish_non_exhaustive()
    }
}
