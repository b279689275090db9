//! A stretch of a tape archive: headers and contents, one behind the other.
//!
//! A file is read straight to its place behind its header, so that its bytes are
//! copied once, by the system. The header is written before, with the size that the
//! file had when it was listed, and again if that turned out to be another.

use bytes::Bytes;
use garth_contract::{Entry, Kind, Result, Span};

use super::{
    Packed, What, passes_over,
    segment::{Ground, SMALL, member},
};
use crate::tar;

/// Room for what stands before the content of an entry, in most cases: a header, and
/// extended records with theirs; also for what fills the content up.
const AROUND: usize = 4 * tar::BLOCK;

impl Ground {
    /// Reads entries and puts them one behind the other.
    pub(super) async fn tarred(
        &self,
        entries: Vec<Entry>,
        most: u64,
        packed: &mut Packed,
    ) -> Result<Bytes> {
        let sizes = entries.iter().map(|entry| usize::try_from(entry.size).unwrap_or(0));
        let size = sizes.fold(0, |sum: usize, size| sum.saturating_add(size + AROUND));
        let mut out = self.room.take(size);
        for entry in &entries {
            let before = out.len();
            let put = match (entry.kind, &self.sieve) {
                (Kind::File, None) => self.put_file(&mut out, entry, packed).await.map(Some),
                _ => self.put_content(&mut out, entry, (most, packed)).await,
            };
            match put {
                Ok(Some(size)) => {
                    packed.count(entry.kind, size);
                    out.resize(out.len() + tar::padding(size), 0);
                }
                Ok(None) => {}
                Err(error) if passes_over(&error) => {
                    out.truncate(before);
                    packed.note(&entry.path, What::Unreadable);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(self.room.lend(out))
    }

    /// Puts a small file as it is; how large it was.
    async fn put_file(&self, out: &mut Vec<u8>, entry: &Entry, packed: &mut Packed) -> Result<u64> {
        let before = out.len();
        tar::write_header(out, &member(&self.base, entry, b"", entry.size));
        let behind = out.len();
        let span = Span::Bytes { offset: 0, length: SMALL };
        let told = self.files.gather(&entry.path, span, out).await?;
        if told.length != entry.size {
            let mut header = Vec::new();
            tar::write_header(&mut header, &member(&self.base, entry, b"", told.length));
            out.splice(before..behind, header);
        }
        if told.length < told.size {
            packed.note(&entry.path, What::Changed);
        }
        Ok(told.length)
    }

    /// Puts any entry; how many bytes follow its header, and `None` if it is left out.
    async fn put_content(
        &self,
        out: &mut Vec<u8>,
        entry: &Entry,
        (most, packed): (u64, &mut Packed),
    ) -> Result<Option<u64>> {
        let Some(content) = self.content(entry, most, packed).await? else { return Ok(None) };
        if entry.kind == Kind::Symlink {
            tar::write_header(out, &member(&self.base, entry, &content, 0));
            return Ok(Some(0));
        }
        let size = content.len() as u64;
        tar::write_header(out, &member(&self.base, entry, b"", size));
        out.extend_from_slice(&content);
        Ok(Some(size))
    }
}
