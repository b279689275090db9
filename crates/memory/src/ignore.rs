//! The ignore files of the tree, and what they say of a path.

use std::sync::Arc;

use garth_contract::{Kind, WsPath};
use garth_search::{Filter, IgnoreFiles, Ignores, Met};

use crate::tree::{Dir, File, Node};

/// The ignore files of one directory, as far as they exist.
struct Files<'a> {
    ignore: Option<&'a Arc<File>>,
    gitignore: Option<&'a Arc<File>>,
    exclude: Option<&'a Arc<File>>,
}

impl<'a> Files<'a> {
    fn of(dir: &'a Dir) -> Self {
        Self {
            ignore: file(dir, &[b".ignore"]),
            gitignore: file(dir, &[b".gitignore"]),
            exclude: file(dir, &[b".git", b"info", b"exclude"]),
        }
    }

    /// Those that exist, with which of them each is and where they are.
    fn sources(self, at: usize) -> impl Iterator<Item = (usize, usize, &'a Arc<File>)> {
        let files = [self.ignore, self.gitignore, self.exclude];
        files.into_iter().enumerate().filter_map(move |(kind, file)| Some((at, kind, file?)))
    }

    fn contents(&self) -> IgnoreFiles<'a> {
        let content = |file: Option<&'a Arc<File>>| file.map(|file| file.content.as_ref());
        IgnoreFiles {
            ignore: content(self.ignore),
            gitignore: content(self.gitignore),
            exclude: content(self.exclude),
        }
    }
}

/// A regular file below a directory; links are not followed, as git does not.
fn file<'a>(dir: &'a Dir, names: &[&[u8]]) -> Option<&'a Arc<File>> {
    let (name, parents) = names.split_last()?;
    let mut dir = dir;
    for parent in parents {
        dir = match dir.entries.get(*parent)? {
            Node::Dir(dir) => dir,
            Node::File(_) | Node::Link(_) => return None,
        };
    }
    match dir.entries.get(*name)? {
        Node::File(file) => Some(file),
        Node::Dir(_) | Node::Link(_) => None,
    }
}

/// The rules inside the directory at `path`, with those that hold around it.
pub(crate) fn below(outside: &Ignores, path: &[u8], dir: &Dir) -> Ignores {
    outside.below(path, Files::of(dir).contents())
}

/// The rules that hold around the directory at `path`, from the root on.
pub(crate) fn above(root: &Dir, path: &WsPath) -> Ignores {
    let mut ignores = Ignores::none();
    for (at, dir) in way(root, path) {
        ignores = below(&ignores, at, dir);
    }
    ignores
}

/// The directories that hold `path`, from the root on, with their paths.
fn way<'a>(root: &'a Dir, path: &'a WsPath) -> impl Iterator<Item = (&'a [u8], &'a Dir)> {
    let bytes = path.as_bytes();
    let mut next = if path.is_root() { None } else { Some((0, root)) };
    std::iter::from_fn(move || {
        let (length, dir) = next?;
        let start = if length == 0 { 0 } else { length + 1 };
        let rest = bytes.get(start..).unwrap_or_default();
        let name = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
        next = match dir.entries.get(name) {
            Some(Node::Dir(inside)) if name.len() < rest.len() => {
                Some((start + name.len(), inside.as_ref()))
            }
            Some(Node::Dir(_) | Node::File(_) | Node::Link(_)) | None => None,
        };
        Some((bytes.get(..length).unwrap_or_default(), dir))
    })
}

/// Decides about single paths, one after another.
///
/// The rules of the last path are kept: those of the next are mostly the same, and
/// to compile them takes longer than to use them.
#[derive(Default)]
pub(crate) struct Judge {
    /// The ignore files that the rules were compiled from.
    sources: Vec<Source>,
    /// The rules inside each directory that has ignore files, from the root on,
    /// with the length of its path.
    levels: Vec<(usize, Ignores)>,
}

/// One ignore file: how long its directory's path is, which of the three kinds it
/// is, and what it holds. Its rules depend on nothing else.
type Source = (usize, usize, Arc<File>);

impl Judge {
    /// Tells whether a walk from `base` in the tree of `root` would come upon an entry.
    pub(crate) fn finds(
        &mut self,
        filter: &Filter,
        (root, base): (&Dir, &WsPath),
        path: &WsPath,
        kind: Kind,
    ) -> bool {
        if filter.reads_ignore_files() {
            self.refresh(root, path);
        }
        let none = Ignores::none();
        let bytes = path.as_bytes();
        let mut outside = 0;
        for name in path.components() {
            let inside = outside + name.len() + usize::from(outside > 0);
            // The base itself was named, so nothing is held against it.
            if inside > base.as_bytes().len() {
                let last = inside == bytes.len();
                let met = Met {
                    path: bytes.get(..inside).unwrap_or_default(),
                    name,
                    kind: if last { kind } else { Kind::Dir },
                };
                let level = self.levels.iter().rev().find(|(length, _)| *length <= outside);
                let judged = filter.judge(&met, level.map_or(&none, |(_, ignores)| ignores));
                if last || !judged.enters {
                    return last && judged.counts;
                }
            }
            outside = inside;
        }
        true
    }

    fn refresh(&mut self, root: &Dir, path: &WsPath) {
        let found = || way(root, path).flat_map(|(at, dir)| Files::of(dir).sources(at.len()));
        let same = |now: &(usize, usize, &Arc<File>), before: &Source| {
            (now.0, now.1) == (before.0, before.1) && Arc::ptr_eq(now.2, &before.2)
        };
        if found().count() == self.sources.len()
            && found().zip(&self.sources).all(|(now, before)| same(&now, before))
        {
            return;
        }
        self.sources = found().map(|(at, kind, file)| (at, kind, Arc::clone(file))).collect();
        self.levels.clear();
        let mut ignores = Ignores::none();
        for (at, dir) in way(root, path) {
            if Files::of(dir).sources(0).next().is_some() {
                ignores = below(&ignores, at, dir);
                self.levels.push((at.len(), ignores.clone()));
            }
        }
    }
}
