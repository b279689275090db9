//! Commands whose files outgrow the quota of their workspace.

use std::fs;

use garth_contract::{Announce, Cause, Code, Exit, Shell};
use garth_host::{Bounds, Trees};

use crate::place::{Place, place_with, script, until};

/// How many bytes the files of a place may have.
const QUOTA: u64 = 1 << 20;

fn bounded() -> Place {
    place_with(Bounds { files: Some(QUOTA), ..Bounds::usual() }, Trees::Detect)
}

#[tokio::test]
async fn a_command_that_writes_too_much_is_killed_with_all_that_run() {
    let place = bounded();
    let beside = place.start("trap '' TERM; echo ready; sleep 1000").await;
    place.await_text(beside, "ready").await;
    for too_much in [
        "trap '' TERM; head -c 3000000 /dev/zero > big; sleep 60",
        "setsid sh -c 'for n in $(seq 300); do head -c 10000 /dev/zero > f$n; done; sleep 60' & wait",
    ] {
        let report = place.run(too_much).await;
        assert_eq!((report.ended.exit, report.ended.cause), (Exit::Signal(9), Cause::Quota));
        until("nothing is left", || place.survivors().is_empty()).await;
        let refused = place.shell.run(script("true"), Announce::nobody()).await.unwrap_err();
        assert_eq!(refused.code(), Code::QuotaExceeded);
        for entry in fs::read_dir(place.root()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        assert_eq!(place.run("exit 3").await.ended.exit, Exit::Code(3));
    }
    assert_eq!(place.shell.end(beside).await.unwrap().cause, Cause::Quota);
}

#[tokio::test]
async fn a_command_that_stays_below_is_left_alone() {
    let place = bounded();
    let text = "for n in 1 2 3 4 5 6 7 8; do
        head -c 900000 /dev/zero > a; head -c 100000 /dev/zero > b; rm a b; sleep 0.2
    done; exit 7";
    let report = place.run(text).await;
    assert_eq!((report.ended.exit, report.ended.cause), (Exit::Code(7), Cause::Itself));
}

#[tokio::test]
async fn what_was_too_large_before_keeps_commands_from_starting() {
    let dir = tempfile::tempdir().unwrap();
    let bounds = Bounds { files: Some(QUOTA), ..Bounds::usual() };
    let (root, settings) = crate::place::settings(dir.path(), bounds, Trees::Detect);
    fs::write(root.join("big"), vec![0; (1 << 20) + 1]).unwrap();
    let shell = garth_host::Processes::open(&root, settings).unwrap();
    let refused = shell.run(script("true"), Announce::nobody()).await.unwrap_err();
    assert_eq!(refused.code(), Code::QuotaExceeded);
    fs::write(root.join("big"), vec![0; 1 << 20]).unwrap();
    let report = shell.run(script("true"), Announce::nobody()).await.unwrap();
    assert_eq!(report.ended.exit, Exit::Code(0));
}
