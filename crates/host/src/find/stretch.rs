//! Some entries in a row of a walk: what one worker does before it asks for more.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::Arc,
};

use rustix::io::Errno;

use super::{
    board::Place,
    dir::Dir,
    listing::{Item, Listing},
};

/// How many entries in a row of one directory are shared out at once.
const ROW: usize = 64;

/// Some entries in a row of one directory.
pub(super) struct Stretch {
    listed: Arc<Listed>,
    next: usize,
    end: usize,
}

/// A directory that was read, and where it stands.
struct Listed {
    dir: Arc<Dir>,
    place: Place,
    listing: Listing,
}

impl Stretch {
    /// All entries of a directory and where they stand; `None` when it has none.
    pub(super) fn all(dir: Dir, place: Place, listing: Listing) -> Option<Self> {
        let end = listing.len();
        let listed = Arc::new(Listed { dir: Arc::new(dir), place, listing });
        (end > 0).then_some(Self { listed, next: 0, end })
    }

    /// Keeps what is shared out at once: one directory, or some files up to the
    /// next. Returns what is left.
    pub(super) fn split_rest(&mut self) -> Option<Self> {
        let listing = &self.listed.listing;
        let is_dir = |index| listing.get(index).is_some_and(|(item, _)| item.enters);
        let limit = self.end.min(self.next + ROW);
        let first = self.next + 1;
        let middle = if is_dir(self.next) {
            first
        } else {
            (first..limit).find(|index| is_dir(*index)).unwrap_or(limit)
        };
        if middle >= self.end {
            return None;
        }
        let rest = Self { listed: Arc::clone(&self.listed), next: middle, end: self.end };
        self.end = middle;
        Some(rest)
    }

    /// Where its next entry stands in the order of the walk.
    pub(super) fn place(&self) -> Place {
        self.listed.place_of(self.next)
    }

    /// A stretch of nothing at some place, for tests of the board.
    #[cfg(test)]
    pub(super) fn at(mut place: Place) -> Self {
        let next = usize::try_from(place.pop().unwrap()).unwrap();
        let handle = std::fs::File::open("/").map(OwnedFd::from);
        let list = |_: &mut Dir, _: &OwnedFd| Ok(Listing::default());
        let ignores = garth_search::Ignores::none();
        let (dir, listing, _) = Dir::base(handle.unwrap(), b"", ignores, list).unwrap();
        let listed = Arc::new(Listed { dir: Arc::new(dir), place, listing });
        Self { listed, next, end: next }
    }
}

impl Listed {
    fn place_of(&self, index: usize) -> Place {
        let mut place = Place::with_capacity(self.place.len() + 1);
        place.extend_from_slice(&self.place);
        place.push(u32::try_from(index).unwrap_or(u32::MAX));
        place
    }
}

/// A worker's way through a stretch and the directories in it.
#[derive(Default)]
pub(super) struct Way {
    levels: Vec<Level>,
    /// The path of the entry that the way has come to.
    path: Vec<u8>,
    /// The handle of the last directory, where that one does not keep its own.
    handle: Option<OwnedFd>,
}

struct Level {
    stretch: Stretch,
    /// How much of the path leads to entries of this directory.
    prefix: usize,
}

/// Where the entry is that a way has come to.
pub(super) struct Here<'w> {
    /// The handle of the directory that holds it.
    pub(super) handle: BorrowedFd<'w>,
    pub(super) dir: &'w Arc<Dir>,
    pub(super) name: &'w [u8],
}

impl Way {
    /// Starts with a stretch.
    pub(super) fn start(&mut self, stretch: Stretch) {
        self.levels.clear();
        self.handle = None;
        stretch.listed.dir.write_prefix(&mut self.path);
        self.levels.push(Level { stretch, prefix: self.path.len() });
    }

    /// Goes on to the next entry; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Item> {
        loop {
            let Level { stretch, prefix } = self.levels.last_mut()?;
            if stretch.next < stretch.end {
                let (item, name) = stretch.listed.listing.get(stretch.next)?;
                stretch.next += 1;
                self.path.truncate(*prefix);
                self.path.extend_from_slice(name);
                return Some(item);
            }
            self.levels.pop();
            self.handle = None;
        }
    }

    /// The path of the entry that the way has come to.
    pub(super) fn path(&self) -> &[u8] {
        &self.path
    }

    /// Where the entry is that the way has come to.
    pub(super) fn here(&mut self) -> Result<Here<'_>, Errno> {
        let Level { stretch, prefix } = self.levels.last().ok_or(Errno::BADF)?;
        let dir = &stretch.listed.dir;
        let name = self.path.get(*prefix..).unwrap_or_default();
        if let Some(handle) = dir.kept() {
            return Ok(Here { handle, dir, name });
        }
        if self.handle.is_none() {
            self.handle = Some(dir.open_again()?);
        }
        let handle = self.handle.as_ref().ok_or(Errno::BADF)?.as_fd();
        Ok(Here { handle, dir, name })
    }

    /// Goes into the directory that the way has come to, once it is read.
    pub(super) fn enter(&mut self, (dir, listing, handle): Entered) {
        let Some(level) = self.levels.last() else { return };
        let place = level.stretch.listed.place_of(level.stretch.next.saturating_sub(1));
        if let Some(stretch) = Stretch::all(dir, place, listing) {
            self.path.push(b'/');
            self.levels.push(Level { stretch, prefix: self.path.len() });
            self.handle = handle;
        }
    }

    /// Gives up what is left of the way.
    pub(super) fn give_up(&mut self) -> impl Iterator<Item = Stretch> {
        self.handle = None;
        let left = self.levels.drain(..).map(|level| level.stretch);
        left.filter(|stretch| stretch.next < stretch.end)
    }
}

/// A directory that was read, and its handle unless it keeps that itself.
pub(super) type Entered = (Dir, Listing, Option<OwnedFd>);
