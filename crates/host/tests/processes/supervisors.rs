//! What a command can do to the process that watches over it.

use garth_contract::{Cause, Exit, Shell, Timeout};

use crate::{
    ends::LEAVES,
    place::{PATIENCE, place, script, until},
};

#[tokio::test]
async fn one_that_is_stopped_goes_on() {
    let place = place();
    let report = place.run("kill -STOP $PPID; exit 5").await;
    assert_eq!((report.ended.exit, report.ended.cause), (Exit::Code(5), Cause::Itself));
}

#[tokio::test]
async fn one_that_is_stopped_all_the_time_hinders_no_end() {
    let place = place();
    let text =
        format!("(setsid bash -c 'while :; do kill -STOP '$PPID'; done' &) {LEAVES} sleep 1000");
    let id = place.start(&text).await;
    place.await_text(id, "ready").await;
    let ended = tokio::time::timeout(PATIENCE, place.shell.end(id)).await.unwrap().unwrap();
    assert_eq!(ended.cause, Cause::Ended);
    assert_eq!(place.survivors(), []);
}

#[tokio::test]
async fn one_that_is_stopped_hinders_no_timeout() {
    let place = place();
    let mut command = script("trap '' TERM; while :; do kill -STOP $PPID; done");
    command.timeout = Timeout::millis(200).unwrap();
    let report = place.run_command(command).await;
    assert_eq!((report.ended.exit, report.ended.cause), (Exit::Signal(9), Cause::Timeout));
    assert_eq!(place.survivors(), []);
}

#[tokio::test]
async fn one_that_is_killed_takes_its_command_along() {
    let place = place();
    let report = place.run("sleep 1000 & kill -KILL $PPID; sleep 1000").await;
    assert_eq!((report.ended.exit, report.ended.cause), (Exit::Signal(9), Cause::Itself));
    until("what was in the session is killed", || place.survivors().is_empty()).await;
}

#[tokio::test]
async fn no_other_signal_reaches_it() {
    let place = place();
    let report = place
        .run("for s in {1..64}; do [ $s = 9 ] || [ $s = 19 ] || kill -$s $PPID 2> /dev/null; done; exit 6")
        .await;
    assert_eq!(report.ended.exit, Exit::Code(6));
}

#[tokio::test]
async fn none_stays_as_a_zombie() {
    let place = place();
    let mut numbers = Vec::new();
    for text in ["echo $PPID", "echo $PPID; kill -KILL $PPID; sleep 1000"].repeat(10) {
        let report = place.run(text).await;
        numbers.push(String::from_utf8(report.stdout.head.to_vec()).unwrap().trim().to_owned());
    }
    let own = std::process::id().to_string();
    let ours = |pid: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)) == Some(&own)
    };
    assert!(numbers.iter().all(|number| number.parse::<u32>().is_ok()), "{numbers:?}");
    until("all are collected", || !numbers.iter().any(ours)).await;
}
