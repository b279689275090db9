//! Which directories a system has, as far as a sandbox's own system needs to know.
//!
//! To read them all takes ten times as long as to look whether one of them has changed, so
//! what was found is kept for the sandboxes that come after, and is used as long as every
//! directory is still what it was.

use std::{
    collections::{HashMap, VecDeque},
    ffi::CString,
    fs,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, CWD, Mode, OFlags, Stat, openat, statat},
};

/// How deep directories are made the user's own: `/usr/lib/python3/dist-packages/x` is.
const DEEPEST: usize = 4;

/// How many of one directory of the system; the rest of a larger one is as it was.
const MOST: usize = 16 << 10;

/// What everybody may do with a directory that is made the user's own: look and enter.
const OPEN: u32 = 0o005;

/// Of how many directories of systems is kept what is below: each system has one or two.
const MOST_KEPT: usize = 16;

/// What changed this short a time ago may change once more without a later time.
const SETTLED: Duration = Duration::from_secs(2);

/// What is below one directory of a system.
#[derive(Debug)]
pub(crate) struct Survey {
    /// All directories that were looked at, parents first, the one itself included.
    seen: Vec<Seen>,
}

#[derive(Debug)]
struct Seen {
    /// From where the directory itself is.
    at: CString,
    stamp: Stamp,
    /// Whether it is below, in the same file system, and everybody may look into it.
    is_open: bool,
}

/// By which a directory is known that has not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    /// When names in it, its mode or its owner changed last.
    changed: (i64, i64),
}

static KEPT: LazyLock<Mutex<HashMap<PathBuf, Arc<Survey>>>> = LazyLock::new(Mutex::default);

/// What is below a directory of a system now.
pub(crate) fn survey(top: &Path, name: &str) -> Arc<Survey> {
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let found = kept().get(top).cloned();
    if let Some(survey) = found.filter(|survey| survey.still_holds(top)) {
        return survey;
    }
    let now = SystemTime::now();
    let survey = Arc::new(Survey { seen: look(top, name) });
    let mut kept = kept();
    kept.remove(top);
    if survey.is_settled(now) && kept.len() < MOST_KEPT {
        kept.insert(top.to_owned(), Arc::clone(&survey));
    }
    survey
}

impl Survey {
    /// The directories below that everybody may look into, by their paths from the name of
    /// the one above all; parents come first.
    pub(crate) fn open(&self) -> impl Iterator<Item = &CString> {
        self.seen.iter().filter(|seen| seen.is_open).map(|seen| &seen.at)
    }

    /// Whether every directory is as it was.
    fn still_holds(&self, top: &Path) -> bool {
        let Some(above) = top.parent().and_then(open) else { return false };
        self.seen.iter().all(|seen| {
            let now = statat(&above, &*seen.at, AtFlags::SYMLINK_NOFOLLOW);
            now.is_ok_and(|now| Stamp::of(&now) == seen.stamp)
        })
    }

    /// Whether a change after this time would show.
    fn is_settled(&self, now: SystemTime) -> bool {
        let Ok(now) = now.duration_since(UNIX_EPOCH) else { return false };
        let before = now.saturating_sub(SETTLED).as_secs();
        let settled = |seen: &Seen| u64::try_from(seen.stamp.changed.0).is_ok_and(|at| at < before);
        !self.seen.is_empty() && self.seen.iter().all(settled)
    }
}

impl Stamp {
    fn of(stat: &Stat) -> Self {
        let changed = (stat.st_ctime, i64::try_from(stat.st_ctime_nsec).unwrap_or(0));
        Self { device: stat.st_dev, inode: stat.st_ino, changed }
    }

    fn of_entry(meta: &fs::Metadata) -> Self {
        let changed = (meta.ctime(), meta.ctime_nsec());
        Self { device: meta.dev(), inode: meta.ino(), changed }
    }
}

fn open(directory: &Path) -> Option<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(CWD, directory, flags, Mode::empty()).ok()
}

/// Reads the directories; each is known as it was before it was read.
fn look(top: &Path, name: &str) -> Vec<Seen> {
    let (Ok(meta), Ok(at)) = (fs::symlink_metadata(top), CString::new(name)) else {
        return Vec::new();
    };
    let device = meta.dev();
    let mut seen = vec![Seen { at, stamp: Stamp::of_entry(&meta), is_open: false }];
    let mut ahead = VecDeque::from([(top.to_owned(), name.as_bytes().to_vec(), 0)]);
    while let Some((path, at, depth)) = ahead.pop_front() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let Ok(meta) = entry.metadata() else { continue };
            let is_open = meta.dev() == device && meta.mode() & OPEN == OPEN;
            let below = [&at, &b"/"[..], entry.file_name().as_bytes()].concat();
            if seen.len() > MOST {
                return seen;
            }
            let Ok(at) = CString::new(below.clone()) else { continue };
            seen.push(Seen { at, stamp: Stamp::of_entry(&meta), is_open });
            if is_open && depth + 1 < DEEPEST {
                ahead.push_back((entry.path(), below, depth + 1));
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{Permissions, create_dir, create_dir_all, set_permissions},
        os::unix::fs::PermissionsExt,
    };

    use super::*;

    fn names(survey: &Survey) -> Vec<&str> {
        let mut names: Vec<_> = survey.open().map(|at| at.to_str().unwrap()).collect();
        names.sort_unstable();
        names
    }

    type Change = fn(&Path);

    /// Waits for the clock by which the kernel stamps changes, which moves in steps.
    fn until_stamps_move(dir: &Path) {
        let stamp = || {
            fs::write(dir.join("clock"), "").unwrap();
            let meta = fs::metadata(dir.join("clock")).unwrap();
            (meta.mtime(), meta.mtime_nsec())
        };
        let now = stamp();
        while stamp() == now {}
    }

    #[test]
    fn directories_are_found_that_everybody_may_look_into() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("usr");
        create_dir_all(top.join("a/b/c/d/e")).unwrap();
        create_dir_all(top.join("closed/f")).unwrap();
        set_permissions(top.join("closed"), Permissions::from_mode(0o700)).unwrap();
        fs::write(top.join("file"), "").unwrap();
        let survey = survey(&top, "usr");
        assert_eq!(names(&survey), ["usr/a", "usr/a/b", "usr/a/b/c", "usr/a/b/c/d"]);
    }

    #[test]
    fn what_was_found_holds_until_a_directory_changes() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("usr");
        let changes: [(&str, Change); 4] = [
            ("nothing", |_| {}),
            ("one more", |top| create_dir(top.join("a/more")).unwrap()),
            ("closed", |top| {
                set_permissions(top.join("a/b"), Permissions::from_mode(0o700)).unwrap();
            }),
            ("another", |top| {
                fs::rename(top, top.with_file_name("old")).unwrap();
                create_dir_all(top.join("a/b")).unwrap();
            }),
        ];
        create_dir_all(top.join("a/b")).unwrap();
        for (what, change) in changes {
            let survey = Survey { seen: look(&top, "usr") };
            assert!(survey.still_holds(&top));
            until_stamps_move(dir.path());
            change(&top);
            assert_eq!(survey.still_holds(&top), what == "nothing", "{what}");
        }
    }

    #[test]
    fn what_has_just_changed_is_not_kept() {
        let dir = tempfile::tempdir().unwrap();
        let survey = Survey { seen: look(dir.path(), "usr") };
        assert!(!survey.is_settled(SystemTime::now()));
        assert!(survey.is_settled(SystemTime::now() + 2 * SETTLED));
    }
}
