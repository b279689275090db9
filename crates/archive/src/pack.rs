//! Packs a tree into an archive that comes as a stream of bytes.
//!
//! One task walks the tree and cuts it up into stretches, a bounded number ahead; they
//! are read and encoded by whoever comes to them first, and whoever takes the stream
//! puts them together in order. Dropping the stream ends all of it.

mod assemble;
mod at_hand;
mod compress;
mod cut;
mod join;
mod room;
mod segment;
mod sieve;
mod stretch;
mod summary;
mod tarred;
mod usual;
mod walk;

use std::{
    fmt,
    future::poll_fn,
    num::NonZero,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    thread,
};

use bytes::Bytes;
use futures_core::Stream;
use garth_contract::{Code, DynFilesystem, Error, Kind, Links, Result, WsPath};
use tokio::{
    runtime::Handle,
    sync::{Semaphore, mpsc, oneshot},
    task::{JoinError, JoinHandle},
};

use self::{
    cut::{Source, cut_up},
    join::Joined,
    room::Room,
    segment::Ground,
    usual::Usual,
    walk::{Looks, Walk},
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

/// How many stretches there are at a time, to be read or read; one more is in the hands
/// of who takes the archive. It is no more than that nobody waits for the others, so that
/// the buffers that go round are still near the processor.
const AHEAD: usize = 6;
/// The same where a stretch is compressed by itself: that is most of the work then, and
/// is shared by as many processors as there are stretches.
const AHEAD_ZIPPED: usize = 10;
/// The same for what is left of a stretch and cut up anew: stretches behind it wait, too.
const AHEAD_LEFT: usize = 4;
/// Who walks and who takes the archive read; others beside them where there are
/// processors for more.
const READ_ANYWAY: usize = 2;
/// How many pieces wait to be taken.
const WAITING: usize = 4;
/// An archive in the making: a stream of its bytes.
///
/// After an error there is nothing more, and what came is no whole archive.
/// Dropping it ends the packing; nothing is left.
#[derive(Debug)]
pub struct Packing {
    outlet: Outlet,
    packed: Option<Packed>,
    ended: bool,
    _walker: Task<()>,
}

/// Where the bytes of an archive come from.
enum Outlet {
    Plain(Box<Joined>),
    Compressed(Compressed),
}

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain(_) => "Plain",
            Self::Compressed(_) => "Compressed",
        })
    }
}

/// An archive that is compressed on other threads.
struct Compressed {
    bytes: mpsc::Receiver<Result<Bytes>>,
    summary: oneshot::Receiver<Packed>,
    _feeder: Task<()>,
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
    let looks = match (how.format, &how.sieve) {
        (Format::Tar | Format::TarZst, None) => Looks::PastFiles,
        (Format::Zip, _) | (_, Some(_)) => Looks::Closely,
    };
    let source = match top.kind {
        Kind::Dir => {
            let walk = Walk::new(Arc::clone(&files), from, (&how.exclude, looks))?;
            Source::Tree(Box::new(walk))
        }
        Kind::File => Source::Row(vec![top].into_iter()),
        Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
            return Err(Error::at(Code::NotAFile, from));
        }
    };
    let (format, sieve) = (how.format, how.sieve.clone());
    let (room, usual) = (Room::default(), Usual::default());
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let others = Arc::new(Semaphore::new(processors.saturating_sub(READ_ANYWAY).min(AHEAD)));
    let base = from.clone();
    let ground = Arc::new(Ground { files, format, base, sieve, room, usual, others });
    let (segments, ready) = mpsc::unbounded_channel();
    let ahead = match format {
        Format::Tar | Format::TarZst => AHEAD,
        Format::Zip => AHEAD_ZIPPED,
    };
    let _walker = Task(tokio::spawn(cut_up(source, Arc::clone(&ground), (ahead, segments))));
    let joined = Joined::new(ground, ready, Handle::current());
    let outlet = match format {
        Format::Tar | Format::Zip => Outlet::Plain(Box::new(joined)),
        Format::TarZst => Outlet::Compressed(compressed(joined)),
    };
    Ok(Packing { outlet, packed: None, ended: false, _walker })
}

/// Has an archive compressed as it comes.
fn compressed(joined: Joined) -> Compressed {
    let (pieces, from) = mpsc::channel(WAITING);
    let (out, bytes) = mpsc::channel(WAITING);
    let (told, summary) = oneshot::channel();
    tokio::task::spawn_blocking(move || compress::compress(from, &out));
    let _feeder = Task(tokio::spawn(feed(joined, pieces, told)));
    Compressed { bytes, summary, _feeder }
}

/// Feeds the compressor with what there is to compress, until nobody takes it.
async fn feed(mut joined: Joined, to: mpsc::Sender<Piece>, told: oneshot::Sender<Packed>) {
    while let Some(bytes) = joined.next().await {
        let failed = bytes.is_err();
        let piece = bytes.map_or_else(Piece::Failed, Piece::Bytes);
        if to.send(piece).await.is_err() || failed {
            return;
        }
    }
    // Whoever is gone need not be told.
    let _ = told.send(joined.packed());
    let _ = to.send(Piece::End).await;
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

/// What a task answers, where it was not ended or lost.
fn unless_gone<T>(done: Result<Result<T>, JoinError>) -> Result<T> {
    done.unwrap_or_else(|_| Err(Error::of(Code::Internal)))
}

/// Does work that takes its time, where nobody else waits for it.
async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|failure| {
        Error::of(if failure.is_cancelled() { Code::Cancelled } else { Code::Internal })
    })
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
        let next = match &mut self.outlet {
            Outlet::Plain(joined) => ready!(joined.poll_next(context)),
            Outlet::Compressed(compressed) => ready!(compressed.bytes.poll_recv(context)),
        };
        self.ended = !matches!(next, Some(Ok(_)));
        if next.is_some() {
            return Poll::Ready(next);
        }
        self.packed = match &mut self.outlet {
            Outlet::Plain(joined) => Some(joined.packed()),
            // Without its summary the archive ended before its end.
            Outlet::Compressed(compressed) => compressed.summary.try_recv().ok(),
        };
        let lost = self.packed.is_none();
        Poll::Ready(lost.then(|| Err(Error::of(Code::Internal))))
    }
}
