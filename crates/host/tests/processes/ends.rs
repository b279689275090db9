//! How trees end: whole, and whatever they do against it.

use garth_contract::{Announce, Cause, Exit, Shell, Timeout};

use crate::place::{PATIENCE, place, runs, script, until};

/// A script that leaves processes behind in every way there is, and prints their numbers.
const LEAVES: &str = "
    sleep 1000 & echo $!
    setsid sleep 1000 & echo $!
    (setsid bash -c 'trap \"\" TERM HUP INT; echo $$; while :; do sleep 1000; done' &)
    (bash -c 'setsid sleep 1000 & echo $!' &)
    ";

fn pids(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text).split_whitespace().map(str::to_owned).collect()
}

#[tokio::test]
async fn what_a_command_leaves_behind_ends_with_it() {
    let place = place();
    let report = place.run(&format!("{LEAVES} sleep 0.2; exit 4")).await;
    assert_eq!((report.ended.exit, report.ended.cause), (Exit::Code(4), Cause::Itself));
    let left: Vec<_> = pids(&report.stdout.head);
    assert_eq!(left.len(), 4);
    assert!(left.iter().all(|pid| !runs(pid)), "{left:?}");
}

#[tokio::test]
async fn a_timeout_ends_everything_and_reports_what_was_printed() {
    let place = place();
    let mut command = script(&format!("{LEAVES} sleep 1000"));
    command.timeout = Timeout::millis(700).unwrap();
    let report = place.run_command(command).await;
    assert_eq!(report.ended.cause, Cause::Timeout);
    let left = pids(&report.stdout.head);
    assert!(left.iter().all(|pid| !runs(pid)), "{left:?}");
}

#[tokio::test]
async fn end_ends() {
    let place = place();
    let id = place.start("trap '' TERM; echo $$ ready; while :; do sleep 1; done").await;
    let text = place.await_text(id, "ready").await;
    let ended = tokio::time::timeout(PATIENCE, place.shell.end(id)).await.unwrap().unwrap();
    assert_eq!((ended.exit, ended.cause), (Exit::Signal(9), Cause::Ended));
    assert!(!runs(text.split_whitespace().next().unwrap()));
    assert_eq!(place.shell.end(id).await.unwrap(), ended);
}

#[tokio::test]
async fn a_supervisor_that_is_stopped_or_killed_hinders_nobody() {
    let place = place();
    let report = place.run("kill -STOP $PPID; exit 5").await;
    assert_eq!(report.ended.exit, Exit::Code(5));
    let report = place.run("kill -KILL $PPID; sleep 1000").await;
    assert_eq!(report.ended.exit, Exit::Signal(9));
}

#[tokio::test]
async fn a_run_that_nobody_waits_for_is_killed() {
    let place = place();
    let run = place.shell.run(script("echo $$ > pid; sleep 1000"), Announce::nobody());
    let file = place.root().join("pid");
    let read = || std::fs::read_to_string(&file).unwrap_or_default();
    let mut run = Box::pin(run);
    while !read().ends_with('\n') {
        tokio::select! {
            _ = &mut run => panic!("it must not end"),
            () = tokio::time::sleep(std::time::Duration::from_millis(5)) => {}
        }
    }
    let pid = read();
    assert!(runs(&pid));
    drop(run);
    until("it is killed", || !runs(&pid));
}
