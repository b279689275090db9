//! A write by the very thread that serves, where it serves one call.
//!
//! To hand a write to another thread and to be woken by it takes a fifth of what a small
//! file takes that is synced. A program whose one thread serves one client has nothing else
//! to do meanwhile. So it writes by itself while nothing else is asked for, the kernel has
//! the way to the file at hand, nobody holds a lock on it, and the disk is this machine's
//! and was fast lately; all else is another thread's.

use std::{
    os::fd::OwnedFd,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use garth_contract::{Code, Error, Links, Put, Result, Written, WsPath};
use rustix::fs::{OFlags, fstatfs};
use tokio::{runtime::Handle, task::spawn_blocking};

use crate::{
    lately::OF_THIS_MACHINE,
    tree::Tree,
    write::{self, New},
};

/// The longest file that is written so.
const MOST_BYTES: usize = 256 << 10;
/// So many files that were replaced are held until an answer has left.
const MOST_LEFT: usize = 16;
/// A write that took longer keeps others from being waited for.
const LONG: Duration = Duration::from_millis(5);
/// So many are another thread's then, before it is tried again.
const AGAIN: u32 = 64;

/// The calls of one client that one thread serves.
///
/// Who serves counts the calls here; [`Host::for_one`](crate::Host::for_one) uses it.
#[derive(Debug, Default)]
pub struct Lone {
    calls: AtomicUsize,
    /// How many writes another thread still makes because the disk was slow.
    spared: AtomicU32,
    /// Files that were replaced, which take time to be freed.
    left: Mutex<Vec<OwnedFd>>,
}

impl Lone {
    /// Says how many calls are under way, once a call has come or its answer has left.
    pub fn serves(&self, calls: usize) {
        self.calls.store(calls, Ordering::Relaxed);
        let left = std::mem::take(&mut *self.left.lock().unwrap_or_else(PoisonError::into_inner));
        if !left.is_empty() && Handle::try_current().is_ok() {
            spawn_blocking(move || drop(left));
        }
    }

    /// Writes a file here and now; `None` where that is for another thread to do.
    pub(crate) fn write(
        &self,
        tree: &Tree,
        path: &WsPath,
        (content, put): (&Bytes, &Put),
    ) -> Option<Result<Written>> {
        if content.len() > MOST_BYTES || !self.is_fit() || !is_at_hand(tree, path) {
            return None;
        }
        let begun = Instant::now();
        let write = || write::write_at_once(tree, path, (New::Bytes(content), put.clone()));
        let Ok(written) = catch_unwind(AssertUnwindSafe(write)) else {
            return Some(Err(Error::of(Code::Internal)));
        };
        if begun.elapsed() > LONG {
            self.spared.store(AGAIN, Ordering::Relaxed);
        }
        match written {
            Ok((written, displaced)) => {
                let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
                // A call may write many files; then some are freed here, by the way.
                if left.len() < MOST_LEFT {
                    left.extend(displaced);
                }
                Some(Ok(written))
            }
            // Somebody may hold a lock on the file, and can be waited for elsewhere.
            Err(error) if error.code() == Code::Conflict => None,
            Err(error) => Some(Err(error)),
        }
    }

    fn is_fit(&self) -> bool {
        let spared = self.spared.load(Ordering::Relaxed);
        self.spared.store(spared.saturating_sub(1), Ordering::Relaxed);
        spared == 0 && self.calls.load(Ordering::Relaxed) == 1
    }
}

/// Tells whether a file lies on this machine, and is found without waiting for its disk.
fn is_at_hand(tree: &Tree, path: &WsPath) -> bool {
    let handle = tree.open_cached(path, OFlags::PATH, Links::Follow);
    let system = handle.and_then(|handle| fstatfs(handle).ok());
    !tree.usage.is_bounded()
        && system.is_some_and(|system| OF_THIS_MACHINE.contains(&system.f_type))
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        pin::{Pin, pin},
        sync::Arc,
        task::{Context, Poll, Waker},
    };

    use garth_contract::{Aliases, Filesystem, Guard, Parents, Policy};

    use super::*;
    use crate::Host;

    struct Yard {
        dir: tempfile::TempDir,
        host: Host,
        lone: Arc<Lone>,
    }

    fn yard(policy: Policy) -> Yard {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "old").unwrap();
        let lone = Arc::new(Lone::default());
        let host = Host::open(dir.path(), policy, Aliases::none()).unwrap();
        Yard { host: host.for_one(Arc::clone(&lone)), lone, dir }
    }

    impl Yard {
        /// Writes; whether that was done when it was first looked at.
        async fn writes_at_once(&self, guard: Guard, content: &str) -> (bool, Result<Written>) {
            let path = WsPath::from_bytes(b"a").unwrap();
            let put = Put { guard, parents: Parents::Require, mode: None };
            let mut write = pin!(self.host.write(&path, content.to_owned().into(), put));
            match first(write.as_mut()) {
                Some(written) => (true, written),
                None => (false, write.await),
            }
        }

        /// How many files of the directory this process has open.
        fn held(&self) -> usize {
            let open = fs::read_dir("/proc/self/fd").unwrap();
            let open = open.filter_map(|one| fs::read_link(one.unwrap().path()).ok());
            open.filter(|file| file.parent() == Some(self.dir.path())).count()
        }

        /// Writes at once. The disk may have been slow, and the kernel's cache may give way to a
        /// mount elsewhere, so it is tried again.
        async fn surely_at_once(&self, content: &str) {
            for _ in 0..100 {
                self.lone.spared.store(0, Ordering::Relaxed);
                if self.at_once(content).await {
                    return;
                }
            }
            panic!("it was another thread's, always");
        }

        async fn at_once(&self, content: &str) -> bool {
            let (at_once, written) = self.writes_at_once(Guard::Any, content).await;
            written.unwrap();
            assert_eq!(fs::read_to_string(self.dir.path().join("a")).unwrap(), content);
            at_once
        }
    }

    fn first<T>(future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        }
    }

    #[tokio::test]
    async fn one_call_writes_by_itself_and_frees_what_it_replaced_later() {
        let yard = yard(Policy::open());
        assert!(!yard.at_once("nobody is served").await);
        yard.lone.serves(1);
        yard.surely_at_once("one").await;
        let left = || yard.lone.left.lock().unwrap().len();
        assert_eq!(left(), 1);
        assert_eq!(yard.held(), 1);
        for number in 0..2 * MOST_LEFT {
            yard.surely_at_once(&number.to_string()).await;
        }
        assert_eq!((left(), yard.held()), (MOST_LEFT, MOST_LEFT));
        yard.lone.serves(2);
        assert_eq!(left(), 0);
        let patience = Instant::now() + Duration::from_secs(10);
        while yard.held() > 0 {
            assert!(Instant::now() < patience, "it is held for ever");
            tokio::task::yield_now().await;
        }
        yard.lone.spared.store(0, Ordering::Relaxed);
        assert!(!yard.at_once("another may be kept waiting").await);
    }

    #[tokio::test]
    async fn what_may_take_long_is_another_threads() {
        let yard = yard(Policy::open());
        yard.lone.serves(1);
        assert!(!yard.at_once(&"x".repeat(MOST_BYTES + 1)).await);
        yard.surely_at_once("short").await;
        yard.lone.spared.store(2, Ordering::Relaxed);
        assert!(!yard.at_once("after a slow one").await);
        assert!(!yard.at_once("and one more").await);
        assert_eq!(yard.lone.spared.load(Ordering::Relaxed), 0, "it is tried again");
        let counted = self::yard(Policy { quota: Some(1 << 20), ..Policy::open() });
        counted.lone.serves(1);
        assert!(!counted.at_once("the tree is looked through").await);
    }

    #[tokio::test]
    async fn a_lock_is_waited_for_elsewhere_and_a_conflict_is_one() {
        let yard = yard(Policy::open());
        yard.lone.serves(1);
        let held = File::open(yard.dir.path().join("a")).unwrap();
        held.lock().unwrap();
        let path = WsPath::from_bytes(b"a").unwrap();
        let put = Put { guard: Guard::Any, parents: Parents::Require, mode: None };
        let mut write = pin!(yard.host.write(&path, "new".into(), put));
        let begun = Instant::now();
        assert!(first(write.as_mut()).is_none(), "it waits");
        assert!(begun.elapsed() < crate::lock::PATIENCE, "and whoever serves does not");
        held.unlock().unwrap();
        write.await.unwrap();
        assert_eq!(fs::read_to_string(yard.dir.path().join("a")).unwrap(), "new");
        let (_, refused) = yard.writes_at_once(Guard::Holding("other".into()), "x").await;
        assert_eq!(refused.unwrap_err().code(), Code::Conflict);
        assert_eq!(fs::read_to_string(yard.dir.path().join("a")).unwrap(), "new");
        let (_, written) = yard.writes_at_once(Guard::Holding("new".into()), "y").await;
        written.unwrap();
    }
}
