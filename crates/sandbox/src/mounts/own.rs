//! The system's directories as a sandbox's own: what it changes in them is in a layer in
//! memory above them, which ends with it.
//!
//! The layers below are read-only mounts, so nothing of this machine can change. Directories
//! that everybody may look into belong to the sandbox's user in the upper layer; files keep
//! their owner, so one that others cannot read is not read here either, and is replaced
//! rather than written to.

use std::{
    ffi::{CStr, CString},
    os::unix::ffi::OsStrExt,
    path::Path,
    sync::Arc,
};

use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{AtFlags, CWD, Gid, Mode, Uid, chownat, mkdirat, symlinkat, unlinkat},
    io::Errno,
    mount::{
        FsMountFlags, FsOpenFlags, OpenTreeFlags, UnmountFlags, fsconfig_create, fsconfig_set_flag,
        fsconfig_set_string, fsmount, fsopen, open_tree, unmount,
    },
    process::fchdir,
};

use super::{
    NO_PRIVILEGES, access_flags, attach,
    layout::c_string,
    make_memory,
    survey::{Survey, survey},
};
use crate::{
    Access, Refusal,
    act::{Act, During, Failed},
    mounts_unsafe::{Depth, OnBehalf, set_attributes},
    superuser::SUDO,
};

/// Where the layers are while they are put together; nothing of it is left.
const LAYERS: &CStr = c".layers";

/// One directory of the system that is to be the sandbox's own.
#[derive(Debug)]
pub(crate) struct Own {
    path: CString,
    /// Its name in the root, and that of its upper layer.
    name: CString,
    lower: CString,
    work: CString,
    /// What is below it, for the directories of the upper layer.
    survey: Arc<Survey>,
}

impl Own {
    /// The directory of this name at a path of this machine.
    pub(crate) fn new(path: &Path, name: &str) -> Result<Self, Refusal> {
        let text = |text: String| c_string(text, Act::Layers);
        Ok(Self {
            path: c_string(path.as_os_str().as_bytes(), Act::System)?,
            name: text(name.to_owned())?,
            lower: text(format!("{name}.lower"))?,
            work: text(format!("{name}.work"))?,
            survey: survey(path, name),
        })
    }
}

/// Who owns the upper layers, and how much they may hold.
pub(crate) struct Room<'a> {
    pub(crate) owner: Option<(Uid, Gid)>,
    pub(crate) size: &'a CStr,
    pub(crate) inodes: &'a CStr,
}

/// Puts the directories into the new root. In the new process.
pub(crate) fn put(all: &[Own], root: &OwnedFd, room: &Room<'_>) -> Result<(), Failed> {
    put_all(all, root, room).during(Act::Layers)
}

fn put_all(all: &[Own], root: &OwnedFd, room: &Room<'_>) -> Result<(), Errno> {
    mkdirat(root, LAYERS, Mode::from_raw_mode(0o700))?;
    let layers = make_memory((room.size, room.inodes), NO_PRIVILEGES)?;
    attach(&layers, root, LAYERS)?;
    // Layers are named from here, so that no character of a path means anything.
    fchdir(&layers)?;
    for own in all {
        own.fill(&layers, room.owner)?;
        own.lay(&layers, root, room.owner)?;
    }
    fchdir(root)?;
    unmount(LAYERS, UnmountFlags::DETACH)?;
    unlinkat(root, LAYERS, AtFlags::REMOVEDIR)
}

impl Own {
    /// Makes the upper layer, with the directories that are the user's own.
    fn fill(&self, layers: &OwnedFd, owner: Option<(Uid, Gid)>) -> Result<(), Errno> {
        for private in [&self.lower, &self.work] {
            mkdirat(layers, &**private, Mode::from_raw_mode(0o700))?;
        }
        mkdirat(layers, &*self.name, Mode::from_raw_mode(0o755))?;
        let mut on_behalf = None;
        if let Some((uid, gid)) = owner {
            chownat(layers, &*self.name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?;
            // There are thousands, which so are the owner's from the beginning.
            on_behalf = Some(OnBehalf::of(uid, gid)?);
        }
        for directory in self.survey.open() {
            mkdirat(layers, &**directory, Mode::from_raw_mode(0o755))?;
        }
        drop(on_behalf);
        match symlinkat(SUDO, layers, c"usr/bin/sudo") {
            // It is another directory than the one that has it, or has it by now.
            Ok(()) | Err(Errno::NOENT | Errno::EXIST) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// Lays it over the system's.
    fn lay(
        &self,
        layers: &OwnedFd,
        root: &OwnedFd,
        owner: Option<(Uid, Gid)>,
    ) -> Result<(), Errno> {
        let clone = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        let tree = open_tree(CWD, &*self.path, clone)?;
        set_attributes(&tree, Depth::Whole, access_flags(Access::ReadOnly))?;
        attach(&tree, layers, &self.lower)?;
        let context = fsopen(c"overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
        let context = context.as_fd();
        fsconfig_set_string(context, c"lowerdir", &*self.lower)?;
        fsconfig_set_string(context, c"upperdir", &*self.name)?;
        fsconfig_set_string(context, c"workdir", &*self.work)?;
        if owner.is_none() {
            // An ordinary user cannot write the attributes that root keeps notes in.
            fsconfig_set_flag(context, c"userxattr")?;
        }
        fsconfig_create(context)?;
        let mounted = fsmount(context, FsMountFlags::FSMOUNT_CLOEXEC, NO_PRIVILEGES)?;
        attach(mounted, root, &self.name)
    }
}
