//! How many processes there are, how long they are kept, and the end of all.

use std::time::Duration;

use garth_contract::{Announce, Ask, Code, Exit, Input, ProcessId, Shell, Signal, Size};
use garth_host::{Bounds, Processes, Trees};

use crate::{
    ends::LEAVES,
    place::{Mark, PATIENCE, place, place_with, script, settings, until},
};

#[tokio::test]
async fn no_more_run_at_once_than_may() {
    let place = place_with(Bounds { processes: 2, ..Bounds::usual() }, Trees::Detect);
    let first = place.start("sleep 1000").await;
    place.start("sleep 1000").await;
    assert_eq!(place.refused(script("true")).await, Code::QuotaExceeded);
    let error = place.shell.start(script("true")).await.unwrap_err();
    assert_eq!(error.code(), Code::QuotaExceeded);
    tokio::time::timeout(PATIENCE, place.shell.end(first)).await.unwrap().unwrap();
    // One after another, each takes the place that the last one gave back.
    for _ in 0..20 {
        assert_eq!(place.run("exit 1").await.ended.exit, Exit::Code(1));
    }
}

#[tokio::test]
async fn only_so_many_that_ended_are_kept_and_the_oldest_go_first() {
    let place = place_with(Bounds { kept: 2, ..Bounds::usual() }, Trees::Detect);
    let running = place.start("sleep 1000").await;
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(place.run("echo kept").await.id);
    }
    let shell = place.shell.clone();
    let listed = async || {
        let list = shell.list().await.unwrap();
        list.iter().map(|process| process.id).collect::<Vec<_>>()
    };
    let mut seen = listed().await;
    let begun = std::time::Instant::now();
    while seen != [running, ids[2], ids[3]] {
        assert!(begun.elapsed() < PATIENCE, "{seen:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
        seen = listed().await;
    }
    let gone = place.ask(ids[0], Ask { from: 0, most: 1, wait: Duration::ZERO }).await;
    assert_eq!(gone.unwrap_err().code(), Code::InvalidParams);
}

#[tokio::test]
async fn what_ended_is_forgotten_after_its_time() {
    let keep_for = Duration::from_millis(100);
    let place = place_with(Bounds { keep_for, ..Bounds::usual() }, Trees::Detect);
    let running = place.start("sleep 1000").await;
    let report = place.run("echo over").await;
    assert_eq!(report.stdout.head, "over\n");
    let begun = std::time::Instant::now();
    while place.shell.list().await.unwrap().len() > 1 {
        assert!(begun.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(place.shell.list().await.unwrap()[0].id, running);
}

#[tokio::test]
async fn numbers_begin_where_they_are_told_to_and_are_never_used_twice() {
    let dir = tempfile::tempdir().unwrap();
    let (root, mut settings) = settings(dir.path(), Bounds::usual(), Trees::Detect);
    settings.first = 41;
    let shell = Processes::open(&root, settings).unwrap();
    for number in 41..44 {
        let report = shell.run(script("true"), Announce::nobody()).await.unwrap();
        assert_eq!(report.id, ProcessId(number));
    }
}

#[tokio::test]
async fn a_stop_kills_all_and_nothing_can_be_asked_after() {
    let place = place();
    let id = place.start(&format!("trap '' TERM; {LEAVES} sleep 1000")).await;
    place.await_text(id, "ready").await;
    let shell = place.shell.clone();
    let run =
        tokio::spawn(async move { shell.run(script("sleep 1000"), Announce::nobody()).await });
    until("both run", || place.survivors().len() > 7).await;
    tokio::time::timeout(PATIENCE, place.shell.stop()).await.unwrap();
    assert_eq!(place.survivors(), []);
    let unavailable = Code::ProviderUnavailable;
    assert_eq!(run.await.unwrap().unwrap_err().code(), unavailable);
    let ask = Ask { from: 0, most: 1, wait: PATIENCE };
    let shell = &place.shell;
    assert_eq!(shell.start(script("true")).await.unwrap_err().code(), unavailable);
    assert_eq!(shell.output(id, ask).await.unwrap_err().code(), unavailable);
    assert_eq!(shell.input(id, Input::Close).await.unwrap_err().code(), unavailable);
    assert_eq!(shell.signal(id, Signal::TERM).await.unwrap_err().code(), unavailable);
    let size = Size { rows: 1, columns: 1 };
    assert_eq!(shell.resize(id, size).await.unwrap_err().code(), unavailable);
    assert_eq!(shell.list().await.unwrap_err().code(), unavailable);
    assert_eq!(shell.end(id).await.unwrap_err().code(), unavailable);
    assert!(!place.dir().join("spool").exists());
    place.shell.stop().await;
}

#[tokio::test]
async fn when_the_last_handle_goes_so_does_everything() {
    let dir = tempfile::tempdir().unwrap();
    let (root, settings) = settings(dir.path(), Bounds::usual(), Trees::Detect);
    let shell = Processes::open(&root, settings).unwrap();
    let other = shell.clone();
    shell.start(script(&format!("{LEAVES} touch c; sleep 1000"))).await.unwrap();
    until("it runs", || root.join("c").exists()).await;
    drop(shell);
    assert_eq!(other.list().await.unwrap().len(), 1);
    drop(other);
    assert_eq!(Mark::of(dir.path()).alive(), []);
    assert!(!dir.path().join("spool").exists());
}

#[tokio::test]
async fn many_at_once_all_end_as_they_should() {
    let place = place();
    let runs = (0..100).map(|at| {
        let shell = place.shell.clone();
        tokio::spawn(async move {
            let text = format!("echo {at}; exit {}", at % 100);
            (at, shell.run(script(&text), Announce::nobody()).await.unwrap())
        })
    });
    for run in runs.collect::<Vec<_>>() {
        let (at, report) = run.await.unwrap();
        assert_eq!(report.stdout.head, format!("{at}\n"));
        assert_eq!(report.ended.exit, Exit::Code(at % 100));
    }
}
