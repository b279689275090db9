//! One thread of a search: takes a stretch of the tree, and looks at what is there.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{Arc, atomic::Ordering},
    time::SystemTime,
};

use garth_contract::{Flow, Order, WsPath};
use garth_search::{Hits, Ignores, Newest, Searched};
use rustix::{fs::Stat, io::Errno};

use super::{
    Shared,
    board::Place,
    dir::Dir,
    file::{Opened, Searching, check, open_file},
    listing::{Listing, Reading},
};
use crate::{
    look::{entry, modified, size},
    tree::stat_name,
};

/// How many entries one stretch has at most.
///
/// Enough that sharing them out costs nothing, few enough to keep all threads busy.
const STRETCH: usize = 32;
/// A file of this size is worth a stretch of its own.
const LARGE: u64 = 1 << 20;

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
    /// Keeps what is done at once: one directory, or some files up to the next.
    ///
    /// Returns what is left, and its place.
    pub(super) fn split_rest(&mut self) -> Option<(Place, Self)> {
        let listing = &self.listed.listing;
        let is_dir = |index| listing.get(index).is_some_and(|(item, _)| item.enters);
        let limit = self.end.min(self.next + STRETCH);
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
        Some((self.listed.place_of(middle), rest))
    }
}

#[cfg(test)]
impl Stretch {
    /// A stretch of nothing, for tests of the board.
    pub(super) fn nothing() -> Self {
        let handle = std::fs::File::open("/").map(OwnedFd::from);
        let list = |_: &mut Dir, _: &OwnedFd| Ok(Listing::default());
        let (dir, listing) = Dir::base(handle.unwrap(), b"", Ignores::none(), list).unwrap();
        let listed = Arc::new(Listed { dir: Arc::new(dir), place: Place::new(), listing });
        Self { listed, next: 0, end: 0 }
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

pub(super) struct Worker<'s, 'a> {
    shared: &'s Shared<'a>,
    reading: Reading,
    searching: Option<Searching<'s>>,
    path: Vec<u8>,
    hits: Hits,
    steps: usize,
    searched: u64,
    binary: u64,
    unreadable: u64,
}

impl<'s, 'a> Worker<'s, 'a> {
    pub(super) fn new(shared: &'s Shared<'a>) -> Self {
        let search = shared.search.as_ref();
        Self {
            shared,
            reading: Reading::new(),
            searching: search.map(|search| Searching::new(search.start(), shared.cancel)),
            path: Vec::new(),
            hits: Hits::new(),
            steps: 0,
            searched: 0,
            binary: 0,
            unreadable: 0,
        }
    }

    /// How many stretches this thread worked through.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// Reads the directory that the walk starts in.
    pub(super) fn base_dir(&mut self, handle: OwnedFd, path: &WsPath, ignores: Ignores) {
        let shared = self.shared;
        let entered = Dir::base(handle, path.as_bytes(), ignores, |dir, handle| {
            self.reading.list(shared, dir, handle)
        });
        self.entered(Place::new(), entered);
    }

    /// Looks at a base that is a file.
    pub(super) fn base_file(mut self, path: &WsPath, file: &OwnedFd, stat: &Stat) {
        if !self.shared.filter.counts_base() {
            return;
        }
        self.path.extend_from_slice(path.as_bytes());
        let place = Place::new();
        self.shared.board.begin(&place);
        if self.searching.is_some() {
            self.search(&place, file.as_fd(), stat);
        } else {
            self.found(stat);
        }
        self.shared.board.complete(&place, &mut self.hits);
    }

    /// Works through one stretch; `false` when the search is over.
    pub(super) fn step(&mut self) -> bool {
        let Some((place, stretch)) = self.shared.board.take() else { return false };
        self.steps += 1;
        let guard = EndOnPanic(self.shared);
        self.work(&place, &stretch);
        drop(guard);
        self.shared.board.complete(&place, &mut self.hits);
        true
    }

    fn work(&mut self, place: &Place, stretch: &Stretch) {
        let listed = &stretch.listed;
        let Ok(handle) = listed.dir.open() else {
            self.unreadable += 1;
            return;
        };
        for index in stretch.next..stretch.end {
            if self.shared.is_cancelled() {
                self.shared.board.end();
                return;
            }
            let Some((item, name)) = listed.listing.get(index) else { return };
            listed.dir.write_prefix(&mut self.path);
            self.path.extend_from_slice(name);
            if item.counts && self.searching.is_none() {
                self.look(handle.as_fd(), name);
            } else if item.counts
                && let Some((file, stat)) = self.open_file(handle.as_fd(), name)
            {
                let large = size(&stat) >= LARGE && index + 1 < stretch.end;
                if large {
                    self.give_back(stretch, index + 1);
                }
                self.search(place, file.as_fd(), &stat);
                if large {
                    return;
                }
            }
            if item.enters {
                self.enter(place, &listed.dir, name);
            }
        }
    }

    /// Leaves the rest of a stretch to others.
    fn give_back(&self, stretch: &Stretch, next: usize) {
        let listed = Arc::clone(&stretch.listed);
        let rest = Stretch { listed, next, end: stretch.end };
        self.shared.board.add(stretch.listed.place_of(next), rest);
    }

    fn enter(&mut self, place: &Place, dir: &Arc<Dir>, name: &[u8]) {
        let shared = self.shared;
        let entered = dir.enter(name, |dir, handle| self.reading.list(shared, dir, handle));
        self.entered(place.clone(), entered);
    }

    fn entered(&mut self, place: Place, entered: Result<(Dir, Listing), Errno>) {
        match entered {
            Ok((dir, listing)) => {
                self.unreadable += listing.unreadable;
                self.share(Arc::new(dir), place, listing);
            }
            // It is gone, and so is what was in it.
            Err(Errno::NOENT) => {}
            Err(_) => self.unreadable += 1,
        }
    }

    fn share(&self, dir: Arc<Dir>, place: Place, listing: Listing) {
        let end = listing.len();
        if end > 0 {
            let listed = Arc::new(Listed { dir, place, listing });
            let place = listed.place_of(0);
            self.shared.board.add(place, Stretch { listed, next: 0, end });
        }
    }

    /// Looks at an entry that counts by its name alone.
    fn look(&mut self, dir: BorrowedFd<'_>, name: &[u8]) {
        match stat_name(dir, name) {
            Ok(Some(stat)) => self.found(&stat),
            Ok(None) => {}
            Err(_) => self.unreadable += 1,
        }
    }

    /// Opens a file to search it; one that is gone was never there.
    fn open_file(&mut self, dir: BorrowedFd<'_>, name: &[u8]) -> Option<(OwnedFd, Stat)> {
        let opened = open_file(dir, name)
            .and_then(|file| check(file.as_fd(), self.shared.hard_links).map(|stat| (file, stat)));
        match opened {
            Ok(opened) => Some(opened),
            Err(Errno::NOENT) => None,
            Err(_) => {
                self.unreadable += 1;
                None
            }
        }
    }

    /// Notes an entry that is a result by its name alone.
    fn found(&mut self, stat: &Stat) {
        let modified = modified(stat);
        let newest = self.shared.order == Order::Newest;
        if newest && !self.shared.newest(|newest| wants(newest, modified)) {
            return;
        }
        let Ok(path) = WsPath::from_bytes(&self.path) else { return };
        self.hits.push(entry(path.clone(), stat));
        if newest {
            let hits = std::mem::take(&mut self.hits);
            self.shared.newest(|newest| newest.push(path, modified, 1, hits));
        }
    }

    /// Searches the file whose path stands in `self.path`.
    fn search(&mut self, place: &Place, file: BorrowedFd<'_>, stat: &Stat) {
        let Some(searching) = &mut self.searching else { return };
        let shared = self.shared;
        let opened = Opened { file, stat, path: &self.path };
        let mut spill = |hits: &mut Hits| match shared.order {
            Order::Path => shared.board.relieve(place, hits),
            // What the newest files have is kept until all are known.
            Order::Newest => Flow::Continue,
        };
        match searching.search(&opened, &mut self.hits, &mut spill) {
            Ok(searched) => self.searched(searched, stat),
            Err(_) => {
                self.unreadable += 1;
                if shared.order == Order::Newest {
                    self.hits.clear();
                }
            }
        }
    }

    fn searched(&mut self, searched: Searched, stat: &Stat) {
        self.searched += 1;
        self.binary += u64::from(searched.binary);
        if self.shared.order == Order::Newest && searched.matches > 0 {
            let hits = std::mem::take(&mut self.hits);
            let Ok(path) = WsPath::from_bytes(&self.path) else { return };
            let matches = searched.matches;
            self.shared.newest(|newest| newest.push(path, modified(stat), matches, hits));
        }
    }
}

/// Tells whether a result of that time is wanted, and counts it if not.
fn wants(newest: &mut Newest, modified: Option<SystemTime>) -> bool {
    let wanted = newest.wants(modified);
    if !wanted {
        newest.pass(1);
    }
    wanted
}

impl Drop for Worker<'_, '_> {
    fn drop(&mut self) {
        let counts = &self.shared.counts;
        counts.searched.fetch_add(self.searched, Ordering::Relaxed);
        counts.binary.fetch_add(self.binary, Ordering::Relaxed);
        counts.unreadable.fetch_add(self.unreadable, Ordering::Relaxed);
    }
}

/// Lets the other threads end when this one panics, instead of waiting for it.
struct EndOnPanic<'s, 'a>(&'s Shared<'a>);

impl Drop for EndOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.board.end();
        }
    }
}
