//! Cuts a tree up into stretches and has them read.
//!
//! It reads them itself once it is as far ahead as it may be, unless others came to them
//! before.
//!
//! A file that nobody looked at counts as much as files did lately. Where a stretch
//! then comes out too long, who reads it stops, and what is left of it is cut up anew,
//! by what it is.

use std::{collections::VecDeque, sync::Arc, vec};

use garth_contract::{Entry, Error, Glimpse, Kind, Result};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task::yield_now,
};

use super::{
    Packed,
    join::Ready,
    segment::{CHUNK, Ground, Job, Large, SMALL},
    stretch::{Reader, Unread, stretch},
    walk::Walk,
};
use crate::Format;

/// How many large files are sifted, or wait to be put together: each is in memory.
const MOST_LARGE: usize = 1;
/// A stretch has so many bytes or more, unless it is the last or before a large file.
const STRETCH: u64 = 512 << 10;
/// The same where it is handed on as it is: of 256, 384, 512 and 768 KiB this took the least
/// time into a pipe, by some percent; to compress, the longer one did.
const STRETCH_PLAIN: u64 = 256 << 10;
/// A stretch has no more entries than this, since each has a header.
const MOST_ENTRIES: usize = 128;

/// What is packed.
pub(super) enum Source {
    Tree(Box<Walk>),
    /// Some entries in a row, all of them looked at.
    Row(vec::IntoIter<Entry>),
}

impl Source {
    async fn next(&mut self, packed: &mut Packed) -> Result<Option<Glimpse>> {
        match self {
            Self::Tree(walk) => walk.next(packed).await,
            Self::Row(entries) => Ok(entries.next().map(Glimpse::Entry)),
        }
    }
}

/// Cuts a source up and has it read, so many stretches of it ahead.
pub(super) async fn cut_up(
    mut source: Source,
    ground: Arc<Ground>,
    (ahead, segments): (usize, mpsc::UnboundedSender<Ready>),
) {
    let stretch = match ground.format {
        Format::Tar => STRETCH_PLAIN,
        Format::TarZst | Format::Zip => STRETCH,
    };
    let mut cut = Cut {
        reader: Reader::new(Arc::clone(&ground), Handle::current()),
        ground,
        segments,
        ahead: Arc::new(Semaphore::new(ahead)),
        most: ahead,
        places: Arc::new(Semaphore::new(MOST_LARGE)),
        unread: VecDeque::new(),
        row: Vec::new(),
        bytes: 0,
        stretch,
    };
    let mut noted = Packed::default();
    let last = match cut.all(&mut source, &mut noted).await {
        Ok(()) => Ready::End(noted),
        Err(Stop::Failed(error)) => Ready::Failed(error),
        Err(Stop::Gone) => return,
    };
    // Whoever is gone need not be told.
    let _ = cut.segments.send(last);
    while cut.read_one().await {}
    cut.reader.done().await;
}

/// Why no more is cut up.
enum Stop {
    Failed(Error),
    /// Nobody takes it any more.
    Gone,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

struct Cut {
    reader: Reader,
    ground: Arc<Ground>,
    /// No more wait there than may be ahead.
    segments: mpsc::UnboundedSender<Ready>,
    ahead: Arc<Semaphore>,
    most: usize,
    places: Arc<Semaphore>,
    /// What was cut off, the next one first; somebody may have taken it.
    unread: VecDeque<Unread>,
    /// What the next stretch has so far, and about how many bytes.
    row: Vec<Glimpse>,
    bytes: u64,
    /// When that is enough.
    stretch: u64,
}

impl Cut {
    async fn all(&mut self, source: &mut Source, noted: &mut Packed) -> Result<(), Stop> {
        while let Some(glimpse) = source.next(noted).await? {
            match glimpse {
                Glimpse::Entry(entry) if entry.kind == Kind::File && entry.size > SMALL => {
                    self.finish().await?;
                    self.large(entry, noted).await?;
                }
                small @ (Glimpse::Entry(_) | Glimpse::File(_)) => self.small(small).await?,
            }
        }
        self.finish().await
    }

    async fn small(&mut self, glimpse: Glimpse) -> Result<(), Stop> {
        if self.bytes >= self.stretch || self.row.len() >= MOST_ENTRIES {
            self.finish().await?;
        }
        self.bytes += match &glimpse {
            Glimpse::Entry(entry) => entry.size,
            Glimpse::File(_) => self.ground.usual.size(),
        };
        self.row.push(glimpse);
        Ok(())
    }

    async fn large(&mut self, entry: Entry, noted: &mut Packed) -> Result<(), Stop> {
        match self.ground.judge(&entry).await? {
            Large::Parts => {}
            Large::Whole => {
                // Taken here and not by the job, so that places are had in order: one that is
                // put together never waits for a place that one behind it has.
                let place = Arc::clone(&self.places).acquire_owned().await;
                let place = place.map_err(|_| Stop::Gone)?;
                return self.start(Job::Whole(entry, place)).await;
            }
            Large::Not(what) => {
                noted.note(&entry.path, what);
                return Ok(());
            }
        }
        let entry = Arc::new(entry);
        let mut offset = 0;
        while offset < entry.size {
            self.start(Job::Part(Arc::clone(&entry), offset)).await?;
            offset += CHUNK;
        }
        Ok(())
    }

    /// Has the stretch read that was cut off so far.
    async fn finish(&mut self) -> Result<(), Stop> {
        self.bytes = 0;
        if self.row.is_empty() {
            return Ok(());
        }
        let row = std::mem::take(&mut self.row);
        self.start(Job::Several(row)).await
    }

    async fn start(&mut self, job: Job) -> Result<(), Stop> {
        let place = self.place().await?;
        let (unread, coming) = stretch(job, place);
        self.reader.pass_on(&unread);
        if self.unread.len() >= self.most {
            // No more are ahead, and they go in order: this one was read long ago.
            self.unread.pop_front();
        }
        self.unread.push_back(unread);
        self.segments.send(Ready::Segment(coming)).map_err(|_| Stop::Gone)
    }

    /// A place for one more; until there is one, it reads.
    async fn place(&mut self) -> Result<OwnedSemaphorePermit, Stop> {
        loop {
            if let Ok(place) = Arc::clone(&self.ahead).try_acquire_owned() {
                return Ok(place);
            }
            if !self.read_one().await {
                let place = Arc::clone(&self.ahead).acquire_owned().await;
                return place.map_err(|_| Stop::Gone);
            }
        }
    }

    /// Reads the next stretch that nobody took; `false` if there is none.
    async fn read_one(&mut self) -> bool {
        while let Some(unread) = self.unread.pop_front() {
            if self.reader.read(&unread) {
                // Others wait for this thread, too: it took as long as a turn may.
                yield_now().await;
                return true;
            }
        }
        false
    }
}
