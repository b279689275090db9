//! A thread that stays awake for a moment after something came.
//!
//! A processor that sleeps takes longer to wake than a small request takes to be answered, and
//! whoever answers quickly is asked again soon. So a thread that served something looks for more
//! a few times before it sleeps. It lets go of its processor between two looks, for whoever
//! else wants it, and all of them together take less time than the request did.
//!
//! What stays awake here is a thread with many connections; of one pipe it is `garth_wire::Vigil`.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use tokio::{sync::Notify, task::yield_now};

/// So often a thread looks before it sleeps: some ten microseconds.
const LOOKS: u32 = 20;

/// What keeps one thread awake; clones are the same one.
#[derive(Clone, Default)]
pub(crate) struct Vigil(Arc<State>);

#[derive(Default)]
struct State {
    came: AtomicU64,
    sleeps: AtomicBool,
    wake: Notify,
}

impl Vigil {
    /// Takes note that something came.
    pub(crate) fn stir(&self) {
        // Nobody but this thread counts here.
        let came = self.0.came.load(Ordering::Relaxed);
        self.0.came.store(came.wrapping_add(1), Ordering::Relaxed);
        if self.0.sleeps.load(Ordering::Relaxed) {
            self.0.sleeps.store(false, Ordering::Relaxed);
            self.0.wake.notify_one();
        }
    }

    /// Keeps the thread that runs this awake while something comes.
    ///
    /// Cancel: it sleeps as any other.
    pub(super) async fn keep(self) {
        loop {
            self.watch().await;
            self.0.sleeps.store(true, Ordering::Relaxed);
            self.0.wake.notified().await;
        }
    }

    /// Waits until nothing came for so many looks.
    async fn watch(&self) {
        let (mut seen, mut left) = (self.0.came.load(Ordering::Relaxed), LOOKS);
        while left > 0 {
            thread::yield_now();
            // All that came meanwhile is served before this goes on.
            yield_now().await;
            let came = self.0.came.load(Ordering::Relaxed);
            left = if came == seen { left - 1 } else { LOOKS };
            seen = came;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn it_ends_when_nothing_comes_and_begins_anew_with_what_does() {
        let vigil = Vigil::default();
        tokio::spawn(vigil.clone().keep());
        let sleeps = || vigil.0.sleeps.load(Ordering::Relaxed);
        let asleep = async {
            while !sleeps() {
                yield_now().await;
            }
        };
        timeout(Duration::from_secs(10), asleep).await.unwrap();
        for _ in 0..3 {
            vigil.stir();
            assert!(!sleeps());
            // As long as something comes it is kept.
            for _ in 0..5 * LOOKS {
                vigil.stir();
                yield_now().await;
                assert!(!sleeps());
            }
            for _ in 0..3 * LOOKS {
                yield_now().await;
            }
            assert!(sleeps());
        }
    }
}
