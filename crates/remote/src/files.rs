//! The files behind a link.

use std::sync::Arc;

use bytes::Bytes;
use garth_contract::{
    Abilities, Code, Content, Depth, Detail, Entry, Error, Filesystem, Links, Listing, Made, Move,
    Page, Parents, Put, Query, Removed, Renamed, Result, Sink, Span, Stage, Summary, Watch,
    WatchSpec, Written, WsPath,
};
use garth_wire::{Answer, Request};

use crate::{
    Remote,
    call::Nature,
    check::{self, MOST_CONTENT, beside, lie},
    find::find,
    stage::stage,
    watch::watch,
};

impl Filesystem for Remote {
    fn abilities(&self) -> Abilities {
        self.link.abilities().0
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        let request = Request::Stat(path.clone(), links);
        let answer = self.ask(&request, Nature::Quick).await?;
        let Answer::Told(told) = answer else { return Err(beside()) };
        Ok(told.at(path.clone()))
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        let request = Request::List(path.clone(), page);
        let mut call = self.link.begin(&request, Nature::Quick).await?;
        let mut entries = Vec::new();
        loop {
            let answer = call.answer(0).await?;
            if let Answer::Names(more) = answer {
                check::list(&mut entries, path, page, more)?;
                continue;
            }
            let Answer::Listed(total) = answer else { return Err(beside()) };
            call.finish();
            return Ok(Listing { total: total.max(entries.len() as u64), entries });
        }
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        let span = check::bounded(span);
        let request = Request::Read(path.clone(), span);
        let answer = self.ask_for(&request, Nature::Quick, check::most(span)).await?;
        let Answer::Content(content) = answer else { return Err(beside()) };
        check::content(content, span)
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        let length = content.len() as u64;
        if length > MOST_CONTENT {
            let limit = Detail::Limit { limit: MOST_CONTENT, actual: length };
            return Err(Error::at(Code::FileTooLarge, path).with(limit));
        }
        let request = Request::Write(path.clone(), content, put);
        let answer = self.ask(&request, Nature::Change).await?;
        let Answer::Written(written) = answer else { return Err(beside()) };
        if written.version.length() != length {
            return Err(lie("it wrote another length"));
        }
        Ok(written)
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        let request = Request::MakeDir(path.clone(), parents);
        let answer = self.ask(&request, Nature::Change).await?;
        let Answer::Made(made) = answer else { return Err(beside()) };
        Ok(made)
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        let request = Request::Remove(path.clone(), depth);
        let answer = self.ask(&request, Nature::Change).await?;
        let Answer::Removed(removed) = answer else { return Err(beside()) };
        Ok(removed)
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        let request = Request::Rename(from.clone(), to.clone(), how);
        let answer = self.ask(&request, Nature::Change).await?;
        let Answer::Renamed(renamed) = answer else { return Err(beside()) };
        Ok(renamed)
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        find(&self.link, query, sink).await
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        watch(&self.link, spec).await
    }

    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        let answer = self.ask(&Request::ReadLink(path.clone()), Nature::Quick).await?;
        let Answer::Bytes(target) = answer else { return Err(beside()) };
        check::target(target)
    }

    async fn stage(&self, base: &WsPath) -> Result<Box<dyn Stage>> {
        stage(&self.link, base).await
    }
}
