//! A container's directory on this machine: where gateway and guest meet, and what
//! is remembered of the container beside the engine.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::AsRawFd,
    path::{Path, PathBuf},
};

use garth_contract::{ProcessId, Result};
use rustix::{
    fs::{
        AtFlags, CWD, Dir, Gid, Mode, OFlags, Uid, chmod, chown, fsync, mkdir, openat, renameat,
        stat, unlinkat,
    },
    io::Errno,
};
use tokio::net::UnixStream;

use super::{
    Container, User, refuse,
    wanted::{self, SOCKET},
};

/// How far apart the numbers of processes of two lives of a guest begin: no guest
/// starts so many, so that no number is used twice in a workspace.
const APART: u64 = 10_000_000;

/// The most bytes of a remembered text: a workspace's id and room to spare.
const MOST_REMEMBERED: u64 = 64 << 10;

/// Whether it is known which numbers the processes of a guest's last life had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Past {
    /// It began and ended under the eyes of whoever asks.
    Known,
    /// It may have begun before.
    Unknown,
}

/// One container's directory.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    directory: PathBuf,
}

impl Place {
    /// The directory of a container, which may not be there yet.
    pub(crate) fn of(container: &Container) -> Self {
        Self { directory: container.run.join(container.name()) }
    }

    /// The directory of a container by its name.
    pub(crate) fn named(run: &Path, name: &str) -> Self {
        Self { directory: run.join(name) }
    }

    /// Makes it, for the gateway alone, and in it the part that the guest may fill.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub(crate) fn make(&self, workspace: &str, user: User) -> Result<()> {
        let make = || -> io::Result<()> {
            if let Some(run) = self.directory.parent() {
                make_dir(run)?;
            }
            make_dir(&self.directory)?;
            make_dir(&self.meeting())?;
            let there = stat(self.meeting())?;
            if (there.st_uid, there.st_gid) != (user.uid, user.gid) {
                chown(
                    self.meeting(),
                    Some(Uid::from_raw(user.uid)),
                    Some(Gid::from_raw(user.gid)),
                )?;
            }
            self.remember("workspace", workspace)
        };
        make().map_err(|_| {
            refuse::unavailable(
                "the container's directory on this machine cannot be made",
                "The gateway must own the directory for containers, and the workspace's \
                 directory unless it runs as root.",
            )
        })
    }

    /// The directory that gateway and guest share.
    pub(super) fn meeting(&self) -> PathBuf {
        self.directory.join("guest")
    }

    /// A part of the directory that is the gateway's alone.
    pub(crate) fn part(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The number that the first process of the guest's next life has: `first`, and
    /// where nobody knows how far its last life came, far beyond that one's first.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` where it cannot be remembered.
    pub(crate) fn next_life(&self, first: ProcessId, past: Past) -> Result<ProcessId> {
        let last = self.recall("first").and_then(|text| text.parse::<u64>().ok());
        let first = match (past, last) {
            (Past::Unknown, Some(last)) => ProcessId(first.0.max(last.saturating_add(APART))),
            (Past::Unknown, None) | (Past::Known, _) => first,
        };
        self.remember("first", &first.0.to_string()).map_err(|_| {
            refuse::unavailable(
                "the container's directory on this machine cannot be written",
                "See whether the disk is full.",
            )
        })?;
        Ok(first)
    }

    /// Whether a guest had a life here.
    pub(crate) fn had_a_life(&self) -> bool {
        self.recall("first").is_some()
    }

    /// The workspace it is for.
    pub(super) fn workspace(&self) -> Option<String> {
        self.recall("workspace")
    }

    /// Writes a small text down, whole or not at all.
    pub(crate) fn remember(&self, name: &str, text: &str) -> io::Result<()> {
        let part = self.part(&format!("{name}.part"));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
        let mut file = File::from(openat(CWD, &part, flags, Mode::RUSR | Mode::WUSR)?);
        file.write_all(text.as_bytes())?;
        fsync(&file)?;
        Ok(renameat(CWD, &part, CWD, self.part(name))?)
    }

    /// Reads what was written down.
    pub(crate) fn recall(&self, name: &str) -> Option<String> {
        let flags = OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = File::from(openat(CWD, self.part(name), flags, Mode::empty()).ok()?);
        let mut text = String::new();
        file.take(MOST_REMEMBERED).read_to_string(&mut text).ok()?;
        Some(text)
    }

    /// Removes the socket of a guest that is gone.
    pub(super) fn clear(&self) {
        let _ = unlinkat(CWD, self.meeting().join(SOCKET), AtFlags::empty());
    }

    /// Connects to the guest's socket.
    ///
    /// The path of a socket is short; through a handle of its directory it always is.
    /// A link that something inside has put there instead is not followed.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) async fn connect(&self) -> io::Result<UnixStream> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let meeting = openat(CWD, self.meeting(), flags, Mode::empty())?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let socket = openat(&meeting, SOCKET, flags, Mode::empty())?;
        let path = format!("/proc/self/fd/{}", socket.as_raw_fd());
        let stream = UnixStream::connect(path).await;
        // The path means this socket only as long as its handle is open.
        drop(socket);
        stream
    }

    /// Removes it with everything in it.
    #[allow(
        clippy::disallowed_methods,
        reason = "it is the gateway's own directory, and no link in it is followed"
    )]
    pub(crate) fn remove(&self) -> io::Result<()> {
        match std::fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Removes what is remembered below `run` of an owner's containers whose workspaces
/// are no more; the containers themselves are their engine's to remove.
///
/// # Errors
/// Those of the system, for the first that cannot be removed.
pub fn forget(run: &Path, owner: &str, is_wanted: impl Fn(&str) -> bool) -> io::Result<()> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = match openat(CWD, run, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(()),
        opened => opened?,
    };
    for entry in Dir::read_from(&directory)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        let place = Place::named(run, name);
        let Some(workspace) = place.workspace() else { continue };
        if wanted::name(owner, &workspace) == name && !is_wanted(&workspace) {
            place.remove()?;
        }
    }
    Ok(())
}

/// Makes a directory that only its owner may enter, if it is not there.
pub(crate) fn make_dir(path: &Path) -> io::Result<()> {
    match mkdir(path, Mode::RWXU) {
        Ok(()) => Ok(chmod(path, Mode::RWXU)?),
        Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_a_process_comes_twice_after_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::named(dir.path(), "p");
        make_dir(&place.directory).unwrap();
        let life = |first, past| place.next_life(ProcessId(first), past).unwrap().0;
        assert_eq!(life(1, Past::Unknown), 1);
        assert_eq!(life(8, Past::Known), 8);
        assert_eq!(life(1, Past::Unknown), APART + 8);
        assert_eq!(life(5 * APART, Past::Unknown), 5 * APART);
    }

    #[test]
    fn only_what_is_no_longer_wanted_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let place = |owner, workspace| {
            let place = Place::named(dir.path(), &wanted::name(owner, workspace));
            make_dir(&place.directory).unwrap();
            place.remember("workspace", workspace).unwrap();
            place
        };
        let (kept, gone, foreign) = (place("o", "kept"), place("o", "gone"), place("p", "gone"));
        forget(dir.path(), "o", |workspace| workspace == "kept").unwrap();
        assert!(kept.workspace().is_some() && foreign.workspace().is_some());
        assert!(gone.workspace().is_none());
        forget(&dir.path().join("missing"), "o", |_| true).unwrap();
    }

    #[test]
    fn what_is_remembered_is_recalled() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::named(dir.path(), "p");
        place
            .make(
                "w/1",
                User {
                    uid: rustix::process::getuid().as_raw(),
                    gid: rustix::process::getgid().as_raw(),
                },
            )
            .unwrap();
        assert_eq!(place.workspace().as_deref(), Some("w/1"));
        assert_eq!(place.recall("nothing"), None);
        place.remove().unwrap();
        place.remove().unwrap();
        assert_eq!(place.workspace(), None);
    }
}
