//! A stretch of an archive: several small entries, or a part of a large file.
//!
//! Each is read and encoded by itself, several at once, and put into the archive in
//! order. What a stretch holds is bounded, and so is how many there
//! are, so memory does not grow with the tree.

use std::sync::Arc;

use bytes::Bytes;
use crc32fast::Hasher;
use garth_contract::{Code, DynFilesystem, Entry, Glimpse, Kind, Links, Result, Span, WsPath};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    MOST_SIFTED, Packed, Sieve, Sifted, What, off_thread, passes_over,
    room::Room,
    sieve::{BEGINS, SIFTED_IN_PLACE},
    usual::Usual,
};
use crate::{
    Format,
    member::{self, Member},
    tar, zip,
};

/// The largest file that is read at once, with others; what a backend gives without
/// waking a thread.
pub(super) const SMALL: u64 = 256 << 10;
/// How much of a large file is read at once.
pub(super) const CHUNK: u64 = 1 << 20;
/// Only these bits of a mode are kept: who unpacks as root shall make no set-id file.
const MODE: u32 = 0o777;
/// What an entry is given whose backend keeps no modes.
const FILE_MODE: u32 = 0o644;
const DIR_MODE: u32 = 0o755;

/// What all stretches of one archive have in common.
pub(super) struct Ground {
    pub(super) files: Arc<dyn DynFilesystem>,
    pub(super) format: Format,
    /// Names are told from here.
    pub(super) base: WsPath,
    pub(super) sieve: Option<Arc<dyn Sieve>>,
    pub(super) room: Room,
    pub(super) usual: Usual,
    /// How many may read beside who walks and who takes the archive.
    pub(super) others: Arc<Semaphore>,
}

/// What is to be read.
pub(super) enum Job {
    Several(Vec<Glimpse>),
    /// The part of a large file that begins at a place.
    Part(Arc<Entry>, u64),
    /// A large file that is sifted.
    Whole(Entry, OwnedSemaphorePermit),
}

/// How a large file is packed.
pub(super) enum Large {
    Parts,
    Whole,
    /// Not at all.
    Not(What),
}

/// What was read and encoded.
pub(super) enum Segment {
    Several {
        bytes: Bytes,
        records: Vec<zip::Record>,
        packed: Packed,
        /// What comes next and was not read, since there was no room for it.
        left: Vec<Entry>,
        /// Kept until it is put together, if it is large.
        place: Option<OwnedSemaphorePermit>,
    },
    Part(Arc<Entry>, Part),
}

/// A part of a large file.
pub(super) enum Part {
    /// It was read.
    Read {
        /// What stands before the content, with the first part.
        header: Option<(Bytes, Option<zip::Record>)>,
        bytes: Bytes,
        sum: Hasher,
        /// Whether the file is still the one that was listed.
        change: Option<What>,
        last: bool,
    },
    /// The file could not be read; the parts after it do not count.
    Missing,
}

/// An entry with what it holds.
struct Loaded {
    entry: Entry,
    /// The bytes of a file, or what a link says.
    content: Bytes,
}

impl Segment {
    /// What was not read, once.
    pub(super) fn take_left(&mut self) -> Vec<Entry> {
        match self {
            Self::Several { left, .. } => std::mem::take(left),
            Self::Part(..) => Vec::new(),
        }
    }
}

impl Ground {
    pub(super) async fn run(&self, job: Job) -> Result<Segment> {
        match job {
            Job::Several(entries) => self.several(entries, SMALL, None).await,
            Job::Whole(entry, place) => {
                self.several(vec![Glimpse::Entry(entry)], MOST_SIFTED, Some(place)).await
            }
            Job::Part(entry, offset) => {
                let part = self.part(&entry, offset).await?;
                Ok(Segment::Part(entry, part))
            }
        }
    }

    /// Says how a large file is packed, by how it begins.
    pub(super) async fn judge(&self, entry: &Entry) -> Result<Large> {
        let Some(sieve) = &self.sieve else { return Ok(Large::Parts) };
        let span = Span::Bytes { offset: 0, length: BEGINS };
        match self.files.read(&entry.path, span).await {
            Ok(content) if !sieve.covers(&entry.path, &content.bytes) => Ok(Large::Parts),
            Ok(_) if entry.size > MOST_SIFTED => Ok(Large::Not(What::Withheld)),
            Ok(_) => Ok(Large::Whole),
            Err(error) if passes_over(&error) => Ok(Large::Not(What::Unreadable)),
            Err(error) => Err(error),
        }
    }

    async fn several(
        &self,
        row: Vec<Glimpse>,
        most: u64,
        place: Option<OwnedSemaphorePermit>,
    ) -> Result<Segment> {
        let mut packed = Packed::default();
        let (bytes, records, left) = match self.format {
            Format::Tar | Format::TarZst => {
                let (bytes, left) = self.tarred(row, most, &mut packed).await?;
                (bytes, Vec::new(), left)
            }
            Format::Zip => {
                let entries = self.looked_at(row, &mut packed).await?;
                let loaded = self.loaded(entries, most, &mut packed).await?;
                let base = self.base.clone();
                let (bytes, records) = off_thread(move || zip_of(&base, &loaded)).await?;
                (bytes, records, Vec::new())
            }
        };
        Ok(Segment::Several { bytes, records, packed, left, place })
    }

    /// Looks at what nobody looked at yet; what is no file any more is noted.
    pub(super) async fn looked_at(
        &self,
        row: impl IntoIterator<Item = Glimpse>,
        packed: &mut Packed,
    ) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for glimpse in row {
            let path = match glimpse {
                Glimpse::Entry(entry) => {
                    entries.push(entry);
                    continue;
                }
                Glimpse::File(path) => path,
            };
            match self.files.stat(&path, Links::Keep).await {
                Ok(entry) if entry.kind == Kind::File => entries.push(entry),
                Ok(_) => packed.note(&path, What::Unreadable),
                Err(error) if passes_over(&error) => packed.note(&path, What::Unreadable),
                Err(error) => return Err(error),
            }
        }
        Ok(entries)
    }

    async fn loaded(
        &self,
        entries: Vec<Entry>,
        most: u64,
        packed: &mut Packed,
    ) -> Result<Vec<Loaded>> {
        let mut loaded = Vec::with_capacity(entries.len());
        for entry in entries {
            match self.content(&entry, most, packed).await {
                Ok(Some(content)) => {
                    packed.count(entry.kind, content.len() as u64);
                    loaded.push(Loaded { entry, content });
                }
                Ok(None) => {}
                Err(error) if passes_over(&error) => packed.note(&entry.path, What::Unreadable),
                Err(error) => return Err(error),
            }
        }
        Ok(loaded)
    }

    /// What an entry holds; `None` for one that is left out, which is noted.
    pub(super) async fn content(
        &self,
        entry: &Entry,
        most: u64,
        packed: &mut Packed,
    ) -> Result<Option<Bytes>> {
        match entry.kind {
            Kind::Dir => Ok(Some(Bytes::new())),
            Kind::Symlink => self.files.read_link(&entry.path).await.map(Some),
            Kind::File => match &self.sieve {
                None => self.small(entry, packed).await.map(Some),
                Some(sieve) => {
                    let sifted = self.sifted(entry, sieve, (most, packed)).await?;
                    if sifted.is_none() {
                        packed.note(&entry.path, What::Withheld);
                    }
                    Ok(sifted)
                }
            },
            Kind::Fifo | Kind::Socket | Kind::Device => {
                packed.special += 1;
                Ok(None)
            }
        }
    }

    /// What goes in for a file: it is read whole, since half of it may hide what all of
    /// it shows. `None` for what is withheld, as is one that outgrew its bound.
    async fn sifted(
        &self,
        entry: &Entry,
        sieve: &Arc<dyn Sieve>,
        (most, packed): (u64, &mut Packed),
    ) -> Result<Option<Bytes>> {
        let mut content = Vec::new();
        let whole = Span::Whole { at_most: most };
        match self.files.gather(&entry.path, whole, &mut content).await {
            Ok(_) => {}
            Err(error) if error.code() == Code::FileTooLarge => return Ok(None),
            Err(error) => return Err(error),
        }
        let content = Bytes::from(content);
        let sift = {
            let (sieve, path, content) = (Arc::clone(sieve), entry.path.clone(), content.clone());
            move || match sieve.covers(&path, &content) {
                true => sieve.sift(&path, &content),
                false => Sifted::Same,
            }
        };
        let sifted =
            if content.len() <= SIFTED_IN_PLACE { sift() } else { off_thread(sift).await? };
        Ok(match sifted {
            Sifted::Same => Some(content),
            Sifted::Instead(other) => {
                packed.sifted += 1;
                Some(other)
            }
            Sifted::Nothing => None,
        })
    }

    async fn small(&self, entry: &Entry, packed: &mut Packed) -> Result<Bytes> {
        let span = Span::Bytes { offset: 0, length: SMALL };
        let mut content = Vec::new();
        let told = self.files.gather(&entry.path, span, &mut content).await?;
        if told.length < told.size {
            packed.note(&entry.path, What::Changed);
        }
        Ok(content.into())
    }

    async fn part(&self, entry: &Entry, offset: u64) -> Result<Part> {
        let wanted = CHUNK.min(entry.size.saturating_sub(offset));
        let span = Span::Bytes { offset, length: wanted };
        let length = usize::try_from(wanted).unwrap_or(usize::MAX);
        // A byte more of room tells the end without a buffer that grows.
        let mut buffer = self.room.take(length.saturating_add(1));
        let same = match self.files.gather(&entry.path, span, &mut buffer).await {
            Ok(told) => (told.size, told.modified) == (entry.size, entry.modified),
            Err(error) if passes_over(&error) && offset == 0 => return Ok(Part::Missing),
            // It began and must end: what is missing is zeros.
            Err(error) if passes_over(&error) => false,
            Err(error) => return Err(error),
        };
        let change = if same { None } else { Some(What::Changed) };
        buffer.resize(length, 0);
        let bytes = self.room.lend(buffer);
        let last = offset + wanted >= entry.size;
        let ends = if last { zip::Ends::Here } else { zip::Ends::Later };
        let base = self.base.clone();
        let member_of = entry.clone();
        let encode = move |format| encode_part(format, &base, &member_of, (offset, bytes, ends));
        let (header, bytes, sum) = match self.format {
            format @ (Format::Tar | Format::TarZst) => encode(format),
            Format::Zip => off_thread(move || encode(Format::Zip)).await?,
        };
        Ok(Part::Read { header, bytes, sum, change, last })
    }
}

type Encoded = (Option<(Bytes, Option<zip::Record>)>, Bytes, Hasher);

fn encode_part(
    format: Format,
    base: &WsPath,
    entry: &Entry,
    (offset, bytes, ends): (u64, Bytes, zip::Ends),
) -> Encoded {
    let mut header = Vec::new();
    let member = member(base, entry, b"", entry.size);
    match format {
        Format::Tar | Format::TarZst => {
            if offset == 0 {
                tar::write_header(&mut header, &member);
            }
            ((offset == 0).then(|| (header.into(), None)), bytes, Hasher::new())
        }
        Format::Zip => {
            let record = (offset == 0).then(|| zip::local(&mut header, &member, None));
            let deflated = zip::deflate_part(&bytes, ends);
            (
                record.map(|record| (header.into(), Some(record))),
                deflated.bytes.into(),
                deflated.sum,
            )
        }
    }
}

fn zip_of(base: &WsPath, loaded: &[Loaded]) -> (Bytes, Vec<zip::Record>) {
    let mut out = Vec::new();
    let mut records = Vec::with_capacity(loaded.len());
    for Loaded { entry, content } in loaded {
        let deflated = zip::deflate(content);
        let member = member(base, entry, b"", content.len() as u64);
        records.push(zip::local(&mut out, &member, Some(&deflated)));
        out.extend_from_slice(&deflated.bytes);
    }
    (out.into(), records)
}

/// What is written about an entry.
pub(super) fn member<'a>(
    base: &WsPath,
    entry: &'a Entry,
    target: &'a [u8],
    size: u64,
) -> Member<'a> {
    let below = entry.path.below(base).filter(|below| !below.is_empty());
    let (kind, default) = match entry.kind {
        Kind::Dir => (member::Kind::Dir, DIR_MODE),
        Kind::Symlink => (member::Kind::Link, MODE),
        Kind::File | Kind::Fifo | Kind::Socket | Kind::Device => (member::Kind::File, FILE_MODE),
    };
    Member {
        kind,
        // A file that is packed alone has its own name.
        name: below.or(entry.path.name()).unwrap_or_default(),
        target,
        size,
        mode: entry.mode.unwrap_or(default) & MODE,
        modified: entry.modified,
    }
}
