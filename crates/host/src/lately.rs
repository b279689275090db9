//! Names in the root that the kernel had at hand a moment ago.
//!
//! An entry of the root itself can be looked at by its name: nothing stands between the
//! root's handle and it, so there is nothing to be led astray by, and one call of the kernel
//! does what takes three on a longer way. But that call waits for the disk where the kernel
//! does not know the name, and the one who asks has other things to do. So it is made only
//! for a name that was found without waiting in the last second, on a file system of this
//! machine.

use std::{
    os::fd::BorrowedFd,
    sync::atomic::{AtomicU64, Ordering},
};

use garth_contract::{Links, WsPath};
use rustix::{
    fs::{AtFlags, Stat, fstatfs, statat},
    time::{ClockId, clock_gettime},
};

use crate::tree::{Tree, is_link};

/// File systems that lie on this machine, by the numbers that the kernel gives them: ext4,
/// XFS, Btrfs, F2FS, ZFS, bcachefs, tmpfs, overlays.
pub(crate) const OF_THIS_MACHINE: [i64; 8] = [
    0xef53,
    0x5846_5342,
    0x9123_683e,
    0xf2f5_2010,
    0x2fc1_2fc1,
    0xca45_1a4e,
    0x0102_1994,
    0x794c_7630,
];

/// So many names are remembered, each in the one place that it has.
const PLACES: usize = 64;

/// How many bits of a place say when; the others say which name.
const WHEN: u32 = 24;

/// Names that were found, and when.
#[derive(Debug)]
pub(crate) struct Lately {
    places: [AtomicU64; PLACES],
    of_this_machine: bool,
}

impl Lately {
    pub(crate) fn new(root: BorrowedFd<'_>) -> Self {
        let system = fstatfs(root).ok();
        let of_this_machine = system.is_some_and(|system| OF_THIS_MACHINE.contains(&system.f_type));
        Self { places: [const { AtomicU64::new(0) }; PLACES], of_this_machine }
    }

    /// Takes note that a name was found without waiting.
    pub(crate) fn found(&self, name: &[u8]) {
        if let Some((place, mark)) = self.place(name) {
            place.store(mark, Ordering::Relaxed);
        }
    }

    /// Looks at a name that was found lately; a link is not followed.
    pub(crate) fn look(&self, root: BorrowedFd<'_>, name: &[u8]) -> Option<Stat> {
        let (place, mark) = self.place(name)?;
        let found = place.load(Ordering::Relaxed);
        // This second or the one before.
        if found != mark && found != before(mark) {
            return None;
        }
        statat(root, name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT).ok()
    }

    /// The place of a name, and what stands there if it is found now.
    fn place(&self, name: &[u8]) -> Option<(&AtomicU64, u64)> {
        if !self.of_this_machine {
            return None;
        }
        // FNV-1a; two names of one mark cost a wait that nobody notices.
        let hash = name.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let place = self.places.get(usize::try_from(hash).ok()? % PLACES)?;
        let seconds = u64::try_from(clock_gettime(ClockId::MonotonicCoarse).tv_sec).ok()?;
        Some((place, (hash & !mask()) | (seconds & mask())))
    }
}

impl Tree {
    /// Looks at an entry of the root itself that was found without waiting lately; `None`
    /// says nothing about it.
    pub(crate) fn look_lately(&self, path: &WsPath, links: Links) -> Option<Stat> {
        if !self.is_plain() {
            return None;
        }
        let stat = self.lately.look(self.root(), name_in_root(path)?)?;
        (links == Links::Keep || !is_link(&stat)).then_some(stat)
    }

    /// Takes note that something was found without waiting.
    pub(crate) fn found(&self, path: &WsPath) {
        if let Some(name) = name_in_root(path) {
            self.lately.found(name);
        }
    }
}

/// The name of an entry of the root itself.
fn name_in_root(path: &WsPath) -> Option<&[u8]> {
    Some(path.as_bytes()).filter(|name| !name.is_empty() && !name.contains(&b'/'))
}

const fn mask() -> u64 {
    (1 << WHEN) - 1
}

/// The same name, a second before.
fn before(mark: u64) -> u64 {
    (mark & !mask()) | (mark.wrapping_sub(1) & mask())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::fd::AsFd, os::unix::fs::symlink};

    use super::*;
    use crate::look::{kind_of, size};
    use garth_contract::Kind;

    struct Yard {
        dir: tempfile::TempDir,
        root: fs::File,
        lately: Lately,
    }

    fn yard() -> Yard {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::File::open(dir.path()).unwrap();
        let mut lately = Lately::new(root.as_fd());
        // Whatever the tests' directory lies on.
        lately.of_this_machine = true;
        Yard { dir, root, lately }
    }

    impl Yard {
        fn look(&self, name: &[u8]) -> Option<Stat> {
            self.lately.look(self.root.as_fd(), name)
        }
    }

    #[test]
    fn only_a_name_that_was_found_is_looked_at() {
        let yard = yard();
        fs::write(yard.dir.path().join("a"), "four").unwrap();
        assert!(yard.look(b"a").is_none(), "nobody found it");
        yard.lately.found(b"a");
        assert_eq!(yard.look(b"a").map(|stat| size(&stat)), Some(4));
        fs::remove_file(yard.dir.path().join("a")).unwrap();
        assert!(yard.look(b"a").is_none(), "it is looked at anew each time");
        assert!(yard.look(b"b").is_none());
    }

    #[test]
    fn a_name_is_forgotten_and_a_foreign_file_system_never_remembered() {
        let mut yard = yard();
        fs::write(yard.dir.path().join("a"), "").unwrap();
        yard.lately.found(b"a");
        for place in &yard.lately.places {
            let mark = place.load(Ordering::Relaxed);
            place.store(before(before(mark)), Ordering::Relaxed);
        }
        assert!(yard.look(b"a").is_none(), "that was two seconds ago");
        yard.lately.of_this_machine = false;
        yard.lately.found(b"a");
        assert!(yard.look(b"a").is_none());
    }

    #[test]
    fn a_link_is_told_as_one() {
        let yard = yard();
        symlink("/etc/passwd", yard.dir.path().join("l")).unwrap();
        yard.lately.found(b"l");
        assert_eq!(yard.look(b"l").map(|stat| kind_of(&stat)), Some(Kind::Symlink));
    }
}
