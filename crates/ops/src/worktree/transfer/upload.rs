//! A file that arrives in pieces and lands as a write of all its bytes would.
//!
//! What is binary, or holds no placeholder of a secret, is never in memory whole. A
//! text with placeholders has to be, since they are put back over what the file holds.

use bytes::{Bytes, BytesMut};
use garth_contract::{Code, Detail, Error, Parents, Put, Result, Version, Written, WsPath};
use garth_text::encoding::Encoding;
use garth_workspace::{Kept, Received, Workspace};

use super::Held;
use crate::{
    recall::Recall,
    timestamp::rfc3339,
    worktree::{wire::entry::shown, write},
};

/// The largest text whose placeholders are looked at, in bytes.
const MOST_LOOKED: u64 = 64 << 20;
/// How many times its size such a text needs: as it came, as text, restored, and the
/// old one.
const COPIES: u64 = 4;
/// How much is read back at once.
const STEP: u64 = 1 << 20;
/// What every placeholder of a secret begins with.
const MARK: &[u8] = b"[REDACTED";

/// A file on its way; dropping it discards it.
pub struct Upload {
    path: WsPath,
    received: Received,
    look: Look,
}

/// A file that was written.
#[derive(Clone, Debug)]
pub struct Uploaded {
    /// The file, from the root.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it is new.
    pub created: bool,
    /// Its version now.
    pub version: Version,
    /// When it was written, in ISO 8601.
    pub modified: Option<String>,
}

/// What is noticed of the bytes that come.
#[derive(Default)]
struct Look {
    /// The front, as long as a mark of UTF-16 is.
    front: Vec<u8>,
    /// The last bytes, as long as a cut mark of a placeholder can be.
    tail: Vec<u8>,
    marked: bool,
}

impl Look {
    fn take(&mut self, piece: &[u8]) {
        const FRONT: usize = 4;
        let missing = FRONT.saturating_sub(self.front.len()).min(piece.len());
        self.front.extend_from_slice(piece.get(..missing).unwrap_or_default());
        if self.marked {
            return;
        }
        let most = MARK.len() - 1;
        let mut seam = std::mem::take(&mut self.tail);
        seam.extend_from_slice(piece.get(..most).unwrap_or(piece));
        self.marked = has_mark(&seam) || has_mark(piece);
        let end = if piece.len() >= most { piece } else { &seam };
        self.tail = end.get(end.len().saturating_sub(most)..).unwrap_or_default().to_vec();
    }

    /// Tells whether a placeholder may stand in it.
    fn may_hold_any(&self) -> bool {
        let wide = match Encoding::from_bom(&self.front) {
            Some(Encoding::Utf16Le | Encoding::Utf16Be) => true,
            Some(Encoding::Utf8 | Encoding::Utf8Bom | Encoding::Named(_)) | None => false,
        };
        self.marked || wide
    }
}

fn has_mark(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, MARK).is_some()
}

impl Upload {
    /// Opens a file that arrives at a path.
    ///
    /// # Errors
    /// Those of writing there, as far as they can be told.
    pub async fn open(workspace: &Workspace, path: &WsPath) -> Result<Self> {
        let received = workspace.receive(path).await?;
        Ok(Self { path: path.clone(), received, look: Look::default() })
    }

    /// Where it arrives.
    #[must_use]
    pub fn path(&self) -> &WsPath {
        &self.path
    }

    /// Where the pieces are.
    #[must_use]
    pub fn kept(&self) -> Kept {
        self.received.kept()
    }

    /// How many bytes came.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.received.length()
    }

    /// Takes what comes next.
    ///
    /// # Errors
    /// Those of writing.
    ///
    /// Cancel: it cannot land.
    pub async fn add(&mut self, pieces: Vec<Bytes>) -> Result<()> {
        pieces.iter().for_each(|piece| self.look.take(piece));
        self.received.add(pieces).await
    }

    /// Reads what came: at most `length` bytes from `offset`; past the end none.
    ///
    /// # Errors
    /// Those of reading.
    pub async fn read_back(&mut self, offset: u64, length: u64) -> Result<Bytes> {
        self.received.read_back(offset, length).await
    }

    /// The version of what came so far.
    ///
    /// # Errors
    /// Those of reading.
    pub async fn version(&mut self) -> Result<Version> {
        self.received.version().await
    }

    /// How much memory it takes to let it land.
    #[must_use]
    pub fn weight(&self, workspace: &Workspace) -> u64 {
        if self.looks(workspace) { self.length().min(MOST_LOOKED) * COPIES } else { 0 }
    }

    /// Takes its place; missing directories are made where `parents` says so.
    ///
    /// # Errors
    /// Those of writing; `CONFLICT` or `FILE_EXISTS` for a file that is not what it must
    /// be; `REDACTED_CONTENT` for placeholders that would be written over secrets;
    /// `FILE_TOO_LARGE` for a text with placeholders that is too long to be looked at.
    pub async fn land(
        mut self,
        workspace: &Workspace,
        (held, parents): (&Held, Parents),
        recall: &Recall,
    ) -> Result<Uploaded> {
        let guard = held.guard(workspace, &self.path).await?;
        let (size, written) = if self.looks(workspace) {
            let bytes = self.whole().await?;
            let path = self.path.clone();
            write::bytes(workspace, path, (bytes, guard, parents), recall).await?
        } else {
            let size = self.length();
            let _held = workspace.hold(&[&self.path]).await;
            (size, self.received.land(Put { guard, parents, mode: None }).await?)
        };
        let Written { version, created, modified } = written;
        let (path, modified) = (shown(&self.path), modified.map(rfc3339));
        Ok(Uploaded { path, size, created, version, modified })
    }

    fn looks(&self, workspace: &Workspace) -> bool {
        workspace.has_own_words(&self.path)
            || workspace.redacts(&self.path) && self.look.may_hold_any()
    }

    /// All that came.
    async fn whole(&mut self) -> Result<Bytes> {
        let length = self.length();
        if length > MOST_LOOKED {
            let limit = Detail::Limit { limit: MOST_LOOKED, actual: length };
            let hint = "A text this long is taken without placeholders of secrets.";
            return Err(Error::at(Code::FileTooLarge, &self.path).with(limit).hint(hint));
        }
        let mut bytes = BytesMut::with_capacity(usize::try_from(length).unwrap_or(0));
        while (bytes.len() as u64) < length {
            let piece = self.read_back(bytes.len() as u64, STEP).await?;
            if piece.is_empty() {
                return Err(Error::of(Code::Internal));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes.freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_noticed_wherever_it_is_cut() {
        let text = b"a [[REDACTED: X] b";
        for length in 1..=text.len() {
            let mut look = Look::default();
            text.chunks(length).for_each(|piece| look.take(piece));
            assert!(look.may_hold_any(), "{length}");
            let mut other = Look::default();
            b"a [REDACTE] [".chunks(length).for_each(|piece| other.take(piece));
            assert!(!other.may_hold_any(), "{length}");
        }
        let mut wide = Look::default();
        b"\xff\xfea\0".chunks(1).for_each(|piece| wide.take(piece));
        assert!(wide.may_hold_any());
    }
}
