//! The kept contents of one workspace: files in a directory that only the gateway's
//! owner can enter, the oldest of them given up for new ones.

#![allow(
    clippy::disallowed_methods,
    reason = "these files are the gateway's own and lie in no workspace"
)]

use std::{
    collections::VecDeque,
    fs::{self, OpenOptions},
    io::{Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

use bytes::Bytes;
use garth_contract::{Version, WsPath};
use garth_text::sniff;

use super::MOST_FILE;
use crate::serve::data;

/// Contents of one workspace.
const MOST: usize = 1_000;
/// Bytes of them.
const MOST_BYTES: u64 = 64 << 20;
/// A file takes whole blocks of a disk, however little is in it.
pub(super) const BLOCK: u64 = 4 << 10;

/// What is kept of one workspace.
pub(super) struct Shelf {
    directory: PathBuf,
    /// What was kept last stands last.
    kept: VecDeque<Kept>,
    bytes: u64,
    most: (usize, u64),
}

/// One content.
struct Kept {
    since: SystemTime,
    name: String,
    size: u64,
}

/// What a shelf holds, where it holds anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Holds {
    /// The bytes that it takes on a disk.
    pub(super) bytes: u64,
    /// Since when the oldest of it is kept.
    pub(super) oldest: SystemTime,
}

impl Holds {
    fn of(kept: &VecDeque<Kept>) -> Option<Self> {
        let bytes = kept.iter().map(|kept| kept.size.max(1).next_multiple_of(BLOCK)).sum();
        kept.front().map(|oldest| Self { bytes, oldest: oldest.since })
    }
}

impl Shelf {
    /// What is kept of the agent whose directory it is, since it was made. What is left
    /// of one of the same name goes.
    pub(super) fn open(agent: &Path, made: &str) -> Self {
        if let Ok(others) = fs::read_dir(agent) {
            for other in others.flatten().filter(|other| other.file_name() != *made) {
                remove(&other.path());
            }
        }
        let directory = agent.join(made);
        // Where it cannot be made nothing is kept, which nobody was promised.
        let _ = data::make(&directory);
        Self::within(directory, (MOST, MOST_BYTES))
    }

    fn within(directory: PathBuf, most: (usize, u64)) -> Self {
        let kept = contents(&directory);
        let bytes = kept.iter().map(|kept| kept.size).sum();
        let mut shelf = Self { directory, kept, bytes, most };
        shelf.give_up();
        shelf
    }

    /// What it holds, if anything.
    pub(super) fn holds(&self) -> Option<Holds> {
        Holds::of(&self.kept)
    }

    /// Keeps a content, if it is text.
    pub(super) fn keep(&mut self, path: &WsPath, bytes: &Bytes, version: Option<Version>) {
        if sniff::text(bytes).is_none() {
            return;
        }
        let name = name(path, version.unwrap_or_else(|| Version::of(bytes)));
        let since = SystemTime::now();
        if let Some(at) = self.kept.iter().rposition(|known| known.name == name) {
            // It was seen again, so it is not the oldest any more.
            let again = self.kept.remove(at);
            self.kept.extend(again.map(|again| Kept { since, ..again }));
            let again = OpenOptions::new().write(true).open(self.directory.join(&name));
            let _ = again.and_then(|file| file.set_modified(since));
            return;
        }
        let place = self.directory.join(&name);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let made = options.open(&place).and_then(|mut file| {
            file.write_all(bytes)?;
            // The system's own time is too coarse to tell which is older.
            file.set_modified(since)
        });
        if made.is_err() {
            let _ = fs::remove_file(&place);
            return;
        }
        let size = bytes.len() as u64;
        self.bytes += size;
        self.kept.push_back(Kept { since, name, size });
        self.give_up();
    }

    /// A content that is kept, whole.
    pub(super) fn find(&self, path: &WsPath, version: Version) -> Option<Bytes> {
        let file = fs::File::open(self.directory.join(name(path, version))).ok()?;
        let mut bytes = Vec::new();
        file.take(MOST_FILE + 1).read_to_end(&mut bytes).ok()?;
        // A crash can leave a part of it.
        (Version::of(&bytes) == version).then(|| bytes.into())
    }

    /// Lets the oldest go until the rest fits.
    fn give_up(&mut self) {
        let (most, most_bytes) = self.most;
        while self.kept.len() > most || self.bytes > most_bytes {
            self.give_up_oldest();
        }
    }

    /// Lets the oldest go, if there is one.
    pub(super) fn give_up_oldest(&mut self) {
        let Some(Kept { name, size, .. }) = self.kept.pop_front() else { return };
        self.bytes = self.bytes.saturating_sub(size);
        let _ = fs::remove_file(self.directory.join(name));
    }
}

/// What a directory holds, if anything, without opening it as a shelf.
pub(super) fn look(directory: &Path) -> Option<Holds> {
    Holds::of(&contents(directory))
}

/// The contents in a directory, the oldest first.
fn contents(directory: &Path) -> VecDeque<Kept> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let Ok(facts) = entry.metadata() else { continue };
        let Ok(name) = entry.file_name().into_string() else { continue };
        let since = facts.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        found.push(Kept { since, name, size: facts.len() });
    }
    found.sort_by(|one, other| (one.since, &one.name).cmp(&(other.since, &other.name)));
    found.into()
}

/// Removes a directory with all that is in it, if it is there.
pub(super) fn remove(directory: &Path) {
    let _ = fs::remove_dir_all(directory);
}

/// What a content is called: by its path too, since the rules that it is shown by are
/// those of its path.
fn name(path: &WsPath, version: Version) -> String {
    let path = Version::of(path.as_bytes()).to_string();
    let path = path.get(..32).unwrap_or_default();
    format!("{path}-{version}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> WsPath {
        WsPath::from_bytes(text.as_bytes()).unwrap()
    }

    fn kept(shelf: &mut Shelf, name: &str, text: &str) -> Version {
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        shelf.keep(&path(name), &bytes, None);
        Version::of(text.as_bytes())
    }

    #[test]
    fn what_is_kept_is_found_by_its_own_path_and_by_the_next_start() {
        let place = tempfile::tempdir().unwrap();
        let mut shelf = Shelf::open(place.path(), "1");
        let version = kept(&mut shelf, "a", "one\n");
        for shelf in [shelf, Shelf::open(place.path(), "1")] {
            assert_eq!(shelf.find(&path("a"), version).as_deref(), Some(&b"one\n"[..]));
            assert_eq!(shelf.find(&path("b"), version), None);
            assert_eq!(shelf.find(&path("a"), Version::of(b"two")), None);
        }
        let anew = Shelf::open(place.path(), "2");
        assert_eq!(anew.find(&path("a"), version), None);
        assert!(!place.path().join("1").exists());
    }

    #[test]
    fn the_oldest_goes_when_there_are_too_many_or_they_are_too_large() {
        let place = tempfile::tempdir().unwrap();
        let mut shelf = Shelf::within(place.path().to_owned(), (3, 100));
        let [a, b] = ["a", "b"].map(|text| kept(&mut shelf, "f", text));
        kept(&mut shelf, "f", "c");
        // Seen again, and so the youngest.
        kept(&mut shelf, "f", "a");
        kept(&mut shelf, "f", "d");
        assert_eq!(shelf.find(&path("f"), b), None);
        assert!(shelf.find(&path("f"), a).is_some());
        kept(&mut shelf, "f", &"x".repeat(99));
        assert_eq!((shelf.kept.len(), shelf.bytes), (2, 100));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
        let again = Shelf::within(place.path().to_owned(), (1, 100));
        assert_eq!(again.kept.len(), 1);
    }

    #[test]
    fn bytes_and_halves_are_not_kept() {
        let place = tempfile::tempdir().unwrap();
        let mut shelf = Shelf::open(place.path(), "1");
        let binary = kept(&mut shelf, "f", "\0\u{1}");
        assert_eq!(shelf.find(&path("f"), binary), None);
        let version = kept(&mut shelf, "f", "whole\n");
        let file = shelf.directory.join(name(&path("f"), version));
        fs::write(file, "who").unwrap();
        assert_eq!(shelf.find(&path("f"), version), None);
    }
}
