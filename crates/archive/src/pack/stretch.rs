//! A stretch on its way: cut off, then read by whoever comes to it first.
//!
//! The walk reads when it is far enough ahead, and whoever takes the archive reads rather
//! than wait. A task for each stretch left two processors idle for a fifth of the time,
//! and took a third more work on two of them than on one. What has to wait, for a disk or
//! for a compressor, goes on as a task of its own, and the next stretch is begun.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
};

use garth_contract::{Code, Error, Result};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, oneshot},
    task::JoinSet,
};

use super::segment::{Ground, Job, Segment};

/// A stretch that is to be read, as long as nobody took it.
#[derive(Clone)]
pub(super) struct Unread(Arc<Mutex<Option<Taken>>>);

/// What is to be read, and where the answer goes.
struct Taken {
    job: Job,
    answer: oneshot::Sender<Result<Segment>>,
}

/// A stretch that comes, in whose hands it may be.
pub(super) struct Coming {
    pub(super) unread: Unread,
    answer: oneshot::Receiver<Result<Segment>>,
    /// One of those that may be ahead.
    _place: OwnedSemaphorePermit,
}

/// Makes a stretch of what is to be read.
pub(super) fn stretch(job: Job, place: OwnedSemaphorePermit) -> (Unread, Coming) {
    let (told, answer) = oneshot::channel();
    let unread = Unread(Arc::new(Mutex::new(Some(Taken { job, answer: told }))));
    (unread.clone(), Coming { unread, answer, _place: place })
}

impl Unread {
    fn take(&self) -> Option<Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Taken {
    async fn read(self, ground: Arc<Ground>) {
        // Whoever is gone need not be told.
        let _ = self.answer.send(ground.run(self.job).await);
    }
}

impl Coming {
    /// What was read; `INTERNAL` where who read it is gone without a word.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Segment>> {
        let answer = Pin::new(&mut self.answer).poll(context);
        answer.map(|told| told.unwrap_or_else(|_| Err(Error::of(Code::Internal))))
    }
}

/// One who reads; dropping it ends what it began.
pub(super) struct Reader {
    ground: Arc<Ground>,
    runtime: Handle,
    elsewhere: JoinSet<()>,
}

impl Reader {
    pub(super) fn new(ground: Arc<Ground>, runtime: Handle) -> Self {
        Self { ground, runtime, elsewhere: JoinSet::new() }
    }

    /// Reads a stretch, here as far as that takes no waiting and elsewhere from there on.
    ///
    /// `false` if somebody else took it.
    pub(super) fn read(&mut self, unread: &Unread) -> bool {
        let Some(taken) = unread.take() else { return false };
        let mut reading = Box::pin(taken.read(Arc::clone(&self.ground)));
        // Whoever takes the archive need not be where it was begun.
        let _here = self.runtime.enter();
        let mut context = Context::from_waker(Waker::noop());
        // A panic is heard of as that of a task is: nobody answers.
        let begun = catch_unwind(AssertUnwindSafe(|| reading.as_mut().poll(&mut context)));
        if let Ok(Poll::Pending) = begun {
            // It is asked again there, so it is that task which is woken.
            self.start(reading);
        }
        true
    }

    /// Has a stretch read elsewhere at once, if there may be another who reads.
    pub(super) fn pass_on(&mut self, unread: &Unread) {
        let Ok(one) = Arc::clone(&self.ground.others).try_acquire_owned() else { return };
        let (unread, ground) = (unread.clone(), Arc::clone(&self.ground));
        self.start(async move {
            if let Some(taken) = unread.take() {
                taken.read(ground).await;
            }
            drop(one);
        });
    }

    /// Waits until all is read that was begun.
    pub(super) async fn done(&mut self) {
        while self.elsewhere.join_next().await.is_some() {}
    }

    fn start(&mut self, reading: impl Future<Output = ()> + Send + 'static) {
        while self.elsewhere.try_join_next().is_some() {}
        self.elsewhere.spawn_on(reading, &self.runtime);
    }
}
