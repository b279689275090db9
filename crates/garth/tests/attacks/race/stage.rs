//! The stage of a race: a workspace whose parts change places, and what is outside.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, mkfifoat, openat, renameat_with};
use tempfile::TempDir;

use crate::outside::{Survey, plant};

pub(super) struct Stage {
    _dir: TempDir,
    root: PathBuf,
    outside: PathBuf,
    /// What is outside as it should be; put back, it is another.
    before: Mutex<Survey>,
    pub(super) over: AtomicBool,
}

/// Ends the race, also when a client gives up with a panic.
pub(super) struct End<'a>(&'a Stage);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Relaxed);
    }
}

impl Stage {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (root, outside) = (dir.path().join("root"), dir.path().join("outside"));
        fs::create_dir(&root).unwrap();
        plant(&outside);
        let before = Mutex::new(Survey::of(&outside, None));
        let stage = Self { _dir: dir, root, outside, before, over: AtomicBool::new(false) };
        stage.set_up();
        stage
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn ends_when_dropped(&self) -> End<'_> {
        End(self)
    }

    /// Whether something outside is not as it was; it is put back then.
    pub(super) fn was_harmed(&self) -> bool {
        let mut before = self.before.lock().unwrap();
        if Survey::of(&self.outside, None) == *before {
            return false;
        }
        let _ = fs::remove_dir_all(&self.outside);
        plant(&self.outside);
        *before = Survey::of(&self.outside, None);
        true
    }

    /// Keeps two things changing places under one name, and puts back what was
    /// moved away; gives how often.
    pub(super) fn swap_until_the_end(&self) -> u64 {
        let pairs = [("d", "d.link"), ("f", "f.link"), ("p", "p.fifo"), ("e/d", "e/up")];
        let mut swaps = 0;
        while !self.over.load(Ordering::Relaxed) {
            self.set_up();
            for (one, other) in pairs.iter().cycle().take(64 * pairs.len()) {
                let (one, other) = (self.root.join(one), self.root.join(other));
                let swapped = renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
                swaps += u64::from(swapped.is_ok());
            }
        }
        swaps
    }

    /// Every step may meet what a client or the other swapper did; all are tried.
    fn set_up(&self) {
        let root = &self.root;
        for dir in ["d", "e", "e/d"] {
            let _ = fs::create_dir(root.join(dir));
        }
        for dir in ["d", "d.link", "e/d", "e/up"] {
            plant_in(&root.join(dir));
        }
        plant_file(root, "f");
        plant_file(root, "p");
        let _ = symlink(&self.outside, root.join("d.link"));
        let _ = symlink(self.outside.join("secret"), root.join("f.link"));
        let _ = symlink("../../outside", root.join("e/up"));
        let _ = mkfifoat(CWD, root.join("p.fifo"), Mode::from_raw_mode(0o666));
    }
}

/// Fills a directory by handle, so that a swapped one is no way out for the test.
fn plant_in(dir: &Path) {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(dir) = openat(CWD, dir, flags, Mode::empty()) else { return };
    let _ = rustix::fs::mkdirat(&dir, "sub", Mode::from_raw_mode(0o755));
    let _ = rustix::fs::mkdirat(&dir, "new", Mode::from_raw_mode(0o755));
    new_file(&dir, "secret");
    if let Ok(sub) = openat(&dir, "sub", flags, Mode::empty()) {
        new_file(&sub, "secret");
    }
}

fn plant_file(dir: &Path, name: &str) {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if let Ok(dir) = openat(CWD, dir, flags, Mode::empty()) {
        new_file(dir, name);
    }
}

fn new_file(dir: impl std::os::fd::AsFd, name: &str) {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if let Ok(file) = openat(dir, name, flags, Mode::from_raw_mode(0o644)) {
        let _ = rustix::io::write(&file, b"inside");
    }
}
