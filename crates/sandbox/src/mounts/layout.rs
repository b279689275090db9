//! What the root directory of a sandbox holds besides what is mounted in it.

use std::{collections::BTreeSet, ffi::CString};

use garth_contract::Seat;

use crate::{Access, Refusal, act::Act};

/// What may be done below a path, for the second fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Directories can be listed.
    List,
    /// Files can be read.
    Read,
    /// Files can be read and run.
    Run,
    /// One file can be read and run.
    Program,
    /// Devices and terminals can be used.
    Devices,
    /// Everything but making devices.
    All,
}

impl Reach {
    /// That of a directory of the workspace.
    pub(crate) fn of(access: Access) -> Self {
        match access {
            Access::ReadWrite => Self::All,
            Access::ReadOnly => Self::Run,
        }
    }
}

/// Directories, links and small files, by their paths below the root.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Parents first.
    pub(crate) directories: Vec<CString>,
    /// What each link says, and where it is.
    pub(crate) links: Vec<(CString, CString)>,
    /// Where each file is, and what it says.
    pub(crate) files: Vec<(CString, Vec<u8>)>,
    /// What may be done where.
    pub(crate) reaches: Vec<(CString, Reach)>,
    taken: BTreeSet<String>,
}

const DIRECTORIES: &[&str] = &["dev", "dev/pts", "etc", "home", "proc", "run", "var"];

const LINKS: &[(&str, &str)] = &[
    ("/proc/self/fd", "dev/fd"),
    ("/proc/self/fd/0", "dev/stdin"),
    ("/proc/self/fd/1", "dev/stdout"),
    ("/proc/self/fd/2", "dev/stderr"),
    ("pts/ptmx", "dev/ptmx"),
    ("/proc/self/mounts", "etc/mtab"),
    ("/run", "var/run"),
    ("/tmp", "var/tmp"),
];

const REACHES: &[(&str, Reach)] = &[
    ("/", Reach::List),
    ("/dev", Reach::Devices),
    ("/dev/shm", Reach::All),
    ("/etc", Reach::Run),
    ("/proc", Reach::Read),
    ("/tmp", Reach::All),
];

impl Layout {
    /// What every sandbox has whose workspace sits there.
    pub(crate) fn new(seat: Seat) -> Self {
        let mut layout = Self {
            directories: Vec::new(),
            links: Vec::new(),
            files: Vec::new(),
            reaches: Vec::new(),
            taken: BTreeSet::new(),
        };
        for directory in DIRECTORIES {
            layout.directory(directory);
        }
        for (target, at) in LINKS {
            layout.link(target.as_bytes(), at);
        }
        for (path, reach) in REACHES {
            layout.reach(path, *reach);
        }
        layout.directory(seat.workspace().trim_start_matches('/'));
        match seat {
            Seat::Workspace => layout.reach(seat.home(), Reach::All),
            // Whoever knows the workspace by its usual name finds it.
            Seat::Home => layout.link(seat.workspace().as_bytes(), "workspace"),
        }
        layout
    }

    /// A directory, and those above it.
    pub(crate) fn directory(&mut self, at: &str) {
        let ends = at.match_indices('/').map(|(end, _)| end).chain([at.len()]);
        for path in ends.filter_map(|end| at.get(..end)) {
            if self.taken.insert(path.to_owned()) {
                self.directories.extend(CString::new(path));
            }
        }
    }

    /// A link.
    pub(crate) fn link(&mut self, target: &[u8], at: &str) {
        if let (Ok(target), Ok(path)) = (CString::new(target), CString::new(at))
            && self.taken.insert(at.to_owned())
        {
            self.links.push((target, path));
        }
    }

    /// A small file.
    pub(crate) fn file(&mut self, at: &str, text: &str) {
        if let Ok(path) = CString::new(at)
            && self.taken.insert(at.to_owned())
        {
            self.files.push((path, text.as_bytes().to_vec()));
        }
    }

    /// What may be done below a path.
    pub(crate) fn reach(&mut self, path: &str, reach: Reach) {
        self.reaches.extend(CString::new(path).map(|path| (path, reach)));
    }
}

/// A string for the kernel, which has no NUL in it.
pub(crate) fn c_string(text: impl Into<Vec<u8>>, act: Act) -> Result<CString, Refusal> {
    CString::new(text).map_err(|_| Refusal::of(act, "a name has a NUL in it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_comes_after_those_above_it_and_once() {
        let mut layout = Layout::new(Seat::Workspace);
        layout.directory("opt/tools/bin");
        layout.directory("opt/tools");
        let text: Vec<_> = layout.directories.iter().map(|path| path.to_str().unwrap()).collect();
        assert!(text.ends_with(&["opt", "opt/tools", "opt/tools/bin"]), "{text:?}");
    }
}
