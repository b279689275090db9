//! From a path to what it leads to, links followed inside the tree only.

use std::sync::Arc;

use garth_contract::{Code, Error, Links, Result, WsPath};
use garth_search::Stands;

use crate::{
    fence::Fence,
    tree::{Dir, File, Link, Node},
};

/// How many links one path may go through; what Linux allows.
const MAX_LINKS: usize = 40;

/// Where a path leads to.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    /// The real path, every link on the way resolved.
    pub(crate) path: WsPath,
    /// What is there.
    pub(crate) what: What<'a>,
}

/// What stands at a place.
#[derive(Debug)]
pub(crate) enum What<'a> {
    Dir(&'a Arc<Dir>),
    File(&'a Arc<File>),
    Link(&'a Arc<Link>),
    /// Nothing, and so many directories on the way are missing too.
    Nothing {
        parents: usize,
    },
}

impl What<'_> {
    /// The node, by itself; `None` where there is nothing.
    pub(crate) fn node(&self) -> Option<Node> {
        match self {
            Self::Dir(dir) => Some(Node::Dir(Arc::clone(dir))),
            Self::File(file) => Some(Node::File(Arc::clone(file))),
            Self::Link(link) => Some(Node::Link(Arc::clone(link))),
            Self::Nothing { .. } => None,
        }
    }
}

/// Finds the place of a path.
///
/// # Errors
/// `PATH_OUTSIDE_WORKSPACE` for a link that leaves, `INVALID_PATH` for a loop,
/// `NOT_A_DIRECTORY` for a file on the way, `PERMISSION_DENIED` for a place that a
/// rule denies, whether or not something is there.
pub(crate) fn resolve<'a>(
    fence: &'a Fence,
    root: &'a Arc<Dir>,
    path: &'a WsPath,
    links: Links,
) -> Result<Place<'a>> {
    resolve_for(fence, root, path, (links, Stands::Other))
}

/// The same, of a place where something is to stand if there is nothing.
pub(crate) fn resolve_for<'a>(
    fence: &'a Fence,
    root: &'a Arc<Dir>,
    path: &'a WsPath,
    (links, coming): (Links, Stands),
) -> Result<Place<'a>> {
    let (way, rest) = (Vec::new(), path.components().rev().collect());
    Resolve { fence, root, asked: path, coming, way, rest, links_left: MAX_LINKS }.run(links)
}

struct Resolve<'a> {
    fence: &'a Fence,
    root: &'a Arc<Dir>,
    asked: &'a WsPath,
    /// What is to stand there, where there is nothing.
    coming: Stands,
    /// The directories gone into since the root.
    way: Vec<(&'a [u8], &'a Arc<Dir>)>,
    /// The names still to go, the next one last; dots come from a link's target only.
    rest: Vec<&'a [u8]>,
    links_left: usize,
}

impl<'a> Resolve<'a> {
    fn run(mut self, links: Links) -> Result<Place<'a>> {
        while let Some(name) = self.rest.pop() {
            match name {
                b"." => continue,
                b".." => {
                    self.climb()?;
                    continue;
                }
                _ => {}
            }
            let last = self.rest.is_empty();
            match self.here().entries.get(name) {
                Some(Node::Dir(dir)) => self.way.push((name, dir)),
                Some(Node::File(file)) if last => return self.place(Some(name), What::File(file)),
                Some(Node::File(_)) => {
                    self.check_denied(&[name], Stands::Other)?;
                    return Err(self.refuse(Code::NotADirectory, name));
                }
                Some(Node::Link(link)) if last && links == Links::Keep => {
                    return self.place(Some(name), What::Link(link));
                }
                Some(Node::Link(link)) => self.follow(name, link)?,
                None if self.rest.iter().any(|name| matches!(*name, b"." | b"..")) => {
                    return Err(self.refuse(Code::FileNotFound, name));
                }
                None => {
                    let parents = self.rest.len();
                    return self.place(Some(name), What::Nothing { parents });
                }
            }
        }
        let dir = self.here();
        self.place(None, What::Dir(dir))
    }

    fn here(&self) -> &'a Arc<Dir> {
        self.way.last().map_or(self.root, |(_, dir)| dir)
    }

    /// Puts a link's target in front of what is left to go.
    fn follow(&mut self, name: &'a [u8], link: &'a Link) -> Result<()> {
        // A denied link is no way to anything, and must not show that it is there.
        self.check_denied(&[name], Stands::Other)?;
        self.links_left = self.links_left.checked_sub(1).ok_or_else(|| {
            Error::at(Code::InvalidPath, self.asked).hint("The path goes round in links.")
        })?;
        let target: &'a [u8] = &link.target;
        let relative = if target.starts_with(b"/") {
            self.way.clear();
            self.fence.aliases.strip(target).ok_or_else(|| self.outside())?
        } else {
            target
        };
        let is_name = |name: &&[u8]| !name.is_empty() && *name != b".";
        let names = || relative.split(|byte| *byte == b'/').rev();
        // A `/` or a `.` at the very end says that there must be a directory.
        if self.rest.is_empty() && !names().next().is_some_and(|last| is_name(&last)) {
            self.rest.push(b".");
        }
        self.rest.extend(names().filter(is_name));
        Ok(())
    }

    /// Goes up where a link's target says `..`, never past the root.
    fn climb(&mut self) -> Result<()> {
        self.check_denied(&[], Stands::Dir)?;
        self.way.pop().map(|_| ()).ok_or_else(|| self.outside())
    }

    fn outside(&self) -> Error {
        Error::at(Code::PathOutsideWorkspace, self.asked)
    }

    fn place(self, name: Option<&'a [u8]>, what: What<'a>) -> Result<Place<'a>> {
        let path = if self.links_left == MAX_LINKS {
            self.asked.clone()
        } else {
            let beyond: Vec<&[u8]> =
                name.into_iter().chain(self.rest.iter().rev().copied()).collect();
            WsPath::from_bytes(&self.real_path(&beyond))?
        };
        let stands = match what {
            What::Dir(_) => Stands::Dir,
            What::File(_) | What::Link(_) => Stands::Other,
            What::Nothing { .. } => self.coming,
        };
        if self.fence.denies(path.as_bytes(), stands) {
            return Err(Error::at(Code::PermissionDenied, self.asked));
        }
        Ok(Place { path, what })
    }

    /// An error at `name`, unless what the whole path leads to is denied: that
    /// answer must not depend on what is there.
    fn refuse(&self, code: Code, name: &'a [u8]) -> Error {
        let beyond: Vec<&[u8]> =
            [name].into_iter().chain(self.rest.iter().rev().copied()).collect();
        match self.check_denied(&beyond, self.coming) {
            Ok(()) => Error::at(code, self.asked),
            Err(error) => error,
        }
    }

    fn check_denied(&self, beyond: &[&[u8]], stands: Stands) -> Result<()> {
        if !self.fence.rules.is_empty() && self.fence.denies(&self.real_path(beyond), stands) {
            return Err(Error::at(Code::PermissionDenied, self.asked));
        }
        Ok(())
    }

    fn real_path(&self, beyond: &[&[u8]]) -> Vec<u8> {
        let names = self.way.iter().map(|(name, _)| *name).chain(beyond.iter().copied());
        names.collect::<Vec<_>>().join(&b'/')
    }
}
