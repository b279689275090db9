//! One inotify instance: which changes are asked for, and how a watch is set.
//!
//! Opens, reads and closes of files are never asked for: the kernel would write an
//! event for each, and every reader of the tree would pay for the watch.

use std::{
    fmt::Write as _,
    mem::MaybeUninit,
    num::NonZeroI32,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
};

use rustix::{
    fs::{
        CWD, Mode, OFlags, PROC_SUPER_MAGIC, fstatfs,
        inotify::{self, CreateFlags, Event, Reader, WatchFlags},
        openat,
    },
    io::{Errno, Result, ioctl_fionread},
};

/// What is asked of a watched directory.
///
/// A directory's own end is not in it: its parent's watch tells, and the kernel
/// says by itself when a watch is gone.
const CHANGES: WatchFlags = ENTRIES.union(WatchFlags::MODIFY).union(WatchFlags::ATTRIB);

/// What is asked of a directory on the way to the watched one.
const ENTRIES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::EXCL_UNLINK);

/// Room for some two thousand events a call.
pub(super) const EVENT_BUFFER: usize = 64 << 10;

/// The number of a watch; the kernel gives a number once only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Wd(NonZeroI32);

impl Wd {
    pub(super) fn new(number: i32) -> Option<Self> {
        NonZeroI32::new(number).map(Self)
    }
}

/// How much of a directory is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attention {
    /// Every change of its entries.
    Full,
    /// Names that come and go, and files that were written.
    Entries,
}

/// An inotify instance. Closing it ends all its watches.
#[derive(Debug)]
pub(super) struct Inotify(OwnedFd);

impl Inotify {
    pub(super) fn new() -> Result<Self> {
        inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map(Self)
    }

    /// Watches the directory that a handle is open on, wherever it is by now.
    ///
    /// The kernel takes a path only. The one it gives to our own handle leads to
    /// the very directory that was opened, through no name that could be swapped.
    pub(super) fn watch(&self, dir: BorrowedFd<'_>, attention: Attention) -> Result<Wd> {
        let mut path = String::with_capacity(32);
        // Writing to a string cannot fail.
        let _ = write!(path, "/proc/self/fd/{}", dir.as_raw_fd());
        let flags = match attention {
            Attention::Full => CHANGES,
            Attention::Entries => ENTRIES,
        };
        Wd::new(inotify::add_watch(&self.0, path, flags)?).ok_or(Errno::INVAL)
    }

    /// Ends a watch; one that has ended by itself is no error.
    pub(super) fn unwatch(&self, watch: Wd) {
        let _ = inotify::remove_watch(&self.0, watch.0.get());
    }

    /// How many bytes of events can be read now.
    pub(super) fn waiting(&self) -> Result<u64> {
        ioctl_fionread(&self.0)
    }

    /// Reads events as they come; when there are none left it says `WOULDBLOCK`.
    pub(super) fn reader<'a>(
        &'a self,
        buffer: &'a mut [MaybeUninit<u8>],
    ) -> Reader<'a, BorrowedFd<'a>> {
        Reader::new(self.0.as_fd(), buffer)
    }
}

impl AsFd for Inotify {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// How many bytes an event takes: a head of sixteen, and the name with its end
/// filled up to a multiple of that.
pub(super) fn size_of_event(event: &Event<'_>) -> u64 {
    const HEAD: usize = 16;
    let name = event.file_name().map_or(0, |name| name.count_bytes() + 1);
    (HEAD + name.next_multiple_of(HEAD)) as u64
}

/// Tells whether the kernel shows us our own handles as paths.
pub(super) fn handles_have_paths() -> bool {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(CWD, c"/proc/self/fd", flags, Mode::empty())
        .and_then(fstatfs)
        .is_ok_and(|system| system.f_type == PROC_SUPER_MAGIC)
}
