//! The gateway's own directory: its database, keys, the operator's token, the agents'
//! workspaces. It is the operator's, and no path from a caller comes here.

#![allow(
    clippy::disallowed_methods,
    reason = "these files are the operator's own and lie in no workspace"
)]

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::{ErrorKind, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use garth_contract::{Code, Error, Result};
use garth_gateway::{Secret, Settings};
use rustix::fs::{FlockOperation, flock};

use super::{git::GitRemotes, sandboxes::Sandboxes, versions::Versions};

/// The name of the database in it.
pub(crate) const DATABASE: &str = "garth.db";

/// Where agents are at home, and what a new one begins with.
#[derive(Clone)]
pub(crate) struct Home {
    /// The gateway's own directory.
    pub(crate) path: PathBuf,
    /// What is set up for a new agent that says nothing else.
    pub(crate) begins: Settings,
    /// What files held before.
    pub(crate) versions: Versions,
    /// Where commands run.
    pub(crate) sandboxes: Sandboxes,
    /// Where git pushes to.
    pub(crate) git: GitRemotes,
}

/// The directory, which one gateway at a time has.
pub(crate) struct Data {
    path: PathBuf,
    // Locked until it is dropped.
    _lock: File,
}

impl Data {
    /// Takes the directory, and makes it where it is missing.
    ///
    /// # Errors
    /// `CONFLICT` where another gateway has it; `INTERNAL` where it cannot be made.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::take(path).map_err(|error| {
            let hint = format!("It is {}; --data says another.", path.display());
            if error.code() == Code::Conflict { error } else { error.hint(hint) }
        })
    }

    fn take(path: &Path) -> Result<Self> {
        make(path)?;
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path.join("lock"))
            .map_err(|error| failed("the lock of the data directory", &error))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
            Error::new(Code::Conflict, "another gateway uses this data directory")
                .hint("Stop it, or choose another directory with --data.")
        })?;
        let path = std::path::absolute(path)
            .map_err(|error| failed("the path of the data directory", &error))?;
        Ok(Self { path, _lock: lock })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The database.
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// The file of the operator's token.
    pub(crate) fn operator_token(&self) -> PathBuf {
        self.path.join("operator.token")
    }

    /// Tells whether the operator's token was written before.
    pub(crate) fn has_operator_token(&self) -> bool {
        self.operator_token().exists()
    }

    /// Writes the operator's token to a file that only its owner can read. It is there
    /// whole or not at all, since a start that finds it makes no other.
    ///
    /// # Errors
    /// `INTERNAL` where it cannot be written.
    pub(crate) fn keep_operator_token(&self, secret: &Secret) -> Result<()> {
        let unfinished = self.path.join("operator.token.part");
        // What a start left that was killed; where there is none, nothing is removed.
        let _ = std::fs::remove_file(&unfinished);
        let made = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&unfinished)
            .and_then(|mut file| {
                file.write_all(format!("{}\n", secret.reveal()).as_bytes())?;
                file.sync_all()
            })
            .and_then(|()| std::fs::rename(&unfinished, self.operator_token()))
            .and_then(|()| File::open(&self.path)?.sync_all());
        made.map_err(|error| failed("the file of the operator's token", &error))
    }
}

/// Makes a directory that only its owner can enter, with all above it.
///
/// # Errors
/// `INTERNAL` where it cannot be made.
pub(crate) fn make(path: &Path) -> Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| failed("a directory of the gateway", &error))
}

/// What failed, without the path, which is the host's.
fn failed(what: &str, error: &std::io::Error) -> Error {
    let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded].contains(&error.kind());
    let code = if full { Code::DiskFull } else { Code::Internal };
    Error::new(code, format!("{what} cannot be used: {}", error.kind()))
}
