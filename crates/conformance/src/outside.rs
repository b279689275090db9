//! What happens behind a backend's back: the files as other programs see them.
//!
//! The trait under test can make neither a link nor a pipe, and a workspace
//! with rules cannot break them to set a scene. Whoever tests a backend lends
//! the suite this handle; what it leaves out, the suite reports as skipped.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use garth_contract::{DynFilesystem, Policy, WsPath};

use crate::Cannot;

/// Whether something was arranged.
pub type Arranged<T = ()> = Result<T, Cannot>;

/// A directory next to the workspace, which no path of it may reach.
///
/// It holds a file `secret` and a directory `dir` with a file `inner`, each with
/// [`SECRET`] in it.
#[derive(Clone, Debug)]
pub struct Beyond {
    /// Its absolute path.
    pub absolute: Vec<u8>,
    /// Its path relative to the workspace's root, beginning with `..`.
    pub relative: Vec<u8>,
}

/// The content of every file that [`Beyond`] starts with.
pub const SECRET: &[u8] = b"SECRET needle outside\n";

/// The files of one subject as a program without any rules sees them.
///
/// Every method is optional: left out, it answers that it cannot.
pub trait Outside: Send + Sync {
    /// Makes or overwrites a file in place, with its parents.
    fn write(&self, at: &WsPath, content: &[u8]) -> Arranged {
        let _ = (at, content);
        Err(Cannot("write a file from outside"))
    }

    /// Makes a symbolic link with exactly this target.
    fn symlink(&self, at: &WsPath, target: &[u8]) -> Arranged {
        let _ = (at, target);
        Err(Cannot("make a symbolic link"))
    }

    /// Makes a named pipe that nobody has open.
    fn fifo(&self, at: &WsPath) -> Arranged {
        let _ = at;
        Err(Cannot("make a named pipe"))
    }

    /// Makes a unix socket that nobody listens on.
    fn socket(&self, at: &WsPath) -> Arranged {
        let _ = at;
        Err(Cannot("make a socket"))
    }

    /// Makes a device that never gives a byte nor an end, such as `/dev/zero`.
    fn device(&self, at: &WsPath) -> Arranged {
        let _ = at;
        Err(Cannot("make a device"))
    }

    /// Gives the file `secret` of [`Beyond`] a second name inside.
    fn hard_link_to_secret(&self, at: &WsPath) -> Arranged {
        let _ = at;
        Err(Cannot("make a hard link to a file outside"))
    }

    /// Gives a file inside a second name inside.
    fn hard_link(&self, of: &WsPath, at: &WsPath) -> Arranged {
        let _ = (of, at);
        Err(Cannot("make a hard link"))
    }

    /// Makes a file of this size that begins with zeros and ends with `tail`.
    fn sparse(&self, at: &WsPath, size: u64, tail: &[u8]) -> Arranged {
        let _ = (at, size, tail);
        Err(Cannot("make a sparse file"))
    }

    /// Removes an entry and everything below it.
    fn remove(&self, at: &WsPath) -> Arranged {
        let _ = at;
        Err(Cannot("remove from outside"))
    }

    /// Puts two entries in each other's place in one step.
    fn exchange(&self, one: &WsPath, other: &WsPath) -> Arranged {
        let _ = (one, other);
        Err(Cannot("exchange two entries"))
    }

    /// Sets when a file was modified, as seconds of the epoch.
    fn set_modified(&self, at: &WsPath, seconds: u64) -> Arranged {
        let _ = (at, seconds);
        Err(Cannot("set a file's time"))
    }

    /// Sets the permission bits of a file or directory.
    fn set_mode(&self, at: &WsPath, mode: u32) -> Arranged {
        let _ = (at, mode);
        Err(Cannot("set permission bits"))
    }

    /// Sets the owner and an extended attribute of a file to odd values.
    fn mark(&self, at: &WsPath) -> Arranged {
        let _ = at;
        Err(Cannot("set owner and extended attributes"))
    }

    /// Tells whether a file still has what [`Outside::mark`] set.
    fn marked(&self, at: &WsPath) -> Arranged<bool> {
        let _ = at;
        Err(Cannot("see owner and extended attributes"))
    }

    /// Makes the system itself refuse that a file is read or a directory changed.
    fn forbid(&self, at: &WsPath) -> Arranged {
        let _ = at;
        Err(Cannot("make the system refuse"))
    }

    /// Every absolute path by which a link may name something inside.
    fn absolute(&self, inside: &WsPath) -> Arranged<Vec<Vec<u8>>> {
        let _ = inside;
        Err(Cannot("name an absolute path inside"))
    }

    /// The place next to the workspace.
    fn beyond(&self) -> Arranged<Beyond> {
        Err(Cannot("have anything outside"))
    }

    /// Every file of [`Beyond`] with its content, by relative path.
    fn beyond_now(&self) -> Arranged<BTreeMap<Vec<u8>, Vec<u8>>> {
        Err(Cannot("look outside"))
    }

    /// Every path below the root that is really there, temporary files included.
    fn everything(&self) -> Arranged<Vec<Vec<u8>>> {
        Err(Cannot("list what is really there"))
    }

    /// A second, independent handle on the same files under another policy.
    fn open_again(&self, policy: Policy) -> Arranged<Arc<dyn DynFilesystem>> {
        let _ = policy;
        Err(Cannot("open the same files again"))
    }
}

/// Nothing can be arranged around this backend.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl Outside for Nothing {}

/// The time that [`Outside::set_modified`] means.
#[must_use]
pub fn time(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}
