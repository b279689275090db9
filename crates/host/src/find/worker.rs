//! One thread of a search: takes a stretch of the tree, and looks at what is there.

use std::{
    os::fd::{AsFd, OwnedFd},
    sync::atomic::Ordering,
    time::SystemTime,
};

use garth_contract::{Facts, Flow, Order, WsPath};
use garth_search::{Hits, Ignores, Newest, Searched};
use rustix::{fs::Stat, io::Errno};

use super::{
    Shared,
    board::Place,
    dir::Dir,
    file::{Opened, Searching, check, open_file},
    listing::{Item, Reading},
    stretch::{Stretch, Way},
};
use crate::{
    look::{entry, kind_of, modified, size},
    tree::stat_name,
};

/// How many files one worker searches before it shares out what is left.
///
/// Enough that sharing out costs nothing, few enough to keep all threads busy.
const SEARCHED: usize = 32;
/// How many entries one worker looks at likewise, where names are enough.
const LOOKED_AT: usize = 256;
/// A file of this size is worth a stretch of its own.
const LARGE: u64 = 1 << 20;

pub(super) struct Worker<'s, 'a> {
    shared: &'s Shared<'a>,
    reading: Reading,
    searching: Option<Searching<'s>>,
    way: Way,
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
            way: Way::default(),
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
        let read = |dir: &mut Dir, handle: &OwnedFd| self.reading.list(shared, dir, handle);
        match Dir::base(handle, path.as_bytes(), ignores, read) {
            Ok((dir, listing, _)) => {
                self.unreadable += listing.unreadable;
                shared.board.add(Stretch::all(dir, Place::new(), listing).into_iter());
            }
            Err(_) => self.unreadable += 1,
        }
    }

    /// Reads the one directory that a listing is of, and hands its names on.
    pub(super) fn list(mut self, handle: OwnedFd, path: &WsPath, ignores: Ignores) {
        let shared = self.shared;
        let read = |dir: &mut Dir, handle: &OwnedFd| self.reading.list(shared, dir, handle);
        let Ok((dir, listing, _)) = Dir::base(handle, path.as_bytes(), ignores, read) else {
            self.unreadable += 1;
            return;
        };
        self.unreadable += listing.unreadable;
        let (mut bytes, mut named) = (Vec::new(), WsPath::root());
        dir.write_prefix(&mut bytes);
        let prefix = bytes.len();
        shared.board.hand_on(|delivery| {
            for (item, name) in listing.iter().filter(|(item, _)| item.counts) {
                bytes.truncate(prefix);
                bytes.extend_from_slice(name);
                let is_path = named.become_bytes(&bytes).is_ok();
                if is_path && delivery.name(&named, item.kind) == Flow::Stop {
                    return Flow::Stop;
                }
            }
            Flow::Continue
        });
    }

    /// Looks at a base that is a file.
    pub(super) fn base_file(mut self, path: &WsPath, file: &OwnedFd, stat: &Stat) {
        if !self.shared.filter.counts_base() {
            return;
        }
        let place = Place::new();
        self.shared.board.begin(&place);
        let path = path.as_bytes();
        if self.searching.is_some() {
            self.search(&place, &Opened { file: file.as_fd(), stat, path });
        } else {
            self.found(path, stat);
        }
        self.shared.board.complete(&place, &mut self.hits);
    }

    /// Works through one stretch; `false` when the search is over.
    pub(super) fn step(&mut self) -> bool {
        let Some((place, stretch)) = self.shared.board.take() else { return false };
        self.steps += 1;
        let guard = EndOnPanic(self.shared);
        let mut way = std::mem::take(&mut self.way);
        way.start(stretch);
        self.work(&place, &mut way);
        self.way = way;
        drop(guard);
        self.shared.board.complete(&place, &mut self.hits);
        true
    }

    /// Goes a part of the way and leaves the rest to whoever comes next.
    fn work(&mut self, place: &Place, way: &mut Way) {
        let steps = if self.searching.is_some() { SEARCHED } else { LOOKED_AT };
        for _ in 0..steps {
            if self.shared.is_cancelled() {
                self.shared.board.end();
                return;
            }
            let Some(item) = way.next() else { return };
            if item.counts && self.searching.is_none() {
                self.look(way, item);
            } else if item.counts {
                self.open_and_search(place, way);
            }
            if item.enters {
                self.enter(way);
            }
        }
        self.shared.board.add(way.give_up());
    }

    fn enter(&mut self, way: &mut Way) {
        let shared = self.shared;
        let read = |dir: &mut Dir, handle: &OwnedFd| self.reading.list(shared, dir, handle);
        match way.here().and_then(|here| here.dir.enter(here.handle, here.name, read)) {
            Ok(entered) => {
                self.unreadable += entered.1.unreadable;
                way.enter(entered);
            }
            // It is gone, and so is what was in it.
            Err(Errno::NOENT) => {}
            Err(_) => self.unreadable += 1,
        }
    }

    /// Looks at an entry that counts by its name alone, unless that says enough.
    fn look(&mut self, way: &mut Way, item: Item) {
        if self.shared.names_are_enough() {
            self.hits.push_name(way.path(), item.kind);
            return;
        }
        match way.here().and_then(|here| stat_name(here.handle, here.name)) {
            Ok(Some(stat)) => self.found(way.path(), &stat),
            Ok(None) => {}
            Err(_) => self.unreadable += 1,
        }
    }

    /// Opens and searches a file; one that is gone was never there.
    fn open_and_search(&mut self, place: &Place, way: &mut Way) {
        let hard_links = self.shared.hard_links;
        let opened = way.here().and_then(|here| {
            let file = open_file(here.handle, here.name)?;
            Ok((check(file.as_fd(), hard_links)?, file))
        });
        match opened {
            Ok((stat, file)) => {
                // Others need not wait for the end of a large file.
                if size(&stat) >= LARGE {
                    self.shared.board.add(way.give_up());
                }
                let (file, path) = (file.as_fd(), way.path());
                self.search(place, &Opened { file, stat: &stat, path });
            }
            Err(Errno::NOENT) => {}
            Err(_) => self.unreadable += 1,
        }
    }

    /// Notes an entry that is a result by its name alone.
    fn found(&mut self, path: &[u8], stat: &Stat) {
        let modified = modified(stat);
        let newest = self.shared.order == Order::Newest;
        if newest && !self.shared.newest(|newest| wants(newest, modified)) {
            return;
        }
        let Ok(path) = WsPath::from_bytes(path) else { return };
        let facts = self.shared.facts;
        if !newest {
            tell(&mut self.hits, facts, path, stat);
            return;
        }
        let mut hits = Hits::new();
        tell(&mut hits, facts, path.clone(), stat);
        self.shared.newest(|newest| newest.push(path, modified, 1, hits));
    }

    fn search(&mut self, place: &Place, opened: &Opened<'_>) {
        let Some(searching) = &mut self.searching else { return };
        let shared = self.shared;
        let mut spill = |hits: &mut Hits| match shared.order {
            Order::Path => shared.board.relieve(place, hits),
            // What the newest files have is kept until all are known.
            Order::Newest => Flow::Continue,
        };
        match searching.search(opened, &mut self.hits, &mut spill) {
            Ok(searched) => self.searched(searched, opened),
            Err(_) => {
                self.unreadable += 1;
                if shared.order == Order::Newest {
                    self.hits.clear();
                }
            }
        }
    }

    fn searched(&mut self, searched: Searched, opened: &Opened<'_>) {
        self.searched += 1;
        self.binary += u64::from(searched.binary);
        if self.shared.order == Order::Newest && searched.matches > 0 {
            let hits = std::mem::take(&mut self.hits);
            let Ok(path) = WsPath::from_bytes(opened.path) else { return };
            let (matches, modified) = (searched.matches, modified(opened.stat));
            self.shared.newest(|newest| newest.push(path, modified, matches, hits));
        }
    }
}

/// Adds what a query wants to know of an entry.
fn tell(hits: &mut Hits, facts: Facts, path: WsPath, stat: &Stat) {
    match facts {
        Facts::Names => hits.push_name(path.as_bytes(), kind_of(stat)),
        Facts::All => hits.push(entry(path, stat)),
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
