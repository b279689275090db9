//! What a watch knows of its tree, kept true by the kernel's events.

use std::{os::fd::AsFd, sync::Arc};

use garth_contract::{Change, Kind, WsPath};
use garth_search::Judged;
use rustix::{
    fs::{
        AtFlags, FileType, fstat,
        inotify::{Event, ReadFlags},
        statat,
    },
    io::Errno,
};

use super::{
    establish::{Map, establish},
    inotify::{Inotify, Wd},
    pending::Pending,
    scan::{Effort, Ground, Visit, Workers, open_below, scan},
    signal::Signal,
    table::Fit,
};

/// The watched directories, and what changed in them.
#[derive(Debug)]
pub(super) struct View {
    ground: Ground,
    map: Map,
    pub(super) pending: Pending,
    stop: Arc<Signal>,
}

/// Whether the view is still complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Sight {
    Clear,
    /// Changes may have been missed: all watches must be set afresh.
    Lost,
}

/// What became of setting all watches afresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rebuilt {
    Complete,
    /// Directories were moved meanwhile: it must be done again.
    Torn,
    /// Not everything could be watched.
    Partial,
    /// There is nothing to watch any more.
    Gone,
}

/// A name in a watched directory that an event is about.
#[derive(Clone, Copy, Debug)]
struct Entry<'a> {
    watch: Wd,
    name: &'a [u8],
    judged: Judged,
}

impl View {
    pub(super) fn new(ground: Ground, map: Map, stop: Arc<Signal>) -> Self {
        Self { ground, map, pending: Pending::default(), stop }
    }

    pub(super) fn inotify(&self) -> &Arc<Inotify> {
        &self.ground.inotify
    }

    /// Tells whether the workspace's root is watched and nothing in it is known.
    pub(super) fn is_root_empty(&self) -> bool {
        let base = self.map.table.get(self.map.base);
        base.is_some_and(|base| base.path.is_root() && base.names.is_empty())
    }

    /// Tells whether the workspace's root was watched and has been removed.
    pub(super) fn is_root_removed(&self) -> bool {
        self.is_root_empty() && fstat(&self.ground.root).is_ok_and(|stat| stat.st_nlink == 0)
    }

    /// Takes in one event of the kernel.
    pub(super) fn take_in(&mut self, event: &Event<'_>) -> Sight {
        let flags = event.events();
        if flags.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
            return Sight::Lost;
        }
        let Some(watch) = Wd::new(event.wd()) else { return Sight::Clear };
        if flags.contains(ReadFlags::IGNORED) {
            return self.watch_ended(watch);
        }
        // An event without a name is about the directory itself; its parent's watch
        // brought the same with a name.
        let Some(name) = event.file_name() else { return Sight::Clear };
        let name = name.to_bytes();
        match self.map.way.get(&watch) {
            Some(next) => {
                let base_changed = **next == *name && !flags.contains(ReadFlags::CLOSE_WRITE);
                let lost = base_changed || self.ground.scope.rules_change_with(name);
                if lost { Sight::Lost } else { Sight::Clear }
            }
            None => self.entry_changed(watch, name, flags),
        }
    }

    /// The kernel ended a watch: its directory is gone, or we ended it ourselves.
    fn watch_ended(&mut self, watch: Wd) -> Sight {
        let needed = watch == self.map.base || self.map.way.contains_key(&watch);
        self.remove_tree(watch);
        if needed { Sight::Lost } else { Sight::Clear }
    }

    fn entry_changed(&mut self, watch: Wd, name: &[u8], flags: ReadFlags) -> Sight {
        let scope = &self.ground.scope;
        let Some(dir) = self.map.table.get(watch) else { return Sight::Clear };
        let kind = if flags.contains(ReadFlags::ISDIR) { Kind::Dir } else { Kind::File };
        let entry = Entry { watch, name, judged: scope.judge(dir, name, kind) };
        // A half-written ignore file could let everything in for a moment.
        let half_way = flags.intersects(ReadFlags::MODIFY | ReadFlags::ATTRIB);
        let rules_changed = scope.rules_change_with(name) && !half_way;
        let sight = if entry.judged.counts { self.apply(entry, flags) } else { Sight::Clear };
        if rules_changed { Sight::Lost } else { sight }
    }

    fn apply(&mut self, entry: Entry<'_>, flags: ReadFlags) -> Sight {
        if flags.contains(ReadFlags::CREATE) {
            return self.made(entry);
        }
        if flags.contains(ReadFlags::MOVED_TO) {
            return self.moved_in(entry);
        }
        if flags.contains(ReadFlags::DELETE) {
            self.gone(entry);
            return Sight::Clear;
        }
        if flags.contains(ReadFlags::MOVED_FROM) {
            self.gone(entry);
            return self.look_again(entry);
        }
        self.note(entry, Change::Modified);
        // A directory that could not be read may have become readable.
        self.enter(entry)
    }

    fn made(&mut self, entry: Entry<'_>) -> Sight {
        // A name that is known was found by a listing after it was made.
        if !self.knows(entry) {
            self.note(entry, Change::Created);
        }
        self.enter(entry)
    }

    fn moved_in(&mut self, entry: Entry<'_>) -> Sight {
        let change = if self.knows(entry) { Change::Modified } else { Change::Created };
        // A directory can only take the place of an empty one.
        self.unwatch(entry);
        self.note(entry, change);
        self.enter(entry)
    }

    fn gone(&mut self, entry: Entry<'_>) {
        self.unwatch(entry);
        self.note(entry, Change::Deleted);
    }

    /// Looks whether something else is at a name that was moved away.
    ///
    /// When two names are exchanged, the kernel tells of what came to a name before
    /// it tells of what went from it.
    fn look_again(&mut self, entry: Entry<'_>) -> Sight {
        let Entry { watch, name, .. } = entry;
        let Some(dir) = self.map.table.get(watch) else { return Sight::Clear };
        let there = open_below(self.ground.root.as_fd(), &dir.path)
            .and_then(|dir| statat(dir, name, AtFlags::SYMLINK_NOFOLLOW));
        let Ok(stat) = there else { return Sight::Clear };
        let is_dir = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        let kind = if is_dir { Kind::Dir } else { Kind::File };
        let judged = self.ground.scope.judge(dir, name, kind);
        if judged.counts { self.made(Entry { judged, ..entry }) } else { Sight::Clear }
    }

    fn knows(&self, entry: Entry<'_>) -> bool {
        self.map.table.get(entry.watch).is_some_and(|dir| dir.names.contains(entry.name))
    }

    /// Takes a change in, and with it whether the name is there.
    fn note(&mut self, entry: Entry<'_>, change: Change) {
        let Some(dir) = self.map.table.get_mut(entry.watch) else { return };
        match change {
            Change::Created | Change::Modified => dir.names.insert(entry.name),
            Change::Deleted => drop(dir.names.remove(entry.name)),
        }
        if let Some(path) = dir.entry(entry.name) {
            self.pending.note(path, change);
        }
    }

    /// Ends the watches at and below a name, and tells what was known there.
    fn unwatch(&mut self, entry: Entry<'_>) {
        let dir = self.map.table.get(entry.watch);
        if let Some(watch) = dir.and_then(|dir| dir.names.watch_of(entry.name)) {
            self.remove_tree(watch);
        }
    }

    fn remove_tree(&mut self, top: Wd) {
        let pending = &mut self.pending;
        let mut gone = |path: WsPath| pending.note(path, Change::Deleted);
        self.map.table.remove_tree(top, &self.ground.inotify, &mut gone);
    }

    /// Watches a directory that is to be watched and is not yet, and tells what is
    /// already in it.
    fn enter(&mut self, entry: Entry<'_>) -> Sight {
        let Some(dir) = self.map.table.get(entry.watch) else { return Sight::Clear };
        if !entry.judged.enters || dir.names.watch_of(entry.name).is_some() {
            return Sight::Clear;
        }
        let Some(path) = dir.entry(entry.name) else { return Sight::Clear };
        let (parent, ignores) = (Some(entry.watch), dir.ignores.clone());
        let visit = Visit { path, parent, ignores, holder: None, depth: 0 };
        let room = self.ground.room.saturating_sub(self.map.table.len());
        let effort = Effort { workers: Workers::One, room, stop: self.stop.flag() };
        let scanned = scan(&self.ground, visit, effort);
        let found: Vec<Wd> = scanned.dirs.iter().map(|(watch, _)| *watch).collect();
        let pending = &mut self.pending;
        let mut gone = |path: WsPath| pending.note(path, Change::Deleted);
        let fit = self.map.table.adopt(scanned.dirs, &self.ground.inotify, &mut gone);
        for dir in found.into_iter().filter_map(|watch| self.map.table.get(watch)) {
            dir.entries().for_each(|path| self.pending.note(path, Change::Created));
        }
        let whole = fit == Fit::Whole && scanned.failure.is_none();
        if whole { Sight::Clear } else { Sight::Lost }
    }

    /// Sets all watches afresh: the readers must look for themselves.
    pub(super) fn rebuild(&mut self) -> Rebuilt {
        let effort =
            Effort { workers: Workers::All, room: self.ground.room, stop: self.stop.flag() };
        match establish(&self.ground, effort) {
            Ok((map, failure)) => {
                let old = std::mem::replace(&mut self.map, map);
                old.retire(&self.map, &self.ground);
                self.pending.lose();
                match failure {
                    None => Rebuilt::Complete,
                    Some(Errno::AGAIN) => Rebuilt::Torn,
                    Some(_) => Rebuilt::Partial,
                }
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {
                self.base_is_gone();
                Rebuilt::Gone
            }
            Err(_) => {
                self.pending.lose();
                Rebuilt::Partial
            }
        }
    }

    fn base_is_gone(&mut self) {
        self.remove_tree(self.map.base);
        let scope = &self.ground.scope;
        if scope.only.is_none() {
            self.pending.note(scope.base.clone(), Change::Deleted);
        }
    }
}
