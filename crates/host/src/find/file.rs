//! Opens and searches one file of the walk.

use std::{
    io::{self, Read},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::atomic::{AtomicBool, Ordering},
};

use garth_contract::HardLinks;
use garth_search::{FileSearch, Hits, Searched, Spill};
use rustix::{
    fs::{FileType, Mode, OFlags, Stat, fstat, openat},
    io::{Errno, read},
};

use crate::look::size;

/// The largest file that is read whole before it is searched; larger ones are
/// searched as they are read. More would not stay in a processor's cache.
const WHOLE: usize = 512 << 10;

/// Opens a file by its name in a directory, never through a link.
///
/// A pipe or a device that was put in its place does not block.
pub(super) fn open_file(dir: BorrowedFd<'_>, name: &[u8]) -> Result<OwnedFd, Errno> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    openat(dir, name, flags, Mode::empty())
}

/// Reads what there is, at most as much as fits.
pub(super) fn read_up_to(file: BorrowedFd<'_>, room: &mut [u8]) -> Result<usize, Errno> {
    loop {
        match read(file, &mut *room) {
            Err(Errno::INTR) => {}
            done => return done,
        }
    }
}

/// Looks at an open file, and refuses what is not to be read.
pub(super) fn check(file: BorrowedFd<'_>, hard_links: HardLinks) -> Result<Stat, Errno> {
    let stat = fstat(file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Errno::INVAL);
    }
    if stat.st_nlink > 1 && hard_links == HardLinks::Refuse {
        return Err(Errno::ACCESS);
    }
    Ok(stat)
}

/// A file under search.
pub(super) struct Opened<'a> {
    pub(super) file: BorrowedFd<'a>,
    pub(super) stat: &'a Stat,
    /// Its path from the workspace's root.
    pub(super) path: &'a [u8],
}

/// What a thread searches files with.
pub(super) struct Searching<'a> {
    search: FileSearch,
    buffer: Vec<u8>,
    cancel: &'a AtomicBool,
}

impl<'a> Searching<'a> {
    pub(super) fn new(search: FileSearch, cancel: &'a AtomicBool) -> Self {
        Self { search, buffer: Vec::new(), cancel }
    }

    /// Searches a file and adds its results to `hits`.
    pub(super) fn search(
        &mut self,
        opened: &Opened<'_>,
        hits: &mut Hits,
        spill: Spill<'_>,
    ) -> io::Result<Searched> {
        let expected = usize::try_from(size(opened.stat)).unwrap_or(usize::MAX);
        if expected <= WHOLE
            && let Some(length) = self.read_whole(opened.file, expected)?
        {
            let bytes = self.buffer.get(..length).unwrap_or_default();
            return self.search.bytes(opened.path, bytes, hits, spill);
        }
        let head = if expected <= WHOLE { self.buffer.as_slice() } else { &[] };
        let rest = Pieces { file: opened.file, cancel: self.cancel };
        self.search.reader(opened.path, head.chain(rest), hits, spill)
    }

    /// Reads a file to its end if it has about the size expected.
    ///
    /// A byte more is asked for than expected, so that one call sees the end.
    fn read_whole(&mut self, file: BorrowedFd<'_>, expected: usize) -> io::Result<Option<usize>> {
        if self.buffer.is_empty() {
            self.buffer.resize(WHOLE + 1, 0);
        }
        let mut length = 0;
        while let Some(room) = self.buffer.get_mut(length..).filter(|room| !room.is_empty()) {
            let count = read_up_to(file, room)?;
            length += count;
            if count == 0 || length == expected {
                return Ok(Some(length));
            }
        }
        Ok(None)
    }
}

/// A file read in pieces, until the search is cancelled.
struct Pieces<'a> {
    file: BorrowedFd<'a>,
    cancel: &'a AtomicBool,
}

impl Read for Pieces<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Errno::CANCELED.into());
        }
        Ok(read_up_to(self.file.as_fd(), room)?)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use garth_contract::{
        Case, Facts, Flow, Grep, Hidden, Ignored, Kinds, Lines, Order, Output, Query, Reach,
        Syntax, WsPath,
    };
    use garth_search::Search;
    use rustix::fs::{CWD, mkfifoat};

    use super::*;

    #[test]
    fn a_cancelled_search_leaves_a_large_file() {
        let file = tempfile::tempfile().unwrap();
        rustix::io::write(&file, &b"needle\n".repeat(WHOLE)).unwrap();
        rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(0)).unwrap();
        let cancel = AtomicBool::new(true);
        let mut searching = Searching::new(search("needle").start(), &cancel);
        let stat = fstat(&file).unwrap();
        let opened = Opened { file: file.as_fd(), stat: &stat, path: b"f" };
        let outcome = searching.search(&opened, &mut Hits::new(), &mut |_| Flow::Continue);
        assert_eq!(outcome.unwrap_err().raw_os_error(), Some(Errno::CANCELED.raw_os_error()));
    }

    fn search(pattern: &str) -> Search {
        let grep = Grep {
            pattern: pattern.into(),
            syntax: Syntax::Fixed,
            case: Case::Sensitive,
            lines: Lines::Single,
            output: Output::Count,
            before: 0,
            after: 0,
        };
        let query = Query {
            base: WsPath::root(),
            reach: Reach::Tree,
            include: Vec::new(),
            exclude: Vec::new(),
            kinds: Kinds::Files,
            hidden: Hidden::Skip,
            ignored: Ignored::Skip,
            grep: Some(grep),
            facts: Facts::All,
            order: Order::Path,
            skip: 0,
            take: u64::MAX,
            after: None,
        };
        Search::compile(&query).unwrap().unwrap()
    }

    #[test]
    fn only_a_regular_file_is_opened_and_nothing_blocks() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "x").unwrap();
        symlink("file", dir.path().join("link")).unwrap();
        mkfifoat(CWD, dir.path().join("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
        let handle = fs::File::open(dir.path()).unwrap();
        let open = |name: &[u8]| {
            let file = open_file(handle.as_fd(), name)?;
            check(file.as_fd(), HardLinks::Allow).map(|stat| stat.st_size)
        };
        assert_eq!(open(b"file"), Ok(1));
        assert_eq!(open(b"link"), Err(Errno::LOOP));
        assert_eq!(open(b"pipe"), Err(Errno::INVAL));
        assert_eq!(open(b"none"), Err(Errno::NOENT));
    }
}
