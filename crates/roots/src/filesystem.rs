//! The methods of the contract: each goes to the root that its path names.

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{
    Abilities, Code, Content, Depth, Entry, Error, Filesystem, Incoming, Links, Listing, Made,
    Move, Page, Parents, Put, Query, Removed, Renamed, Result, Sink, Span, Stage, Summary, Watch,
    WatchSpec, Written, WsPath,
};

use crate::{
    Roots, carry,
    find::{NOTHING, find},
    merge::{told, watch_top},
    outlet::Outlet,
    receive::Outside,
    roots::Place,
    stage::Outer,
};

impl Roots {
    fn missing(&self, path: &WsPath) -> Error {
        self.nowhere(Code::FileNotFound, path)
    }

    /// Refuses to make what stands in no root: its parent is missing, or is the top.
    fn unmakeable(&self, path: &WsPath, parents: Parents) -> Error {
        match parents {
            Parents::Require if path.components().count() > 1 => {
                self.nowhere(Code::ParentNotFound, path)
            }
            Parents::Require | Parents::Create => self.fixed(path),
        }
    }

    async fn list_top(&self, page: Page) -> Listing {
        let bound = |count| usize::try_from(count).unwrap_or(usize::MAX);
        let mut entries = Vec::new();
        for root in self.roots.iter().skip(bound(page.skip)).take(bound(page.take)) {
            entries.push(root.entry().await);
        }
        Listing { entries, total: self.roots.len() as u64 }
    }
}

impl Filesystem for Roots {
    fn abilities(&self) -> Abilities {
        self.all_can()
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        match self.place(path)? {
            Place::Top => Ok(self.top()),
            Place::In(root, inner) => root.outer(root.told(root.fs.stat(&inner, links).await)?),
            Place::Nowhere => Err(self.missing(path)),
        }
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        match self.place(path)? {
            Place::Top => Ok(self.list_top(page).await),
            Place::In(root, inner) => {
                let Listing { entries, total } = root.told(root.fs.list(&inner, page).await)?;
                let entries = entries.into_iter().map(|entry| root.outer(entry));
                Ok(Listing { entries: entries.collect::<Result<_>>()?, total })
            }
            Place::Nowhere => Err(self.missing(path)),
        }
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        match self.place(path)? {
            Place::Top => Err(Error::at(Code::NotAFile, path)),
            Place::In(root, inner) => root.told(root.fs.read(&inner, span).await),
            Place::Nowhere => Err(self.missing(path)),
        }
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        match self.place(path)? {
            Place::Top => Err(Error::at(Code::NotAFile, path)),
            Place::In(root, inner) => root.told(root.fs.write(&inner, content, put).await),
            Place::Nowhere => Err(self.unmakeable(path, put.parents)),
        }
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        match self.place(path)? {
            Place::Top => Ok(Made::Existed),
            Place::In(root, inner) => root.told(root.fs.make_dir(&inner, parents).await),
            Place::Nowhere => Err(self.unmakeable(path, parents)),
        }
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        match self.place(path)? {
            Place::Top => Err(Error::at(Code::CannotDeleteRoot, path)),
            Place::In(root, inner) => root.told(root.fs.remove(&inner, depth).await),
            Place::Nowhere => Err(self.missing(path)),
        }
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        let places = (self.place(from)?, self.place(to)?);
        for (place, path) in [(&places.0, from), (&places.1, to)] {
            let is_root = match place {
                Place::Top => true,
                Place::In(_, inner) => inner.is_root(),
                Place::Nowhere => false,
            };
            if is_root {
                return Err(Error::at(Code::CannotDeleteRoot, path));
            }
        }
        match places {
            (Place::In(source, from), Place::In(target, to)) if source.path == target.path => {
                source.told(source.fs.rename(&from, &to, how).await)
            }
            (Place::In(source, from), Place::In(target, to)) => {
                carry::carry((source.clone(), from), (target.clone(), to), how).await
            }
            (Place::In(source, inner), _) => {
                let found = source.told(source.fs.stat(&inner, Links::Keep).await);
                found.map_err(|error| error.recode(Code::FileNotFound, Code::SourceNotFound))?;
                Err(self.unmakeable(to, how.parents))
            }
            (Place::Top | Place::Nowhere, _) => Err(self.nowhere(Code::SourceNotFound, from)),
        }
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        match self.place(&query.base)? {
            Place::Top => find(&self.roots, query, sink).await,
            Place::In(root, base) => {
                let Some(after) = root.after(query)? else { return Ok(NOTHING) };
                let outlet = Arc::new(Outlet::new(root.path.clone(), sink));
                let query = Query { base, after, ..query.clone() };
                let found = root.fs.find(&query, Arc::clone(&outlet) as Arc<dyn Sink>).await;
                Ok(outlet.settle(root.told(found)?))
            }
            Place::Nowhere => Err(self.missing(&query.base)),
        }
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        match self.place(&spec.path)? {
            Place::Top => watch_top(&self.roots, spec).await,
            Place::In(root, path) => {
                let spec = WatchSpec { path, ..spec.clone() };
                Ok(told(root, root.told(root.fs.watch(&spec).await)?))
            }
            Place::Nowhere => Err(self.missing(&spec.path)),
        }
    }

    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        match self.place(path)? {
            Place::Top => Err(Error::not_a_link(path)),
            Place::In(root, inner) => root.told(root.fs.read_link(&inner).await),
            Place::Nowhere => Err(self.missing(path)),
        }
    }

    async fn stage(&self, base: &WsPath) -> Result<Box<dyn Stage>> {
        match self.place(base)? {
            Place::Top => Err(self.fixed(base)),
            Place::In(root, inner) => {
                let stage = root.told(root.fs.stage(&inner).await)?;
                Ok(Box::new(Outer { root: root.clone(), stage }))
            }
            Place::Nowhere => Err(self.missing(base)),
        }
    }

    async fn receive(&self, path: &WsPath) -> Result<Box<dyn Incoming>> {
        match self.place(path)? {
            Place::Top => Err(Error::at(Code::NotAFile, path)),
            Place::In(root, inner) => {
                let incoming = root.told(root.fs.receive(&inner).await)?;
                Ok(Box::new(Outside { root: root.clone(), incoming }))
            }
            Place::Nowhere => Err(self.unmakeable(path, Parents::Create)),
        }
    }
}
