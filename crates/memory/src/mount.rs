//! A copy of another workspace's files, put into the tree in one step.
//!
//! Everything is copied when it is mounted. To fetch a file only when it is first
//! read would save memory and lose the promise that a tree is what it was: the
//! source may have changed by then. What is copied is bounded instead, and the
//! source is only ever asked to look, to list and to read.

mod hydrate;
mod window;

use std::sync::Arc;

use garth_contract::{Code, DynFilesystem, Error, Links, Result, WsPath};

use self::hydrate::hydrate;
use crate::{
    Memory,
    change::Ground,
    memory::{Difference, Plan},
    resolve::What,
    tree::{Dir, Node},
};

/// Which files of a source are copied, where to, and how many bytes of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Where the copy goes: a path at which nothing or an empty directory stands.
    pub at: WsPath,
    /// Globs of which a path must match one; none given means all match.
    ///
    /// A pattern without `/` matches names at any depth, one with `/` the path
    /// from the source's root.
    pub include: Vec<String>,
    /// Globs of which a path, or a directory on the way to it, must match none.
    pub exclude: Vec<String>,
    /// The most bytes that all files together may have.
    pub max_bytes: u64,
    /// The most bytes that one file may have.
    pub max_file: u64,
}

/// What a mount brought into the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mounted {
    /// How many files.
    pub files: u64,
    /// How many directories, those on the way to files included.
    pub dirs: u64,
    /// How many links that lead to something that came too.
    pub links: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What was left out though its name was wanted.
    pub skipped: Skipped,
}

/// What a mount left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Links that lead out of the source, nowhere, or to what was left out.
    pub links: u64,
    /// Pipes, sockets and devices.
    pub special: u64,
    /// What the source could not read, or lost while it was read.
    pub unreadable: u64,
    /// What a `deny` rule of the workspace covers.
    pub denied: u64,
}

impl Memory {
    /// Copies the files of a source into the workspace; the source is never changed.
    ///
    /// All of it comes or, after an error, nothing. Ignore files play no part: what
    /// is to stay out is excluded. It is the operator's act, so it works on a
    /// read-only workspace too.
    ///
    /// # Errors
    /// `FILE_TOO_LARGE` for a file over `max_file` or over the workspace's own bound,
    /// and `QUOTA_EXCEEDED` when all files together are over `max_bytes` or over the
    /// workspace's quota: what is too large must be excluded, not left out unsaid.
    /// `FILE_EXISTS` when something stands at the place already; `INVALID_PATTERN`
    /// for a wrong glob; and what the source answers.
    pub async fn mount(&self, source: Arc<dyn DynFilesystem>, mount: &Mount) -> Result<Mounted> {
        // What cannot be put there need not be read.
        self.graft(&self.root(), &mount.at, &Arc::new(Dir::empty(self.now(), 0)))?;
        let (tree, mut mounted) = hydrate(&self.fence, &*source, mount, self.now()).await?;
        mounted.bytes = tree.below.bytes;
        mounted.dirs = tree.below.entries - mounted.files - mounted.links;
        self.change(|root| self.graft(root, &mount.at, &tree))?;
        Ok(mounted)
    }

    /// Plans to put a tree at a place that is free for it.
    fn graft(&self, root: &Arc<Dir>, at: &WsPath, tree: &Arc<Dir>) -> Result<Plan<()>> {
        let ground = Ground { fence: &self.fence, root, now: self.now() };
        let place = ground.look(at, Links::Follow)?;
        match place.what {
            What::Nothing { .. } => {}
            What::Dir(dir) if dir.entries.is_empty() => {}
            What::Dir(_) | What::File(_) | What::Link(_) => {
                return Err(Error::at(Code::FileExists, at));
            }
        }
        if !place.path.is_root() {
            return ground.put(ground.nothing(), place, Node::Dir(Arc::clone(tree)), at);
        }
        self.fence.check_room(root, tree, at)?;
        let mut changes = Vec::new();
        for (name, node) in &tree.entries {
            let path = WsPath::root().join(name)?;
            changes.push(Difference { path, old: None, new: Some(node.clone()) });
        }
        Ok(Plan { root: Arc::clone(tree), changes, answer: () })
    }
}
