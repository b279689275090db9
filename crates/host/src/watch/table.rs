//! The watched directories, by the number of their watch.

use std::collections::{HashMap, HashSet};

use garth_contract::WsPath;
use garth_search::{Fold, Ignores};

use super::{
    inotify::{Inotify, Wd},
    names::Names,
};

/// One watched directory.
#[derive(Debug)]
pub(super) struct Dir {
    pub(super) path: WsPath,
    /// The watch of the directory that holds it; the base has none.
    pub(super) parent: Option<Wd>,
    /// The entries that count.
    pub(super) names: Names,
    /// The ignore rules that hold for its entries.
    pub(super) ignores: Ignores,
    pub(super) fold: Fold,
}

impl Dir {
    /// The path of an entry, as bytes.
    pub(super) fn path_of(&self, name: &[u8]) -> Vec<u8> {
        let dir = self.path.as_bytes();
        let mut path = Vec::with_capacity(dir.len() + 1 + name.len());
        path.extend_from_slice(dir);
        if !dir.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        path
    }

    /// The path of an entry; one too long to be named by anybody has none.
    pub(super) fn entry(&self, name: &[u8]) -> Option<WsPath> {
        WsPath::from_bytes(&self.path_of(name)).ok()
    }

    /// The paths of all entries that are known.
    pub(super) fn entries(&self) -> impl Iterator<Item = WsPath> {
        self.names.iter().filter_map(|(name, _)| self.entry(name))
    }
}

/// All watched directories of one watch.
///
/// Each one but the base is attached: the directory that holds it knows its watch
/// by its name. So whatever happens to a name reaches everything below it.
#[derive(Debug, Default)]
pub(super) struct Table {
    dirs: HashMap<Wd, Dir>,
}

impl Table {
    pub(super) fn get(&self, watch: Wd) -> Option<&Dir> {
        self.dirs.get(&watch)
    }

    pub(super) fn get_mut(&mut self, watch: Wd) -> Option<&mut Dir> {
        self.dirs.get_mut(&watch)
    }

    pub(super) fn len(&self) -> usize {
        self.dirs.len()
    }

    pub(super) fn watches(&self) -> impl Iterator<Item = Wd> {
        self.dirs.keys().copied()
    }

    /// Takes in directories that a scan found, and tells what is gone by that.
    ///
    /// The kernel gives a directory the watch it has, so one that was known elsewhere
    /// has moved, and its event is still to come.
    pub(super) fn adopt(
        &mut self,
        found: Found,
        inotify: &Inotify,
        gone: &mut dyn FnMut(WsPath),
    ) -> Fit {
        let order: Vec<Wd> = found.iter().map(|(watch, _)| *watch).collect();
        let fresh: HashSet<Wd> = order.iter().copied().collect();
        // What a scan met twice was moved under its eyes.
        let mut fit = if fresh.len() == order.len() { Fit::Whole } else { Fit::Torn };
        self.dirs.reserve(found.len());
        let known: Vec<(Wd, Dir)> = found
            .into_iter()
            .filter_map(|(watch, dir)| Some((watch, self.dirs.insert(watch, dir)?)))
            .collect();
        let mut astray = Vec::new();
        for watch in order {
            match self.attach(watch) {
                Attached::Here(before) => astray.extend(before),
                Attached::Nowhere => astray.push(watch),
            }
        }
        for (watch, old) in known {
            self.vacate(watch, &old, gone);
            for below in old.names.iter().filter_map(|(_, below)| below) {
                if !fresh.contains(&below) {
                    self.remove_tree(below, inotify, gone);
                }
            }
        }
        for watch in astray {
            if self.is_unattached(watch) {
                self.remove_tree(watch, inotify, gone);
                fit = Fit::Torn;
            }
        }
        fit
    }

    /// Has a directory known by the one that holds it.
    fn attach(&mut self, watch: Wd) -> Attached {
        let Some(dir) = self.dirs.get(&watch) else { return Attached::Nowhere };
        let Some(holder) = dir.parent else { return Attached::Here(None) };
        let path = dir.path.clone();
        match (self.dirs.get_mut(&holder), path.name()) {
            (Some(holder), Some(name))
                if path.below(&holder.path) == Some(name) && holder.names.contains(name) =>
            {
                let before = holder.names.watch_of(name);
                holder.names.set_watch(name, Some(watch));
                Attached::Here(before)
            }
            _ => Attached::Nowhere,
        }
    }

    fn is_unattached(&self, watch: Wd) -> bool {
        let Some(dir) = self.dirs.get(&watch) else { return false };
        let (Some(holder), Some(name)) = (dir.parent, dir.path.name()) else { return false };
        let holder = self.dirs.get(&holder);
        holder.is_none_or(|holder| holder.names.watch_of(name) != Some(watch))
    }

    /// Clears the place where a directory was known, unless it still is there.
    fn vacate(&mut self, watch: Wd, old: &Dir, gone: &mut dyn FnMut(WsPath)) {
        let here = self.dirs.get(&watch).filter(|now| now.path == old.path);
        let is_left = |name: &[u8]| here.is_some_and(|now| now.names.contains(name));
        let left = old.names.iter().filter(|(name, _)| !is_left(name));
        left.filter_map(|(name, _)| old.entry(name)).for_each(gone);
        if here.is_none() {
            self.detach(watch, old);
        }
    }

    fn detach(&mut self, watch: Wd, dir: &Dir) {
        if let (Some(holder), Some(name)) = (dir.parent, dir.path.name())
            && let Some(holder) = self.dirs.get_mut(&holder)
            && holder.names.watch_of(name) == Some(watch)
        {
            holder.names.set_watch(name, None);
        }
    }

    /// Ends the watches of a directory and of all below it.
    ///
    /// Each entry that was known below it is told, those of a directory before it.
    pub(super) fn remove_tree(&mut self, top: Wd, inotify: &Inotify, gone: &mut dyn FnMut(WsPath)) {
        let mut removed = Vec::new();
        let mut next = vec![top];
        while let Some(watch) = next.pop() {
            let Some(dir) = self.dirs.remove(&watch) else { continue };
            inotify.unwatch(watch);
            if watch == top {
                self.detach(watch, &dir);
            }
            next.extend(dir.names.iter().filter_map(|(_, below)| below));
            removed.push(dir);
        }
        for dir in removed.iter().rev() {
            dir.entries().for_each(&mut *gone);
        }
    }
}

/// Directories with their watches, in the order in which a scan met them.
pub(super) type Found = Vec<(Wd, Dir)>;

/// Whether what a scan found fits together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Fit {
    Whole,
    /// Directories were moved during the scan, and not all are watched.
    Torn,
}

enum Attached {
    /// In its place, where this directory was known before.
    Here(Option<Wd>),
    /// The directory that should hold it does not.
    Nowhere,
}
