//! `read`: a span of a file, and no more of the file than the span needs.

use std::{
    ops::ControlFlow,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use bytes::Bytes;
use garth_contract::{Code, Content, Detail, Error, Gathered, Result, Span, WsPath};
use memchr::{memchr_iter, memrchr_iter};
use rustix::{
    fs::Stat,
    io::{Errno, pread},
};

use crate::{
    errno,
    look::{modified, size},
    read_unsafe::read_onto,
    tree::Tree,
};

/// How much is read at a time while looking for lines.
const CHUNK: u64 = 256 << 10;

/// The most that is gathered without a thread of its own: some tenths of a
/// millisecond, and its buffer is there already.
pub(crate) const MOST_GATHERED: u64 = 1 << 20;

pub(crate) fn read(tree: &Tree, path: &WsPath, span: Span) -> Result<Content> {
    let (handle, stat) = tree.open_file(path)?;
    let file = Open { handle, stat };
    let part = match span {
        Span::Whole { at_most } => file.whole(path, at_most),
        Span::Bytes { offset, length } => file.bytes(offset, length).map_err(Failure::Kernel),
        Span::Lines { skip, take, at_most } => {
            file.lines(skip, take, at_most).map_err(Failure::Kernel)
        }
        Span::LastLines { take, at_most } => {
            file.last_lines(take, at_most).map_err(Failure::Kernel)
        }
    };
    let part = part.map_err(|failure| match failure {
        Failure::Kernel(errno) => errno::error(errno, path),
        Failure::Refused(error) => error,
    })?;
    Ok(part.of(&file))
}

/// What [`read`] gives, where that takes no waiting: a small part of a file whose
/// pages the kernel has in memory.
///
/// It is worth a look before a thread is woken for the call, which takes several
/// times as long as the read. `None` says nothing about the file.
pub(crate) fn read_cached(tree: &Tree, path: &WsPath, span: Span) -> Option<Content> {
    let mut bytes = Vec::new();
    let (file, offset) = cached(tree, path, (span, CHUNK), &mut bytes)?;
    let part = Part { bytes: bytes.into(), offset, size: file.size(), lines: None };
    Some(part.of(&file))
}

/// The same, onto the end of a buffer, which has only what it had where it is `None`.
pub(crate) fn gather_cached(
    tree: &Tree,
    path: &WsPath,
    span: Span,
    into: &mut Vec<u8>,
) -> Option<Gathered> {
    let before = into.len();
    let (file, _) = cached(tree, path, (span, MOST_GATHERED), into)?;
    let length = (into.len() - before) as u64;
    let (size, mode) = (file.size(), Some(file.stat.st_mode & 0o7777));
    Some(Gathered { length, size, modified: modified(&file.stat), mode })
}

/// Reads what takes no waiting and is no more than `most`; also where it begins.
fn cached(
    tree: &Tree,
    path: &WsPath,
    (span, most): (Span, u64),
    into: &mut Vec<u8>,
) -> Option<(Open, u64)> {
    let (offset, length) = match span {
        Span::Whole { at_most } => (0, at_most),
        Span::Bytes { offset, length } => (offset, length),
        Span::Lines { .. } | Span::LastLines { .. } => return None,
    };
    let (handle, stat) = tree.open_file_cached(path)?;
    let file = Open { handle, stat };
    let left = file.size().checked_sub(offset)?;
    let wanted = left.min(length);
    let too_large = matches!(span, Span::Whole { at_most } if left > at_most);
    if too_large || wanted > most {
        return None;
    }
    // One byte more tells a file that grew from one that did not.
    let room = left.saturating_add(1).min(length);
    let room = usize::try_from(room).ok()?;
    let before = into.len();
    let count = read_onto(file.handle.as_fd(), into, (offset, room))?;
    if count as u64 != wanted {
        into.truncate(before);
        return None;
    }
    Some((file, offset))
}

enum Failure {
    Kernel(Errno),
    Refused(Error),
}

struct Open {
    handle: OwnedFd,
    stat: Stat,
}

struct Part {
    bytes: Bytes,
    offset: u64,
    size: u64,
    lines: Option<u64>,
}

impl Part {
    fn of(self, file: &Open) -> Content {
        Content {
            known: None,
            bytes: self.bytes,
            offset: self.offset,
            size: self.size,
            lines: self.lines,
            modified: modified(&file.stat),
            mode: Some(file.stat.st_mode & 0o7777),
        }
    }
}

impl Open {
    fn size(&self) -> u64 {
        size(&self.stat)
    }

    fn whole(&self, path: &WsPath, at_most: u64) -> Result<Part, Failure> {
        let too_large = |actual| {
            let error = Error::at(Code::FileTooLarge, path);
            Failure::Refused(error.with(Detail::Limit { limit: at_most, actual }))
        };
        if self.size() > at_most {
            return Err(too_large(self.size()));
        }
        // One byte more tells a file that grew from one that did not.
        let bytes = self.read_at(0, at_most.saturating_add(1)).map_err(Failure::Kernel)?;
        let length = bytes.len() as u64;
        if length > at_most {
            return Err(too_large(length));
        }
        Ok(Part { bytes: bytes.into(), offset: 0, size: length, lines: None })
    }

    fn bytes(&self, offset: u64, length: u64) -> Result<Part, Errno> {
        let bytes = self.read_at(offset, length)?;
        // It may have grown since it was looked at.
        let size = match bytes.len() as u64 {
            0 => self.size(),
            length => self.size().max(offset.saturating_add(length)),
        };
        let offset = offset.min(size);
        Ok(Part { bytes: bytes.into(), offset, size, lines: None })
    }

    /// Passes over `skip` lines, then keeps `take` of them.
    fn lines(&self, skip: u64, take: u64, at_most: u64) -> Result<Part, Errno> {
        let mut at = 0;
        let mut ended = 0;
        let mut start = (skip == 0).then_some(0);
        let mut end = (take == 0).then_some(0);
        let mut last_byte = b'\n';
        while start.is_none() || end.is_none() {
            let chunk = self.read_at(at, CHUNK)?;
            let Some(last) = chunk.last() else { break };
            last_byte = *last;
            for newline in memchr_iter(b'\n', &chunk) {
                ended += 1;
                let after = at + newline as u64 + 1;
                if ended == skip {
                    start = Some(after);
                }
                if ended == skip.saturating_add(take) {
                    end = Some(after);
                    break;
                }
            }
            at += chunk.len() as u64;
            // What lies beyond the bound is not kept, so it is not looked for either.
            if start.is_some_and(|start| at - start.min(at) > at_most) {
                break;
            }
        }
        let seen_all = end.is_none() && self.read_at(at, 1)?.is_empty();
        let total = seen_all.then(|| ended + u64::from(last_byte != b'\n'));
        let size = self.size().max(at);
        let start = start.unwrap_or(size);
        let end = end.unwrap_or(at).max(start);
        let bytes = self.read_at(start, (end - start).min(at_most))?;
        Ok(Part { bytes: bytes.into(), offset: start, size, lines: total })
    }

    /// Goes back from the end until `take` lines are seen.
    fn last_lines(&self, take: u64, at_most: u64) -> Result<Part, Errno> {
        let size = self.size();
        let floor = size.saturating_sub(at_most);
        let mut start = size;
        let mut seen = 0;
        let mut at = size;
        'back: while at > floor && take > 0 {
            let from = at.saturating_sub(CHUNK).max(floor);
            let chunk = self.read_at(from, at - from)?;
            for newline in memrchr_iter(b'\n', &chunk) {
                let after = from + newline as u64 + 1;
                // The newline that ends the file begins no line.
                if after == size {
                    continue;
                }
                seen += 1;
                if seen == take {
                    start = after;
                    break 'back;
                }
            }
            start = from;
            at = from;
        }
        let bytes = self.read_at(start, size - start)?;
        // It may have been cut since it was looked at.
        let size = start + bytes.len() as u64;
        let lines = (start == 0 && seen < take).then(|| seen + u64::from(size > 0));
        Ok(Part { bytes: bytes.into(), offset: start, size, lines })
    }

    fn read_at(&self, offset: u64, length: u64) -> Result<Vec<u8>, Errno> {
        let left = self.size().saturating_sub(offset);
        read_at(self.handle.as_fd(), offset, length, left)
    }
}

/// Reads a file from its start to its end, `limit` bytes at most plus one.
pub(crate) fn read_all(file: BorrowedFd<'_>, limit: u64) -> Result<Vec<u8>, Errno> {
    read_at(file, 0, limit.saturating_add(1), limit)
}

/// Shows a file from its start piece by piece, `limit` bytes of it at most.
pub(crate) fn each_chunk(
    file: BorrowedFd<'_>,
    limit: u64,
    mut show: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), Errno> {
    let mut chunk = Vec::with_capacity(usize::try_from(limit.min(CHUNK)).unwrap_or(0));
    let mut at = 0;
    while at < limit {
        chunk.clear();
        match pread_into(file, &mut chunk, at, limit - at) {
            Ok(0) => break,
            Ok(count) => at += count as u64,
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(errno),
        }
        if show(&chunk).is_break() {
            break;
        }
    }
    Ok(())
}

/// Reads up to `length` bytes, fewer only at the file's end; `expected` sizes the
/// buffer, so that one call reads what is there and the next sees the end.
pub(crate) fn read_at(
    file: BorrowedFd<'_>,
    offset: u64,
    length: u64,
    expected: u64,
) -> Result<Vec<u8>, Errno> {
    // The kernel has no names for bytes beyond this; nor has any file.
    if i64::try_from(offset).is_err() {
        return Ok(Vec::new());
    }
    let room = expected.saturating_add(1).min(length);
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or(0));
    loop {
        let filled = bytes.len() as u64;
        if filled == length {
            return Ok(bytes);
        }
        if bytes.len() == bytes.capacity() {
            bytes.reserve(usize::try_from((length - filled).min(CHUNK)).unwrap_or(0));
        }
        match pread_into(file, &mut bytes, offset + filled, length - filled) {
            Ok(0) => return Ok(bytes),
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// Reads once into a vector's spare room, at most `length` bytes.
fn pread_into(
    file: BorrowedFd<'_>,
    bytes: &mut Vec<u8>,
    at: u64,
    length: u64,
) -> Result<usize, Errno> {
    let room = bytes.capacity() - bytes.len();
    if room as u64 <= length {
        return pread(file, rustix::buffer::spare_capacity(bytes), at);
    }
    // More room than is wanted: the rest must not be read past the bound.
    let before = bytes.len();
    let wanted = usize::try_from(length).unwrap_or(room);
    bytes.resize(before + wanted, 0);
    let target = bytes.get_mut(before..).unwrap_or_default();
    let count = pread(file, target, at);
    bytes.truncate(before + *count.as_ref().unwrap_or(&0));
    count
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use garth_contract::{Aliases, Policy};

    use super::*;

    /// A tree of one file whose pages are in memory, since it was just written.
    fn tree(content: &[u8]) -> (tempfile::TempDir, Tree, WsPath) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), content).unwrap();
        let tree = Tree::open(dir.path(), Policy::open(), Aliases::none()).unwrap();
        (dir, tree, WsPath::from_bytes(b"file").unwrap())
    }

    #[test]
    fn what_is_read_without_waiting_is_what_is_read() {
        let (_dir, tree, path) = tree(b"0123456789");
        let spans = [
            Span::Whole { at_most: 10 },
            Span::Bytes { offset: 0, length: 10 },
            Span::Bytes { offset: 3, length: 4 },
            Span::Bytes { offset: 3, length: 400 },
            Span::Bytes { offset: 10, length: 1 },
            Span::Bytes { offset: 3, length: 0 },
        ];
        for span in spans {
            let read = read(&tree, &path, span).unwrap();
            // A file system may not tell whether it would have to wait.
            if let Some(cached) = read_cached(&tree, &path, span) {
                assert_eq!(cached, read, "{span:?}");
            }
        }
    }

    #[test]
    fn what_is_out_of_the_ordinary_is_left_to_the_other_way() {
        let (dir, tree, path) = tree(b"0123456789");
        let whole = Span::Whole { at_most: 9 };
        assert_eq!(read_cached(&tree, &path, whole), None, "more than is allowed");
        let past = Span::Bytes { offset: 11, length: 1 };
        assert_eq!(read_cached(&tree, &path, past), None, "past the end");
        symlink("/etc/passwd", dir.path().join("out")).unwrap();
        fs::write(dir.path().join("large"), vec![0; 300 << 10]).unwrap();
        for name in ["out", "large", "missing", "."] {
            let path = match name {
                "." => WsPath::root(),
                name => WsPath::from_bytes(name.as_bytes()).unwrap(),
            };
            let whole = Span::Whole { at_most: 1 << 20 };
            assert_eq!(read_cached(&tree, &path, whole), None, "{name}");
        }
    }

    /// A file as it was looked at, and then came to hold something else.
    fn changed(before: &[u8], after: &[u8]) -> Open {
        let (dir, tree, path) = tree(before);
        let (handle, stat) = tree.open_file(&path).unwrap();
        fs::write(dir.path().join("file"), after).unwrap();
        Open { handle, stat }
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_as_large_as_what_was_read() {
        for (before, after) in [("", "0123456789"), ("0123456789", "0"), ("0123456789", "")] {
            let file = changed(before.as_bytes(), after.as_bytes());
            let parts = [
                file.bytes(0, 10).unwrap(),
                file.bytes(4, 10).unwrap(),
                file.bytes(20, 10).unwrap(),
                file.lines(0, 5, 100).unwrap(),
                file.last_lines(5, 100).unwrap(),
            ];
            for part in &parts {
                let end = part.offset + part.bytes.len() as u64;
                assert!(end <= part.size, "{before:?} {after:?}: {end} of {}", part.size);
            }
            let last = parts.last().unwrap();
            assert_eq!(last.offset + last.bytes.len() as u64, last.size);
        }
    }

    #[test]
    fn what_the_rules_speak_of_is_never_read_past_them() {
        let (dir, _, path) = tree(b"0123456789");
        let policy = Policy { deny: vec!["file".to_owned()], ..Policy::open() };
        let tree = Tree::open(dir.path(), policy, Aliases::none()).unwrap();
        assert_eq!(read_cached(&tree, &path, Span::Whole { at_most: 10 }), None);
    }
}
