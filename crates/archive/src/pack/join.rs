//! Joins the stretches of an archive in order, as whoever takes it asks for more.
//!
//! There is no task between those that read and the one that takes: a stretch that
//! is ready goes from hand to hand once, and nothing waits in a second queue. While the
//! next one is not ready, whoever takes reads those behind it that nobody reads.

use std::{
    collections::VecDeque,
    future::poll_fn,
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
    stretch::{Coming, Reader},
};

/// What the walk hands on, in order.
pub(super) enum Ready {
    Segment(Coming),
    Failed(Error),
    /// There is no more; the rest is what the walk itself noted.
    End(Packed),
}

/// The pieces of an archive, each as soon as it is read and those before it are taken.
pub(super) struct Joined {
    ground: Arc<Ground>,
    runtime: Handle,
    reader: Reader,
    row: Row,
    /// What comes before that: what was left of a stretch.
    left: Option<Left>,
    assembly: Assembly,
    pieces: vec::IntoIter<Bytes>,
    ended: bool,
}

/// What comes, in order.
struct Row {
    from: mpsc::UnboundedReceiver<Ready>,
    /// What was handed on; no more than may be ahead.
    coming: VecDeque<Ready>,
}

/// What was left of a stretch, cut up anew.
struct Left {
    row: Row,
    _walker: Task<()>,
}

/// What is next in a row.
enum Next {
    Segment(Result<Segment>),
    End(Packed),
    Failed(Error),
}

impl Row {
    fn new(from: mpsc::UnboundedReceiver<Ready>) -> Self {
        Self { from, coming: VecDeque::new() }
    }

    /// What is next; while that is not ready, the rest is read by who asks.
    fn poll_next(&mut self, context: &mut Context<'_>, reader: &mut Reader) -> Poll<Next> {
        let gone = loop {
            match self.from.poll_recv(context) {
                Poll::Ready(Some(ready)) => self.coming.push_back(ready),
                Poll::Ready(None) => break true,
                Poll::Pending => break false,
            }
        };
        loop {
            let next = match self.coming.front_mut() {
                Some(Ready::Segment(coming)) => coming.poll(context).map(Next::Segment),
                // The walk is gone without a word.
                None if gone => Poll::Ready(Next::Failed(Error::of(Code::Internal))),
                None => Poll::Pending,
                Some(Ready::Failed(_) | Ready::End(_)) => match self.coming.pop_front() {
                    Some(Ready::Failed(error)) => return Poll::Ready(Next::Failed(error)),
                    Some(Ready::End(noted)) => return Poll::Ready(Next::End(noted)),
                    Some(Ready::Segment(_)) | None => continue,
                },
            };
            if next.is_ready() {
                self.coming.pop_front();
                return next;
            }
            let read = self.coming.iter().any(|ready| match ready {
                Ready::Segment(coming) => reader.read(&coming.unread),
                Ready::Failed(_) | Ready::End(_) => false,
            });
            if !read {
                return Poll::Pending;
            }
        }
    }
}

impl Joined {
    pub(super) fn new(
        ground: Arc<Ground>,
        from: mpsc::UnboundedReceiver<Ready>,
        runtime: Handle,
    ) -> Self {
        Self {
            assembly: Assembly::new(ground.format),
            reader: Reader::new(Arc::clone(&ground), runtime.clone()),
            ground,
            runtime,
            row: Row::new(from),
            left: None,
            pieces: Vec::new().into_iter(),
            ended: false,
        }
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
            let row = self.left.as_mut().map_or(&mut self.row, |left| &mut left.row);
            match ready!(row.poll_next(context, &mut self.reader)) {
                Next::Segment(Ok(segment)) => self.take(segment),
                Next::Segment(Err(error)) | Next::Failed(error) => {
                    return Poll::Ready(Some(Err(error)));
                }
                Next::End(noted) => {
                    self.assembly.packed.add(noted);
                    if self.left.take().is_none() {
                        self.pieces = self.assembly.end().into_iter();
                        self.ended = true;
                    }
                }
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
        let (segments, from) = mpsc::unbounded_channel();
        let source = Source::Row(left.into_iter());
        // Whoever takes the archive need not be where it was begun.
        let cutting = cut_up(source, Arc::clone(&self.ground), (AHEAD_LEFT, segments));
        Left { row: Row::new(from), _walker: Task(self.runtime.spawn(cutting)) }
    }

    pub(super) async fn next(&mut self) -> Option<Result<Bytes>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// What was packed, once all pieces were given.
    pub(super) fn packed(&mut self) -> Packed {
        std::mem::take(&mut self.assembly.packed)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use garth_contract::{Glimpse, Kind, Policy, WsPath};
    use garth_memory::Memory;
    use tokio::sync::Semaphore;

    use super::*;
    use crate::{
        Format,
        pack::{room::Room, segment::Job, stretch::stretch, usual::Usual},
    };

    #[tokio::test]
    async fn who_takes_reads_what_nobody_reads() {
        let ground = Arc::new(Ground {
            files: Arc::new(Memory::new(Policy::open()).unwrap()),
            format: Format::Tar,
            base: WsPath::root(),
            sieve: None,
            room: Room::default(),
            usual: Usual::default(),
            others: Arc::new(Semaphore::new(0)),
        });
        let (segments, from) = mpsc::unbounded_channel();
        let ahead = Arc::new(Semaphore::new(2));
        for name in [b"a", b"b"] {
            let path = WsPath::from_bytes(name).unwrap();
            let dir = Entry { path, kind: Kind::Dir, size: 0, modified: None, mode: None };
            let place = Arc::clone(&ahead).try_acquire_owned().unwrap();
            let (_, coming) = stretch(Job::Several(vec![Glimpse::Entry(dir)]), place);
            assert!(segments.send(Ready::Segment(coming)).is_ok());
        }
        assert!(segments.send(Ready::End(Packed::default())).is_ok());
        let mut joined = Joined::new(ground, from, Handle::current());
        let mut context = Context::from_waker(Waker::noop());
        let mut sizes = Vec::new();
        while let Poll::Ready(Some(piece)) = joined.poll_next(&mut context) {
            sizes.push(piece.unwrap().len());
        }
        assert_eq!(sizes, [512, 512, 1024]);
        assert_eq!((joined.packed().dirs, ahead.available_permits()), (2, 2));
    }
}
