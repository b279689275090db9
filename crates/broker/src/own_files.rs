//! The broker's own files: its repositories, what arrives and leaves, and the operator's
//! keys.
//!
//! They lie in the gateway's directory, outside every workspace, at places that no agent
//! names.

#![allow(
    clippy::disallowed_methods,
    reason = "these files are the gateway's own and lie in no workspace"
)]

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{ErrorKind, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use garth_contract::{Code, Error, Result};
use zeroize::Zeroizing;

/// The largest file with a key or a token in it.
const MOST_SECRET: u64 = 64 << 10;

/// The largest file of certificates.
const MOST_CERTIFICATES: u64 = 16 << 20;

/// Makes a directory that only its owner can enter, with all above it.
pub(crate) fn make_directory(path: &Path) -> Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| failed("a directory of the git broker", &error))
}

/// Tells whether something is there.
pub(crate) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Replaces a file of ours, for nobody else.
pub(crate) fn put(path: &Path, content: &str) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(content.as_bytes()));
    written.map_err(|error| failed("a file of the git broker", &error))
}

/// Reads a token or a key.
///
/// # Errors
/// `INVALID_PARAMS`, with the path, which is the operator's own and told to no agent.
pub(crate) fn secret(path: &Path) -> Result<Zeroizing<String>> {
    read(path, MOST_SECRET).map(Zeroizing::new).map_err(|why| unusable(path, &why))
}

/// Reads certificates.
pub(crate) fn certificates(path: &Path) -> Result<Vec<u8>> {
    read(path, MOST_CERTIFICATES).map(String::into_bytes).map_err(|why| unusable(path, &why))
}

fn read(path: &Path, most: u64) -> Result<String, String> {
    let file = File::open(path).map_err(|error| error.kind().to_string())?;
    let mut text = String::new();
    file.take(most + 1).read_to_string(&mut text).map_err(|error| error.kind().to_string())?;
    if text.len() as u64 > most {
        return Err("it is too large".to_owned());
    }
    Ok(text)
}

/// How many bytes all files below a directory have.
pub(crate) fn measure(path: &Path) -> u64 {
    let mut bytes = 0;
    let mut waiting = vec![path.to_owned()];
    while let Some(directory) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            match entry.metadata() {
                Ok(facts) if facts.is_dir() => waiting.push(entry.path()),
                Ok(facts) => bytes += facts.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}

/// How many entries of a directory end like this.
pub(crate) fn count(path: &Path, ending: &str) -> usize {
    let Ok(entries) = fs::read_dir(path) else { return 0 };
    let names = entries.flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_str().is_some_and(|name| name.ends_with(ending))).count()
}

/// Removes a directory with all below it; one that is not there is removed.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(failed("a directory of the git broker", &error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Removes a directory by first giving it another name, so that nothing finds it half gone.
/// What cannot be removed now is removed with the next start.
pub(crate) fn throw_away(path: &Path) -> Result<()> {
    static THROWN: AtomicU64 = AtomicU64::new(0);
    let number = THROWN.fetch_add(1, Ordering::Relaxed);
    let away = path.with_file_name(format!("{AWAY}{}-{number}", std::process::id()));
    match fs::rename(path, &away) {
        Ok(()) => {
            remove(&away).ok();
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed("a directory of the git broker", &error)),
    }
}

/// What the names of directories begin with that were thrown away.
pub(crate) const AWAY: &str = ".away-";

/// Removes a file, if it is there.
pub(crate) fn discard(path: &Path) {
    fs::remove_file(path).ok();
}

/// Reads a short file of ours, if it is there.
pub(crate) fn read_short(path: &Path) -> Option<String> {
    read(path, MOST_SECRET).ok()
}

/// The names in a directory.
pub(crate) fn names(path: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// A file on its way through the broker; it goes when this does.
#[derive(Debug)]
pub(crate) struct Passing {
    directory: PathBuf,
    name: String,
    file: File,
}

impl Passing {
    /// An empty file of a new name.
    pub(crate) fn new(directory: &Path) -> Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let name = format!("{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        let file = options
            .open(directory.join(&name))
            .map_err(|error| failed("a file of the git broker", &error))?;
        Ok(Self { directory: directory.to_owned(), name, file })
    }

    /// Its name in its directory.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Adds bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| failed("a file of the git broker", &error))
    }

    /// Opens it anew, as git left it there.
    pub(crate) fn reopen(&mut self) -> Result<()> {
        let file = File::open(self.path());
        self.file = file.map_err(|error| failed("a file of the git broker", &error))?;
        Ok(())
    }

    /// Reads what comes next, at most so much; nothing at its end.
    pub(crate) fn next(&mut self, most: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(most.min(1 << 20));
        let read = Read::by_ref(&mut self.file).take(most as u64).read_to_end(&mut bytes);
        read.map_err(|error| failed("a file of the git broker", &error))?;
        Ok(bytes)
    }

    fn path(&self) -> PathBuf {
        self.directory.join(&self.name)
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        fs::remove_file(self.path()).ok();
    }
}

/// What failed, without the path, which is the host's.
fn failed(what: &str, error: &std::io::Error) -> Error {
    let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded].contains(&error.kind());
    let code = if full { Code::DiskFull } else { Code::Internal };
    Error::new(code, format!("{what} cannot be used: {}", error.kind()))
}

fn unusable(path: &Path, why: &str) -> Error {
    Error::new(Code::InvalidParams, format!("{} cannot be used: {why}", path.display()))
        .hint("Name a file that the gateway can read.")
}
