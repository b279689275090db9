//! Records that find no room where they counted on some.

#![allow(clippy::unwrap_used, reason = "tests say what must hold")]

use tokio::sync::mpsc::OwnedPermit;

use super::*;
use crate::audit::{Audit, Begin, Config, Filter, Open};

struct Bench {
    store: Store,
    audit: Audit,
    _dir: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("garth.db"), Clock::system()).unwrap();
        let audit = Audit::new(store.clone(), Config::in_directory(dir.path())).unwrap();
        Self { store, audit, _dir: dir }
    }

    /// A record of a look that counts on the journal, which takes nothing any more.
    async fn disappointed(&self, name: &'static str) -> Open {
        let begin =
            Begin { operation: name.into(), outlives: Outlives::Gateway, ..Begin::default() };
        let open = self.audit.open(begin).await.unwrap();
        self.store.shared.journal.as_ref().unwrap().close();
        open
    }

    /// Takes all places of the queue.
    fn crowd(&self) -> Vec<OwnedPermit<Message>> {
        let queue = || self.store.shared.queue.clone();
        std::iter::from_fn(|| queue().try_reserve_owned().ok()).collect()
    }

    async fn operations(&self) -> Vec<String> {
        let page = self.audit.list(&Filter::default(), None, 10).await.unwrap();
        page.records.into_iter().rev().map(|record| record.entry.operation).collect()
    }
}

#[tokio::test]
async fn a_record_that_the_journal_does_not_take_goes_the_way_of_the_others() {
    let bench = Bench::new();
    let record = bench.disappointed("closed").await;
    assert_eq!(record.close(Ok(1)).await.unwrap(), Some(1));
    drop(bench.disappointed("dropped").await);
    assert_eq!(bench.operations().await, ["closed", "dropped"]);
}

#[tokio::test]
async fn a_record_for_which_there_is_no_room_at_all_is_written_with_the_next() {
    let bench = Bench::new();
    let (told, dropped) = (bench.disappointed("told").await, bench.disappointed("dropped").await);
    let crowd = bench.crowd();
    let told = told.close(Ok(1));
    drop(dropped);
    drop(crowd);
    bench.store.settle().await.unwrap();
    assert_eq!(told.await.unwrap(), Some(1));
    assert_eq!(bench.operations().await, ["told", "dropped"]);
}

#[tokio::test]
async fn whoever_waits_for_a_record_when_nobody_writes_any_more_is_told() {
    let bench = Bench::new();
    let late = bench.disappointed("late").await;
    bench.store.close().await;
    assert_eq!(late.close(Ok(1)).await.unwrap_err().code(), Code::Internal);
}
