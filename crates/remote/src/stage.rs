//! A tree that is prepared behind a link: one call that lasts until it lands.

use bytes::{Bytes, BytesMut};
use garth_contract::{
    BoxFuture, Clobber, Code, Error, Landed, MAX_PATH, Part, Result, Stage, WsPath,
};
use garth_wire::{Answer, Request};

use crate::{
    Link,
    call::{Call, Nature},
    check::{beside, lie},
};

/// How much of a tree goes into one message: enough that the way there and back is
/// no matter, and half of what a guest takes without making it wait for its place.
const PIECE: usize = 512 << 10;

/// What a part takes in a message beside its bytes, at the most.
const AROUND: usize = 64;

/// Opens a stage.
pub(crate) async fn stage(link: &Link, base: &WsPath) -> Result<Box<dyn Stage>> {
    let mut call = link.begin(&Request::Stage(base.clone()), Nature::LastingChange).await?;
    let Answer::Done = call.answer(0).await? else { return Err(beside()) };
    call.rest();
    Ok(Box::new(Staged { call, base: base.clone(), owed: None }))
}

/// A tree that a guest holds.
struct Staged {
    call: Call,
    base: WsPath,
    /// There while an answer is to come, also one whose asker was dropped: how long its
    /// body may be.
    owed: Option<u64>,
}

impl Staged {
    /// Says something and hears the answer; a refusal does not end the stage.
    ///
    /// *Cancel*: what was said counts; its answer is passed over by whoever comes next.
    async fn exchange(&mut self, request: &Request, most_body: u64) -> Result<Answer> {
        self.settle().await?;
        self.call.put(request)?;
        self.owed = Some(most_body);
        let answer = self.settle().await?.ok_or_else(beside)?;
        if let Answer::Refused(error) = answer { Err(error) } else { Ok(answer) }
    }

    /// The answer that is owed, if one is.
    async fn settle(&mut self) -> Result<Option<Answer>> {
        let Some(most_body) = self.owed else { return Ok(None) };
        self.call.flush().await?;
        let answer = self.call.word(most_body).await?;
        self.owed = None;
        self.call.rest();
        Ok(Some(answer))
    }

    /// Ends the call, if the guest has said its last word about it.
    fn end(self) {
        if self.owed.is_none() {
            self.call.finish();
        }
    }

    async fn send(&mut self, parts: Vec<Part>) -> Result<()> {
        if parts.is_empty() {
            return Ok(());
        }
        let answer = self.exchange(&Request::Parts(parts), 0).await?;
        let Answer::Done = answer else { return Err(beside()) };
        Ok(())
    }

    async fn send_all(&mut self, parts: Vec<Part>) -> Result<()> {
        let mut batch = Batch::default();
        for part in parts {
            if let Part::Link { path, target, .. } = &part
                && target.len() > MAX_PATH
            {
                let error = Error::at(Code::InvalidPath, &path.under(&self.base)?);
                self.send(batch.take()).await?;
                return Err(error.hint("A link's target must be a path."));
            }
            for piece in pieces(part) {
                if let Some(full) = batch.push(piece) {
                    self.send(full).await?;
                }
            }
        }
        self.send(batch.take()).await
    }

    async fn read(&mut self, path: &WsPath, offset: u64, length: u64) -> Result<Bytes> {
        let mut read = BytesMut::new();
        loop {
            let done = read.len() as u64;
            let wanted = (length - done).min(PIECE as u64);
            let request = Request::ReadBack(path.clone(), offset.saturating_add(done), wanted);
            let answer = self.exchange(&request, wanted).await?;
            let Answer::Bytes(bytes) = answer else { return Err(beside()) };
            let count = bytes.len() as u64;
            if count > wanted {
                return Err(lie("it read more than was asked for"));
            }
            if done == 0 && (count == length || count < wanted) {
                return Ok(bytes);
            }
            read.extend_from_slice(&bytes);
            if done + count == length || count < wanted {
                return Ok(read.freeze());
            }
        }
    }
}

/// Parts that go into one message.
#[derive(Default)]
struct Batch {
    parts: Vec<Part>,
    size: usize,
}

impl Batch {
    /// Adds a part; what was there is given out when there is no room for both.
    fn push(&mut self, part: Part) -> Option<Vec<Part>> {
        let size = size(&part);
        let full = (self.size + size > PIECE).then(|| self.take());
        self.size += size;
        self.parts.push(part);
        full
    }

    fn take(&mut self) -> Vec<Part> {
        self.size = 0;
        std::mem::take(&mut self.parts)
    }
}

fn size(part: &Part) -> usize {
    AROUND
        + match part {
            Part::Dir { path, .. } | Part::File { path, .. } => path.as_bytes().len(),
            Part::Bytes(bytes) => bytes.len(),
            Part::Link { path, target, .. } => path.as_bytes().len() + target.len(),
        }
}

/// A part in pieces of which each fits into a message.
fn pieces(part: Part) -> impl Iterator<Item = Part> {
    let (mut whole, mut bytes) = if let Part::Bytes(bytes) = part {
        let small = bytes.len() <= PIECE / 2;
        if small { (Some(Part::Bytes(bytes)), Bytes::new()) } else { (None, bytes) }
    } else {
        (Some(part), Bytes::new())
    };
    std::iter::from_fn(move || {
        if let Some(part) = whole.take() {
            return Some(part);
        }
        let piece = bytes.split_to(bytes.len().min(PIECE / 2));
        (!piece.is_empty()).then_some(Part::Bytes(piece))
    })
}

impl Stage for Staged {
    fn add(&mut self, parts: Vec<Part>) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.send_all(parts))
    }

    fn read_back<'a>(
        &'a mut self,
        path: &'a WsPath,
        offset: u64,
        length: u64,
    ) -> BoxFuture<'a, Result<Bytes>> {
        Box::pin(self.read(path, offset, length))
    }

    fn land(mut self: Box<Self>, clobber: Clobber) -> BoxFuture<'static, Result<Landed>> {
        Box::pin(async move {
            // A change that was given up before is over before this one begins.
            self.call.connection().barrier.pass().await;
            let answer = self.exchange(&Request::Land(clobber), 0).await;
            self.end();
            let Answer::Landed(landed) = answer? else { return Err(beside()) };
            Ok(landed)
        })
    }

    fn discard(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            // A guest that is gone has nothing left, and the drop tells one that is not.
            drop(self.exchange(&Request::Discard, 0).await);
            self.end();
        })
    }
}
