//! What one reader has yet to hear of, in bounded memory.

use std::{
    pin::Pin,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use futures_core::Stream;
use garth_contract::Event;

use super::{pending::Pending, signal::Signal};

/// The events that one reader has yet to take.
#[derive(Debug, Default)]
struct Queue(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    unread: Pending,
    ended: bool,
    waker: Option<Waker>,
}

impl Queue {
    fn push(&self, events: &[Event]) {
        let mut waiting = lock(&self.0);
        waiting.unread.extend(events);
        wake(waiting);
    }

    fn end(&self) {
        let mut waiting = lock(&self.0);
        waiting.ended = true;
        wake(waiting);
    }
}

/// Wakes the reader after the lock is gone, since it may read at once.
fn wake(mut waiting: MutexGuard<'_, Waiting>) {
    let waker = waiting.waker.take();
    drop(waiting);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// All who read the changes of one watch.
#[derive(Debug)]
pub(super) struct Readers {
    open: Mutex<Open>,
    /// Woken when newcomers have become readers, or never will.
    admitted: Condvar,
    /// Raised when the last reader is gone or the workspace stops.
    pub(super) stop: Arc<Signal>,
}

#[derive(Debug, Default)]
struct Open {
    queues: Vec<Arc<Queue>>,
    newcomers: Vec<Arc<Queue>>,
    closed: bool,
}

/// Readers who are not told of what happened before they came.
#[derive(Debug)]
#[must_use]
pub(super) struct Newcomers(usize);

impl Readers {
    /// Begins with one reader.
    pub(super) fn with_first(stop: Arc<Signal>) -> (Arc<Self>, Reader) {
        let queue = Arc::new(Queue::default());
        let open = Open { queues: vec![Arc::clone(&queue)], ..Open::default() };
        let readers = Arc::new(Self { open: Mutex::new(open), admitted: Condvar::new(), stop });
        let reader = Reader { queue, readers: Arc::clone(&readers) };
        (readers, reader)
    }

    /// Adds a reader, once the others were told of all that happened before; `None`
    /// when the watch has ended.
    pub(super) fn join(self: &Arc<Self>) -> Option<Reader> {
        let queue = Arc::new(Queue::default());
        let mut open = lock(&self.open);
        if !open.closed {
            open.newcomers.push(Arc::clone(&queue));
            self.stop.wake();
        }
        let is_waiting =
            |open: &mut Open| open.newcomers.iter().any(|new| Arc::ptr_eq(new, &queue));
        let open = self.admitted.wait_while(open, is_waiting);
        let closed = open.unwrap_or_else(PoisonError::into_inner).closed;
        (!closed).then(|| Reader { queue, readers: Arc::clone(self) })
    }

    /// Who has come until now.
    pub(super) fn newcomers(&self) -> Newcomers {
        Newcomers(lock(&self.open).newcomers.len())
    }

    /// Makes readers of those who had come, now that the others were told.
    pub(super) fn admit(&self, Newcomers(count): Newcomers) {
        let mut open = lock(&self.open);
        let Open { queues, newcomers, .. } = &mut *open;
        queues.extend(newcomers.drain(..count.min(newcomers.len())));
        self.admitted.notify_all();
    }

    /// Tells all readers.
    pub(super) fn tell(&self, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        // Waking a task can drop it, and its reader with it, which takes this lock.
        let queues = lock(&self.open).queues.clone();
        queues.iter().for_each(|queue| queue.push(events));
    }

    /// Ends all streams, after what is still in their queues.
    pub(super) fn close(&self) {
        let mut open = lock(&self.open);
        open.closed = true;
        open.newcomers.clear();
        let queues = std::mem::take(&mut open.queues);
        drop(open);
        self.admitted.notify_all();
        queues.iter().for_each(|queue| queue.end());
    }

    /// Keeps everybody from being told anything until the guard is gone.
    #[cfg(test)]
    pub(super) fn hold(&self) -> impl Drop + '_ {
        lock(&self.open)
    }

    fn leave(&self, reader: &Reader) {
        let mut open = lock(&self.open);
        open.queues.retain(|queue| !Arc::ptr_eq(queue, &reader.queue));
        if open.queues.is_empty() && open.newcomers.is_empty() {
            open.closed = true;
            self.stop.raise();
        }
    }
}

/// The stream of one reader. Dropping the last one of a watch ends it.
#[derive(Debug)]
pub(super) struct Reader {
    queue: Arc<Queue>,
    readers: Arc<Readers>,
}

impl Reader {
    /// All readers of the same watch.
    pub(super) fn readers(&self) -> &Arc<Readers> {
        &self.readers
    }
}

impl Stream for Reader {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        let mut waiting = lock(&self.queue.0);
        if let Some(event) = waiting.unread.pop() {
            return Poll::Ready(Some(event));
        }
        if waiting.ended {
            return Poll::Ready(None);
        }
        waiting.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let readers = Arc::clone(&self.readers);
        readers.leave(self);
    }
}

/// Locks, also after a panic elsewhere: no update here can be left half done.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicBool, Ordering},
        task::Wake,
    };

    use garth_contract::{Change, WsPath};

    use super::*;
    use crate::watch::pending::MAX_PENDING;

    fn reader() -> (Arc<Readers>, Reader) {
        Readers::with_first(Arc::new(Signal::new().unwrap()))
    }

    /// Joins while another thread does what the thread of a watch does.
    fn joined(readers: &Arc<Readers>, before: &[Event]) -> Reader {
        std::thread::scope(|scope| {
            let joining = scope.spawn(|| readers.join().unwrap());
            loop {
                let newcomers = readers.newcomers();
                if newcomers.0 > 0 {
                    readers.tell(before);
                    readers.admit(newcomers);
                    return joining.join().unwrap();
                }
                std::thread::yield_now();
            }
        })
    }

    fn event(number: usize) -> Event {
        let path = WsPath::root().join(number.to_string().as_bytes()).unwrap();
        Event::Changed { path, change: Change::Created }
    }

    fn next(reader: &mut Reader) -> Poll<Option<Event>> {
        Pin::new(reader).poll_next(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_reader_that_lags_behind_hears_each_path_once() {
        let (readers, mut reader) = reader();
        for _ in 0..100_000 {
            readers.tell(&[event(1)]);
        }
        readers.tell(&[event(2)]);
        assert_eq!(next(&mut reader), Poll::Ready(Some(event(1))));
        assert_eq!(next(&mut reader), Poll::Ready(Some(event(2))));
        assert_eq!(next(&mut reader), Poll::Pending);
    }

    #[test]
    fn a_reader_that_lags_too_far_behind_hears_of_an_overflow_first() {
        let (readers, mut reader) = reader();
        for number in 0..=MAX_PENDING {
            readers.tell(&[event(number)]);
        }
        readers.tell(&[event(7)]);
        assert_eq!(next(&mut reader), Poll::Ready(Some(Event::Overflow)));
        assert_eq!(next(&mut reader), Poll::Ready(Some(event(7))));
        assert_eq!(next(&mut reader), Poll::Pending);
    }

    #[test]
    fn what_was_told_before_the_end_is_read_before_the_end() {
        let (readers, mut reader) = reader();
        readers.tell(&[event(1)]);
        readers.close();
        readers.tell(&[event(2)]);
        assert_eq!(next(&mut reader), Poll::Ready(Some(event(1))));
        assert_eq!(next(&mut reader), Poll::Ready(None));
        assert!(readers.join().is_none());
    }

    #[test]
    fn the_last_reader_that_leaves_raises_the_signal() {
        let (readers, first) = reader();
        let second = joined(&readers, &[]);
        drop(first);
        assert!(!readers.stop.flag().load(Ordering::Relaxed));
        drop(second);
        assert!(readers.stop.flag().load(Ordering::Relaxed));
        assert!(readers.join().is_none());
    }

    #[test]
    fn who_joins_is_told_of_nothing_that_was_before() {
        let (readers, mut first) = reader();
        let mut second = joined(&readers, &[event(1)]);
        readers.tell(&[event(2)]);
        assert_eq!(next(&mut first), Poll::Ready(Some(event(1))));
        assert_eq!(next(&mut second), Poll::Ready(Some(event(2))));
    }

    #[test]
    fn who_joins_as_the_watch_ends_does_not_wait() {
        let (readers, _first) = reader();
        std::thread::scope(|scope| {
            let joining = scope.spawn(|| readers.join());
            while readers.newcomers().0 == 0 {
                std::thread::yield_now();
            }
            readers.close();
            assert!(joining.join().unwrap().is_none());
        });
    }

    /// A task that goes away, and its reader with it, as soon as it is woken.
    struct Fleeting(Mutex<Option<Reader>>, AtomicBool);

    impl Wake for Fleeting {
        fn wake(self: Arc<Self>) {
            drop(lock(&self.0).take());
            self.1.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_reader_may_be_dropped_by_being_woken() {
        let (readers, mut reader) = reader();
        let task = Arc::new(Fleeting(Mutex::new(None), AtomicBool::new(false)));
        let waker = Waker::from(Arc::clone(&task));
        assert!(Pin::new(&mut reader).poll_next(&mut Context::from_waker(&waker)).is_pending());
        *lock(&task.0) = Some(reader);
        readers.tell(&[event(1)]);
        assert!(task.1.load(Ordering::Relaxed));
        assert!(readers.stop.flag().load(Ordering::Relaxed));
    }
}
