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
use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, openat, stat, statat};

/// How long it may go unnoticed that a directory above was moved away. Meanwhile the files
/// are those that were opened: nobody gets others.
const ABOVE: Duration = Duration::from_millis(10);

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
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let parent = path.parent().zip(path.file_name()).and_then(|(parent, name)| {
            let parent = openat(CWD, parent, flags, Mode::empty()).ok()?;
            Some((parent, name.to_owned()))
        });
        let (began, looked_at) = (Instant::now(), AtomicU64::new(0));
        Some(Self { path: path.to_owned(), identity, parent, began, looked_at })
    }

    /// Tells whether the same is there still.
    ///
    /// It is asked for every call, and most of a long path is others' to move, which happens
    /// seldom: so its last name is looked at each time, and the whole of it now and then.
    pub(super) fn is_there(&self) -> bool {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let looked_at = self.looked_at.load(Ordering::Relaxed);
        let found = match &self.parent {
            Some((parent, name)) if u128::from(now - looked_at.min(now)) < ABOVE.as_millis() => {
                statat(parent, name, AtFlags::empty())
            }
            Some(_) | None => {
                self.looked_at.store(now, Ordering::Relaxed);
                stat(&self.path)
            }
        };
        found.is_ok_and(|found| identity(&found) == self.identity)
    }
}

fn identity(stat: &Stat) -> Identity {
    (stat.st_dev, stat.st_ino)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test sets its own scene")]
mod tests {
    use std::fs;

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
