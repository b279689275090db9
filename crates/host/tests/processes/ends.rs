//! How trees end: whole, and whatever they do against it.

use garth_contract::{Announce, Cause, Code, Exit, ProcessId, Shell, Signal, Timeout};
use garth_host::{Bounds, Trees};

use crate::place::{PATIENCE, Place, place, place_with, script, until};

/// Leaves processes behind in every way there is, and goes on when all of them run.
pub(crate) const LEAVES: &str = "
    sleep 1000 &
    setsid sleep 1000 &
    (setsid bash -c 'trap \"\" TERM HUP INT; touch a; while :; do sleep 1000; done' &)
    (bash -c 'setsid sleep 1000 & disown; touch b' &)
    setsid setsid bash -c 'cd /; exec > /dev/null 2>&1 < /dev/null; sleep 1000' &
    while [ ! -e a ] || [ ! -e b ]; do sleep 0.01; done
    rm a b; echo ready; ";

async fn end(place: &Place, id: ProcessId) -> garth_contract::Ended {
    tokio::time::timeout(PATIENCE, place.shell.end(id)).await.expect("it must end").unwrap()
}

#[tokio::test]
async fn what_a_command_leaves_behind_ends_with_it() {
    let place = place();
    let report = place.run(&format!("{LEAVES} exit 4")).await;
    assert_eq!((report.ended.exit, report.ended.cause), (Exit::Code(4), Cause::Itself));
    assert_eq!(place.survivors(), []);
}

#[tokio::test]
async fn what_a_background_process_leaves_behind_ends_with_it() {
    let place = place();
    let id = place.start(&format!("{LEAVES} exit 4")).await;
    place.whole(id).await;
    assert_eq!(place.survivors(), []);
}

#[tokio::test]
async fn a_namespace_keeps_a_tree_together_too() {
    let place = place_with(Bounds::usual(), Trees::Namespace);
    let Ok(report) = place.shell.run(script("exit 3"), Announce::nobody()).await else {
        println!("skipped: no pid namespaces here");
        return;
    };
    assert_eq!(report.ended.exit, Exit::Code(3));
    let report = place.run(&format!("{LEAVES} exit 4")).await;
    assert_eq!((report.ended.exit, &report.stdout.head[..]), (Exit::Code(4), &b"ready\n"[..]));
    assert_eq!(place.survivors(), []);
    let id = place.start(&format!("{LEAVES} sleep 1000")).await;
    place.await_text(id, "ready").await;
    assert!(place.survivors().len() > 5);
    let ended = end(&place, id).await;
    assert_eq!(ended.cause, Cause::Ended);
    assert_eq!(place.survivors(), []);
    let id = place.start(&format!("{LEAVES} kill -9 $PPID; kill -STOP $PPID; exit 5")).await;
    place.whole(id).await;
    assert_eq!((end(&place, id).await.exit, place.survivors()), (Exit::Code(5), vec![]));
}

#[tokio::test]
async fn a_timeout_ends_everything_and_reports_what_was_printed() {
    let place = place();
    let mut command = script("echo printed; trap '' TERM; while :; do sleep 1000; done");
    command.timeout = Timeout::millis(300).unwrap();
    let report = place.run_command(command).await;
    assert_eq!((report.ended.exit, report.ended.cause), (Exit::Signal(9), Cause::Timeout));
    assert!(report.stdout.head.is_empty() || report.stdout.head == "printed\n");
    assert_eq!(place.survivors(), []);
}

#[tokio::test]
async fn end_ends_what_does_not_want_to() {
    let place = place();
    let id = place.start(&format!("trap '' TERM; {LEAVES} while :; do sleep 1000; done")).await;
    place.await_text(id, "ready").await;
    let ended = end(&place, id).await;
    assert_eq!((ended.exit, ended.cause), (Exit::Signal(9), Cause::Ended));
    assert_eq!(place.survivors(), []);
    assert_eq!(place.shell.end(id).await.unwrap(), ended);
    let unknown = place.shell.end(ProcessId(99)).await.unwrap_err();
    assert_eq!(unknown.code(), Code::InvalidParams);
}

#[tokio::test]
async fn everything_of_a_tree_is_asked_to_end_and_has_time_to() {
    let place = place();
    // The command itself ends at once; what it left in another session tidies up.
    let tidy =
        "trap \"sleep 0.3; echo tidy > done; exit\" TERM; echo ready; while :; do sleep 0.05; done";
    let id = place.start(&format!("setsid bash -c '{tidy}' & sleep 1000")).await;
    place.await_text(id, "ready").await;
    let ended = end(&place, id).await;
    assert_eq!((ended.exit, ended.cause), (Exit::Signal(15), Cause::Ended));
    assert_eq!(std::fs::read_to_string(place.root().join("done")).unwrap(), "tidy\n");
    assert_eq!(place.survivors(), []);
}

#[tokio::test]
async fn an_end_that_nobody_waits_for_comes_all_the_same() {
    let place = place();
    let id = place.start("echo ready; sleep 1000").await;
    place.await_text(id, "ready").await;
    let shell = place.shell.clone();
    let waiting = tokio::spawn(async move { shell.end(id).await });
    tokio::task::yield_now().await;
    waiting.abort();
    waiting.await.ok();
    // Whether it came to the order before it was dropped is open; then it is given here.
    end(&place, id).await;
    assert_eq!(place.survivors(), []);
}

#[tokio::test]
async fn a_run_that_nobody_waits_for_is_killed() {
    let place = place();
    let mut run = Box::pin(
        place.shell.run(script(&format!("{LEAVES} touch c; sleep 1000")), Announce::nobody()),
    );
    let begun = place.root().join("c");
    tokio::select! {
        _ = &mut run => panic!("it must not end"),
        () = until("it runs", || begun.exists()) => {}
    }
    assert!(place.survivors().len() > 5);
    drop(run);
    until("it is killed", || place.survivors().is_empty()).await;
}

#[tokio::test]
async fn a_run_that_is_given_up_at_any_moment_leaves_nothing() {
    let place = place();
    for wait in 0..40 {
        let run = place.shell.run(script("(setsid sleep 1000 &); sleep 1000"), Announce::nobody());
        let wait = std::time::Duration::from_micros(wait * 100);
        tokio::time::timeout(wait, run).await.unwrap_err();
    }
    until("all are killed", || place.survivors().is_empty()).await;
    let list = place.shell.list().await.unwrap();
    for process in list {
        let ended = end(&place, process.id).await;
        assert_eq!(ended.exit, Exit::Signal(9));
    }
}

#[tokio::test]
async fn a_start_that_is_given_up_runs_and_is_listed_or_never_was() {
    let place = place();
    for _ in 0..20 {
        let start = place.shell.start(script("sleep 1000"));
        tokio::time::timeout(std::time::Duration::ZERO, start).await.ok();
    }
    let begun = std::time::Instant::now();
    while place.survivors().len() != place.shell.list().await.unwrap().len() {
        assert!(begun.elapsed() < PATIENCE, "one runs that is not listed, or the reverse");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_signal_reaches_everything_of_a_tree() {
    let place = place();
    let hear = "trap \"echo heard >> heard\" USR1; touch $0; while :; do sleep 0.05; done";
    let id = place
        .start(&format!(
            "trap 'echo heard >> heard' USR1
             setsid bash -c '{hear}' a & (setsid bash -c '{hear}' b &)
             while [ ! -e a ] || [ ! -e b ]; do sleep 0.05; done; echo ready
             while :; do sleep 0.05; done"
        ))
        .await;
    place.await_text(id, "ready").await;
    place.shell.signal(id, Signal::parse("USR1").unwrap()).await.unwrap();
    let heard = place.root().join("heard");
    let count = || std::fs::read_to_string(&heard).unwrap_or_default().lines().count();
    until("all three have heard", || count() == 3).await;
    place.shell.signal(id, Signal::KILL).await.unwrap();
    place.whole(id).await;
    let ended = end(&place, id).await;
    assert_eq!((ended.exit, ended.cause), (Exit::Signal(9), Cause::Itself));
    assert_eq!(place.survivors(), []);
    let error = place.shell.signal(id, Signal::TERM).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidParams);
}

#[tokio::test]
async fn a_signal_right_after_the_start_is_not_lost() {
    let place = place();
    for _ in 0..10 {
        let id = place.start("sleep 1000").await;
        place.shell.signal(id, Signal::KILL).await.unwrap();
        place.whole(id).await;
        assert_eq!(end(&place, id).await.cause, Cause::Itself);
    }
}

#[tokio::test]
async fn a_thousand_orphans_end_with_their_command() {
    let place = place();
    let id = place
        .start("for i in {1..1000}; do (setsid sleep 1000 &) ; done; echo ready; read; sleep 1000")
        .await;
    place.await_text(id, "ready").await;
    until("all run", || place.survivors().len() >= 1_000).await;
    place.shell.signal(id, Signal::parse("STOP").unwrap()).await.unwrap();
    let ended = end(&place, id).await;
    assert_eq!((ended.exit, ended.cause), (Exit::Signal(9), Cause::Ended));
    assert_eq!(place.survivors(), []);
}

#[tokio::test]
async fn who_is_always_another_process_is_caught() {
    let place = place();
    // Each forks the next in a session of its own and ends; the last of many stays.
    let hop =
        "hop() { [ $1 = 0 ] && exec sleep 1000; (setsid bash -c \"$hop; hop $(($1 - 1))\" &); }";
    let text = format!("export hop='{hop}'; eval \"$hop\"; hop 300; hop 300; exit 6");
    let report = place.run(&text).await;
    assert_eq!(report.ended.exit, Exit::Code(6));
    assert_eq!(place.survivors(), []);
}
