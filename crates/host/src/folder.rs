//! A directory that is open, for who reads many of its files.
//!
//! The way to a directory is gone once, and a file in it is one name from its handle:
//! half of what it takes to open a small file is the way to it. What is denied is
//! judged by where a path leads, so where there are rules there is none of this.

use std::{
    ops::ControlFlow,
    os::fd::{AsFd, OwnedFd},
    sync::Arc,
};

use garth_contract::{Folder, Glance, Links, Page, Result, Sight, WsPath};
use rustix::fs::OFlags;

use crate::{
    look::{self, modified, size},
    read::MOST_GATHERED,
    read_unsafe::read_onto,
    tree::Tree,
};

/// A directory of a tree without rules.
#[derive(Debug)]
pub(crate) struct Opened {
    tree: Arc<Tree>,
    dir: OwnedFd,
    path: WsPath,
}

impl Opened {
    /// Opens a directory that the kernel finds without waiting for a disk.
    pub(crate) fn cached(tree: &Arc<Tree>, path: &WsPath) -> Option<Self> {
        let dir = tree.open_cached(path, OFlags::RDONLY | OFlags::DIRECTORY, Links::Follow)?;
        Some(Self { tree: Arc::clone(tree), dir, path: path.clone() })
    }
}

impl Folder for Opened {
    fn glance(self: Box<Self>, page: Page) -> Result<Glance> {
        look::glance(self.dir.as_fd(), &self.path, page)
    }

    fn gather_now(
        &self,
        name: &[u8],
        into: &mut Vec<u8>,
        begin: &mut dyn FnMut(Sight, &mut Vec<u8>) -> ControlFlow<()>,
    ) -> Option<u64> {
        let (file, stat) = self.tree.open_file_in(self.dir.as_fd(), name)?;
        let size = size(&stat);
        let sight = Sight { size, modified: modified(&stat), mode: Some(stat.st_mode & 0o7777) };
        let before = into.len();
        let begun = begin(sight, into).is_continue();
        // One byte more tells a file that grew from one that did not.
        let room = usize::try_from(size).ok().filter(|_| begun && size <= MOST_GATHERED);
        let count = room.and_then(|room| read_onto(file.as_fd(), into, (0, room + 1)));
        if count.is_none_or(|count| count as u64 != size) {
            into.truncate(before);
            return None;
        }
        Some(size)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::Path};

    use garth_contract::{Aliases, Glimpse, HardLinks, Kind, Policy};

    use super::*;

    fn path(text: &str) -> WsPath {
        WsPath::from_bytes(text.as_bytes()).unwrap()
    }

    fn tree(dir: &Path, policy: Policy) -> Arc<Tree> {
        Arc::new(Tree::open(dir, policy, Aliases::none()).unwrap())
    }

    /// A directory `d` with a file in it, `beyond` and `outside` it; `None` where a file
    /// system does not tell whether it would have to wait.
    fn yard(policy: Policy) -> (tempfile::TempDir, Option<Opened>) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("ws");
        fs::create_dir_all(root.join("d/e")).unwrap();
        fs::write(root.join("d/f"), "0123456789").unwrap();
        fs::write(root.join("beyond"), "beyond").unwrap();
        fs::write(dir.path().join("outside"), "outside").unwrap();
        let opened = Opened::cached(&tree(&root, policy), &path("d"));
        (dir, opened)
    }

    fn gathered(opened: &Opened, name: &str) -> (Option<u64>, Vec<u8>) {
        let mut buffer = b"before".to_vec();
        let mut begin = |_: Sight, into: &mut Vec<u8>| {
            into.extend_from_slice(b" begun ");
            ControlFlow::Continue(())
        };
        (opened.gather_now(name.as_bytes(), &mut buffer, &mut begin), buffer)
    }

    #[test]
    fn a_file_comes_behind_what_is_put_before_it() {
        let (_dir, opened) = yard(Policy::open());
        let Some(opened) = opened else { return };
        assert_eq!(gathered(&opened, "f"), (Some(10), b"before begun 0123456789".to_vec()));
    }

    #[test]
    fn nothing_else_is_read_and_the_buffer_stays() {
        let (dir, opened) = yard(Policy::open());
        let Some(opened) = opened else { return };
        let inside = dir.path().join("ws/d");
        symlink("f", inside.join("link")).unwrap();
        symlink("../beyond", inside.join("up")).unwrap();
        symlink("../../outside", inside.join("out")).unwrap();
        fs::write(inside.join("large"), vec![0; (1 << 20) + 1]).unwrap();
        for link in ["link", "up", "out"] {
            // From now on the kernel follows it without waiting, where it is let.
            fs::read(inside.join(link)).unwrap();
        }
        let names = [
            "link",
            "up",
            "out",
            "large",
            "e",
            "missing",
            ".",
            "..",
            "../beyond",
            "../../outside",
            "/etc/passwd",
            "",
        ];
        for name in names {
            assert_eq!(gathered(&opened, name), (None, b"before".to_vec()), "{name:?}");
        }
    }

    #[test]
    fn who_refuses_a_file_or_sees_it_change_gets_nothing_of_it() {
        let (dir, opened) = yard(Policy::open());
        let Some(opened) = opened else { return };
        let mut buffer = b"before".to_vec();
        let mut refuse = |sight: Sight, into: &mut Vec<u8>| {
            assert_eq!(
                (sight.size, sight.mode.is_some(), sight.modified.is_some()),
                (10, true, true)
            );
            into.push(b'x');
            ControlFlow::Break(())
        };
        assert_eq!(opened.gather_now(b"f", &mut buffer, &mut refuse), None);
        assert_eq!(buffer, b"before");
        for other in ["longer than it was", "short", ""] {
            fs::write(dir.path().join("ws/d/f"), "0123456789").unwrap();
            let mut change = |_: Sight, into: &mut Vec<u8>| {
                into.push(b'x');
                fs::write(dir.path().join("ws/d/f"), other).unwrap();
                ControlFlow::Continue(())
            };
            assert_eq!(opened.gather_now(b"f", &mut buffer, &mut change), None, "{other:?}");
            assert_eq!(buffer, b"before");
        }
    }

    #[test]
    fn what_the_policy_refuses_is_not_at_hand() {
        let (dir, opened) = yard(Policy { hard_links: HardLinks::Refuse, ..Policy::open() });
        let denied = Policy { deny: vec!["beyond".to_owned()], ..Policy::open() };
        let root = dir.path().join("ws");
        assert!(
            Opened::cached(&tree(&root, denied), &path("d")).is_none(),
            "a rule may speak of it"
        );
        symlink("../../..", root.join("d/away")).unwrap();
        assert!(Opened::cached(&tree(&root, Policy::open()), &path("d/away")).is_none());
        let Some(opened) = opened else { return };
        assert_eq!(gathered(&opened, "f").0, Some(10));
        fs::hard_link(root.join("d/f"), root.join("again")).unwrap();
        assert_eq!(gathered(&opened, "f").0, None, "it has two names");
    }

    #[test]
    fn files_are_listed_without_a_look_and_all_else_with_one() {
        let (dir, opened) = yard(Policy::open());
        let Some(opened) = opened else { return };
        let inside = dir.path().join("ws/d");
        symlink("f", inside.join("link")).unwrap();
        for name in ["a", "b", ".garth-0123456789abcdef.tmp"] {
            fs::write(inside.join(name), "").unwrap();
        }
        let glance = Box::new(opened).glance(Page { skip: 1, take: 4 }).unwrap();
        assert_eq!(glance.total, 5);
        let seen: Vec<_> = glance
            .entries
            .iter()
            .map(|glimpse| (glimpse.path().to_string(), glimpse.kind()))
            .collect();
        let expected = [
            ("d/b", Kind::File),
            ("d/e", Kind::Dir),
            ("d/f", Kind::File),
            ("d/link", Kind::Symlink),
        ];
        assert_eq!(seen, expected.map(|(path, kind)| (path.to_owned(), kind)));
        assert_eq!(glance.entries[0], Glimpse::File(path("d/b")));
        let stat =
            look::stat(&tree(&dir.path().join("ws"), Policy::open()), &path("d/e"), Links::Keep);
        assert_eq!(glance.entries[1], Glimpse::Entry(stat.unwrap()));
    }
}
