//! Cuts a tree up into stretches and has them read.
//!
//! A file that nobody looked at counts as much as files did lately. Where a stretch
//! then comes out too long, who reads it stops, and what is left of it is cut up anew,
//! by what it is.

use std::{sync::Arc, vec};

use garth_contract::{Entry, Error, Glimpse, Kind, Result};
use tokio::sync::{Semaphore, mpsc};

use super::{
    Packed, Task,
    join::Ready,
    segment::{CHUNK, Ground, Job, Large, SMALL},
    walk::Walk,
};

/// How many large files are sifted, or wait to be put together: each is in memory.
const MOST_LARGE: usize = 1;
/// A stretch has so many bytes or more, unless it is the last or before a large file.
const STRETCH: u64 = 512 << 10;
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

/// Cuts a source up and has it read; the channel bounds how much of it.
pub(super) async fn cut_up(mut source: Source, ground: Arc<Ground>, segments: mpsc::Sender<Ready>) {
    let places = Arc::new(Semaphore::new(MOST_LARGE));
    let mut cut = Cut { ground, segments, places, row: Vec::new(), bytes: 0 };
    let mut noted = Packed::default();
    let last = match cut.all(&mut source, &mut noted).await {
        Ok(()) => Ready::End(noted),
        Err(Stop::Failed(error)) => Ready::Failed(error),
        Err(Stop::Gone) => return,
    };
    // Whoever is gone need not be told.
    let _ = cut.segments.send(last).await;
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
    ground: Arc<Ground>,
    segments: mpsc::Sender<Ready>,
    places: Arc<Semaphore>,
    /// What the next stretch has so far, and about how many bytes.
    row: Vec<Glimpse>,
    bytes: u64,
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
        if self.bytes >= STRETCH || self.row.len() >= MOST_ENTRIES {
            self.finish().await?;
        }
        self.bytes += match &glimpse {
            Glimpse::Entry(entry) => entry.size,
            Glimpse::File(_) => self.ground.usual.size(),
        };
        self.row.push(glimpse);
        Ok(())
    }

    async fn large(&self, entry: Entry, noted: &mut Packed) -> Result<(), Stop> {
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

    async fn start(&self, job: Job) -> Result<(), Stop> {
        let ground = Arc::clone(&self.ground);
        let task = Task(tokio::spawn(async move { ground.run(job).await }));
        self.segments.send(Ready::Segment(task)).await.map_err(|_| Stop::Gone)
    }
}
