//! The processes that wait for the next command: what becomes of it when they are killed,
//! and of them when none comes.

use std::{fs, path::Path};

use garth_contract::{Exit, WsPath};
use garth_host::{Bounds, Trees};
use rustix::process::{Pid, Signal, kill_process};

use crate::place::{Place, place, place_with, script, until};

/// The process that waits to become a program in this directory, and its supervisor.
fn waiting(directory: &Path) -> Option<[Pid; 2]> {
    let names = fs::read_dir("/proc").unwrap();
    let pids = names.filter_map(|name| name.unwrap().file_name().to_str()?.parse().ok());
    pids.filter_map(|pid: i32| {
        let there = fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let parent = stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()?;
        let waits = there == directory && stat.contains("(supervisor)");
        waits.then_some([Pid::from_raw(pid)?, Pid::from_raw(parent)?])
    })
    .next()
}

/// Runs a command, after which processes wait for the next one.
async fn parked(place: &Place) -> [Pid; 2] {
    assert_eq!(place.run("true").await.ended.exit, Exit::Code(0));
    until("some wait", || waiting(&place.root()).is_some()).await;
    waiting(&place.root()).unwrap()
}

fn is_alive(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.is_ok_and(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
}

#[tokio::test]
async fn the_next_command_is_what_they_become() {
    let place = place();
    let [main, supervisor] = parked(&place).await;
    let report = place.run("echo $$ $PPID").await;
    let numbers = format!("{} {}\n", main.as_raw_nonzero(), supervisor.as_raw_nonzero());
    assert_eq!(report.stdout.head, numbers.as_bytes());
}

#[tokio::test]
async fn to_kill_them_harms_no_command() {
    for which in [0, 1] {
        let place = place();
        let both = parked(&place).await;
        kill_process(both[which], Signal::KILL).unwrap();
        until("both are dead", || !both.iter().any(|pid| is_alive(*pid))).await;
        assert_eq!(place.run("exit 3").await.ended.exit, Exit::Code(3));
    }
}

#[tokio::test]
async fn a_command_runs_where_its_directory_is_by_now() {
    for trees in [Trees::Detect, Trees::Namespace] {
        let place = place_with(Bounds::usual(), trees);
        let (named, moved) = (place.root().join("d"), place.root().join("e"));
        fs::create_dir(&named).unwrap();
        let mut command = script("ls");
        command.workdir = WsPath::from_bytes(b"d").unwrap();
        place.run_command(command.clone()).await;
        until("some wait", || waiting(&named).is_some()).await;
        fs::rename(&named, &moved).unwrap();
        fs::create_dir(&named).unwrap();
        fs::write(named.join("new"), "").unwrap();
        assert_eq!(place.run_command(command).await.stdout.head, &b"new\n"[..]);
    }
}

#[tokio::test]
async fn they_do_not_wait_for_ever() {
    let place = place();
    let both = parked(&place).await;
    until("they are let go", || !both.iter().any(|pid| is_alive(*pid))).await;
    assert_eq!(place.run("exit 3").await.ended.exit, Exit::Code(3));
}

#[tokio::test]
async fn they_end_when_all_is_stopped() {
    let place = place();
    let both = parked(&place).await;
    place.shell.stop().await;
    assert!(!both.iter().any(|pid| is_alive(*pid)));
}
