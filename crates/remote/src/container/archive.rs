//! A directory with a system in it as one stream, for an engine to make an image of.
//!
//! Links are put in as links and never followed, hard links stay hard links, and
//! what a container's runtime lays its own over (`/dev`, `/proc`, `/sys`) goes in
//! empty. Extended attributes are left out: what they would grant, no container has.

use std::{
    collections::HashMap,
    ffi::OsStr,
    fs::File,
    io::{self, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::{Path, PathBuf},
};

use bytes::{Bytes, BytesMut};
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, major, minor, openat, readlinkat, statat,
};
use tar::{Builder, EntryType, Header};
use tokio::sync::mpsc;

/// How deep a tree may be: deeper than any system, and few enough open handles.
const DEEPEST: usize = 64;

/// The bytes that are handed over at a time.
const PART: usize = 256 << 10;

/// How many parts wait for the engine to take them.
const PARTS_WAITING: usize = 8;

/// Directories whose content is the runtime's business.
const LAID_OVER: [&[u8]; 3] = [b"dev", b"proc", b"sys"];

/// Begins to read a directory on a thread of its own, and gives what it makes of it.
///
/// Whoever drops the receiver ends the reading.
pub(super) fn stream(directory: PathBuf) -> mpsc::Receiver<io::Result<Bytes>> {
    let (send, receive) = mpsc::channel(PARTS_WAITING);
    tokio::task::spawn_blocking(move || {
        let parts = Parts { send: send.clone(), gathered: BytesMut::with_capacity(PART) };
        if let Err(error) = pack(&directory, parts) {
            // Nobody may be left to hear it.
            let _ = send.blocking_send(Err(error));
        }
    });
    receive
}

fn pack(directory: &Path, parts: Parts) -> io::Result<()> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let top = openat(CWD, directory, flags, Mode::empty())?;
    let mut pack = Pack { builder: Builder::new(parts), seen: HashMap::new() };
    pack.children(&top, Path::new(""), 0)?;
    pack.builder.into_inner()?.flush()
}

struct Pack {
    builder: Builder<Parts>,
    /// Where a file with several names was first.
    seen: HashMap<(u64, u64), PathBuf>,
}

impl Pack {
    fn children(&mut self, directory: &OwnedFd, at: &Path, depth: usize) -> io::Result<()> {
        if depth > DEEPEST {
            return Err(io::Error::other("the tree is too deep"));
        }
        let mut names = Vec::new();
        for entry in Dir::read_from(directory)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(name.to_vec());
            }
        }
        names.sort_unstable();
        for name in names {
            self.entry(directory, (OsStr::from_bytes(&name), at), depth)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        directory: &OwnedFd,
        (name, parent): (&OsStr, &Path),
        depth: usize,
    ) -> io::Result<()> {
        let found = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let path = parent.join(name);
        let mut header = header(&found);
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Directory => {
                header.set_entry_type(EntryType::Directory);
                self.builder.append_data(&mut header, &path, io::empty())?;
                if depth == 0 && LAID_OVER.contains(&name.as_bytes()) {
                    return Ok(());
                }
                let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let inner = openat(directory, name, flags, Mode::empty())?;
                self.children(&inner, &path, depth + 1)
            }
            FileType::RegularFile => self.file(directory, (name, &path), &found),
            FileType::Symlink => {
                header.set_entry_type(EntryType::Symlink);
                let target = readlinkat(directory, name, Vec::new())?;
                let target = Path::new(OsStr::from_bytes(target.as_bytes()));
                self.builder.append_link(&mut header, &path, target)
            }
            FileType::Fifo => {
                header.set_entry_type(EntryType::Fifo);
                self.builder.append_data(&mut header, &path, io::empty())
            }
            kind @ (FileType::CharacterDevice | FileType::BlockDevice) => {
                let character = kind == FileType::CharacterDevice;
                header.set_entry_type(if character { EntryType::Char } else { EntryType::Block });
                header.set_device_major(major(found.st_rdev))?;
                header.set_device_minor(minor(found.st_rdev))?;
                self.builder.append_data(&mut header, &path, io::empty())
            }
            // A socket that nobody listens on is of no use inside.
            FileType::Socket | FileType::Unknown => Ok(()),
        }
    }

    fn file(
        &mut self,
        directory: &OwnedFd,
        (name, path): (&OsStr, &Path),
        found: &Stat,
    ) -> io::Result<()> {
        let mut header = header(found);
        if found.st_nlink > 1 {
            let file = (found.st_dev, found.st_ino);
            if let Some(first) = self.seen.get(&file) {
                header.set_entry_type(EntryType::Link);
                return self.builder.append_link(&mut header, path, first);
            }
            self.seen.insert(file, path.to_owned());
        }
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(directory.as_fd(), name, flags, Mode::empty())?);
        let size = u64::try_from(found.st_size).unwrap_or(0);
        header.set_entry_type(EntryType::Regular);
        header.set_size(size);
        let mut exact = Exact { file: file.take(size), missing: size };
        self.builder.append_data(&mut header, path, &mut exact)?;
        if exact.missing > 0 {
            return Err(io::Error::other("a file changed while it was read"));
        }
        Ok(())
    }
}

/// What all kinds of entries have in common.
fn header(found: &Stat) -> Header {
    let mut header = Header::new_gnu();
    header.set_mode(found.st_mode & 0o7777);
    header.set_uid(u64::from(found.st_uid));
    header.set_gid(u64::from(found.st_gid));
    header.set_mtime(u64::try_from(found.st_mtime).unwrap_or(0));
    header.set_size(0);
    header
}

/// A file that counts what is missing of it.
struct Exact {
    file: io::Take<File>,
    missing: u64,
}

impl Read for Exact {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(to)?;
        self.missing = self.missing.saturating_sub(count as u64);
        Ok(count)
    }
}

/// Gathers what is written and hands it over in large parts.
struct Parts {
    send: mpsc::Sender<io::Result<Bytes>>,
    gathered: BytesMut,
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= PART {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let part = self.gathered.split().freeze();
        self.send.blocking_send(Ok(part)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests arrange files of their own")]
mod tests {
    use std::{collections::BTreeMap, fs, os::unix::fs::symlink};

    use super::*;

    /// Each entry with its kind and what it holds or points to.
    async fn packed(directory: &Path) -> BTreeMap<String, (EntryType, String)> {
        let mut parts = stream(directory.to_owned());
        let mut bytes = Vec::new();
        while let Some(part) = parts.recv().await {
            bytes.extend_from_slice(&part.unwrap());
        }
        let mut archive = tar::Archive::new(&bytes[..]);
        let read = |entry: io::Result<tar::Entry<'_, &[u8]>>| {
            let mut entry = entry.unwrap();
            let kind = entry.header().entry_type();
            let mut content = String::new();
            match entry.link_name().unwrap() {
                Some(target) => content.push_str(target.to_str().unwrap()),
                None => drop(entry.read_to_string(&mut content).unwrap()),
            }
            (entry.path().unwrap().to_str().unwrap().to_owned(), (kind, content))
        };
        archive.entries().unwrap().map(read).collect()
    }

    #[tokio::test]
    async fn a_system_is_packed_as_it_is_and_no_link_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let long = "long/".repeat(30);
        fs::create_dir_all(at("etc")).unwrap();
        fs::create_dir_all(at("dev")).unwrap();
        fs::create_dir_all(at("usr/dev")).unwrap();
        fs::create_dir_all(at(&long)).unwrap();
        fs::write(at("etc/a"), "one").unwrap();
        fs::write(at("dev/null"), "a device that is none").unwrap();
        fs::write(at("usr/dev/kept"), "kept").unwrap();
        fs::write(at(&format!("{long}deep")), "deep").unwrap();
        fs::hard_link(at("etc/a"), at("etc/b")).unwrap();
        symlink("/etc/shadow", at("etc/link")).unwrap();
        let found = packed(dir.path()).await;
        let entry = |name: &str| found.get(name).cloned();
        let is = |kind, content: &str| Some((kind, content.to_owned()));
        assert_eq!(entry("etc/a"), is(EntryType::Regular, "one"));
        assert_eq!(entry("etc/b"), is(EntryType::Link, "etc/a"));
        assert_eq!(entry("etc/link"), is(EntryType::Symlink, "/etc/shadow"));
        assert_eq!(entry("usr/dev/kept"), is(EntryType::Regular, "kept"));
        assert_eq!(entry(&format!("{long}deep")), is(EntryType::Regular, "deep"));
        assert!(entry("dev").or(entry("dev/")).is_some() && entry("dev/null").is_none());
    }

    #[tokio::test]
    async fn a_missing_directory_is_an_error() {
        let mut parts = stream(PathBuf::from("/nonexistent/system"));
        assert!(parts.recv().await.unwrap().is_err());
        assert!(parts.recv().await.is_none());
    }
}
