//! A long file, looked through once before it is sent and checked while it is.
//!
//! What is sent is announced first: how long it is, of which version, without which
//! secrets. So the file is gone through piece by piece, and each piece that is sent
//! later must be the one that was seen; a file that changed between is noticed before
//! anything of the change leaves.

use std::time::SystemTime;

use bytes::Bytes;
use garth_contract::{Code, Content, Error, Pieces, Result, Version, WsPath};
use garth_redact::{Raw, Redaction, Stream};
use garth_text::sniff;
use garth_workspace::Workspace;

use super::{Download, Secrets, letters::Letters, media_type_of_head};
use crate::{recall::Recall, timestamp::http_date, worktree::wire::entry::shown};

/// What is found out about a file that is gone through. It computes and waits for
/// nothing.
pub struct Survey {
    path: WsPath,
    size: u64,
    modified: Option<SystemTime>,
    pieces: Pieces,
    head: Vec<u8>,
    /// The text that it is so far, where its secrets matter.
    text: Option<Text>,
}

struct Text {
    letters: Letters,
    stream: Stream,
    /// How many bytes leave.
    length: u64,
    /// Why it may not leave at all.
    held_back: Option<Error>,
}

/// A file that was gone through, and how its pieces leave.
pub struct Plan {
    path: WsPath,
    size: u64,
    modified: Option<SystemTime>,
    pieces: Pieces,
    /// What takes the secrets out; `None` for bytes that leave as they are.
    sieve: Option<(Letters, Stream)>,
}

impl Survey {
    /// Begins with the first piece, which tells what the file is.
    #[must_use]
    pub fn begin(
        workspace: &Workspace,
        path: &WsPath,
        (first, secrets): (&Content, Secrets),
    ) -> Self {
        let head = first.bytes.get(..sniff::HEAD).unwrap_or(&first.bytes).to_vec();
        let text = match secrets {
            Secrets::Redacted => workspace.stream(path).map(|stream| Text {
                letters: Letters::of(&head),
                stream,
                length: 0,
                held_back: None,
            }),
            Secrets::Shown => None,
        };
        let (path, pieces) = (path.clone(), Pieces::default());
        Self { path, size: first.size, modified: first.modified, pieces, head, text }
    }

    /// How many bytes were seen.
    #[must_use]
    pub fn seen(&self) -> u64 {
        self.pieces.length()
    }

    /// Takes the next piece: [`PIECE`](garth_contract::PIECE) bytes, or the last ones.
    ///
    /// # Errors
    /// `CONFLICT` where it is of another state of the file.
    pub fn take(&mut self, workspace: &Workspace, piece: &Content) -> Result<()> {
        if (piece.size, piece.modified) != (self.size, self.modified) {
            return Err(changed(&self.path));
        }
        self.pieces.add(&piece.bytes);
        if let Some(mut text) = self.text.take() {
            // What is no text any more has no secrets that a rule could find.
            self.text = text.take(workspace, &self.path, &piece.bytes).then_some(text);
        }
        Ok(())
    }

    /// Says what leaves, and plans how.
    ///
    /// # Errors
    /// `CONFLICT` where not all of it was seen; `PERMISSION_DENIED` where texts with
    /// secrets are held back.
    pub fn finish(self, workspace: &Workspace, recall: &Recall) -> Result<(Download, Plan)> {
        let Self { path, size, modified, pieces, head, text } = self;
        if pieces.length() != size {
            return Err(changed(&path));
        }
        let found = match text.filter(|text| text.letters.is_whole()) {
            Some(text) => text.finish(workspace, &path)?,
            None => None,
        };
        // Placeholders of a file this long are not put back: one that is written over a
        // secret is refused.
        recall.forget(&path);
        let (media_type, harmless) = media_type_of_head(&head);
        let (length, redacted) = found.unwrap_or((size, Vec::new()));
        let sieve = if redacted.is_empty() { None } else { workspace.stream(&path) };
        let sieve = sieve.map(|stream| (Letters::of(&head), stream));
        let version: Version = pieces.version();
        let file = Download {
            path: shown(&path),
            size: length,
            version,
            modified: modified.and_then(http_date),
            media_type,
            harmless,
            redacted,
        };
        Ok((file, Plan { path, size, modified, pieces, sieve }))
    }
}

impl Text {
    /// Takes more of it, and tells whether it is text still.
    fn take(&mut self, workspace: &Workspace, path: &WsPath, piece: &[u8]) -> bool {
        let Some(text) = self.letters.take(piece) else { return false };
        if self.held_back.is_none() {
            match self.stream.feed(&Raw::from(text)) {
                Ok(clean) => self.length += self.letters.length(&clean),
                Err(blocked) => self.held_back = Some(workspace.held_back(path, &blocked)),
            }
        }
        true
    }

    /// How long it is without its secrets, and their names; `None` where it has none.
    fn finish(self, workspace: &Workspace, path: &WsPath) -> Result<Option<(u64, Vec<String>)>> {
        let Self { letters, stream, length, held_back } = self;
        if let Some(held_back) = held_back {
            return Err(held_back);
        }
        let finished = stream.finish().map_err(|blocked| workspace.held_back(path, &blocked));
        let Redaction { clean, names, .. } = finished?;
        let length = length + letters.length(&clean);
        Ok((!names.is_empty()).then_some((length, names)))
    }
}

impl Plan {
    /// How many bytes the file itself has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Tells whether its bytes leave as they are.
    #[must_use]
    pub fn is_raw(&self) -> bool {
        self.sieve.is_none()
    }

    /// Makes the piece of this number fit to leave. It computes and waits for nothing.
    ///
    /// # Errors
    /// `CONFLICT` where it is not the piece that was seen before.
    pub fn give(&mut self, number: usize, piece: &Content) -> Result<Bytes> {
        let same = (piece.size, piece.modified) == (self.size, self.modified);
        if !same || !self.pieces.has(number, &piece.bytes) {
            return Err(changed(&self.path));
        }
        let Some((letters, stream)) = &mut self.sieve else { return Ok(piece.bytes.clone()) };
        let text = letters.take(&piece.bytes).ok_or_else(|| changed(&self.path))?;
        let clean = stream.feed(&Raw::from(text)).map_err(|_| changed(&self.path))?;
        letters.bytes(&clean).map(Bytes::from).ok_or_else(|| changed(&self.path))
    }

    /// What is left to be sent behind the last piece.
    ///
    /// # Errors
    /// As for [`give`](Self::give).
    pub fn end(self) -> Result<Bytes> {
        let Some((letters, stream)) = self.sieve else { return Ok(Bytes::new()) };
        let rest = stream.finish().map_err(|_| changed(&self.path))?;
        letters.bytes(&rest.clean).map(Bytes::from).ok_or_else(|| changed(&self.path))
    }
}

fn changed(path: &WsPath) -> Error {
    Error::at(Code::Conflict, path).hint("The file changed meanwhile; ask for it again.")
}
