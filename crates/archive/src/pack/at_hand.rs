//! The directory at hand: files come in rows of one directory.

use garth_contract::{DynFilesystem, Folder, WsPath};

/// The directory of the file that was read last, if it could be had without waiting.
#[derive(Default)]
pub(super) struct AtHand {
    last: Option<(WsPath, Option<Box<dyn Folder>>)>,
}

impl AtHand {
    /// The directory of a file, and the file's name there.
    pub(super) fn of<'a>(
        &'a mut self,
        files: &dyn DynFilesystem,
        path: &'a WsPath,
    ) -> Option<(&'a dyn Folder, &'a [u8])> {
        let name = path.name()?;
        let same = self.last.as_ref().is_some_and(|(dir, _)| path.below(dir) == Some(name));
        if !same {
            let dir = path.parent()?;
            // The handle of one is let go before the next is opened.
            self.last = None;
            let folder = files.folder(&dir);
            self.last = Some((dir, folder));
        }
        let (_, folder) = self.last.as_ref()?;
        Some((folder.as_deref()?, name))
    }
}
