//! `receive`: a file that arrives in pieces, in a temporary file near its target, until
//! it lands or is dropped.

use std::{
    os::fd::OwnedFd,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
};

use bytes::Bytes;
use garth_contract::{
    BoxFuture, Code, Error, Incoming, Links, Put, Result, Version, VersionHasher, Written, WsPath,
};
use rustix::io::Errno;
use tokio::runtime::Handle;

use crate::{
    blocking, errno,
    read::read_at,
    stage::locate as locate_dir,
    sync,
    temp::Temp,
    tree::{Shown, Tree},
    write::{self, Came, New, PRIVATE, check_length, write_all},
};

/// The most bytes that one look back gives.
const MAX_READ: u64 = 8 << 20;

/// A file that is arriving, on threads that may block.
pub(crate) struct Arriving {
    state: Option<Arc<Mutex<Option<Draft>>>>,
    /// A piece was not taken, or nobody knows whether it was.
    torn: bool,
}

/// What came so far. Dropping it removes it.
pub(crate) struct Draft {
    tree: Arc<Tree>,
    path: WsPath,
    temp: Option<Temp<OwnedFd>>,
    hasher: VersionHasher,
    length: u64,
}

impl Draft {
    /// Makes an empty temporary file as near to the target as there is a directory.
    pub(crate) fn open(tree: &Arc<Tree>, path: &WsPath) -> Result<Self> {
        tree.check_access()?;
        if path.is_root() {
            return Err(Error::at(Code::NotAFile, path));
        }
        let dir = match tree.locate(path, Links::Follow) {
            Ok(place) => {
                tree.check_change(&place)?;
                if place.shown == Shown::DirOnly {
                    return Err(Error::at(Code::NotAFile, path));
                }
                place.dir
            }
            Err(error) if error.code() == Code::FileNotFound => nearest(tree, path)?,
            Err(error) => return Err(error),
        };
        let temp = Temp::create(dir, PRIVATE).map_err(|errno| errno::error(errno, path))?;
        let (tree, path) = (Arc::clone(tree), path.clone());
        Ok(Self { tree, path, temp: Some(temp), hasher: VersionHasher::default(), length: 0 })
    }

    fn add(&mut self, piece: &[u8]) -> Result<()> {
        let length = self.length.saturating_add(piece.len() as u64);
        check_length(&self.tree, &self.path, length)?;
        let charge = self.tree.usage.charge(&self.tree, piece.len() as u64, 0)?;
        write_all(self.temp()?.file(), piece).map_err(|errno| self.fail(errno))?;
        charge.keep();
        self.hasher.update(piece);
        self.length = length;
        Ok(())
    }

    fn read_back(&self, offset: u64, length: u64) -> Result<Bytes> {
        let length = length.min(MAX_READ).min(self.length.saturating_sub(offset));
        let read = read_at(self.temp()?.file(), offset, length, length);
        read.map(Bytes::from).map_err(|errno| self.fail(errno))
    }

    fn land(mut self, put: Put) -> Result<Written> {
        let temp = self.temp.take().ok_or_else(|| Error::of(Code::Internal))?;
        // Most of the waiting for the disk is done before anything is locked.
        let synced = sync::file(temp.file(), self.tree.policy.durability);
        let landed = synced.map_err(|errno| self.fail(errno)).and_then(|()| {
            let came = Came { temp, version: self.hasher.finish() };
            // Whoever stops waiting after this finds the old file or the new one.
            let cancel = AtomicBool::new(false);
            write::write(&self.tree, &self.path, (New::Came(&came), put), &cancel)
        });
        let landed = landed.map(|(written, _)| written);
        if landed.is_err() {
            self.tree.usage.forget();
        }
        landed
    }

    fn temp(&self) -> Result<&Temp<OwnedFd>> {
        self.temp.as_ref().ok_or_else(|| Error::of(Code::Internal))
    }

    fn fail(&self, errno: Errno) -> Error {
        errno::error(errno, &self.path)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.temp.take().is_some() {
            self.tree.usage.forget();
        }
    }
}

/// The deepest directory on the way to a path that is there.
fn nearest(tree: &Tree, path: &WsPath) -> Result<OwnedFd> {
    let mut above = path.parent();
    while let Some(dir) = above {
        match locate_dir(tree, &dir) {
            Ok((dir, _)) => return Ok(dir),
            Err(error) if error.code() == Code::FileNotFound => above = dir.parent(),
            Err(error) => return Err(error),
        }
    }
    Err(Error::at(Code::FileNotFound, path))
}

impl Arriving {
    pub(crate) fn new(draft: Draft) -> Self {
        Self { state: Some(Arc::new(Mutex::new(Some(draft)))), torn: false }
    }

    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Option<Draft>) -> Result<T> + Send + 'static,
    ) -> BoxFuture<'static, Result<T>> {
        let state = self.state.clone();
        Box::pin(blocking::run(move || match state {
            Some(state) => work(&mut lock(&state)),
            None => Err(Error::of(Code::Internal)),
        }))
    }
}

impl Incoming for Arriving {
    fn add(&mut self, pieces: Vec<Bytes>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            if std::mem::replace(&mut self.torn, true) {
                return Err(torn());
            }
            let added = self.run(move |draft| {
                let draft = draft.as_mut().ok_or_else(torn)?;
                pieces.iter().try_for_each(|piece| draft.add(piece))
            });
            added.await?;
            self.torn = false;
            Ok(())
        })
    }

    fn read_back(&mut self, offset: u64, length: u64) -> BoxFuture<'_, Result<Bytes>> {
        self.run(move |draft| draft.as_ref().ok_or_else(torn)?.read_back(offset, length))
    }

    fn version(&mut self) -> BoxFuture<'_, Result<Version>> {
        self.run(|draft| Ok(draft.as_ref().ok_or_else(torn)?.hasher.finish()))
    }

    fn land(self: Box<Self>, put: Put) -> BoxFuture<'static, Result<Written>> {
        if self.torn {
            return Box::pin(async { Err(torn()) });
        }
        self.run(move |draft| draft.take().ok_or_else(torn)?.land(put))
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        let Some(state) = self.state.take() else { return };
        if let Ok(runtime) = Handle::try_current() {
            // A runtime that ends before it comes to this drops it all the same.
            runtime.spawn_blocking(move || drop(state));
        }
    }
}

fn lock(state: &Mutex<Option<Draft>>) -> MutexGuard<'_, Option<Draft>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn torn() -> Error {
    Error::new(Code::Conflict, "a piece of the file was not taken").hint("Send the file again.")
}
