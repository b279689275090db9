//! A tree that is prepared out of sight and then lands in one step.
//!
//! Writing files one by one shows a half-made tree to everybody who looks, and a
//! failure leaves it there. What is staged is nowhere until it lands, arrives in
//! pieces of any size, and carries the modes, times and links of its entries.

use std::time::SystemTime;

use bytes::Bytes;

use crate::{Aliases, BoxFuture, Clobber, Code, Error, MAX_PATH, Result, WsPath};

/// What an entry of a staged tree is stamped with when it lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Permission bits; only `0o777` of them are set. `None` is the default.
    pub mode: Option<u32>,
    /// When its content last changed; `None` is now.
    pub modified: Option<SystemTime>,
}

/// One piece of a tree that is being staged. Paths are from the stage's base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A directory; of several parts for one directory the last stamp counts.
    Dir {
        /// Where.
        path: WsPath,
        /// What it is stamped with.
        stamp: Stamp,
    },
    /// A file, whose bytes follow as [`Part::Bytes`], as many as there are.
    File {
        /// Where.
        path: WsPath,
        /// What it is stamped with.
        stamp: Stamp,
    },
    /// More bytes of the file that was begun last.
    Bytes(Bytes),
    /// A symbolic link.
    Link {
        /// Where.
        path: WsPath,
        /// What it says.
        target: Bytes,
        /// When it was made; `None` is now.
        modified: Option<SystemTime>,
    },
}

/// What landed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Landed {
    /// How many files and links of the directory were replaced.
    pub replaced: u64,
}

/// A tree that is being prepared; dropping it discards it, soon after.
pub trait Stage: Send {
    /// Adds parts, in order. Missing parents are made.
    ///
    /// *Errors*: `FILE_EXISTS` for a path that was staged before, unless it is a
    /// directory both times; `NOT_A_DIRECTORY` for one below a staged file or link;
    /// `PATH_OUTSIDE_WORKSPACE` for a link whose text may lead out of the workspace;
    /// `INVALID_PATH` for a link's text that is no path, and for a name of our
    /// temporary files; `FILE_TOO_LARGE` over the workspace's bound, and the file is
    /// not staged; `INVALID_PARAMS` for bytes of no file.
    /// *After*: nothing of it can be seen. After an error the parts before the
    /// refused one are staged, and others can be added.
    /// *Cancel*: some of the parts are staged.
    fn add(&mut self, parts: Vec<Part>) -> BoxFuture<'_, Result<()>>;

    /// Reads a staged file: at most `length` bytes from `offset`; past the end none.
    ///
    /// A file is ended by reading it; another one that was begun goes on.
    ///
    /// *Errors*: `FILE_NOT_FOUND`, `NOT_A_FILE`.
    fn read_back<'a>(
        &'a mut self,
        path: &'a WsPath,
        offset: u64,
        length: u64,
    ) -> BoxFuture<'a, Result<Bytes>>;

    /// Moves everything to its place in the base.
    ///
    /// A directory joins the one that stands at its place, which keeps its mode; a
    /// link there is not followed. What is not there is moved whole, in one step.
    ///
    /// *Errors*: `DESTINATION_EXISTS` when something else than two directories meet
    /// (`Clobber::Refuse`); with `Clobber::Replace` `NOT_A_DIRECTORY` where a
    /// directory would replace something else, `NOT_A_FILE` where something else
    /// would replace a directory; `CONFLICT` when the base was moved meanwhile.
    /// *After*: everything is at its place, or after an error nothing is, what was
    /// there is as it was, and no temporary file is left.
    /// *Cancel*: it lands whole, or not at all.
    fn land(self: Box<Self>, clobber: Clobber) -> BoxFuture<'static, Result<Landed>>;

    /// Discards everything.
    ///
    /// *After*: nothing is left.
    fn discard(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// Refuses the text of a link at `link`, a real path, that may lead out.
///
/// It may climb by `..` as far as the root before it names anything. After a name
/// it may not: the name may be a link by the time it is followed, and `..` of that
/// is anywhere. An absolute text must begin with an alias of the root.
///
/// # Errors
/// `PATH_OUTSIDE_WORKSPACE`, or `INVALID_PATH` for what is no path at all.
pub fn check_link(link: &WsPath, target: &[u8], aliases: &Aliases) -> Result<()> {
    if target.is_empty() || target.len() > MAX_PATH || target.contains(&0) {
        return Err(Error::at(Code::InvalidPath, link).hint("A link's target must be a path."));
    }
    let outside = || Err(Error::at(Code::PathOutsideWorkspace, link));
    let depth = link.components().count().saturating_sub(1);
    let (text, mut climbs) = if target.starts_with(b"/") {
        let Some(text) = aliases.strip(target) else { return outside() };
        (text, 0)
    } else {
        (target, depth)
    };
    for name in text.split(|byte| *byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." if climbs == 0 => return outside(),
            b".." => climbs -= 1,
            _ => climbs = 0,
        }
    }
    Ok(())
}

/// The text of a link at `link`, a real path, as it is told.
///
/// An absolute text that leads into the workspace becomes a relative one, which
/// means the same wherever the tree is and names no path of the machine.
#[must_use]
pub fn told_link(link: &WsPath, target: &[u8], aliases: &Aliases) -> Bytes {
    let inside = if target.starts_with(b"/") { aliases.strip(target) } else { None };
    let Some(inside) = inside else { return Bytes::copy_from_slice(target) };
    let up = link.components().skip(1).map(|_| b"..".as_slice());
    let down = inside.split(|byte| *byte == b'/').filter(|name| !name.is_empty());
    let way: Vec<&[u8]> = up.chain(down).collect();
    if way.is_empty() { Bytes::from_static(b".") } else { way.join(&b'/').into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> WsPath {
        WsPath::from_bytes(text.as_bytes()).unwrap()
    }

    fn verdict(link: &str, target: &str) -> Option<Code> {
        let aliases = Aliases::none().with(b"/workspace");
        check_link(&path(link), target.as_bytes(), &aliases).err().map(|error| error.code())
    }

    #[test]
    fn a_link_that_stays_inside_is_taken() {
        for (link, target) in [
            ("l", "f"),
            ("l", "."),
            ("a/l", ".."),
            ("a/l", "../f"),
            ("a/b/l", "./../../f//g/"),
            ("l", "/workspace"),
            ("a/l", "/workspace/x/./y"),
            ("l", "a..b/..c"),
        ] {
            assert_eq!(verdict(link, target), None, "{link} -> {target}");
        }
    }

    #[test]
    fn a_link_that_may_leave_is_refused() {
        for (link, target) in [
            ("l", ".."),
            ("l", "/"),
            ("l", "/etc/passwd"),
            ("l", "/workspace-evil/f"),
            ("l", "/workspace/.."),
            ("l", "/workspace/a/../b"),
            ("a/l", "../.."),
            ("a/b/l", "../../../f"),
            ("a/l", "d/../f"),
            ("a/l", "../d/.."),
        ] {
            assert_eq!(
                verdict(link, target),
                Some(Code::PathOutsideWorkspace),
                "{link} -> {target}"
            );
        }
        for target in ["", "a\0b", &"x/".repeat(3000)] {
            assert_eq!(verdict("l", target), Some(Code::InvalidPath), "{target:?}");
        }
    }

    #[test]
    fn an_absolute_link_inside_is_told_from_where_it_stands() {
        let aliases = Aliases::none().with(b"/workspace");
        let told = |link: &str, target: &str| told_link(&path(link), target.as_bytes(), &aliases);
        assert_eq!(told("l", "/workspace/x/y"), "x/y");
        assert_eq!(told("a/b/l", "/workspace/x"), "../../x");
        assert_eq!(told("l", "/workspace"), ".");
        assert_eq!(told("a/l", "/workspace/"), "..");
        assert_eq!(told("l", "/etc/passwd"), "/etc/passwd");
        assert_eq!(told("l", "../x"), "../x");
    }
}
