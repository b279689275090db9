//! Which entries a watch tells of, and which directories it watches.

use std::{
    os::fd::{BorrowedFd, OwnedFd},
    sync::Arc,
};

use garth_contract::{
    Facts, Ignored, Kind, Kinds, Order, Query, Result, WatchSpec, WsPath, is_temporary,
};
use garth_search::{Filter, Fold, IgnoreFiles, Ignores, Judged, MAX_IGNORE_FILE, Met, Rules};
use rustix::{
    fs::{FileType, Mode, OFlags, fstat, openat},
    io::{Errno, read},
};

use super::table::Dir;
use crate::tree::fold_of;

const IGNORE: &[u8] = b".ignore";
const GITIGNORE: &[u8] = b".gitignore";

/// What a watch is about, compiled.
#[derive(Debug)]
pub(super) struct Scope {
    /// The directory that is watched.
    pub(super) base: WsPath,
    /// The one entry of it that counts, for a watch of something else than a directory.
    pub(super) only: Option<Box<[u8]>>,
    filter: Filter,
    ignored: Ignored,
    rules: Arc<Rules>,
}

impl Scope {
    /// Watches a directory.
    pub(super) fn dir(base: WsPath, spec: &WatchSpec, rules: Arc<Rules>) -> Result<Self> {
        let filter = Filter::compile(&Query {
            base: base.clone(),
            reach: spec.reach,
            include: Vec::new(),
            exclude: Vec::new(),
            kinds: Kinds::All,
            hidden: spec.hidden,
            ignored: spec.ignored,
            grep: None,
            facts: Facts::Names,
            order: Order::Path,
            skip: 0,
            take: u64::MAX,
            after: None,
        })?;
        Ok(Self { base, only: None, filter, ignored: spec.ignored, rules })
    }

    /// Watches one entry of a directory, which was named and so counts in any case.
    pub(super) fn entry(self, name: &[u8]) -> Self {
        Self { only: Some(name.into()), ..self }
    }

    /// Decides about an entry of a watched directory.
    pub(super) fn judge(&self, dir: &Dir, name: &[u8], kind: Kind) -> Judged {
        const PASSED: Judged = Judged { counts: false, enters: false };
        if is_temporary(name) {
            return PASSED;
        }
        if let Some(only) = &self.only {
            return Judged { counts: **only == *name, enters: false };
        }
        let path = dir.path_of(name);
        if !self.rules.is_empty() && self.rules.denies_entry(&path, dir.fold, kind.into()) {
            return PASSED;
        }
        let judged = self.filter.judge(&Met { path: &path, name, kind }, &dir.ignores);
        // Each command of git writes there; only who asks for everything gets that.
        let internals = name == b".git" && self.ignored != Ignored::Include;
        Judged { enters: judged.enters && !internals, ..judged }
    }

    /// Tells whether a change of this name changes what is ignored.
    pub(super) fn rules_change_with(&self, name: &[u8]) -> bool {
        self.reads_ignore_files() && is_ignore_file(name)
    }

    pub(super) fn reads_ignore_files(&self) -> bool {
        self.only.is_none() && self.filter.reads_ignore_files()
    }

    /// The ignore rules in a directory, whose parent's are `above`.
    pub(super) fn ignores(&self, dir: BorrowedFd<'_>, path: &WsPath, above: &Ignores) -> Ignores {
        if !self.reads_ignore_files() {
            return Ignores::none();
        }
        let (ignore, gitignore) = (read_small(dir, IGNORE), read_small(dir, GITIGNORE));
        let files = IgnoreFiles {
            ignore: ignore.as_deref(),
            gitignore: gitignore.as_deref(),
            exclude: None,
        };
        above.below(path.as_bytes(), files)
    }

    /// How the names of a directory compare, as far as a rule needs to know.
    pub(super) fn fold(&self, dir: &OwnedFd) -> Fold {
        if self.rules.is_empty() { Fold::Exact } else { fold_of(dir) }
    }
}

pub(super) fn is_ignore_file(name: &[u8]) -> bool {
    name == IGNORE || name == GITIGNORE
}

/// Reads the beginning of a regular file; anything else has nothing to say.
fn read_small(dir: BorrowedFd<'_>, name: &[u8]) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(dir, name, flags | OFlags::NOCTTY, Mode::empty()).ok()?;
    let stat = fstat(&file).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut content = Vec::new();
    let mut chunk = [0; 8 << 10];
    while content.len() <= MAX_IGNORE_FILE {
        match read(&file, &mut chunk) {
            Ok(0) => break,
            Ok(count) => content.extend_from_slice(chunk.get(..count)?),
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    Some(content)
}
