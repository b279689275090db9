//! A backend as plain as can be: the model's tree behind one lock.
//!
//! It is right when it has no fault, so that whatever a check says about a
//! backend with one is about the fault.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

use bytes::Bytes;
use garth_conformance::{
    SECRET,
    model::{Node, Place, Refusal, Tree},
};
use garth_contract::{
    Abilities, Aliases, Code, Content, Depth, Entry, Error, Filesystem, Links, Listing, Made, Move,
    Page, Parents, Policy, Put, Query, Removed, Renamed, Result, Sink, Span, Stage, Stamp, Summary,
    Watch, WatchSpec, Written, WsPath,
};
use tokio::task::yield_now;

use crate::{
    fault::Fault,
    veil::{Globs, Veil},
    watch::Feed,
};

/// Where the naive workspace would be on a disk.
pub(crate) const ROOT: &[u8] = b"/naive/ws";
/// What is next to it.
pub(crate) const BEYOND: &[u8] = b"/naive/beyond";

/// One handle on a naive workspace.
pub(crate) struct Naive {
    pub(crate) shared: Arc<Shared>,
    pub(crate) policy: Policy,
    pub(crate) veil: Arc<Veil>,
    pub(crate) protected: Globs,
    pub(crate) fault: Option<Fault>,
}

/// What all handles on one workspace have in common.
pub(crate) struct Shared {
    pub(crate) tree: Mutex<Tree>,
    pub(crate) beyond: Mutex<BTreeMap<Vec<u8>, Vec<u8>>>,
    pub(crate) feeds: Mutex<Vec<Feed>>,
    /// What staged directories were stamped with.
    pub(crate) dir_stamps: Mutex<BTreeMap<WsPath, Stamp>>,
    /// Bytes that a fault never gives back.
    pub(crate) leaked: Mutex<u64>,
    /// A lock that a fault never gives back.
    pub(crate) turn: tokio::sync::Semaphore,
}

impl Naive {
    pub(crate) fn new(policy: Policy, fault: Option<Fault>) -> Result<Self> {
        let aliases = Aliases::none().with(ROOT);
        let secret = |path: &[u8]| (path.to_vec(), SECRET.to_vec());
        let shared = Shared {
            tree: Mutex::new(Tree { aliases, ..Tree::default() }),
            beyond: Mutex::new([secret(b"secret"), secret(b"dir/inner")].into()),
            feeds: Mutex::default(),
            dir_stamps: Mutex::default(),
            leaked: Mutex::default(),
            turn: tokio::sync::Semaphore::new(1),
        };
        Self::on(Arc::new(shared), policy, fault)
    }

    /// Another handle on the same files.
    pub(crate) fn on(shared: Arc<Shared>, policy: Policy, fault: Option<Fault>) -> Result<Self> {
        let veil = Arc::new(Veil::new(&policy, fault)?);
        let protected = Globs::new(&policy.protect)?;
        Ok(Self { shared, policy, veil, protected, fault })
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    pub(crate) fn tree(&self) -> MutexGuard<'_, Tree> {
        self.shared.tree.lock().unwrap()
    }

    /// The path that a call is really about, which a fault may bend.
    pub(crate) fn taken(&self, path: &WsPath) -> WsPath {
        let text = || String::from_utf8_lossy(path.as_bytes()).into_owned();
        let bent = match self.fault {
            Some(Fault::FoldsCase) => text().to_lowercase(),
            Some(Fault::ComposesNames) => text().replace("e\u{301}", "\u{e9}"),
            Some(Fault::MakesNamesText) => text(),
            _ => return path.clone(),
        };
        WsPath::from_bytes(bent.as_bytes()).unwrap_or_else(|_| path.clone())
    }

    /// Resolves a path and refuses it where it cannot be seen.
    pub(crate) fn place(&self, tree: &Tree, path: &WsPath, links: Links) -> Result<Place> {
        self.place_for(tree, path, links, None)
    }

    /// The same, where something is to come if there is nothing.
    pub(crate) fn place_for(
        &self,
        tree: &Tree,
        path: &WsPath,
        links: Links,
        coming: Option<&Node>,
    ) -> Result<Place> {
        if self.has(Fault::RefusesLongNames) && path.components().any(|name| name.len() > 240) {
            return Err(Error::at(Code::InvalidPath, path));
        }
        // What is denied by its text stays so, wherever the walk to it ends.
        let by_text = self.veil.covers(path, coming) || self.is_veiled_on_the_way(tree, path);
        let place = match tree.place(path, links) {
            Err(_) if by_text => return Err(Error::at(Code::PermissionDenied, path)),
            Err(refusal) => return Err(self.refused(tree, &refusal, path)),
            Ok(place) => place,
        };
        let judged = if self.has(Fault::DeniesByText) { path } else { &place.path };
        let node = tree.get(&place.path);
        let there = node.is_some() || !self.has(Fault::DeniesOnlyWhatIsThere);
        let lax = self.has(Fault::ShowsUnallowed)
            || node.is_none() && self.has(Fault::AllowsWhatIsNotThere);
        let covered = match lax {
            true => self.veil.denies(judged),
            false => self.veil.covers(judged, node.or(coming)),
        };
        if covered && there {
            return Err(Error::at(Code::PermissionDenied, path));
        }
        Ok(place)
    }

    /// Tells whether something on the way to a path is there and cannot be seen.
    fn is_veiled_on_the_way(&self, tree: &Tree, path: &WsPath) -> bool {
        let mut way = path.parent();
        while let Some(dir) = way.filter(|_| !self.policy.allow.is_empty()) {
            if tree.get(&dir).is_some_and(|node| self.veil.covers(&dir, Some(node))) {
                return true;
            }
            way = dir.parent();
        }
        false
    }

    /// The error that the model's refusal stands for.
    pub(crate) fn refused(&self, tree: &Tree, refusal: &Refusal, path: &WsPath) -> Error {
        let code = match refusal {
            Refusal::With(codes) => codes.first().copied().unwrap_or(Code::Internal),
            Refusal::Open => Code::FileNotFound,
        };
        match (code, self.fault) {
            (Code::InvalidPath, Some(Fault::TakesLoopsForMissing)) => {
                Error::at(Code::FileNotFound, path)
            }
            (Code::NotADirectory, Some(Fault::ForgetsTheFileOnTheWay)) => {
                Error::at(Code::FileNotFound, path)
            }
            (Code::PathOutsideWorkspace, Some(Fault::TellsWhatIsOutside)) => {
                let there = self
                    .outside(tree, path)
                    .is_some_and(|name| self.shared.beyond.lock().unwrap().contains_key(&name));
                if there { Error::at(code, path) } else { Error::at(Code::FileNotFound, path) }
            }
            (code, _) => Error::at(code, path),
        }
    }

    /// The name beyond the workspace that a link at this path points to.
    pub(crate) fn outside(&self, tree: &Tree, path: &WsPath) -> Option<Vec<u8>> {
        match tree.get(path)? {
            Node::Link(target) => Some(target.strip_prefix(BEYOND)?.strip_prefix(b"/")?.to_vec()),
            Node::File { .. } | Node::Dir | Node::Special(_) => None,
        }
    }
}

pub(crate) fn as_path(bytes: &[u8]) -> &std::path::Path {
    use std::os::unix::ffi::OsStrExt;
    std::path::Path::new(std::ffi::OsStr::from_bytes(bytes))
}

impl Filesystem for Naive {
    fn abilities(&self) -> Abilities {
        Abilities {
            write: true,
            rename: true,
            empty_dirs: true,
            symlinks: true,
            special_files: true,
            modes: true,
            any_names: true,
            watch: true,
            find: true,
            trees: true,
            durable: false,
        }
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        yield_now().await;
        self.look_at(&self.taken(path), links)
    }

    fn stat_now(&self, path: &WsPath, links: Links) -> Option<Entry> {
        self.look_at_once(path, links)
    }

    fn read_now(&self, path: &WsPath, span: Span) -> Option<Content> {
        self.read_at_once(path, span)
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        yield_now().await;
        self.list_dir(&self.taken(path), page)
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        yield_now().await;
        self.read_span(&self.taken(path), span).await
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        yield_now().await;
        self.write_file(&self.taken(path), content, put).await
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        yield_now().await;
        self.make_one(&self.taken(path), parents).await
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        yield_now().await;
        self.remove_entry(&self.taken(path), depth)
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        yield_now().await;
        self.move_entry(&self.taken(from), &self.taken(to), how)
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        yield_now().await;
        self.search(query, sink).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        yield_now().await;
        self.follow(spec)
    }

    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        yield_now().await;
        self.link_text(&self.taken(path))
    }

    async fn stage(&self, base: &WsPath) -> Result<Box<dyn Stage>> {
        yield_now().await;
        Ok(Box::new(self.open_stage(&self.taken(base))?))
    }
}
