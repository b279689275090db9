//! Packs a tree into an archive that comes as a stream of bytes.
//!
//! One task walks the tree and has stretches of it read and encoded, a bounded
//! number at once; another puts them together in order. Dropping the stream ends
//! all of it.

mod assemble;
mod compress;
mod room;
mod segment;
mod sieve;
mod summary;
mod tarred;
mod walk;

use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_core::Stream;
use garth_contract::{Code, DynFilesystem, Entry, Error, Kind, Links, Result, WsPath};
use tokio::{
    sync::{Semaphore, mpsc, oneshot},
    task::JoinHandle,
};

use self::{
    assemble::Assembly,
    room::Room,
    segment::{CHUNK, Ground, Job, Large, SMALL, Segment},
    walk::Walk,
};
pub use self::{
    sieve::{MOST_SIFTED, Sieve, Sifted},
    summary::{MOST_NAMED, Mishap, Packed, What},
};
use crate::Format;

/// How a tree is packed.
#[derive(Clone, Debug)]
pub struct Pack {
    /// The form of the archive.
    pub format: Format,
    /// Globs of which an entry, or a directory on the way to it, must match none.
    ///
    /// A pattern without `/` matches names at any depth, one with `/` the path from
    /// the directory that is packed.
    pub exclude: Vec<String>,
    /// What files pass through; without one they go in as they are.
    pub sieve: Option<Arc<dyn Sieve>>,
}

/// How many stretches are read at once, or wait to be put together.
const AHEAD: usize = 8;
/// How many large files are sifted, or wait to be put together: each is in memory.
const MOST_LARGE: usize = 1;
/// How many pieces wait to be taken.
const WAITING: usize = 4;
/// A stretch has so many bytes or more, unless it is the last or before a large file.
const STRETCH: u64 = 512 << 10;
/// A stretch has no more entries than this, since each has a header.
const MOST_ENTRIES: usize = 128;

/// An archive in the making: a stream of its bytes.
///
/// After an error there is nothing more, and what came is no whole archive.
/// Dropping it ends the packing; nothing is left.
#[derive(Debug)]
pub struct Packing {
    bytes: mpsc::Receiver<Result<Bytes>>,
    summary: oneshot::Receiver<Packed>,
    packed: Option<Packed>,
    ended: bool,
    _tasks: [Task<()>; 2],
}

/// A task that ends when nobody waits for it any more.
#[derive(Debug)]
struct Task<T>(JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What goes to the compressor.
enum Piece {
    Bytes(Bytes),
    Failed(Error),
    End,
}

/// Packs a directory with everything below it, or one file.
///
/// Names in the archive are told from `from`; a file has its own name. Links are
/// kept as links and never followed, except `from` itself. Denied entries and our
/// temporary files are left out; pipes, sockets and devices too, and counted.
/// Needs a runtime.
///
/// # Errors
/// `FILE_NOT_FOUND`, `NOT_A_FILE` for anything but a file or a directory,
/// `INVALID_PATTERN`, and what the backend answers; later ones come in the stream.
pub async fn pack(files: Arc<dyn DynFilesystem>, from: &WsPath, how: &Pack) -> Result<Packing> {
    let top = files.stat(from, Links::Follow).await?;
    let source = match top.kind {
        Kind::Dir => Source::Tree(Box::new(Walk::new(Arc::clone(&files), from, &how.exclude)?)),
        Kind::File => Source::File(Some(top)),
        Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
            return Err(Error::at(Code::NotAFile, from));
        }
    };
    let (format, sieve) = (how.format, how.sieve.clone());
    let ground =
        Arc::new(Ground { files, format, base: from.clone(), sieve, room: Room::default() });
    let (segments, ready) = mpsc::channel(AHEAD);
    let (out, bytes) = mpsc::channel(WAITING);
    let (told, summary) = oneshot::channel();
    let walker = tokio::spawn(cut_up(source, ground, segments));
    let outlet = match format {
        Format::Tar | Format::Zip => Outlet::Plain(out),
        Format::TarZst => {
            let (pieces, from) = mpsc::channel(WAITING);
            tokio::task::spawn_blocking(move || compress::compress(from, &out));
            Outlet::Compressed(pieces)
        }
    };
    let assembler = tokio::spawn(put_together(format, ready, outlet, told));
    let _tasks = [Task(walker), Task(assembler)];
    Ok(Packing { bytes, summary, packed: None, ended: false, _tasks })
}

/// Tells whether an error is about one entry, which is then left out.
fn passes_over(error: &Error) -> bool {
    [
        Code::FileNotFound,
        Code::InvalidParams,
        Code::InvalidPath,
        Code::NotADirectory,
        Code::NotAFile,
        Code::PathOutsideWorkspace,
        Code::PermissionDenied,
    ]
    .contains(&error.code())
}

/// What is packed.
enum Source {
    Tree(Box<Walk>),
    File(Option<Entry>),
}

impl Source {
    async fn next(&mut self, packed: &mut Packed) -> Result<Option<Entry>> {
        match self {
            Self::Tree(walk) => walk.next(packed).await,
            Self::File(entry) => Ok(entry.take()),
        }
    }
}

/// What the walk hands on, in order.
enum Ready {
    Segment(Task<Result<Segment>>),
    Failed(Error),
    /// There is no more; the rest is what the walk itself noted.
    End(Packed),
}

/// Cuts a tree up into stretches and has them read; the channel bounds how many.
async fn cut_up(mut source: Source, ground: Arc<Ground>, segments: mpsc::Sender<Ready>) {
    let start = async |job| {
        let ground = Arc::clone(&ground);
        let task = Task(tokio::spawn(async move { ground.run(job).await }));
        segments.send(Ready::Segment(task)).await.is_ok()
    };
    let mut noted = Packed::default();
    let mut entries: Vec<Entry> = Vec::new();
    let mut bytes = 0;
    let places = Arc::new(Semaphore::new(MOST_LARGE));
    loop {
        let entry = match source.next(&mut noted).await {
            Ok(Some(entry)) => entry,
            Ok(None) => break,
            Err(error) => {
                let _ = segments.send(Ready::Failed(error)).await;
                return;
            }
        };
        let large = entry.kind == Kind::File && entry.size > SMALL;
        let full = large || bytes >= STRETCH || entries.len() >= MOST_ENTRIES;
        if full && !entries.is_empty() {
            bytes = 0;
            if !start(Job::Several(std::mem::take(&mut entries))).await {
                return;
            }
        }
        if !large {
            bytes += entry.size;
            entries.push(entry);
            continue;
        }
        match ground.judge(&entry).await {
            Ok(Large::Parts) => {}
            Ok(Large::Whole) => {
                // Taken here and not by the job, so that places are had in order: one that is
                // put together never waits for a place that one behind it has.
                let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
                if !start(Job::Whole(entry, place)).await {
                    return;
                }
                continue;
            }
            Ok(Large::Not(what)) => {
                noted.note(&entry.path, what);
                continue;
            }
            Err(error) => {
                let _ = segments.send(Ready::Failed(error)).await;
                return;
            }
        }
        let entry = Arc::new(entry);
        let mut offset = 0;
        while offset < entry.size {
            if !start(Job::Part(Arc::clone(&entry), offset)).await {
                return;
            }
            offset += CHUNK;
        }
    }
    if start(Job::Several(entries)).await {
        let _ = segments.send(Ready::End(noted)).await;
    }
}

/// Where the archive goes.
enum Outlet {
    Plain(mpsc::Sender<Result<Bytes>>),
    Compressed(mpsc::Sender<Piece>),
}

/// Nobody takes the archive any more.
struct Gone;

impl Outlet {
    async fn put(&self, bytes: Bytes) -> Result<(), Gone> {
        match self {
            Self::Plain(out) => out.send(Ok(bytes)).await.map_err(|_| Gone),
            Self::Compressed(out) => out.send(Piece::Bytes(bytes)).await.map_err(|_| Gone),
        }
    }

    async fn fail(&self, error: Error) {
        // Whoever is gone need not be told.
        match self {
            Self::Plain(out) => drop(out.send(Err(error)).await),
            Self::Compressed(out) => drop(out.send(Piece::Failed(error)).await),
        }
    }

    async fn end(&self) {
        match self {
            Self::Plain(_) => {}
            Self::Compressed(out) => drop(out.send(Piece::End).await),
        }
    }
}

async fn put_together(
    format: Format,
    mut ready: mpsc::Receiver<Ready>,
    outlet: Outlet,
    told: oneshot::Sender<Packed>,
) {
    let mut assembly = Assembly::new(format);
    loop {
        let segment = match ready.recv().await {
            Some(Ready::Segment(mut task)) => {
                (&mut task.0).await.unwrap_or_else(|_| Err(Error::of(Code::Internal)))
            }
            Some(Ready::Failed(error)) => Err(error),
            Some(Ready::End(noted)) => {
                assembly.packed.add(noted);
                break;
            }
            // The walk is gone without a word.
            None => Err(Error::of(Code::Internal)),
        };
        let segment = match segment {
            Ok(segment) => segment,
            Err(error) => return outlet.fail(error).await,
        };
        for bytes in assembly.take(segment) {
            if outlet.put(bytes).await.is_err() {
                return;
            }
        }
    }
    for bytes in assembly.end() {
        if outlet.put(bytes).await.is_err() {
            return;
        }
    }
    let _ = told.send(std::mem::take(&mut assembly.packed));
    outlet.end().await;
}

impl Packing {
    /// The next bytes; `None` after the end or an error.
    pub async fn next(&mut self) -> Option<Result<Bytes>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// What was packed, once the stream has ended well.
    #[must_use]
    pub fn packed(&self) -> Option<&Packed> {
        self.packed.as_ref()
    }
}

impl Stream for Packing {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        match self.bytes.poll_recv(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Some(Ok(bytes))) => Poll::Ready(Some(Ok(bytes))),
            Poll::Ready(Some(Err(error))) => {
                self.ended = true;
                Poll::Ready(Some(Err(error)))
            }
            Poll::Ready(None) => {
                self.ended = true;
                self.packed = self.summary.try_recv().ok();
                // Without its summary the archive ended before its end.
                let lost = self.packed.is_none();
                Poll::Ready(lost.then(|| Err(Error::of(Code::Internal))))
            }
        }
    }
}
