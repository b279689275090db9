//! Goes over everything below a directory in the order of paths.

use garth_contract::WsPath;
use imbl::{ordmap::Iter, shared_ptr::DefaultSharedPtr};

use crate::{
    name::Name,
    tree::{Dir, Node},
};

/// A walk below one directory: each directory comes right before what it holds.
pub(crate) struct Walk<'a> {
    /// The path of the entry last given, reused from step to step.
    path: Vec<u8>,
    /// The directories on the way, each with the length of its path.
    open: Vec<(usize, Iter<'a, Name, Node, DefaultSharedPtr>)>,
}

/// One entry of a walk.
pub(crate) struct Step<'w, 'a> {
    /// Where it is.
    pub(crate) path: &'w [u8],
    /// Its name there.
    pub(crate) name: &'a Name,
    /// How many directories, the walk's first included, hold it.
    pub(crate) depth: usize,
    /// What it is.
    pub(crate) node: &'a Node,
}

impl<'a> Walk<'a> {
    /// A walk over what is below `dir`, which stands at `base`.
    pub(crate) fn new(base: &WsPath, dir: &'a Dir) -> Self {
        let path = base.as_bytes().to_vec();
        Self { open: vec![(path.len(), dir.entries.iter())], path }
    }

    /// Goes to the next entry.
    pub(crate) fn next(&mut self) -> Option<Step<'_, 'a>> {
        loop {
            let depth = self.open.len();
            let (length, entries) = self.open.last_mut()?;
            self.path.truncate(*length);
            let Some((name, node)) = entries.next() else {
                self.open.pop();
                continue;
            };
            if !self.path.is_empty() {
                self.path.push(b'/');
            }
            self.path.extend_from_slice(name);
            if let Node::Dir(dir) = node {
                self.open.push((self.path.len(), dir.entries.iter()));
            }
            return Some(Step { path: &self.path, name, depth, node });
        }
    }

    /// Leaves out what is below the directory that was given last.
    pub(crate) fn pass_over(&mut self) {
        self.open.pop();
    }
}
