//! Moving between two roots: scan, copy under a hidden name, land, then remove.
//!
//! Until the copy has taken its final name the source is untouched, and then only
//! what was copied is removed, entry by entry, if it is still what was copied. So
//! an interruption leaves the source, or both, and nothing that was written
//! meanwhile is ever lost.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

use garth_contract::{
    Clobber, Code, Depth, Detail, Entry, Error, Guard, Kind, Links, Move, Page, Parents, Put,
    Renamed, Result, Span, WsPath,
};
use tokio::runtime::Handle;

use crate::roots::Root;

/// The most entries that one move carries; each is a handful of calls.
const MAX_ENTRIES: usize = 10_000;
/// The largest file that is carried, since it is held in memory meanwhile.
const MAX_FILE: u64 = 256 << 20;

/// A root and a path in it.
type At = (Root, WsPath);

/// Moves an entry from one root to another.
///
/// Cancel: before the copy has its name, it is removed and the source stays; after
/// that the move goes on to its end.
pub(crate) async fn carry(source: At, target: At, how: Move) -> Result<Renamed> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let job = Carrier { source, target, how, cancelled: Arc::clone(&cancelled) };
    let _guard = CancelOnDrop(cancelled);
    match Handle::try_current() {
        Ok(runtime) => runtime.spawn(async move { job.run().await }).await.map_err(|failure| {
            Error::of(if failure.is_cancelled() { Code::Cancelled } else { Code::Internal })
        })?,
        Err(_) => job.run().await,
    }
}

struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Carrier {
    source: At,
    target: At,
    how: Move,
    cancelled: Arc<AtomicBool>,
}

/// One entry that is carried.
struct Load {
    /// Where it is, in the source.
    from: WsPath,
    kind: Kind,
    size: u64,
    modified: Option<SystemTime>,
}

/// Whether the source and the destination are one place, known by two roots.
enum Overlap {
    None,
    Same,
}

impl Carrier {
    async fn run(&self) -> Result<Renamed> {
        let (source, from) = (&self.source.0, &self.source.1);
        self.check_abilities()?;
        // A move onto itself changes nothing, and is refused where a move would be.
        let moved = source.told(source.fs.rename(from, from, self.how).await)?;
        let hidden = self.hidden_place().await?;
        let mut loads = self.scan().await?;
        let copied = self.copy(&mut loads, &hidden).await;
        let overlap = match copied {
            Ok(()) => self.check_overlap(&loads, &hidden).await,
            Err(error) => Err(error),
        };
        let landed = match overlap {
            Ok(Overlap::Same) => {
                self.discard(&hidden).await;
                return Ok(Renamed { kind: moved.kind, replaced: false });
            }
            Ok(Overlap::None) => self.land(&hidden).await,
            Err(error) => Err(error),
        };
        if landed.is_err() {
            self.discard(&hidden).await;
        }
        let replaced = landed?.replaced;
        self.remove(&loads).await?;
        Ok(Renamed { kind: moved.kind, replaced })
    }

    /// Gives the copy its name.
    async fn land(&self, hidden: &WsPath) -> Result<Renamed> {
        let (target, to) = (&self.target.0, &self.target.1);
        target.told(target.fs.rename(hidden, to, self.how).await)
    }

    /// Looks for the copy in the source, where two roots share a directory.
    ///
    /// Removing the source would then take the copy with it.
    async fn check_overlap(&self, loads: &[Load], hidden: &WsPath) -> Result<Overlap> {
        let ((source, from), (target, to)) = (&self.source, &self.target);
        let name = hidden.name().unwrap_or_default();
        let seen = async |dir: &WsPath| match dir.join(name) {
            Ok(path) => source.fs.stat(&path, Links::Keep).await.is_ok(),
            Err(_) => false,
        };
        for dir in loads.iter().filter(|load| load.kind == Kind::Dir) {
            if seen(&dir.from).await {
                return Err(Error::at(Code::CannotMoveToSubdirectory, to).under(&target.path));
            }
        }
        let beside = from.parent().unwrap_or_else(WsPath::root);
        let same = from.name() == to.name() && seen(&beside).await;
        Ok(if same { Overlap::Same } else { Overlap::None })
    }

    fn check_abilities(&self) -> Result<()> {
        for (root, path) in [&self.source, &self.target] {
            if !root.fs.abilities().rename {
                let error = Error::at(Code::Unsupported, path).under(&root.path);
                return Err(error.hint("One of the two roots cannot move anything."));
            }
        }
        Ok(())
    }

    /// A free name that listings pass over, near where the entry will be.
    async fn hidden_place(&self) -> Result<WsPath> {
        let (target, to) = (&self.target.0, &self.target.1);
        let at = |code| Err(Error::at(code, to).under(&target.path));
        if self.how.clobber == Clobber::Refuse && target.fs.stat(to, Links::Keep).await.is_ok() {
            return at(Code::DestinationExists);
        }
        let mut dir = to.parent().unwrap_or_else(WsPath::root);
        loop {
            match target.fs.stat(&dir, Links::Follow).await {
                Ok(entry) if entry.kind == Kind::Dir => return dir.join(fresh_name().as_bytes()),
                Ok(_) => return at(Code::NotADirectory),
                Err(error) if error.code() == Code::FileNotFound && !dir.is_root() => {
                    if self.how.parents == Parents::Require {
                        return at(Code::ParentNotFound);
                    }
                    dir = dir.parent().unwrap_or_else(WsPath::root);
                }
                Err(error) => return target.told(Err(error)),
            }
        }
    }

    /// Everything that is to be carried, a directory before what is in it.
    async fn scan(&self) -> Result<Vec<Load>> {
        let (source, from) = (&self.source.0, &self.source.1);
        let mut loads = Vec::new();
        let mut open = vec![source.told(source.fs.stat(from, Links::Keep).await)?];
        while let Some(entry) = open.pop() {
            self.check_load(&entry)?;
            if entry.kind == Kind::Dir {
                let room = MAX_ENTRIES - loads.len().min(MAX_ENTRIES);
                let page = Page { skip: 0, take: room as u64 };
                let listing = source.told(source.fs.list(&entry.path, page).await)?;
                if loads.len() + open.len() + 1 + listing.entries.len() > MAX_ENTRIES
                    || listing.total > page.take
                {
                    return Err(self.too_many());
                }
                open.extend(listing.entries);
            }
            let Entry { path, kind, size, modified, .. } = entry;
            loads.push(Load { from: path, kind, size, modified });
        }
        Ok(loads)
    }

    /// Refuses what cannot be carried before anything is.
    fn check_load(&self, entry: &Entry) -> Result<()> {
        let refuse = |code| Err(Error::at(code, &entry.path).under(&self.source.0.path));
        match entry.kind {
            Kind::Dir => Ok(()),
            Kind::File if entry.size <= MAX_FILE => Ok(()),
            Kind::File => refuse(Code::FileTooLarge).map_err(|error: Error| {
                let limit = Detail::Limit { limit: MAX_FILE, actual: entry.size };
                error.with(limit).hint("A file this large cannot be moved to another root.")
            }),
            Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => refuse(Code::Unsupported)
                .map_err(|error: Error| {
                    error.hint("Links and special files cannot be moved to another root.")
                }),
        }
    }

    fn too_many(&self) -> Error {
        let (source, from) = (&self.source.0, &self.source.1);
        let limit = MAX_ENTRIES as u64;
        let error = Error::at(Code::Unsupported, from).under(&source.path);
        error
            .with(Detail::Limit { limit, actual: limit + 1 })
            .hint("Move the parts of it; so many entries cannot be moved to another root at once.")
    }

    /// Copies everything to the hidden place.
    async fn copy(&self, loads: &mut [Load], hidden: &WsPath) -> Result<()> {
        let ((source, from), target) = (&self.source, &self.target.0);
        for load in loads {
            if self.cancelled.load(Ordering::Relaxed) {
                return Err(Error::of(Code::Cancelled));
            }
            let below = WsPath::from_bytes(load.from.below(from).unwrap_or_default())?;
            let to = target.told(below.under(hidden))?;
            if load.kind == Kind::Dir {
                target.told(target.fs.make_dir(&to, Parents::Require).await)?;
                continue;
            }
            let whole = Span::Whole { at_most: MAX_FILE };
            let content = source.told(source.fs.read(&load.from, whole).await)?;
            (load.size, load.modified) = (content.size, content.modified);
            let put = Put { guard: Guard::Absent, parents: Parents::Require, mode: content.mode };
            target.told(target.fs.write(&to, content.bytes, put).await)?;
        }
        Ok(())
    }

    /// Removes a copy that did not get its name; the source is whole.
    async fn discard(&self, hidden: &WsPath) {
        // Nobody is left to tell of what could not be removed.
        let _ = self.target.0.fs.remove(hidden, Depth::All).await;
    }

    /// Removes what was copied, what is in a directory before the directory.
    async fn remove(&self, loads: &[Load]) -> Result<()> {
        for load in loads.iter().rev() {
            let removed = self.remove_one(load).await;
            removed.map_err(|error| error.hint(self.both()))?;
        }
        Ok(())
    }

    async fn remove_one(&self, load: &Load) -> Result<()> {
        let source = &self.source.0;
        let now = source.told(source.fs.stat(&load.from, Links::Keep).await)?;
        let same = now.kind == load.kind
            && (load.kind == Kind::Dir || (now.size, now.modified) == (load.size, load.modified));
        if !same {
            return Err(Error::at(Code::Conflict, &load.from).under(&source.path));
        }
        source.told(source.fs.remove(&load.from, Depth::One).await).map(drop)
    }

    /// What holds when the copy has its name and the source could not be removed.
    fn both(&self) -> String {
        let outer = |(root, path): &At| path.under(&root.path).unwrap_or_else(|_| path.clone());
        let (from, to) = (outer(&self.source), outer(&self.target));
        format!("The copy is whole at {to}; what was not removed is still at {from}.")
    }
}

/// A name of the form that backends take for a temporary file.
fn fresh_name() -> String {
    format!(".garth-{:016x}.tmp", RandomState::new().build_hasher().finish())
}
