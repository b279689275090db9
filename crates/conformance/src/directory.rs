//! A directory of this machine, with the kernel's own view as the hand behind the
//! back of whatever backend has it.
#![allow(clippy::disallowed_methods, reason = "other programs on a machine use plain paths")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a scene that cannot be set should fail and say so"
)]

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fmt::Display,
    fs::{self, File},
    os::unix::{
        ffi::OsStrExt,
        fs::{FileExt, MetadataExt, PermissionsExt, chown, symlink},
        net::UnixListener,
    },
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use garth_contract::{DynFilesystem, Policy, Result, WsPath};
use rustix::fs::{
    CWD, Dev, FileType, IFlags, Mode, RenameFlags, XattrFlags, getxattr, ioctl_getflags,
    ioctl_setflags, makedev, mknodat, renameat_with, setxattr,
};

use crate::{Arranged, Beyond, Cannot, Outside, SECRET, time};

/// An owner that no process here has.
const ODD_OWNER: u32 = 54_321;
const ATTRIBUTE: &str = "user.garth-test";

/// Opens a directory as a workspace under these rules.
type Open = dyn Fn(&Path, Policy) -> Result<Arc<dyn DynFilesystem>> + Send + Sync;

/// A directory `ws` for the workspace and one `beyond` next to it; both are removed
/// when it is dropped.
pub struct Directory {
    dir: tempfile::TempDir,
    open: Box<Open>,
    /// What must be allowed again before the directory can be removed.
    forbidden: Mutex<Vec<PathBuf>>,
}

impl Directory {
    /// The absolute path that leads to the root of the workspace, as far as its links
    /// know.
    pub const ALIAS: &[u8] = b"/workspace";

    /// A fresh directory, which `open` opens again when a second handle is wanted.
    ///
    /// # Panics
    /// When the system gives none.
    #[must_use]
    pub fn new(
        open: impl Fn(&Path, Policy) -> Result<Arc<dyn DynFilesystem>> + Send + Sync + 'static,
    ) -> Self {
        Self::within(&tempfile::env::temp_dir(), open)
    }

    /// The same below a directory that another place can see.
    ///
    /// # Panics
    /// When the system gives none.
    #[must_use]
    pub fn within(
        place: &Path,
        open: impl Fn(&Path, Policy) -> Result<Arc<dyn DynFilesystem>> + Send + Sync + 'static,
    ) -> Self {
        let dir = tempfile::tempdir_in(place).unwrap();
        fs::create_dir(dir.path().join("ws")).unwrap();
        fs::create_dir_all(dir.path().join("beyond/dir")).unwrap();
        fs::write(dir.path().join("beyond/secret"), SECRET).unwrap();
        fs::write(dir.path().join("beyond/dir/inner"), SECRET).unwrap();
        Self { dir, open: Box::new(open), forbidden: Mutex::default() }
    }

    /// Where the workspace is.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.dir.path().join("ws")
    }

    fn at(&self, path: &WsPath) -> PathBuf {
        self.root().join(OsStr::from_bytes(path.as_bytes()))
    }

    fn node(&self, at: &WsPath, kind: FileType, device: Dev) -> Arranged {
        let mode = Mode::from_raw_mode(0o666);
        done(mknodat(CWD, self.at(at), kind, mode, device), "make a special file")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        for path in self.forbidden.get_mut().unwrap() {
            let _ = immutable(path, IFlags::empty());
        }
    }
}

/// What the system says is shown, since a scene that is not set proves nothing.
fn done<T, E: Display>(result: Result<T, E>, what: &'static str) -> Arranged<T> {
    result.map_err(|error| {
        println!("cannot {what}: {error}");
        Cannot(what)
    })
}

/// Only the superuser may, and may also read whatever it likes.
fn may_give_away() -> bool {
    rustix::process::geteuid().is_root()
}

fn immutable(path: &Path, wanted: IFlags) -> rustix::io::Result<()> {
    let file = File::open(path).map_err(|_| rustix::io::Errno::NOENT)?;
    let others = ioctl_getflags(&file)?.difference(IFlags::IMMUTABLE);
    ioctl_setflags(&file, others | wanted)
}

impl Outside for Directory {
    fn write(&self, at: &WsPath, content: &[u8]) -> Arranged {
        let path = self.at(at);
        done(fs::create_dir_all(path.parent().unwrap()), "make a directory")?;
        done(fs::write(path, content), "write a file")
    }

    fn symlink(&self, at: &WsPath, target: &[u8]) -> Arranged {
        done(symlink(OsStr::from_bytes(target), self.at(at)), "make a link")
    }

    fn fifo(&self, at: &WsPath) -> Arranged {
        self.node(at, FileType::Fifo, 0)
    }

    fn socket(&self, at: &WsPath) -> Arranged {
        done(UnixListener::bind(self.at(at)), "make a socket").map(drop)
    }

    fn device(&self, at: &WsPath) -> Arranged {
        self.node(at, FileType::CharacterDevice, makedev(1, 5))
    }

    fn hard_link_to_secret(&self, at: &WsPath) -> Arranged {
        done(fs::hard_link(self.dir.path().join("beyond/secret"), self.at(at)), "make a hard link")
    }

    fn hard_link(&self, of: &WsPath, at: &WsPath) -> Arranged {
        done(fs::hard_link(self.at(of), self.at(at)), "make a hard link")
    }

    fn sparse(&self, at: &WsPath, size: u64, tail: &[u8]) -> Arranged {
        let file = done(File::create(self.at(at)), "create a file")?;
        done(file.set_len(size), "make a file this large")?;
        done(file.write_all_at(tail, size - tail.len() as u64), "write a file's end")
    }

    fn remove(&self, at: &WsPath) -> Arranged {
        let path = self.at(at);
        let removed = match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(path),
            _ => fs::remove_file(path),
        };
        done(removed, "remove")
    }

    fn exchange(&self, one: &WsPath, other: &WsPath) -> Arranged {
        let (one, other) = (self.at(one), self.at(other));
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)
            .map_err(|_| Cannot("exchange two entries"))
    }

    fn set_modified(&self, at: &WsPath, seconds: u64) -> Arranged {
        let file = done(File::open(self.at(at)), "open a file")?;
        done(file.set_modified(time(seconds)), "set a file's time")
    }

    fn set_mode(&self, at: &WsPath, mode: u32) -> Arranged {
        done(fs::set_permissions(self.at(at), fs::Permissions::from_mode(mode)), "set a mode")
    }

    fn mark(&self, at: &WsPath) -> Arranged {
        let path = self.at(at);
        if may_give_away() {
            done(chown(&path, Some(ODD_OWNER), Some(ODD_OWNER)), "give a file away")?;
        }
        done(setxattr(path, ATTRIBUTE, b"kept", XattrFlags::empty()), "set an attribute")
    }

    fn marked(&self, at: &WsPath) -> Arranged<bool> {
        let mut value = [0; 9];
        let length = getxattr(self.at(at), ATTRIBUTE, &mut value).unwrap_or(0);
        let metadata = done(fs::metadata(self.at(at)), "look at a file")?;
        let owned = metadata.uid() == ODD_OWNER && metadata.gid() == ODD_OWNER;
        Ok(&value[..length] == b"kept" && (owned || !may_give_away()))
    }

    fn forbid(&self, at: &WsPath) -> Arranged {
        let path = self.at(at);
        if may_give_away() {
            // Permission bits do not stop the superuser; this does, for changes.
            done(immutable(&path, IFlags::IMMUTABLE), "make something immutable")?;
        } else {
            let mode = if path.is_dir() { 0o500 } else { 0 };
            done(fs::set_permissions(&path, fs::Permissions::from_mode(mode)), "take rights")?;
        }
        self.forbidden.lock().unwrap().push(path);
        Ok(())
    }

    fn absolute(&self, inside: &WsPath) -> Arranged<Vec<Vec<u8>>> {
        let mut alias = Self::ALIAS.to_vec();
        for name in inside.components() {
            alias.extend([b"/", name].concat());
        }
        Ok(vec![self.at(inside).into_os_string().as_bytes().to_vec(), alias])
    }

    fn beyond(&self) -> Arranged<Beyond> {
        let absolute = self.dir.path().join("beyond").into_os_string().as_bytes().to_vec();
        Ok(Beyond { absolute, relative: b"../beyond".to_vec() })
    }

    fn beyond_now(&self) -> Arranged<BTreeMap<Vec<u8>, Vec<u8>>> {
        let root = self.dir.path().join("beyond");
        let next_to_it = fs::read_dir(self.dir.path()).unwrap().count();
        assert_eq!(next_to_it, 2, "something new stands next to the root");
        Ok(below(&root)
            .into_iter()
            .filter(|path| root.join(OsStr::from_bytes(path)).is_file())
            .map(|path| (path.clone(), fs::read(root.join(OsStr::from_bytes(&path))).unwrap()))
            .collect())
    }

    fn everything(&self) -> Arranged<Vec<Vec<u8>>> {
        Ok(below(&self.root()))
    }

    fn open_again(&self, policy: Policy) -> Arranged<Arc<dyn DynFilesystem>> {
        done((self.open)(&self.root(), policy), "open the same directory again")
    }
}

/// Every path below a directory, relative to it, sorted.
fn below(root: &Path) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        // What goes away while it is looked at is not there.
        let Ok(entries) = fs::read_dir(dir) else { continue };
        for entry in entries.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            }
            let path = entry.path();
            found.push(path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec());
        }
    }
    found.sort();
    found
}
