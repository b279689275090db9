//! What the audit takes of all the work of a call: the gateway cannot be run without it,
//! so its records are made alone, and their rate is held against that of whole calls.

use std::time::{Duration, Instant};

use garth_gateway::{
    Clock, Store,
    audit::{Audit, Begin, Config, Outlives},
};

/// How long records are made.
const TIME: Duration = Duration::from_secs(2);
/// So many at once, as connections ask.
const AT_ONCE: usize = 64;

/// Records of reads a second, when nothing else is done.
pub(crate) async fn rate() -> f64 {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("garth.db"), Clock::system()).unwrap();
    let audit = Audit::new(store.clone(), Config::in_directory(directory.path())).unwrap();
    let begun = Instant::now();
    let working: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let audit = audit.clone();
            tokio::spawn(async move {
                let mut count = 0_u32;
                while begun.elapsed() < TIME {
                    audit.open(begin()).await.unwrap().close(Ok(200)).await.unwrap();
                    count += 1;
                }
                count
            })
        })
        .collect();
    let mut count = 0;
    for task in working {
        count += task.await.unwrap();
    }
    let rate = f64::from(count) / begun.elapsed().as_secs_f64();
    store.close().await;
    rate
}

fn begin() -> Begin {
    Begin {
        caller: "0123456789abcdef".into(),
        role: "operator".into(),
        session: "ws-1".into(),
        workspace: "default".into(),
        operation: "worktree.stat".into(),
        summary: "a.txt".into(),
        bytes_in: 120,
        outlives: Outlives::Gateway,
        trace: None,
    }
}
