//! Resolves a path one component at a time, following links itself.
//!
//! It is the way on kernels without `openat2`, where path rules must be judged on
//! what a path resolves to, and where an absolute link may point into the root.
//! Each component is opened by its name in its parent's handle and never through
//! a link, so what is judged is what is used.

use std::{
    collections::VecDeque,
    os::fd::{AsFd, OwnedFd},
};

use garth_contract::{Code, Error, Links, Result, WsPath};
use garth_search::Stands;
use rustix::{
    fs::{FileType, Mode, OFlags, fstat, mkdirat, openat, readlinkat},
    io::Errno,
};

use crate::{
    errno, look, sync,
    tree::{Check, Coming, Place, Shown, TRIES, Tree, fold_of, stat_name},
};

/// How many links one path may go through; what Linux itself allows.
const MAX_LINKS: usize = 40;
/// How many new directories are waited for together.
const MAX_UNSYNCED: usize = 64;

/// Opens an existing thing.
pub(crate) fn open(tree: &Tree, path: &WsPath, flags: OFlags, links: Links) -> Result<OwnedFd> {
    for _ in 0..TRIES {
        let place = locate(tree, path, links)?;
        let Some(name) = &place.name else {
            return openat(&place.dir, c".", flags, Mode::empty())
                .map_err(|errno| errno::error(errno, path));
        };
        match openat(&place.dir, name.as_slice(), flags | OFlags::NOFOLLOW, Mode::empty()) {
            // A link was put there since; a handle on the link itself was asked for otherwise.
            Err(Errno::LOOP) => {}
            opened => {
                let opened = opened.map_err(|errno| errno::error(errno, path))?;
                return place.checked(opened, path);
            }
        }
    }
    Err(Error::at(Code::PathOutsideWorkspace, path))
}

/// Finds where a path's last component is or would be.
pub(crate) fn locate(tree: &Tree, path: &WsPath, links: Links) -> Result<Place> {
    locate_for(tree, path, links, Stands::Other)
}

/// The same, of a place where something is to stand if there is nothing.
pub(crate) fn locate_for(
    tree: &Tree,
    path: &WsPath,
    links: Links,
    coming: Stands,
) -> Result<Place> {
    Walk::new(tree, path, coming)?.run(links, &Missing::Refuse)
}

/// Finds a path's place and makes the directories that are missing on the way,
/// once `check` has agreed to where the way leads.
pub(crate) fn locate_making_parents(
    tree: &Tree,
    path: &WsPath,
    links: Links,
    coming: Coming<'_>,
) -> Result<Place> {
    Walk::new(tree, path, coming.stands)?.run(links, &Missing::Make(coming.check))
}

/// What to do about a missing directory on the way.
enum Missing<'a> {
    Refuse,
    Make(Check<'a>),
}

struct Walk<'a> {
    tree: &'a Tree,
    asked: &'a WsPath,
    /// What is to stand there, where there is nothing.
    coming: Stands,
    /// The handle of the directory reached so far, and its real path.
    dir: OwnedFd,
    at: WsPath,
    /// Components still to go; dots can stand here only out of a link's target.
    rest: VecDeque<Vec<u8>>,
    links_left: usize,
    /// Directories with a new entry that is not on the disk yet.
    unsynced: Vec<OwnedFd>,
}

enum Step {
    Into(OwnedFd),
    Through(Vec<u8>),
    Leaf,
    Nothing,
}

impl<'a> Walk<'a> {
    fn new(tree: &'a Tree, asked: &'a WsPath, coming: Stands) -> Result<Self> {
        let dir = reopen(tree, asked)?;
        let rest = asked.components().map(<[u8]>::to_vec).collect();
        Ok(Self {
            tree,
            asked,
            coming,
            dir,
            at: WsPath::root(),
            rest,
            links_left: MAX_LINKS,
            unsynced: Vec::new(),
        })
    }

    fn run(mut self, links: Links, missing: &Missing<'_>) -> Result<Place> {
        while let Some(name) = self.rest.pop_front() {
            if name == b".." {
                self.climb()?;
                continue;
            }
            if name == b"." {
                continue;
            }
            let here = self.at.join(&name)?;
            let last = self.rest.is_empty();
            if last && links == Links::Keep {
                let stands = self.stands(&name)?;
                return self.place(name, here, stands);
            }
            match self.step(&name)? {
                Step::Into(_) if last => return self.place(name, here, Stands::Dir),
                Step::Into(dir) => {
                    self.dir = dir;
                    self.at = here;
                }
                Step::Through(target) => {
                    // A link that cannot be seen is no way to anything.
                    self.check_denied(&here, Stands::Other)?;
                    self.follow(&target)?;
                }
                Step::Leaf if last => return self.place(name, here, Stands::Other),
                Step::Nothing if last => {
                    let coming = self.coming;
                    return self.place(name, here, coming);
                }
                Step::Leaf => {
                    self.check_denied(&here, Stands::Other)?;
                    return Err(Error::at(Code::NotADirectory, self.asked));
                }
                Step::Nothing => match missing {
                    Missing::Refuse => return Err(self.nothing_at(&here)),
                    Missing::Make(check) => {
                        check(&self.destination(&here))?;
                        self.make(&name, &here)?;
                        self.rest.push_front(name);
                    }
                },
            }
        }
        self.check_denied(&self.at, Stands::Dir)?;
        let shown = self.shown(&self.at);
        let place = Place { dir: self.dir, name: None, path: self.at, shown };
        into_named(self.tree, place)
    }

    fn place(mut self, name: Vec<u8>, path: WsPath, stands: Stands) -> Result<Place> {
        self.check_denied(&path, stands)?;
        self.sync().map_err(|errno| errno::error(errno, self.asked))?;
        let shown = self.shown(&path);
        Ok(Place { dir: self.dir, name: Some(name), path, shown })
    }

    /// What the last component is, as far as a rule asks, a link not followed.
    fn stands(&self, name: &[u8]) -> Result<Stands> {
        if self.tree.rules.is_empty() {
            return Ok(Stands::Other);
        }
        let stat = stat_name(self.dir.as_fd(), name);
        let stat = stat.map_err(|errno| errno::error(errno, self.asked))?;
        Ok(stat.map_or(self.coming, |stat| look::kind_of(&stat).into()))
    }

    fn shown(&self, path: &WsPath) -> Shown {
        let rules = &self.tree.rules;
        if !rules.is_empty() && rules.shows_dirs_only(path.as_bytes(), fold_of(&self.dir)) {
            Shown::DirOnly
        } else {
            Shown::Anything
        }
    }

    /// Opens one component without following it and says what it is.
    fn step(&self, name: &[u8]) -> Result<Step> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = match openat(&self.dir, name, flags, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return Ok(Step::Nothing),
            Err(errno) => return Err(errno::error(errno, self.asked)),
        };
        let stat = fstat(&handle).map_err(|errno| errno::error(errno, self.asked))?;
        Ok(match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Step::Into(handle),
            FileType::Symlink => {
                let target = readlinkat(&handle, c"", Vec::new())
                    .map_err(|errno| errno::error(errno, self.asked))?;
                Step::Through(target.into_bytes())
            }
            FileType::RegularFile
            | FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Step::Leaf,
        })
    }

    /// Puts a link's target in front of what is left to go.
    fn follow(&mut self, target: &[u8]) -> Result<()> {
        self.links_left = self.links_left.checked_sub(1).ok_or_else(|| {
            Error::at(Code::InvalidPath, self.asked).hint("The path goes round in links.")
        })?;
        let relative = if target.starts_with(b"/") {
            let inside = self.tree.links().strip(target);
            let inside = inside.ok_or_else(|| Error::at(Code::PathOutsideWorkspace, self.asked))?;
            self.dir = reopen(self.tree, self.asked)?;
            self.at = WsPath::root();
            inside
        } else {
            target
        };
        // A slash or a dot at the end asks for a directory, which `.` stands for.
        if relative.ends_with(b"/") || relative.ends_with(b"/.") {
            self.rest.push_front(b".".to_vec());
        }
        let names = relative.split(|byte| *byte == b'/');
        for name in names.rev().filter(|name| !name.is_empty() && *name != b".") {
            self.rest.push_front(name.to_vec());
        }
        Ok(())
    }

    /// Goes up from where a link's target says `..`, never past the root.
    ///
    /// The way down is walked again from the root: `..` of a handle would ask the
    /// kernel where the directory is now, which may be anywhere.
    fn climb(&mut self) -> Result<()> {
        let parent = self.at.parent();
        let parent = parent.ok_or_else(|| Error::at(Code::PathOutsideWorkspace, self.asked))?;
        let mut dir = reopen(self.tree, self.asked)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for name in parent.components() {
            dir = openat(&dir, name, flags, Mode::empty())
                .map_err(|errno| errno::error(errno, self.asked))?;
        }
        self.dir = dir;
        self.at = parent;
        Ok(())
    }

    /// Makes one missing directory, unless a rule forbids it or what it is made for:
    /// a refused call leaves no empty directories behind.
    fn make(&mut self, name: &[u8], here: &WsPath) -> Result<()> {
        self.tree.check_access()?;
        let (rules, fold) = (&self.tree.rules, fold_of(&self.dir));
        for (path, stands) in [(here, Stands::Dir), (&self.destination(here), self.coming)] {
            let path = path.as_bytes();
            if rules.denies(path, fold, stands) || rules.protects(path, fold) {
                return Err(Error::at(Code::PermissionDenied, self.asked));
            }
        }
        let make = || match mkdirat(&self.dir, name, Mode::from_raw_mode(0o777)) {
            Ok(()) => Ok(Some(openat(&self.dir, c".", OFlags::PATH, Mode::empty())?)),
            Err(Errno::EXIST) => Ok(None),
            Err(errno) => Err(errno),
        };
        self.unsynced.extend(make().map_err(|errno| errno::error(errno, self.asked))?);
        if self.unsynced.len() < MAX_UNSYNCED {
            return Ok(());
        }
        self.sync().map_err(|errno| errno::error(errno, self.asked))
    }

    /// Waits for the new directories, the deepest first: the first wait brings most
    /// of them to the disk, where a wait for each as it is made would cost as many.
    fn sync(&mut self) -> Result<(), Errno> {
        while let Some(dir) = self.unsynced.pop() {
            sync::dir(&dir, self.tree.policy.durability)?;
        }
        Ok(())
    }

    fn check_denied(&self, path: &WsPath, stands: Stands) -> Result<()> {
        let rules = &self.tree.rules;
        if !rules.is_empty() && rules.denies(path.as_bytes(), fold_of(&self.dir), stands) {
            return Err(Error::at(Code::PermissionDenied, self.asked));
        }
        Ok(())
    }

    /// A missing thing, unless the rest of the path leads to what is denied: then
    /// the answer is the same as for something that is there.
    fn nothing_at(&self, here: &WsPath) -> Error {
        match self.check_denied(&self.destination(here), self.coming) {
            Ok(()) => Error::at(Code::FileNotFound, self.asked),
            Err(error) => error,
        }
    }

    /// Where the walk would end if the rest of the way were plain directories.
    fn destination(&self, here: &WsPath) -> WsPath {
        let mut bytes = here.as_bytes().to_vec();
        for name in &self.rest {
            bytes.push(b'/');
            bytes.extend_from_slice(name);
        }
        WsPath::from_bytes(&bytes).unwrap_or_else(|_| here.clone())
    }
}

/// A place that ended on a directory by way of a link's `..` gets its name back.
fn into_named(tree: &Tree, place: Place) -> Result<Place> {
    let Some((parent, name)) = place.path.split() else { return Ok(place) };
    let name = name.to_vec();
    let mut dir = reopen(tree, &place.path)?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for component in parent.components() {
        dir = openat(&dir, component, flags, Mode::empty())
            .map_err(|errno| errno::error(errno, &place.path))?;
    }
    Ok(Place { dir, name: Some(name), ..place })
}

fn reopen(tree: &Tree, asked: &WsPath) -> Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(tree.root(), c".", flags, Mode::empty()).map_err(|errno| errno::error(errno, asked))
}
