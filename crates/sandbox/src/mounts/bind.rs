//! Things of this machine that are bound into a sandbox's tree.

use std::{
    collections::BTreeSet,
    ffi::CString,
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
};

use garth_contract::Seat;
use rustix::{
    fs::{CWD, Mode, OFlags, fstat, openat, readlinkat},
    io::Errno,
    mount::{OpenTreeFlags, open_tree},
};

use super::{
    access_flags, attach,
    layout::{Layout, Reach, c_string},
};
use crate::{
    Access, Network, Refusal, Root,
    act::{Act, During, Failed},
    mounts_unsafe::{Depth, set_attributes},
};

/// The longest name of a directory of the workspace: a component of a path.
const MOST_PLACE: usize = 255;

/// One thing that is bound in.
#[derive(Debug)]
pub(crate) struct Bind {
    source: Source,
    onto: CString,
    access: Access,
    act: Act,
}

#[derive(Debug)]
enum Source {
    /// Whatever is at a path of the system.
    Path(CString),
    /// The directory that is known by its numbers, at a path where it was last.
    Directory { path: CString, device: u64, inode: u64 },
    /// A mount that is ready.
    Ready(OwnedFd),
}

impl Bind {
    /// A directory or a file of the system, read-only.
    pub(crate) fn system(path: CString, onto: CString) -> Self {
        Self { source: Source::Path(path), onto, access: Access::ReadOnly, act: Act::BindSystem }
    }

    /// Binds it below the new root. In the new process.
    pub(crate) fn put(&self, root: &OwnedFd) -> Result<(), Failed> {
        let clone = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        let tree = match &self.source {
            Source::Ready(tree) => return attach(tree, root, &self.onto).during(self.act),
            Source::Path(path) => open_tree(CWD, &**path, clone).during(self.act)?,
            Source::Directory { path, device, inode } => {
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let found = openat(CWD, &**path, flags, Mode::empty()).during(self.act)?;
                let stat = fstat(&found).during(self.act)?;
                if (stat.st_dev, stat.st_ino) != (*device, *inode) {
                    return Err(Failed { act: self.act, errno: Errno::STALE });
                }
                open_tree(found, c"", clone | OpenTreeFlags::AT_EMPTY_PATH).during(self.act)?
            }
        };
        set_attributes(&tree, Depth::Whole, access_flags(self.access)).during(self.act)?;
        attach(tree, root, &self.onto).during(self.act)
    }
}

/// The directories of the workspace.
///
/// *Errors*: `Mounts` for places that are no names or are taken.
pub(crate) fn roots(
    layout: &mut Layout,
    (seat, roots): (Seat, &[Root]),
    turned: Option<Vec<OwnedFd>>,
) -> Result<Vec<Bind>, Refusal> {
    check_places(roots)?;
    let mut turned = turned.map(Vec::into_iter);
    let mut binds = Vec::with_capacity(roots.len());
    for root in roots {
        let workspace = seat.workspace().trim_start_matches('/');
        let at = match root.place.as_str() {
            "" => workspace.to_owned(),
            place => format!("{workspace}/{place}"),
        };
        layout.directory(&at);
        layout.reach(&format!("/{at}"), Reach::of(root.access));
        let source = match turned.as_mut().and_then(Iterator::next) {
            Some(tree) => Source::Ready(tree),
            None => locate(root)?,
        };
        let onto = c_string(at, Act::Places)?;
        binds.push(Bind { source, onto, access: root.access, act: Act::BindRoot });
    }
    Ok(binds)
}

fn check_places(roots: &[Root]) -> Result<(), Refusal> {
    let refuse = |why| Err(Refusal::of(Act::Places, why));
    let mut taken = BTreeSet::new();
    for root in roots {
        let place = root.place.as_str();
        if place.is_empty() && roots.len() > 1 {
            return refuse("one of several directories has no name");
        }
        if place == "." || place == ".." || place.contains('/') || place.len() > MOST_PLACE {
            return refuse("a directory's name must be one component of a path");
        }
        if !taken.insert(place) {
            return refuse("two directories have the same name");
        }
    }
    Ok(())
}

/// Where an open directory is now; the new process must find it again in its own
/// mounts, and looks whether it is the same.
fn locate(root: &Root) -> Result<Source, Refusal> {
    let stat = fstat(&root.directory).during(Act::BindRoot)?;
    let link = format!("/proc/self/fd/{}", root.directory.as_fd().as_raw_fd());
    let path = readlinkat(CWD, link, Vec::new()).during(Act::BindRoot)?;
    Ok(Source::Directory { path, device: stat.st_dev, inode: stat.st_ino })
}

/// The socket of a proxy.
pub(crate) fn socket(layout: &mut Layout, network: &Network) -> Result<Option<Bind>, Refusal> {
    let path = match network {
        Network::None => return Ok(None),
        Network::Through(path) => c_string(path.as_os_str().as_bytes(), Act::BindSocket)?,
    };
    let at = Network::SOCKET.trim_start_matches('/');
    layout.directory("run/garth");
    layout.file(at, "");
    let onto = c_string(at, Act::BindSocket)?;
    let source = Source::Path(path);
    Ok(Some(Bind { source, onto, access: Access::ReadOnly, act: Act::BindSocket }))
}
