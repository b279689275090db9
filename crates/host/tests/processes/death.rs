//! What is left when the process dies that runs the commands, and who gets the strays.

use std::{
    env, fs,
    io::{BufRead, BufReader, Lines, Write},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use garth_contract::{Announce, Exit, Shell};
use garth_host::{Bounds, Processes, Strays, Trees};
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    ends::LEAVES,
    place::{Mark, script, settings, until},
};

/// Tells the tests below in which directory they are to be the process that dies.
const DIR: &str = "GARTH_PROCESSES_DIR";

/// A process that is one of the tests below, and what it prints.
struct Other {
    child: Child,
    _lines: Lines<BufReader<ChildStdout>>,
}

/// Starts this program again as one of the tests below, and waits until all runs there.
fn again(test: &str, dir: &Path) -> Other {
    let mut child = Command::new(env::current_exe().unwrap())
        .args([&format!("death::{test}"), "--exact", "--nocapture"])
        .env(DIR, dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = lines.find(|line| line.as_ref().unwrap().contains("all run"));
    assert!(ready.is_some(), "it ended before all ran");
    Other { child, _lines: lines }
}

#[tokio::test]
async fn nothing_is_left_of_any_command_when_we_are_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut other = again("the_process_that_is_killed", dir.path());
    let mark = Mark::of(dir.path());
    assert!(mark.alive().len() > 12);
    // A supervisor that is stopped when we die must not be forgotten.
    let supervisor = fs::read_to_string(dir.path().join("root/supervisor")).unwrap();
    // Whoever could wake it again sleeps, so that once is enough: one that is stopped anew
    // after the death has nobody who wakes it.
    let pid = Pid::from_raw(other.child.id().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    fs::write(dir.path().join("root/stop"), "").unwrap();
    until("it is stopped", || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", supervisor.trim())).unwrap();
        stat.contains(") T ")
    })
    .await;
    other.child.kill().unwrap();
    other.child.wait().unwrap();
    until("nothing is left", || mark.alive().is_empty()).await;
    // What was printed had no name.
    assert_eq!(fs::read_dir(dir.path().join("spool")).unwrap().count(), 0);
}

#[tokio::test]
async fn the_process_that_is_killed() {
    let Some(dir) = env::var_os(DIR) else { return };
    let (root, settings) = settings(Path::new(&dir), Bounds::usual(), Trees::Detect);
    let shell = Processes::open(&root, settings).unwrap();
    let print = "head -c 200000 /dev/zero;";
    shell.start(script(&format!("{print} {LEAVES} touch x; sleep 1000"))).await.unwrap();
    until("the first runs", || root.join("x").exists()).await;
    let stop = "while :; do rm stop 2> /dev/null && kill -STOP $PPID; sleep 0.01; done";
    let text = format!("{LEAVES} echo $PPID > supervisor; touch y; {stop}");
    shell.start(script(&text)).await.unwrap();
    until("the second runs", || root.join("y").exists()).await;
    let run = shell.run(script("touch z; sleep 1000"), Announce::nobody());
    let wait = async {
        until("the third runs", || root.join("z").exists()).await;
        println!("all run");
        std::future::pending::<()>().await;
    };
    tokio::select! {
        report = run => panic!("{report:?}"),
        () = wait => {}
    }
}

#[tokio::test]
async fn a_process_that_ends_by_itself_takes_its_commands_along() {
    let dir = tempfile::tempdir().unwrap();
    let mut other = again("the_process_that_ends", dir.path());
    let mark = Mark::of(dir.path());
    assert!(mark.alive().len() > 5);
    other.child.stdin.take().unwrap().write_all(b"end\n").unwrap();
    assert_eq!(other.child.wait().unwrap().code(), Some(3));
    until("nothing is left", || mark.alive().is_empty()).await;
}

#[tokio::test]
async fn the_process_that_ends() {
    let Some(dir) = env::var_os(DIR) else { return };
    let (root, settings) = settings(Path::new(&dir), Bounds::usual(), Trees::Detect);
    let shell = Processes::open(&root, settings).unwrap();
    shell.start(script(&format!("{LEAVES} touch x; sleep 1000"))).await.unwrap();
    until("it runs", || root.join("x").exists()).await;
    println!("all run");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    std::process::exit(3);
}

#[tokio::test]
async fn who_falls_to_us_because_a_supervisor_was_killed_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut other = again("the_process_that_gets_the_strays", dir.path());
    assert_eq!(other.child.wait().unwrap().code(), Some(0));
}

#[tokio::test]
async fn the_process_that_gets_the_strays() {
    let Some(dir) = env::var_os(DIR) else { return };
    // As the first process of a pid namespace would.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
    let dir = Path::new(&dir);
    let (root, mut settings) = settings(dir, Bounds::usual(), Trees::Subreaper);
    settings.strays = Strays::Kill;
    let shell = Processes::open(&root, settings).unwrap();
    println!("all run");
    let other = shell.start(script("sleep 1000")).await.unwrap();
    let text = format!("{LEAVES} kill -KILL $PPID; sleep 1000");
    let report = shell.run(script(&text), Announce::nobody()).await.unwrap();
    assert_eq!(report.ended.exit, Exit::Signal(9));
    let mark = Mark::of(dir);
    // The other command and its supervisor are no strays.
    assert_eq!(mark.alive().len(), 1);
    let listed = shell.list().await.unwrap();
    assert_eq!((listed[0].id, listed[0].ended), (other, None));
    until("the dead are collected", || children().len() == 1).await;
}

/// The numbers of our children, living or dead.
fn children() -> Vec<String> {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    let lists = threads
        .filter_map(|thread| fs::read_to_string(thread.unwrap().path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}
