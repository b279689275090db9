//! The stage of a race: a workspace whose parts change places, and what is outside.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{
        Mutex, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, mkfifoat, openat, renameat_with};
use tempfile::TempDir;

use crate::outside::{Survey, plant};

/// Whether a pipe takes the place of a file too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pipes {
    Swapped,
    /// For a server that would wait at the first one for ever.
    None,
}

pub(super) struct Stage {
    _dir: TempDir,
    root: PathBuf,
    outside: PathBuf,
    pipes: Pipes,
    /// Nothing is swapped while the stage is set up.
    set: RwLock<()>,
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
    pub(super) fn new(pipes: Pipes) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (root, outside) = (dir.path().join("root"), dir.path().join("outside"));
        fs::create_dir(&root).unwrap();
        plant(&outside).unwrap();
        let before = Mutex::new(Survey::of(&outside, None));
        let stage = Self {
            _dir: dir,
            root,
            outside,
            pipes,
            set: RwLock::default(),
            before,
            over: AtomicBool::new(false),
        };
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
        // Another client's server may be at it still.
        let again = || fs::remove_dir_all(&self.outside).is_ok() && plant(&self.outside).is_ok();
        while !again() {
            let _ = fs::create_dir(&self.outside);
        }
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
            let _set = self.set.read().unwrap();
            for (one, other) in pairs.iter().cycle().take(64 * pairs.len()) {
                let (one, other) = (self.root.join(one), self.root.join(other));
                let swapped = renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
                swaps += u64::from(swapped.is_ok());
            }
        }
        swaps
    }

    /// Every step may meet what a client did; all are tried.
    fn set_up(&self) {
        let _setting = self.set.write().unwrap();
        let root = &self.root;
        let _ = fs::create_dir(root.join("e"));
        mend(&root.join("d"), &root.join("d.link"), &self.outside);
        mend(&root.join("e/d"), &root.join("e/up"), Path::new("../../outside"));
        if is_file(&root.join("f")) && is_file(&root.join("f.link")) {
            let _ = fs::remove_file(root.join("f.link"));
        }
        for dir in ["d", "d.link", "e/d", "e/up"] {
            plant_in(&root.join(dir));
        }
        plant_file(root, "f");
        plant_file(root, "p");
        let _ = symlink(self.outside.join("secret"), root.join("f.link"));
        if self.pipes == Pipes::Swapped {
            let _ = mkfifoat(CWD, root.join("p.fifo"), Mode::from_raw_mode(0o666));
        }
    }
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|at| at.is_file())
}

/// Of two names one is to be a directory and the other a link, whatever a server
/// that writes over links or makes directories in their place has left there.
fn mend(dir: &Path, link: &Path, target: &Path) {
    for path in [dir, link].into_iter().filter(|path| is_file(path)) {
        let _ = fs::remove_file(path);
    }
    if !dir.is_symlink() && !link.is_symlink() {
        let _ = fs::remove_dir_all(link);
        let _ = symlink(target, link);
    }
    if dir.is_symlink() && link.is_symlink() {
        let _ = fs::remove_file(dir);
    }
    let _ = fs::create_dir(dir);
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
