//! A workspace with something next to it, and short ways to pack and restore.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use futures_core::Stream;
use garth_archive::{
    Bounds, Format, Incoming, Pack, Packed, Restore, Restored, Unfit, pack, restore,
};
use garth_contract::{
    Aliases, Clobber, Durability, DynFilesystem, Guard, Kind, Page, Parents, Part, Policy, Put,
    Result, Span, Stamp, WsPath,
};
use garth_host::Host;
use garth_memory::Memory;

pub(crate) const FORMATS: [Format; 3] = [Format::Tar, Format::TarZst, Format::Zip];

pub(crate) fn path(text: impl AsRef<[u8]>) -> WsPath {
    WsPath::from_bytes(text.as_ref()).unwrap()
}

/// Refuses what is unfit, replaces nothing, and has room for all.
pub(crate) fn plainly(format: Format) -> Restore {
    Restore {
        format,
        clobber: Clobber::Refuse,
        strip: 0,
        unfit: Unfit::Refuse,
        bounds: Bounds::usual(),
    }
}

pub(crate) fn open() -> Policy {
    Policy { durability: Durability::Fast, ..Policy::open() }
}

/// A directory `ws` for a workspace and one `beyond` next to it.
pub(crate) struct Yard {
    pub(crate) dir: tempfile::TempDir,
}

impl Yard {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("ws")).unwrap();
        fs::create_dir(dir.path().join("beyond")).unwrap();
        fs::write(dir.path().join("beyond/secret"), "secret").unwrap();
        Self { dir }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("ws")
    }

    pub(crate) fn host(&self) -> Arc<dyn DynFilesystem> {
        self.host_under(open())
    }

    pub(crate) fn host_under(&self, policy: Policy) -> Arc<dyn DynFilesystem> {
        Arc::new(Host::open(&self.root(), policy, Aliases::none()).unwrap())
    }

    /// Everything that is really there, in the workspace and next to it.
    pub(crate) fn really(&self) -> BTreeMap<PathBuf, Real> {
        let mut found = BTreeMap::new();
        look(self.dir.path(), &mut found);
        found
    }
}

/// What really stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Real {
    File { content: Vec<u8>, mode: u32, modified: i64 },
    Dir { mode: u32 },
    Link(PathBuf),
    Other,
}

fn look(dir: &Path, found: &mut BTreeMap<PathBuf, Real>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let mode = metadata.permissions().mode() & 0o7777;
        let real = if metadata.is_dir() {
            look(&path, found);
            Real::Dir { mode }
        } else if metadata.is_symlink() {
            Real::Link(fs::read_link(&path).unwrap())
        } else if metadata.is_file() {
            Real::File { content: fs::read(&path).unwrap(), mode, modified: metadata.mtime() }
        } else {
            Real::Other
        };
        found.insert(path, real);
    }
}

pub(crate) fn memory() -> Arc<dyn DynFilesystem> {
    Arc::new(Memory::new(open()).unwrap())
}

/// Bytes that come in pieces of a size.
pub(crate) struct Pieces {
    pub(crate) bytes: Bytes,
    pub(crate) size: usize,
}

impl Stream for Pieces {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        let size = self.size.min(self.bytes.len());
        Poll::Ready(Some(Ok(self.bytes.split_to(size))))
    }
}

pub(crate) fn incoming(bytes: impl Into<Bytes>) -> Incoming {
    Box::pin(Pieces { bytes: bytes.into(), size: 64 << 10 })
}

/// Packs everything, and gives the archive and what is said of it.
pub(crate) async fn packed_from(
    files: &Arc<dyn DynFilesystem>,
    from: &WsPath,
    format: Format,
) -> Result<(Vec<u8>, Packed)> {
    packed_as(files, from, &Pack { format, exclude: Vec::new(), sieve: None }).await
}

/// As [`packed_from`], with all that can be said.
pub(crate) async fn packed_as(
    files: &Arc<dyn DynFilesystem>,
    from: &WsPath,
    how: &Pack,
) -> Result<(Vec<u8>, Packed)> {
    let mut packing = pack(Arc::clone(files), from, how).await?;
    let mut archive = Vec::new();
    while let Some(bytes) = packing.next().await {
        archive.extend_from_slice(&bytes?);
    }
    Ok((archive, packing.packed().unwrap().clone()))
}

pub(crate) async fn packed(files: &Arc<dyn DynFilesystem>, format: Format) -> Vec<u8> {
    packed_from(files, &WsPath::root(), format).await.unwrap().0
}

pub(crate) async fn restored(
    files: &Arc<dyn DynFilesystem>,
    to: &str,
    archive: impl Into<Bytes>,
    how: &Restore,
) -> Result<Restored> {
    restore(files.as_ref(), &path(to), incoming(archive), how).await
}

/// One thing in a tree, with all that an archive keeps of it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Thing {
    pub(crate) kind: Kind,
    pub(crate) mode: Option<u32>,
    pub(crate) modified: Option<SystemTime>,
    pub(crate) content: Bytes,
}

/// Contents of megabytes help nobody.
impl std::fmt::Debug for Thing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, mode, modified, content } = self;
        let since = modified.map(|time| time.duration_since(SystemTime::UNIX_EPOCH));
        let front = garth_contract::escape(&content[..content.len().min(40)]);
        let length = content.len();
        write!(f, "{kind:?} {:o} {since:?} {length} {front:?}", mode.unwrap_or(0))
    }
}

/// A whole tree as a workspace shows it.
pub(crate) async fn tree(files: &Arc<dyn DynFilesystem>, top: &str) -> BTreeMap<String, Thing> {
    let top = path(top);
    let mut things = BTreeMap::new();
    let mut open = vec![top.clone()];
    while let Some(dir) = open.pop() {
        let listing = files.list(&dir, Page { skip: 0, take: u64::MAX }).await.unwrap();
        for entry in listing.entries {
            let content = match entry.kind {
                Kind::File => {
                    let whole = Span::Whole { at_most: 1 << 30 };
                    files.read(&entry.path, whole).await.unwrap().bytes
                }
                Kind::Symlink => files.read_link(&entry.path).await.unwrap(),
                Kind::Dir => {
                    open.push(entry.path.clone());
                    Bytes::new()
                }
                Kind::Fifo | Kind::Socket | Kind::Device => Bytes::new(),
            };
            let below = garth_contract::escape(entry.path.below(&top).unwrap());
            let (kind, mode, modified) = (entry.kind, entry.mode, entry.modified);
            things.insert(below, Thing { kind, mode, modified, content });
        }
    }
    things
}

/// The names of a tree, for tests that ask no more.
pub(crate) async fn names(files: &Arc<dyn DynFilesystem>) -> Vec<String> {
    tree(files, "").await.into_keys().collect()
}

pub(crate) async fn write(
    files: &Arc<dyn DynFilesystem>,
    at: impl AsRef<[u8]>,
    text: impl AsRef<[u8]>,
) {
    let put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };
    let content = Bytes::copy_from_slice(text.as_ref());
    files.write(&path(at), content, put).await.unwrap();
}

pub(crate) async fn read(files: &Arc<dyn DynFilesystem>, at: &str) -> Bytes {
    files.read(&path(at), Span::Whole { at_most: 1 << 30 }).await.unwrap().bytes
}

/// Makes entries by way of a stage, with everything they have.
pub(crate) async fn plant(files: &Arc<dyn DynFilesystem>, parts: Vec<Part>) {
    let mut stage = files.stage(&WsPath::root()).await.unwrap();
    stage.add(parts).await.unwrap();
    stage.land(Clobber::Refuse).await.unwrap();
}

pub(crate) fn stamp(mode: u32, seconds: u64, nanos: u32) -> Stamp {
    let modified = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
    Stamp { mode: Some(mode), modified: Some(modified) }
}

/// Bytes that no compressor makes small, and that tell where they are from.
pub(crate) fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// A runtime for tests that are no async functions.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}
