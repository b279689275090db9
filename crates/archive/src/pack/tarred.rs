//! A stretch of a tape archive: headers and contents, one behind the other.
//!
//! A file is read straight to its place behind its header, so that its bytes are
//! copied once, by the system. The header is written before, with the size that the
//! file had when it was listed, and again if that turned out to be another.
//!
//! A file that nobody looked at when it was listed is looked at once it is open. It may
//! be too large then; with it the stretch ends, and what is left of it is told.

use std::ops::ControlFlow;

use bytes::Bytes;
use garth_contract::{Entry, Gathered, Glimpse, Kind, Result, Sight, Span, WsPath};

use super::{
    Packed, What,
    at_hand::AtHand,
    passes_over,
    room::LEAST_ROOM,
    segment::{Ground, SMALL, member},
};
use crate::tar;

/// Room for what stands before the content of an entry, in most cases: a header, and
/// extended records with theirs; also for what fills the content up.
const AROUND: usize = 4 * tar::BLOCK;

/// What came of a file that nobody looked at before.
enum Came {
    /// It was put, and is so large.
    Put(u64),
    /// There is no room for it here.
    Left(Entry),
}

impl Ground {
    /// Reads entries and puts them one behind the other; also gives those that are left.
    pub(super) async fn tarred(
        &self,
        row: Vec<Glimpse>,
        most: u64,
        packed: &mut Packed,
    ) -> Result<(Bytes, Vec<Entry>)> {
        let size = row.iter().fold(0, |sum: usize, glimpse| sum.saturating_add(room_for(glimpse)));
        let mut out = self.room.take(size);
        let mut at_hand = AtHand::default();
        let mut row = row.into_iter();
        let (mut unseen, mut bytes) = (0, 0);
        let mut left = Vec::new();
        for glimpse in row.by_ref() {
            let before = out.len();
            let put = match &glimpse {
                Glimpse::Entry(entry) => self.put_entry(&mut out, entry, (most, packed)).await,
                Glimpse::File(path) => match self.put_unseen(&mut out, path, &mut at_hand).await {
                    Ok(Came::Left(entry)) => {
                        left.push(entry);
                        break;
                    }
                    Ok(Came::Put(size)) => {
                        unseen += 1;
                        bytes += size;
                        Ok(Some(size))
                    }
                    Err(error) => Err(error),
                },
            };
            match put {
                Ok(Some(size)) => {
                    packed.count(glimpse.kind(), size);
                    out.resize(out.len() + tar::padding(size), 0);
                }
                Ok(None) => {}
                Err(error) if passes_over(&error) => {
                    out.truncate(before);
                    packed.note(glimpse.path(), What::Unreadable);
                }
                Err(error) => return Err(error),
            }
        }
        self.usual.note(unseen, bytes);
        left.extend(self.looked_at(row, packed).await?);
        Ok((self.room.lend(out), left))
    }

    /// Puts what was looked at; how many bytes follow its header, and `None` if it is left
    /// out.
    async fn put_entry(
        &self,
        out: &mut Vec<u8>,
        entry: &Entry,
        (most, packed): (u64, &mut Packed),
    ) -> Result<Option<u64>> {
        match (entry.kind, &self.sieve) {
            (Kind::File, None) => self.put_file(out, entry, packed).await.map(Some),
            _ => self.put_content(out, entry, (most, packed)).await,
        }
    }

    /// Puts a file that nobody looked at, if it is small and there is room for it.
    async fn put_unseen(
        &self,
        out: &mut Vec<u8>,
        path: &WsPath,
        at_hand: &mut AtHand,
    ) -> Result<Came> {
        let mut too_large = None;
        let mut begin = |sight: Sight, out: &mut Vec<u8>| {
            if !fits(out, sight.size) {
                too_large = Some(sight);
                return ControlFlow::Break(());
            }
            let entry = sight.of_file(path.clone());
            tar::write_header(out, &member(&self.base, &entry, b"", entry.size));
            ControlFlow::Continue(())
        };
        if let Some((folder, name)) = at_hand.of(&*self.files, path)
            && let Some(size) = folder.gather_now(name, out, &mut begin)
        {
            return Ok(Came::Put(size));
        }
        if let Some(sight) = too_large {
            return Ok(Came::Left(sight.of_file(path.clone())));
        }
        let span = Span::Bytes { offset: 0, length: SMALL };
        let mut content = Vec::new();
        let told = self.files.gather(path, span, &mut content).await?;
        let Gathered { length, size, modified, mode } = told;
        let entry = Sight { size, modified, mode }.of_file(path.clone());
        if length < size || !fits(out, size) {
            return Ok(Came::Left(entry));
        }
        tar::write_header(out, &member(&self.base, &entry, b"", size));
        out.extend_from_slice(&content);
        Ok(Came::Put(size))
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

/// How much room an entry takes, as far as that is known.
fn room_for(glimpse: &Glimpse) -> usize {
    let size = match glimpse {
        Glimpse::Entry(entry) => usize::try_from(entry.size).unwrap_or(0),
        Glimpse::File(_) => 0,
    };
    size.saturating_add(AROUND)
}

/// Tells whether a file of this size is small, and has room behind what is there.
fn fits(out: &[u8], size: u64) -> bool {
    let around = (out.len() + AROUND) as u64;
    size <= SMALL && size + around <= LEAST_ROOM as u64
}
