//! Third layer: a file tree of its own.
//!
//! One file system in memory is its root, which is read-only in the end; `/tmp`, the home
//! directory and `/dev/shm` are writable windows into the same one, so that one bound
//! holds for all three. The system's programs and the workspace are bound in, `/proc` is
//! its own, and what was there before is let go.

mod bind;
mod etc;
mod layout;
mod own;
mod survey;
mod system;

pub use system::can_be_visible;

use std::ffi::{CStr, CString};

use garth_contract::Seat;
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{
        AtFlags, CWD, Dev, FileType, Gid, Mode, OFlags, Uid, chmodat, chownat, makedev, mkdirat,
        mknodat, openat, symlinkat,
    },
    io::{Errno, write},
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MountPropagationFlags,
        MoveMountFlags, OpenTreeFlags, UnmountFlags, fsconfig_create, fsconfig_set_string, fsmount,
        fsopen, mount, mount_change, move_mount, open_tree, unmount,
    },
    process::{chdir, fchdir, pivot_root, umask},
};

use crate::{
    Access, Refusal, Spec, Tenure,
    act::{Act, During, Failed},
    ids::Ids,
    image::{self, Sealed},
    mounts_unsafe::{Depth, set_attributes},
    superuser::{NAMESPACE, SUDO, Superuser},
};
use bind::Bind;
use layout::Layout;
pub(crate) use layout::Reach;
use own::Own;

/// A writable place, and its mode.
struct Scratch {
    at: &'static CStr,
    mode: u32,
    attributes: MountAttrFlags,
}

const NO_PRIVILEGES: MountAttrFlags =
    MountAttrFlags::MOUNT_ATTR_NOSUID.union(MountAttrFlags::MOUNT_ATTR_NODEV);

const DEVICE: MountAttrFlags = MountAttrFlags::MOUNT_ATTR_RDONLY
    .union(MountAttrFlags::MOUNT_ATTR_NOSUID)
    .union(MountAttrFlags::MOUNT_ATTR_NOEXEC);

const TMP: Scratch = Scratch { at: c"tmp", mode: 0o1777, attributes: NO_PRIVILEGES };

const SHARED: Scratch = Scratch {
    at: c"dev/shm",
    mode: 0o1777,
    attributes: NO_PRIVILEGES.union(MountAttrFlags::MOUNT_ATTR_NOEXEC),
};

/// The writable places beside the workspace.
fn scratches(seat: Seat) -> &'static [Scratch] {
    match seat {
        Seat::Workspace => {
            &[TMP, Scratch { at: c"home/garth", mode: 0o700, attributes: NO_PRIVILEGES }, SHARED]
        }
        Seat::Home => &[TMP, SHARED],
    }
}

/// The writable places of a system that is the sandbox's own, which are opened before anything
/// is bound below them.
const OWN: [Scratch; 5] = [
    Scratch { at: c"etc", mode: 0o755, attributes: NO_PRIVILEGES },
    Scratch { at: c"opt", mode: 0o755, attributes: NO_PRIVILEGES },
    Scratch { at: c"root", mode: 0o700, attributes: NO_PRIVILEGES },
    Scratch { at: c"srv", mode: 0o755, attributes: NO_PRIVILEGES },
    Scratch { at: c"var", mode: 0o755, attributes: NO_PRIVILEGES },
];

/// The devices there are, with their numbers.
const DEVICES: [(&CStr, (u32, u32)); 6] = [
    (c"null", (1, 3)),
    (c"zero", (1, 5)),
    (c"full", (1, 7)),
    (c"random", (1, 8)),
    (c"urandom", (1, 9)),
    (c"tty", (5, 0)),
];

/// The file tree of a sandbox, ready to be made.
#[derive(Debug)]
pub(crate) struct Mounts {
    seat: Seat,
    size: CString,
    inodes: CString,
    layout: Layout,
    binds: Vec<Bind>,
    /// What is the sandbox's own of the system, with its `sudo`.
    own: Option<(Vec<Own>, Sealed)>,
    devices: Devices,
    owner: Option<(Uid, Gid)>,
}

/// How the devices come to be.
#[derive(Clone, Copy, Debug)]
enum Devices {
    /// They are made, which needs root.
    Made,
    /// Those of this machine are bound in.
    Bound,
}

/// What a mount of the workspace allows.
pub(crate) fn access_flags(access: Access) -> MountAttrFlags {
    match access {
        Access::ReadWrite => NO_PRIVILEGES,
        Access::ReadOnly => NO_PRIVILEGES.union(MountAttrFlags::MOUNT_ATTR_RDONLY),
    }
}

/// Bytes of the file system for each file that it may have.
const BYTES_A_FILE: u64 = 4096;

/// A file costs the kernel about a kilobyte, whatever is in it.
const MOST_FILES: u64 = 1 << 20;

/// The tree itself has some hundred.
const FEWEST_FILES: u64 = 1 << 12;

/// Looks at this machine and says what the tree will be.
///
/// `turned` has a detached mount for each root where root turned their ids.
pub(crate) fn prepare(
    spec: &Spec,
    ids: &Ids,
    turned: Option<Vec<OwnedFd>>,
) -> Result<Mounts, Refusal> {
    let mut layout = Layout::new(spec.seat);
    let shown = system::show(&mut layout, (&spec.system, &spec.tenure), &spec.visible)?;
    let (mut binds, owned) = shown;
    etc::write(&mut layout, spec.seat, &spec.tenure);
    let own = match &spec.tenure {
        Tenure::Shown => None,
        Tenure::Own { sudo } => {
            reserve(&mut layout);
            Some((owned, image::prepare(sudo, ids)?))
        }
    };
    binds.extend(bind::roots(&mut layout, (spec.seat, &spec.roots), turned)?);
    binds.extend(bind::socket(&mut layout, &spec.network)?);
    let (devices, owner) = match ids {
        Ids::Own(_) => (Devices::Bound, None),
        Ids::Runner(lent) => {
            (Devices::Made, Some((Uid::from_raw(lent.uid), Gid::from_raw(lent.gid))))
        }
    };
    let files = (spec.limits.tmp_bytes / BYTES_A_FILE).clamp(FEWEST_FILES, MOST_FILES);
    let text = |number: u64| layout::c_string(number.to_string(), Act::RootTree);
    let (size, inodes) = (text(spec.limits.tmp_bytes.max(BYTES_A_FILE))?, text(files)?);
    Ok(Mounts { seat: spec.seat, size, inodes, layout, binds, own, devices, owner })
}

/// Adds the places of a system that is the sandbox's own.
fn reserve(layout: &mut Layout) {
    for Scratch { at, .. } in OWN {
        if let Ok(name) = at.to_str() {
            layout.directory(name);
            layout.reach(&format!("/{name}"), Reach::All);
        }
    }
    layout.directory("run/garth");
    for file in [NAMESPACE, SUDO] {
        layout.file(file.trim_start_matches('/'), "");
        layout.reach(file, Reach::Program);
    }
}

impl Mounts {
    /// What may be done where, for the second fence.
    pub(crate) fn reaches(&self) -> &[(CString, Reach)] {
        &self.layout.reaches
    }

    /// Makes the tree and moves into it.
    pub(crate) fn enter(&self, superuser: Option<&Superuser>) -> Result<(), Failed> {
        let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        mount_change(c"/", private).during(Act::Private)?;
        umask(Mode::empty());
        let root = self.make_root().during(Act::RootTree)?;
        self.layout.make(&root).during(Act::Fill)?;
        self.make_devices(&root).during(Act::Devices)?;
        if let Some((own, sudo)) = &self.own {
            self.open_own(&root, (own, sudo), superuser)?;
        }
        for bind in &self.binds {
            bind.put(&root)?;
        }
        fchdir(&root).during(Act::RootTree)?;
        mount_proc().during(Act::MountProc)?;
        mount_terminals().during(Act::MountTerminals)?;
        for scratch in scratches(self.seat) {
            self.open_window(&root, scratch).during(Act::Scratch)?;
        }
        change_root().during(Act::Pivot)?;
        set_attributes(&root, Depth::Single, MountAttrFlags::MOUNT_ATTR_RDONLY)
            .during(Act::Seal)?;
        umask(Mode::WGRP | Mode::WOTH);
        let workspace = match self.seat {
            Seat::Workspace => c"/workspace",
            Seat::Home => c"/home/user",
        };
        chdir(workspace).during(Act::WorkDir)
    }

    /// Makes what is the sandbox's own of the system, and its superuser.
    fn open_own(
        &self,
        root: &OwnedFd,
        (own, sudo): (&[Own], &Sealed),
        superuser: Option<&Superuser>,
    ) -> Result<(), Failed> {
        let Self { size, inodes, owner, .. } = self;
        if let Some(owner) = owner {
            self.layout.give(root, *owner).during(Act::Fill)?;
        }
        for scratch in &OWN {
            self.open_window(root, scratch).during(Act::Scratch)?;
        }
        own::put(own, root, &own::Room { owner: *owner, size, inodes })?;
        let sealed = sudo.seal()?;
        let missing = Failed { act: Act::BindSudo, errno: Errno::BADF };
        let program = sudo.file(sealed.as_ref()).ok_or(missing)?;
        attach(program, root, c"run/garth/sudo").during(Act::BindSudo)?;
        let Some(superuser) = superuser else { return Ok(()) };
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_EMPTY_PATH;
        let namespace = open_tree(superuser.below(), c"", flags).during(Act::BindSudo)?;
        attach(namespace, root, c"run/garth/superuser").during(Act::BindSudo)
    }

    fn make_root(&self) -> Result<OwnedFd, Errno> {
        let attributes = match self.devices {
            Devices::Made => MountAttrFlags::MOUNT_ATTR_NOSUID,
            Devices::Bound => NO_PRIVILEGES,
        };
        let root = make_memory((&self.size, &self.inodes), attributes)?;
        // Over the old root, which stays reachable: a path begins below what is mounted there.
        attach(&root, CWD, c"/")?;
        Ok(root)
    }

    fn make_devices(&self, root: &OwnedFd) -> Result<(), Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let inside = openat(root, c"dev", flags, Mode::empty())?;
        let all = Mode::from_raw_mode(0o666);
        match self.devices {
            Devices::Made => {
                for (name, (major, minor)) in DEVICES {
                    let device: Dev = makedev(major, minor);
                    mknodat(&inside, name, FileType::CharacterDevice, all, device)?;
                }
            }
            Devices::Bound => {
                let outside = openat(CWD, c"/dev", flags, Mode::empty())?;
                for (name, _) in DEVICES {
                    mknodat(&inside, name, FileType::RegularFile, all, 0)?;
                    let clone = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
                    let device = open_tree(&outside, name, clone)?;
                    // Its mode and owner cannot be changed; what it takes can be written.
                    set_attributes(&device, Depth::Single, DEVICE)?;
                    attach(device, &inside, name)?;
                }
            }
        }
        Ok(())
    }

    /// Makes a place writable, by a mount of its own over itself.
    fn open_window(&self, root: &OwnedFd, scratch: &Scratch) -> Result<(), Errno> {
        match mkdirat(root, scratch.at, Mode::from_raw_mode(scratch.mode)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
        chmodat(root, scratch.at, Mode::from_raw_mode(scratch.mode), AtFlags::empty())?;
        if let Some((uid, gid)) = self.owner {
            chownat(root, scratch.at, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?;
        }
        let clone = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        let window = open_tree(root, scratch.at, clone)?;
        set_attributes(&window, Depth::Single, scratch.attributes)?;
        attach(window, root, scratch.at)
    }
}

/// A file system in memory of so many bytes and files, mounted nowhere yet.
fn make_memory(
    (size, inodes): (&CStr, &CStr),
    attributes: MountAttrFlags,
) -> Result<OwnedFd, Errno> {
    let context = fsopen(c"tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(context.as_fd(), c"size", size)?;
    fsconfig_set_string(context.as_fd(), c"nr_inodes", inodes)?;
    fsconfig_set_string(context.as_fd(), c"mode", c"755")?;
    fsconfig_create(context.as_fd())?;
    fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)
}

/// Mounts a detached tree.
fn attach(tree: impl AsFd, under: impl AsFd, at: &CStr) -> Result<(), Errno> {
    move_mount(tree, c"", under, at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

/// Read-only, so that no setting of the kernel can be written, whoever owns it.
fn mount_proc() -> Result<(), Errno> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    mount(c"proc", c"proc", c"proc", flags, c"")
}

fn mount_terminals() -> Result<(), Errno> {
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    mount(c"devpts", c"dev/pts", c"devpts", flags, c"newinstance,ptmxmode=0666,mode=0620")
}

/// Takes the working directory as the root and lets the old one go.
fn change_root() -> Result<(), Errno> {
    pivot_root(c".", c".")?;
    unmount(c".", UnmountFlags::DETACH)?;
    chdir(c"/")
}

impl Layout {
    /// Gives what is in the places of [`OWN`] to whoever runs inside.
    fn give(&self, root: &OwnedFd, (uid, gid): (Uid, Gid)) -> Result<(), Errno> {
        let own = |path: &CString| {
            let path = path.to_bytes();
            OWN.iter().any(|Scratch { at, .. }| path.starts_with(at.to_bytes()))
        };
        let all = self.directories.iter().chain(self.files.iter().map(|(at, _)| at));
        for at in all.filter(|at| own(at)) {
            chownat(root, &**at, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?;
        }
        Ok(())
    }

    /// Makes the directories, links and small files.
    fn make(&self, root: &OwnedFd) -> Result<(), Errno> {
        for directory in &self.directories {
            mkdirat(root, &**directory, Mode::from_raw_mode(0o755))?;
        }
        for (target, at) in &self.links {
            symlinkat(&**target, root, &**at)?;
        }
        for (at, text) in &self.files {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let file = openat(root, &**at, flags, Mode::from_raw_mode(0o644))?;
            if !text.is_empty() {
                write(file, text)?;
            }
        }
        Ok(())
    }
}
