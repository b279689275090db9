//! Sets all watches of one watch, at its start and again after events were lost.

use std::{collections::HashMap, os::fd::AsFd};

use garth_contract::WsPath;
use garth_search::Ignores;
use rustix::{
    fs::fstat,
    io::{Errno, Result},
};

use super::{
    inotify::{Attention, Wd},
    scan::{Effort, Ground, Visit, scan},
    table::{Fit, Table},
};
use crate::descend::open_dir;

/// Everything that is watched.
#[derive(Debug)]
pub(super) struct Map {
    pub(super) table: Table,
    /// The directories on the way from the root to the base, each with the name
    /// that the way takes there: moving one of them takes the base away.
    pub(super) way: HashMap<Wd, Box<[u8]>>,
    pub(super) base: Wd,
}

impl Map {
    /// Ends the watches that another map has not.
    pub(super) fn retire(&self, successor: &Self, ground: &Ground) {
        let kept =
            |watch| successor.table.get(watch).is_some() || successor.way.contains_key(&watch);
        let all = self.table.watches().chain(self.way.keys().copied());
        all.filter(|watch| !kept(*watch)).for_each(|watch| ground.inotify.unwatch(watch));
    }
}

/// Sets all watches, and says why they are not complete, if they are not.
///
/// `AGAIN` says that directories were moved meanwhile.
///
/// # Errors
/// Whatever keeps the base itself from being watched.
pub(super) fn establish(ground: &Ground, effort: Effort<'_>) -> Result<(Map, Option<Errno>)> {
    // A removed directory can still be opened by who holds its handle.
    if fstat(&ground.root)?.st_nlink == 0 {
        return Err(Errno::NOENT);
    }
    let base = &ground.scope.base;
    let mut way = HashMap::new();
    let mut ignores = Ignores::none();
    let mut path = WsPath::root();
    let mut dir = open_dir(&ground.root, b".")?;
    for name in base.components() {
        way.insert(ground.inotify.watch(dir.as_fd(), Attention::Entries)?, name.into());
        ignores = ground.scope.ignores(dir.as_fd(), &path, &ignores);
        dir = open_dir(&dir, name)?;
        path = path.join(name).map_err(|_| Errno::NAMETOOLONG)?;
    }
    let top = Visit { path, parent: None, ignores, holder: None, depth: 0 };
    let scanned = scan(ground, top, effort);
    let Some((first, _)) = scanned.dirs.first() else {
        return Err(scanned.failure.unwrap_or(Errno::NOENT));
    };
    let mut map = Map { table: Table::default(), way, base: *first };
    let fit = map.table.adopt(scanned.dirs, &ground.inotify, &mut |_| {});
    let torn = (fit == Fit::Torn).then_some(Errno::AGAIN);
    Ok((map, scanned.failure.or(torn)))
}
