//! Where a directory was opened, and whether it still is there.

use std::{
    collections::HashMap,
    ffi::OsString,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use garth_gateway::AgentId;
use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, Stat, fstat, openat, stat, statat},
    time::{ClockId, clock_gettime},
};

/// How long it may go unnoticed that a directory above was moved away. Meanwhile the files
/// are those that were opened: nobody gets others.
const ABOVE: Duration = Duration::from_millis(10);

/// A change that is older than this shows in the time of the next one: kernels count these
/// times in ticks of up to ten milliseconds.
const SETTLED: Duration = Duration::from_millis(50);

/// Which directory is open for each agent, as long as what was opened in it is there: each holds
/// a handle, and agents come and go.
pub(super) struct Places<W>(Mutex<HashMap<AgentId, Opened<W>>>);

/// What was opened, and where.
type Opened<W> = (Weak<W>, Arc<Place>);

impl<W> Places<W> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(HashMap::new()))
    }

    /// Remembers where something was opened, and forgets what is no longer open.
    pub(super) fn put(&self, id: AgentId, opened: &Arc<W>, place: Option<Place>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, (opened, _)| opened.strong_count() > 0);
        all.extend(place.map(|place| (id, (Arc::downgrade(opened), Arc::new(place)))));
    }

    /// Tells whether the directory of an agent is the one that was opened; one of which nothing
    /// is known is.
    pub(super) fn is_there(&self, id: &AgentId) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all.get(id).map(|(_, place)| Arc::clone(place));
        drop(all);
        place.is_none_or(|place| place.is_there())
    }
}

/// A directory as it was found at a path.
pub(super) struct Place {
    path: PathBuf,
    identity: Identity,
    /// The directory that it is in, and its name there.
    parent: Option<(OwnedFd, OsString)>,
    /// The directory itself.
    own: Option<OwnedFd>,
    /// When it was last changed before it was last found by its name, in nanoseconds; 0 where
    /// that says nothing about the next change.
    found: AtomicU64,
    began: Instant,
    /// When the whole path was last looked at, in milliseconds since then.
    looked_at: AtomicU64,
}

/// What tells two directories apart: the device and the number there.
type Identity = (u64, u64);

impl Place {
    /// What is at a path now, if anything is.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let identity = identity(&stat(path).ok()?);
        // Of a link to a directory, what is changed when it comes to lead elsewhere is the link.
        let (own, found) = (open_dir(path, OFlags::NOFOLLOW), AtomicU64::new(0));
        let own = own.filter(|own| fstat(own).is_ok_and(|stat| self::identity(&stat) == identity));
        let parent = path
            .parent()
            .zip(path.file_name())
            .and_then(|(parent, name)| Some((open_dir(parent, OFlags::empty())?, name.to_owned())));
        let (began, looked_at) = (Instant::now(), AtomicU64::new(0));
        let path = path.to_owned();
        Some(Self { path, identity, parent, own, found, began, looked_at })
    }

    /// Tells whether the same is there still.
    ///
    /// It is asked for every call, and most of a long path is others' to move, which happens
    /// seldom: so the whole of it is looked at now and then, and the directory itself each time.
    /// One that is removed or gets another name is changed by that; so its name is looked at only
    /// where it was changed, which takes several times as long.
    pub(super) fn is_there(&self) -> bool {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let looked_at = self.looked_at.load(Ordering::Relaxed);
        let changed = self.changed();
        let found = match &self.parent {
            Some((parent, name)) if u128::from(now - looked_at.min(now)) < ABOVE.as_millis() => {
                if changed.is_some_and(|changed| changed == self.found.load(Ordering::Relaxed)) {
                    return true;
                }
                statat(parent, name, AtFlags::empty())
            }
            Some(_) | None => {
                self.looked_at.store(now, Ordering::Relaxed);
                stat(&self.path)
            }
        };
        let is_there = found.is_ok_and(|found| identity(&found) == self.identity);
        let found = changed.filter(|changed| is_there && is_settled(*changed));
        self.found.store(found.unwrap_or(0), Ordering::Relaxed);
        is_there
    }

    /// When the directory was last changed, or given another name, in nanoseconds.
    fn changed(&self) -> Option<u64> {
        let stat = fstat(self.own.as_ref()?).ok()?;
        nanoseconds(stat.st_ctime, i64::try_from(stat.st_ctime_nsec).ok()?)
    }
}

/// Whether another change now would have another time.
fn is_settled(changed: u64) -> bool {
    let now = clock_gettime(ClockId::RealtimeCoarse);
    let now = nanoseconds(now.tv_sec, now.tv_nsec);
    let since = now.and_then(|now| now.checked_sub(changed));
    since.is_some_and(|since| Duration::from_nanos(since) > SETTLED)
}

fn nanoseconds(seconds: i64, more: i64) -> Option<u64> {
    u64::try_from(seconds.checked_mul(1_000_000_000)?.checked_add(more)?).ok()
}

/// A handle that shows a directory, and keeps it from nothing.
fn open_dir(path: &Path, how: OFlags) -> Option<OwnedFd> {
    let flags = how | OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(CWD, path, flags, Mode::empty()).ok()
}

fn identity(stat: &Stat) -> Identity {
    (stat.st_dev, stat.st_ino)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test sets its own scene")]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf, Place) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("above/own");
        fs::create_dir_all(&path).unwrap();
        let place = Place::of(&path).unwrap();
        assert!(place.is_there());
        (dir, path, place)
    }

    #[test]
    fn one_that_is_removed_or_replaced_is_noticed_at_once() {
        for again in [false, true] {
            let (dir, path, place) = place();
            fs::rename(&path, dir.path().join("elsewhere")).unwrap();
            if again {
                fs::create_dir(&path).unwrap();
            }
            assert!(!place.is_there(), "{again}");
            fs::remove_dir_all(&path).unwrap_or_default();
            fs::rename(dir.path().join("elsewhere"), &path).unwrap();
            assert!(place.is_there(), "it is back");
        }
    }

    #[test]
    fn one_that_has_not_changed_for_a_while_is_not_looked_at_by_its_name() {
        let (dir, path, place) = place();
        let settled = |place: &Place| place.found.load(Ordering::Relaxed) != 0;
        let begun = Instant::now();
        while !settled(&place) {
            assert!(place.is_there() && begun.elapsed() < Duration::from_secs(10));
        }
        // Now its own change alone shows it.
        for round in 0..5 {
            let elsewhere = dir.path().join("elsewhere");
            fs::rename(&path, &elsewhere).unwrap();
            assert!(!place.is_there(), "{round}");
            assert!(!settled(&place));
            fs::rename(&elsewhere, &path).unwrap();
            while !settled(&place) {
                assert!(place.is_there() && begun.elapsed() < Duration::from_secs(10));
            }
        }
        fs::remove_dir(&path).unwrap();
        assert!(!place.is_there());
    }

    #[test]
    fn a_link_that_comes_to_lead_elsewhere_is_noticed_at_once() {
        let (dir, path, _) = place();
        let (link, other) = (dir.path().join("link"), dir.path().join("other"));
        fs::create_dir(&other).unwrap();
        symlink(&path, &link).unwrap();
        let place = Place::of(&link).unwrap();
        assert!(place.own.is_none() && place.is_there());
        fs::remove_file(&link).unwrap();
        symlink(&other, &link).unwrap();
        assert!(!place.is_there());
    }

    #[test]
    fn what_is_no_longer_open_keeps_no_handle() {
        let (_one_dir, one_path, one) = place();
        let (_two_dir, _, two) = place();
        let [first, second] = ["a", "b"].map(|id| AgentId::parse(id).unwrap());
        let (places, opened) = (Places::new(), Arc::new(()));
        places.put(first.clone(), &opened, Some(one));
        fs::remove_dir(one_path).unwrap();
        assert!(!places.is_there(&first));
        places.put(second.clone(), &Arc::new(()), Some(two));
        assert_eq!(places.0.lock().unwrap().len(), 2);
        drop(opened);
        let (_three_dir, _, three) = place();
        places.put(second.clone(), &Arc::new(()), Some(three));
        let left: Vec<_> = places.0.lock().unwrap().keys().cloned().collect();
        assert_eq!(left, [second], "what the first one held is let go");
        assert!(places.is_there(&first), "nothing is known of it any more");
    }

    #[test]
    fn one_whose_parent_is_moved_is_noticed_when_the_whole_path_is_looked_at() {
        let (dir, _, place) = place();
        fs::rename(dir.path().join("above"), dir.path().join("moved")).unwrap();
        let begun = Instant::now();
        while place.is_there() {
            assert!(begun.elapsed() < Duration::from_secs(10), "nobody noticed");
        }
    }
}
