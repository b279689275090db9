//! Joins the stretches of an archive in order, as whoever takes it asks for more.
//!
//! There is no task between those that read and the one that takes: a stretch that
//! is ready goes from hand to hand once, and nothing waits in a second queue.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    vec,
};

use bytes::Bytes;
use garth_contract::{Code, Entry, Error, Result};
use tokio::{runtime::Handle, sync::mpsc};

use super::{
    AHEAD_LEFT, Packed, Task,
    assemble::Assembly,
    cut::{Source, cut_up},
    segment::{Ground, Segment},
    unless_gone,
};

/// What the walk hands on, in order.
pub(super) enum Ready {
    Segment(Task<Result<Segment>>),
    Failed(Error),
    /// There is no more; the rest is what the walk itself noted.
    End(Packed),
}

/// The pieces of an archive, each as soon as it is read and those before it are taken.
pub(super) struct Joined {
    ground: Arc<Ground>,
    runtime: Handle,
    ready: mpsc::Receiver<Ready>,
    /// What comes before that: what was left of a stretch.
    left: Option<Left>,
    /// The stretch that comes next, while it is read.
    coming: Option<Task<Result<Segment>>>,
    assembly: Assembly,
    pieces: vec::IntoIter<Bytes>,
    ended: bool,
}

/// What was left of a stretch, cut up anew.
struct Left {
    ready: mpsc::Receiver<Ready>,
    _walker: Task<()>,
}

impl Joined {
    pub(super) fn new(ground: Arc<Ground>, ready: mpsc::Receiver<Ready>, runtime: Handle) -> Self {
        let assembly = Assembly::new(ground.format);
        let pieces = Vec::new().into_iter();
        Self { ground, runtime, ready, left: None, coming: None, assembly, pieces, ended: false }
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
                match unless_gone(read) {
                    Ok(segment) => self.take(segment),
                    Err(error) => return Poll::Ready(Some(Err(error))),
                }
                continue;
            }
            let ready = self.left.as_mut().map_or(&mut self.ready, |left| &mut left.ready);
            match ready!(ready.poll_recv(context)) {
                Some(Ready::Segment(task)) => self.coming = Some(task),
                Some(Ready::Failed(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ready::End(noted)) => {
                    self.assembly.packed.add(noted);
                    if self.left.take().is_none() {
                        self.pieces = self.assembly.end().into_iter();
                        self.ended = true;
                    }
                }
                // The walk is gone without a word.
                None => return Poll::Ready(Some(Err(Error::of(Code::Internal)))),
            }
        }
    }

    fn take(&mut self, mut segment: Segment) {
        let left = segment.take_left();
        self.pieces = self.assembly.take(segment).into_iter();
        if !left.is_empty() {
            self.left = Some(self.cut_anew(left));
        }
    }

    /// Has entries read that come next: they were looked at, so nothing is left of them.
    fn cut_anew(&self, left: Vec<Entry>) -> Left {
        let (segments, ready) = mpsc::channel(AHEAD_LEFT);
        let source = Source::Row(left.into_iter());
        // Whoever takes the archive need not be where it was begun.
        let cutting = self.runtime.spawn(cut_up(source, Arc::clone(&self.ground), segments));
        Left { ready, _walker: Task(cutting) }
    }

    pub(super) async fn next(&mut self) -> Option<Result<Bytes>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// What was packed, once all pieces were given.
    pub(super) fn packed(&mut self) -> Packed {
        std::mem::take(&mut self.assembly.packed)
    }
}
