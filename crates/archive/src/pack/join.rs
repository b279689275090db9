//! Joins the stretches of an archive in order, as whoever takes it asks for more.
//!
//! There is no task between those that read and the one that takes: a stretch that
//! is ready goes from hand to hand once, and nothing waits in a second queue.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, ready},
    vec,
};

use bytes::Bytes;
use garth_contract::{Code, Error, Result};
use tokio::sync::mpsc;

use super::{Packed, Task, assemble::Assembly, segment::Segment};
use crate::Format;

/// What the walk hands on, in order.
pub(super) enum Ready {
    Segment(Task<Result<Segment>>),
    Failed(Error),
    /// There is no more; the rest is what the walk itself noted.
    End(Packed),
}

/// The pieces of an archive, each as soon as it is read and those before it are taken.
pub(super) struct Joined {
    ready: mpsc::Receiver<Ready>,
    /// The stretch that comes next, while it is read.
    coming: Option<Task<Result<Segment>>>,
    assembly: Assembly,
    pieces: vec::IntoIter<Bytes>,
    ended: bool,
}

impl Joined {
    pub(super) fn new(format: Format, ready: mpsc::Receiver<Ready>) -> Self {
        let assembly = Assembly::new(format);
        Self { ready, coming: None, assembly, pieces: Vec::new().into_iter(), ended: false }
    }

    /// The next piece; `None` after the end, and nothing is to be asked after an error.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        loop {
            if let Some(piece) = self.pieces.next() {
                return Poll::Ready(Some(Ok(piece)));
            }
            if self.ended {
                return Poll::Ready(None);
            }
            if let Some(task) = &mut self.coming {
                let read = ready!(Pin::new(&mut task.0).poll(context));
                self.coming = None;
                match read.unwrap_or_else(|_| Err(Error::of(Code::Internal))) {
                    Ok(segment) => self.pieces = self.assembly.take(segment).into_iter(),
                    Err(error) => return Poll::Ready(Some(Err(error))),
                }
                continue;
            }
            match ready!(self.ready.poll_recv(context)) {
                Some(Ready::Segment(task)) => self.coming = Some(task),
                Some(Ready::Failed(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ready::End(noted)) => {
                    self.assembly.packed.add(noted);
                    self.pieces = self.assembly.end().into_iter();
                    self.ended = true;
                }
                // The walk is gone without a word.
                None => return Poll::Ready(Some(Err(Error::of(Code::Internal)))),
            }
        }
    }

    pub(super) async fn next(&mut self) -> Option<Result<Bytes>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// What was packed, once all pieces were given.
    pub(super) fn packed(&mut self) -> Packed {
        std::mem::take(&mut self.assembly.packed)
    }
}
