//! What an archive holds on its way to the stage: counted, bounded, in batches.
//!
//! A batch is staged while the next one is read. Links go alone: a link that leads
//! out may be left out, and then it must be known which it was.

use bytes::Bytes;
use garth_contract::{Code, Detail, Error, Part, Result, Stage, Stamp, WsPath};
use tokio::task::JoinHandle;

use super::{
    Restored, Unfit,
    name::{Names, refusal, shown},
};
use crate::{Bounds, bounds::HARMLESS, moment::Moment};

/// A batch has no more bytes or parts than this, or one piece more.
const BATCH: usize = 1 << 20;
const MOST_PARTS: usize = 256;
/// How much of a file is read back at a time to be written again.
const COPIED: u64 = 1 << 20;

/// The way into a stage.
pub(crate) struct Feed {
    stage: Option<Box<dyn Stage>>,
    adding: Option<Adding>,
    parts: Vec<Part>,
    waiting: usize,
    /// Where the tree's top is in the stage.
    top: WsPath,
    names: Names,
    bounds: Bounds,
    unfit: Unfit,
    /// How many bytes the file has that was begun last.
    file: u64,
    /// How many bytes came out of the archive.
    seen: u64,
    pub(crate) restored: Restored,
}

/// A batch that is being staged; gone with whoever waits for it.
struct Adding(JoinHandle<(Box<dyn Stage>, Result<()>)>);

impl Drop for Adding {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What an entry of an archive says of itself.
pub(crate) struct Head<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) mode: Option<u32>,
    pub(crate) modified: Option<Moment>,
}

impl Head<'_> {
    fn stamp(&self) -> Stamp {
        Stamp { mode: self.mode, modified: self.modified.and_then(Moment::time) }
    }
}

/// What becomes of an entry.
pub(crate) enum Taken {
    /// It was begun; its content is wanted.
    In,
    /// It is none of ours; its content is passed over.
    Past,
}

impl Feed {
    pub(crate) fn new(stage: Box<dyn Stage>, top: WsPath, how: &super::Restore) -> Self {
        let names = Names { strip: how.strip, depth: how.bounds.depth };
        Self {
            stage: Some(stage),
            adding: None,
            parts: Vec::new(),
            waiting: 0,
            top,
            names,
            bounds: how.bounds,
            unfit: how.unfit,
            file: 0,
            seen: 0,
            restored: Restored::default(),
        }
    }

    /// Makes the tree's top, which is there even if nothing is in it.
    pub(crate) async fn begin(&mut self) -> Result<()> {
        let stamp = Stamp { mode: None, modified: None };
        self.push(Part::Dir { path: self.top.clone(), stamp }, 0).await
    }

    pub(crate) async fn dir(&mut self, head: &Head<'_>) -> Result<()> {
        let Some(path) = self.enter(head.name)? else { return Ok(()) };
        self.restored.dirs += 1;
        self.push(Part::Dir { path, stamp: head.stamp() }, 0).await
    }

    /// Begins a file that says it has `size` bytes.
    pub(crate) async fn file(&mut self, head: &Head<'_>, size: u64) -> Result<Taken> {
        let Some(path) = self.enter(head.name)? else { return Ok(Taken::Past) };
        if size > self.bounds.file {
            let error = refusal(Code::FileTooLarge, head.name, "it is too large");
            return Err(error.with(Detail::Limit { limit: self.bounds.file, actual: size }));
        }
        self.check_bytes(size, head.name)?;
        self.file = 0;
        self.restored.files += 1;
        self.push(Part::File { path, stamp: head.stamp() }, 0).await?;
        Ok(Taken::In)
    }

    /// More of the file that was begun; `taken` bytes of the archive came so far.
    pub(crate) async fn data(&mut self, bytes: Bytes, taken: u64, name: &[u8]) -> Result<()> {
        let length = bytes.len() as u64;
        self.file += length;
        if self.file > self.bounds.file {
            let error = refusal(Code::FileTooLarge, name, "it is too large");
            return Err(error.with(Detail::Limit { limit: self.bounds.file, actual: self.file }));
        }
        self.see(length, taken, name)?;
        self.restored.bytes += length;
        let count = bytes.len();
        self.push(Part::Bytes(bytes), count).await
    }

    /// Counts bytes that came out of the first `taken` bytes of the archive, wanted
    /// or not: to pass them over takes time too.
    pub(crate) fn see(&mut self, length: u64, taken: u64, name: &[u8]) -> Result<()> {
        self.check_bytes(length, name)?;
        self.seen += length;
        let most = taken.saturating_mul(self.bounds.ratio).max(HARMLESS);
        if self.seen > most {
            let error = refusal(Code::QuotaExceeded, name, "so little cannot hold so much");
            return Err(error
                .with(Detail::Limit { limit: most, actual: self.seen })
                .hint("The archive grows too much when it is unpacked."));
        }
        Ok(())
    }

    pub(crate) async fn link(&mut self, head: &Head<'_>, target: &[u8]) -> Result<()> {
        let Some(path) = self.enter(head.name)? else { return Ok(()) };
        let target = Bytes::copy_from_slice(target);
        let modified = head.stamp().modified;
        self.settle().await?;
        let link = Part::Link { path, target, modified };
        let Some(stage) = &mut self.stage else { return Err(Error::of(Code::Internal)) };
        match stage.add(vec![link]).await {
            Ok(()) => {
                self.restored.links += 1;
                Ok(())
            }
            Err(error) if error.code() == Code::PathOutsideWorkspace => {
                let why = "it is a link that leads, or may lead, out of the workspace";
                self.unfit(refusal(Code::PathOutsideWorkspace, head.name, why))
            }
            Err(error) => Err(told(error)),
        }
    }

    /// A second name of a file that came before: a copy, since a file with several
    /// names may not be readable here.
    pub(crate) async fn copy(&mut self, head: &Head<'_>, of: &[u8], taken: u64) -> Result<()> {
        let Some(path) = self.enter(head.name)? else { return Ok(()) };
        let refuse = |code, why| refusal(code, head.name, why);
        let Some(of) = self.place(of).map_err(|error| {
            refuse(error.code(), "it is a hard link to something outside the archive")
        })?
        else {
            return self
                .unfit(refuse(Code::InvalidParams, "it is a hard link to what is stripped"));
        };
        self.settle().await?;
        let mut offset = 0;
        loop {
            let Some(stage) = &mut self.stage else { return Err(Error::of(Code::Internal)) };
            let bytes = match stage.read_back(&of, offset, COPIED).await {
                Ok(bytes) => bytes,
                Err(error) if offset == 0 && missing(&error) => {
                    let why = "it is a hard link to no file of the archive";
                    return self.unfit(refuse(Code::InvalidParams, why));
                }
                Err(error) => return Err(told(error)),
            };
            if offset == 0 {
                self.file = 0;
                self.restored.files += 1;
                self.push(Part::File { path: path.clone(), stamp: head.stamp() }, 0).await?;
            }
            if bytes.is_empty() {
                return Ok(());
            }
            offset += bytes.len() as u64;
            self.data(bytes, taken, head.name).await?;
            self.settle().await?;
        }
    }

    /// A pipe, a device or the like.
    pub(crate) fn special(&mut self, name: &[u8]) -> Result<()> {
        self.count(name)?;
        self.unfit(refusal(Code::InvalidParams, name, "it is neither file, directory nor link"))
    }

    /// Refuses what cannot be restored, or counts it as left out.
    fn unfit(&mut self, refusal: Error) -> Result<()> {
        match self.unfit {
            Unfit::Refuse => Err(refusal),
            Unfit::LeaveOut => {
                self.restored.left_out += 1;
                Ok(())
            }
        }
    }

    /// Counts an entry and says where it goes.
    fn enter(&mut self, name: &[u8]) -> Result<Option<WsPath>> {
        self.count(name)?;
        self.place(name)
    }

    fn count(&mut self, name: &[u8]) -> Result<()> {
        self.restored.entries += 1;
        if self.restored.entries > self.bounds.entries {
            let error = refusal(Code::QuotaExceeded, name, "there are too many entries before it");
            let actual = self.restored.entries;
            return Err(error.with(Detail::Limit { limit: self.bounds.entries, actual }));
        }
        Ok(())
    }

    fn place(&self, name: &[u8]) -> Result<Option<WsPath>> {
        let Some(path) = self.names.parse(name)? else { return Ok(None) };
        let path = path.under(&self.top);
        path.map(Some).map_err(|error| refusal(error.code(), name, "its name is too long"))
    }

    fn check_bytes(&self, more: u64, name: &[u8]) -> Result<()> {
        let (limit, actual) = (self.bounds.bytes, self.seen.saturating_add(more));
        if actual <= limit {
            return Ok(());
        }
        let error = refusal(Code::QuotaExceeded, name, "the files before it and it are too large");
        Err(error.with(Detail::Limit { limit, actual }))
    }

    async fn push(&mut self, part: Part, bytes: usize) -> Result<()> {
        self.parts.push(part);
        self.waiting += bytes;
        if self.waiting >= BATCH || self.parts.len() >= MOST_PARTS {
            self.send().await?;
        }
        Ok(())
    }

    /// Has what waits staged, as soon as what went before is.
    async fn send(&mut self) -> Result<()> {
        self.wait().await?;
        let parts = std::mem::take(&mut self.parts);
        self.waiting = 0;
        let Some(mut stage) = self.stage.take() else { return Err(Error::of(Code::Internal)) };
        self.adding = Some(Adding(tokio::spawn(async move {
            let added = stage.add(parts).await;
            (stage, added)
        })));
        Ok(())
    }

    /// Waits until what was sent is staged.
    async fn wait(&mut self) -> Result<()> {
        let Some(mut adding) = self.adding.take() else { return Ok(()) };
        let (stage, added) = (&mut adding.0).await.map_err(|_| Error::of(Code::Internal))?;
        self.stage = Some(stage);
        added.map_err(told)
    }

    /// Waits until everything so far is staged.
    async fn settle(&mut self) -> Result<()> {
        if !self.parts.is_empty() {
            self.send().await?;
        }
        self.wait().await
    }

    /// Gives the stage back with everything in it.
    pub(crate) async fn finish(&mut self) -> Result<Box<dyn Stage>> {
        self.settle().await?;
        self.stage.take().ok_or_else(|| Error::of(Code::Internal))
    }

    /// Discards everything.
    pub(crate) async fn discard(mut self) {
        self.parts.clear();
        let _ = self.wait().await;
        if let Some(stage) = self.stage.take() {
            stage.discard().await;
        }
    }
}

/// An error of the stage, told as one of the archive.
pub(crate) fn told(error: Error) -> Error {
    let Some(path) = error.path() else { return error };
    let why = [
        (Code::FileExists, "it is there twice, or collides with another"),
        (Code::NotADirectory, "it lies below something that is no directory"),
    ];
    let why = why.iter().find(|(code, _)| *code == error.code());
    let why = why.map_or(error.code().row().phrase, |(_, why)| why);
    let message = format!("the archive's entry {}: {why}", shown(path.as_bytes()));
    error.reword(message)
}

fn missing(error: &Error) -> bool {
    [Code::FileNotFound, Code::NotAFile, Code::NotADirectory].contains(&error.code())
}
