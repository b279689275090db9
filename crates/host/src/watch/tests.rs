//! Watches of real directories: what is told, what is watched, and when it ends.
//!
//! A test changes files and then makes a last one; all that was told before that
//! one is what the changes brought.

mod directories;
mod ends;
mod entries;
mod limits;
mod outside;
mod scoped;

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    future::{Future, poll_fn},
    os::{fd::OwnedFd, unix::fs::MetadataExt},
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use garth_contract::{Change, Event, Policy};
use tempfile::TempDir;

use super::*;

/// Longer than any machine needs; a test that waits so long has failed.
const DEADLINE: Duration = Duration::from_secs(30);

/// Everything below the root, as most callers want it.
fn everything() -> WatchSpec {
    WatchSpec {
        path: WsPath::root(),
        reach: Reach::Tree,
        hidden: Hidden::Skip,
        ignored: Ignored::Skip,
    }
}

fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

/// A workspace in a directory of its own, and one that is outside of it.
struct Scene {
    home: TempDir,
    watches: Watches,
    /// How many last files were made.
    lasts: AtomicUsize,
}

impl Scene {
    fn new() -> Self {
        Self::with(&Policy::open())
    }

    fn with(policy: &Policy) -> Self {
        let home = TempDir::new().unwrap();
        for name in ["root", "outside"] {
            fs::create_dir(home.path().join(name)).unwrap();
        }
        let root = OwnedFd::from(fs::File::open(home.path().join("root")).unwrap());
        let rules = Arc::new(Rules::compile(policy).unwrap());
        Self { watches: Watches::new(root, rules), home, lasts: AtomicUsize::new(0) }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.home.path().join("root").join(path)
    }

    fn outside(&self, path: &str) -> PathBuf {
        self.home.path().join("outside").join(path)
    }

    /// Makes directories, and then files, at the paths given; `/` ends a directory.
    fn make(&self, paths: &[&str]) {
        for path in paths {
            let place = self.at(path);
            match path.strip_suffix('/') {
                Some(_) => fs::create_dir_all(place).unwrap(),
                None => {
                    fs::create_dir_all(place.parent().unwrap()).unwrap();
                    fs::write(place, "text").unwrap();
                }
            }
        }
    }

    /// Puts a whole file in place by a rename, as a careful program does.
    fn replace(&self, path: &str) {
        fs::write(self.outside("whole"), "new text").unwrap();
        fs::rename(self.outside("whole"), self.at(path)).unwrap();
    }

    fn try_watch(&self, spec: &WatchSpec) -> Result<Watch> {
        self.watches.watch(&spec.path, spec, &AtomicBool::new(false))
    }

    fn watch(&self, spec: &WatchSpec) -> Seen<'_> {
        Seen { scene: self, watch: self.try_watch(spec).unwrap() }
    }

    /// Makes an entry that is told after all others.
    fn make_last(&self, dir: &str) -> Event {
        let last = format!("{dir}last-{}", self.lasts.fetch_add(1, Ordering::Relaxed));
        fs::create_dir(self.at(&last)).unwrap();
        created(&last)
    }

    /// Tells whether a directory is watched by anybody.
    fn is_watched(&self, path: &str) -> bool {
        watched().contains(&fs::metadata(self.at(path)).unwrap().ino())
    }
}

/// A watch of a scene, and what it has told.
struct Seen<'a> {
    scene: &'a Scene,
    watch: Watch,
}

impl Seen<'_> {
    /// The next event; `None` when the stream has ended.
    fn next(&mut self) -> Option<Event> {
        in_time(poll_fn(|context| self.watch.as_mut().poll_next(context)))
    }

    /// All that is told of what was done until now.
    fn events(&mut self) -> Vec<Event> {
        self.events_in("")
    }

    /// The same, for a watch that tells only of what is in one directory.
    fn events_in(&mut self, dir: &str) -> Vec<Event> {
        let mut last = self.scene.make_last(dir);
        let mut events = Vec::new();
        loop {
            match self.next().expect("the stream goes on") {
                event if event == last => return events,
                Event::Overflow => {
                    // The last one may have been lost with the others.
                    last = self.scene.make_last(dir);
                    events.push(Event::Overflow);
                }
                event => events.push(event),
            }
        }
    }

    /// What became of each path in the end, however many moments it took.
    fn outcome(&mut self) -> Vec<(String, Change)> {
        let mut paths: BTreeMap<String, (Change, Change)> = BTreeMap::new();
        for event in self.events() {
            let Event::Changed { path, change } = event else { panic!("{event:?}") };
            paths.entry(path.to_string()).or_insert((change, change)).1 = change;
        }
        let whole = |(path, (first, last))| match (first, last) {
            (Change::Created, Change::Deleted) => None,
            (Change::Created, _) => Some((path, Change::Created)),
            (_, Change::Deleted) => Some((path, Change::Deleted)),
            _ => Some((path, Change::Modified)),
        };
        paths.into_iter().filter_map(whole).collect()
    }

    /// Reads until events were lost.
    fn wait_for_overflow(&mut self) {
        while self.next().expect("the stream goes on") != Event::Overflow {}
    }
}

fn created(text: &str) -> Event {
    Event::Changed { path: path(text), change: Change::Created }
}

fn modified(text: &str) -> Event {
    Event::Changed { path: path(text), change: Change::Modified }
}

fn deleted(text: &str) -> Event {
    Event::Changed { path: path(text), change: Change::Deleted }
}

/// Waits for something that must happen.
fn in_time<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(DEADLINE, future).await.expect("in time") })
}

/// Waits until something holds.
fn until(mut holds: impl FnMut() -> bool) {
    in_time(async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    });
}

/// The inodes of all directories that this process watches.
fn watched() -> HashSet<u64> {
    let mut inodes = HashSet::new();
    for info in fs::read_dir("/proc/self/fdinfo").unwrap().flatten() {
        // A handle that another test closes meanwhile has no text.
        let text = fs::read_to_string(info.path()).unwrap_or_default();
        for line in text.lines().filter(|line| line.starts_with("inotify ")) {
            let inode = line.split(' ').find_map(|field| field.strip_prefix("ino:")).unwrap();
            inodes.insert(u64::from_str_radix(inode, 16).unwrap());
        }
    }
    inodes
}
