//! A name is taken only if nobody has it, also where the file system knows no rename that
//! would see to that.
//!
//! Some have none: gVisor's on a directory of the machine, NFS, many in user space. A look
//! before a plain rename would let two movers replace one another there.

use std::os::fd::BorrowedFd;

use rustix::{
    fs::{
        AtFlags, FileType, FlockOperation, Mode, OFlags, RenameFlags, flock, fstat, linkat,
        mkdirat, openat, renameat, renameat_with, unlinkat,
    },
    io::Errno,
};

use crate::{lock::same_file, tree::stat_name};

/// An entry: the handle of its directory, and its name there.
pub(crate) type At<'a> = (BorrowedFd<'a>, &'a [u8]);

/// Moves an entry to a name that nobody has.
///
/// # Errors
/// `EEXIST` when somebody has it, else as a rename; nothing was moved then.
pub(crate) fn rename(from: At<'_>, to: At<'_>) -> Result<(), Errno> {
    match at_once(from, to) {
        Err(errno) if is_unknown(errno) => in_steps(from, to),
        renamed => renamed,
    }
}

/// The same in one step, which some file systems do not know.
pub(crate) fn at_once(from: At<'_>, to: At<'_>) -> Result<(), Errno> {
    renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE)
}

/// Tells whether a file system does not know the rename in one step. `EINVAL` also says that
/// a directory would move into itself, which the steps say again.
pub(crate) fn is_unknown(errno: Errno) -> bool {
    matches!(errno, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

/// The same in steps, of which the one that takes the name never replaces anything. A crash
/// between them leaves a file under both names, and loses nothing.
pub(crate) fn in_steps(from: At<'_>, to: At<'_>) -> Result<(), Errno> {
    let stat = stat_name(from.0, from.1)?.ok_or(Errno::NOENT)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
        mkdirat(to.0, to.1, Mode::RWXU)?;
        // Only an empty directory gives way.
        return renameat(from.0, from.1, to.0, to.1)
            .inspect_err(|_| give_up(to, AtFlags::REMOVEDIR));
    }
    match linkat(from.0, from.1, to.0, to.1, AtFlags::empty()) {
        Ok(()) => unlinkat(from.0, from.1, AtFlags::empty()).inspect_err(|_| {
            // Somebody else has moved or removed it.
            if stat_name(to.0, to.1)
                .is_ok_and(|there| there.is_some_and(|there| same_file(&there, &stat)))
            {
                give_up(to, AtFlags::empty());
            }
        }),
        Err(Errno::PERM | Errno::NOSYS | Errno::OPNOTSUPP | Errno::MLINK) => over_own(from, to),
        Err(errno) => Err(errno),
    }
}

/// Takes the name with an empty file, and puts the other in its place: the last resort, where
/// a file cannot have two names.
fn over_own(from: At<'_>, to: At<'_>) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let own = openat(to.0, to.1, flags, Mode::RUSR | Mode::WUSR)?;
    // Whoever of us writes there waits for the lock; who was quicker has the name.
    flock(&own, FlockOperation::NonBlockingLockExclusive).map_err(|_| Errno::EXIST)?;
    let stat = fstat(&own)?;
    if !stat_name(to.0, to.1)?.is_some_and(|there| same_file(&there, &stat)) {
        return Err(Errno::EXIST);
    }
    renameat(from.0, from.1, to.0, to.1).inspect_err(|_| give_up(to, AtFlags::empty()))
}

/// Frees a name again that was taken in vain.
fn give_up(taken: At<'_>, how: AtFlags) {
    let _ = unlinkat(taken.0, taken.1, how);
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        os::{fd::AsFd, unix::fs::symlink},
        path::Path,
        sync::Barrier,
        thread,
    };

    use super::*;

    type Way = fn(At<'_>, At<'_>) -> Result<(), Errno>;

    /// Every way to take a name.
    const WAYS: [Way; 3] = [at_once, in_steps, over_own];

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_free_name_is_taken_and_the_old_one_given_up() {
        for way in WAYS {
            let place = tempfile::tempdir().unwrap();
            let dir = File::open(place.path()).unwrap();
            fs::write(place.path().join("a"), "text").unwrap();
            way((dir.as_fd(), b"a"), (dir.as_fd(), b"b")).unwrap();
            assert_eq!(names(place.path()), ["b"]);
            assert_eq!(fs::read(place.path().join("b")).unwrap(), b"text");
        }
    }

    #[test]
    fn a_link_moves_as_a_link() {
        for way in WAYS {
            let place = tempfile::tempdir().unwrap();
            let dir = File::open(place.path()).unwrap();
            symlink("nowhere", place.path().join("a")).unwrap();
            way((dir.as_fd(), b"a"), (dir.as_fd(), b"b")).unwrap();
            assert_eq!(fs::read_link(place.path().join("b")).unwrap(), Path::new("nowhere"));
        }
    }

    #[test]
    fn a_directory_takes_a_free_name_and_no_other() {
        for way in [at_once, in_steps] {
            let place = tempfile::tempdir().unwrap();
            let dir = File::open(place.path()).unwrap();
            fs::create_dir_all(place.path().join("a/inner")).unwrap();
            fs::create_dir(place.path().join("taken")).unwrap();
            let refused = way((dir.as_fd(), b"a"), (dir.as_fd(), b"taken"));
            assert_eq!(refused, Err(Errno::EXIST));
            way((dir.as_fd(), b"a"), (dir.as_fd(), b"b")).unwrap();
            assert_eq!(names(place.path()), ["b", "taken"]);
            assert_eq!(names(&place.path().join("b")), ["inner"]);
        }
    }

    #[test]
    fn a_directory_does_not_move_into_itself_and_leaves_nothing_there() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("a")).unwrap();
        let (dir, own) =
            (File::open(place.path()).unwrap(), File::open(place.path().join("a")).unwrap());
        let refused = rename((dir.as_fd(), b"a"), (own.as_fd(), b"b"));
        assert_eq!(refused, Err(Errno::INVAL));
        assert_eq!(names(&place.path().join("a")), [""; 0]);
    }

    #[test]
    fn what_is_missing_takes_no_name() {
        for way in WAYS {
            let place = tempfile::tempdir().unwrap();
            let dir = File::open(place.path()).unwrap();
            let refused = way((dir.as_fd(), b"a"), (dir.as_fd(), b"b"));
            assert_eq!(refused, Err(Errno::NOENT));
            assert_eq!(names(place.path()), [""; 0]);
        }
    }

    #[test]
    fn of_those_who_want_one_name_one_gets_it_and_nothing_is_lost() {
        const MOVERS: usize = 4;
        for way in WAYS {
            for _ in 0..200 {
                let place = tempfile::tempdir().unwrap();
                let dir = File::open(place.path()).unwrap();
                for number in 0..MOVERS {
                    fs::write(place.path().join(number.to_string()), number.to_string()).unwrap();
                }
                let start = Barrier::new(MOVERS);
                let moved = thread::scope(|scope| {
                    let movers: Vec<_> = (0..MOVERS)
                        .map(|number| {
                            let (dir, start) = (dir.as_fd(), &start);
                            scope.spawn(move || {
                                start.wait();
                                way((dir, number.to_string().as_bytes()), (dir, b"to"))
                            })
                        })
                        .collect();
                    let answers = movers.into_iter().map(|mover| mover.join().unwrap());
                    answers.filter(Result::is_ok).count()
                });
                assert_eq!(moved, 1);
                assert_eq!(names(place.path()).len(), MOVERS);
                for name in names(place.path()) {
                    assert_eq!(fs::read(place.path().join(name)).unwrap().len(), 1);
                }
            }
        }
    }
}
