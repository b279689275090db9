//! The gateway's own files: its key, its anchor, its database.
//!
//! They lie outside every workspace, at places that the operator named, so they are
//! opened by path. No path from a caller comes here.

#![allow(
    clippy::disallowed_methods,
    reason = "these files are the operator's own and lie in no workspace"
)]

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Read, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use garth_contract::{Code, Error, Result};

/// The largest key file; a key is far smaller.
const MOST_KEY: u64 = 4 << 10;

/// What there is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    File { bytes: u64 },
}

/// Looks whether a file is there.
pub(crate) fn look(path: &Path, what: &str) -> Result<Found> {
    match fs::metadata(path) {
        Ok(facts) if facts.is_file() => Ok(Found::File { bytes: facts.len() }),
        Ok(_) => Err(failed(what, "is not a file")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Found::Nothing),
        Err(error) => Err(failed(what, &error.kind().to_string())),
    }
}

/// Makes an empty file that only its owner can read, of a name beside `path`.
pub(crate) fn make_beside(path: &Path, what: &str) -> Result<PathBuf> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".new-{}-{number}", std::process::id()));
    let beside = path.with_file_name(name);
    discard(&beside);
    secret(&beside).map_err(|error| failed(what, &error.kind().to_string()))?;
    Ok(beside)
}

/// Gives a finished file its name, unless the name is taken.
pub(crate) fn put_in_place(made: &Path, path: &Path, what: &str) -> Result<()> {
    let linked = fs::hard_link(made, path);
    discard(made);
    match linked {
        Ok(()) => sync_folder(path),
        // Somebody else was faster; theirs is as good.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(failed(what, &error.kind().to_string())),
    }
}

/// Removes a file that was being made, if it is there.
pub(crate) fn discard(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Reads a key, or makes it with what `fill` gives.
///
/// # Errors
/// `INTERNAL` for a file that others can read, and where it can be neither read nor made.
pub(crate) fn key(path: &Path, fill: impl FnOnce() -> Result<String>) -> Result<String> {
    const WHAT: &str = "the audit's key file";
    if look(path, WHAT)? == Found::Nothing {
        let text = fill()?;
        let made = make_beside(path, WHAT)?;
        let written = OpenOptions::new()
            .write(true)
            .open(&made)
            .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
        written.map_err(|error| failed(WHAT, &error.kind().to_string()))?;
        put_in_place(&made, path, WHAT)?;
    }
    let file = File::open(path).map_err(|error| failed(WHAT, &error.kind().to_string()))?;
    let mode = file.metadata().map_or(0o777, |facts| facts.permissions().mode());
    if mode & 0o077 != 0 {
        return Err(failed(WHAT, "can be read by others than its owner"));
    }
    let mut text = String::new();
    let read = file.take(MOST_KEY).read_to_string(&mut text);
    read.map_err(|error| failed(WHAT, &error.kind().to_string()))?;
    Ok(text)
}

/// Appends a line and waits until it is on the disk.
pub(crate) fn append_line(path: &Path, line: &str) -> Result<()> {
    const WHAT: &str = "the audit's anchor file";
    let opened = OpenOptions::new().append(true).create(true).mode(0o644).open(path);
    // One write, so that two processes that append cannot mix their lines; and a line
    // feed before it, so that a line which a crash cut short spoils no other.
    let written = opened.and_then(|mut file| {
        file.write_all(format!("\n{line}\n").as_bytes())?;
        file.sync_data()
    });
    written.map_err(|error| failed(WHAT, &error.kind().to_string()))
}

/// Opens a file to be read, if it is there.
pub(crate) fn open(path: &Path, what: &str) -> Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(what, &error.kind().to_string())),
    }
}

/// Opens a file to be read and written, which only its owner can read, and makes it where
/// it is missing.
pub(crate) fn open_or_make(path: &Path, what: &str) -> Result<File> {
    let mut options = OpenOptions::new();
    let opened = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
    opened.map_err(|error| failed(what, &error.kind().to_string()))
}

fn secret(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Waits until the name of a file is on the disk.
fn sync_folder(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let synced = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
    synced.map_err(|error| failed("the gateway's directory", &error.kind().to_string()))
}

/// What failed, without the path, which is the host's.
fn failed(what: &str, why: &str) -> Error {
    Error::new(Code::Internal, format!("{what} cannot be used: {why}"))
}
