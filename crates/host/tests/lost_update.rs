//! Eight processes edit one file under guards, and no edit is lost.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start processes and fail by panicking"
)]

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use garth_contract::{
    Aliases, Code, Durability, Filesystem, Guard, Parents, Policy, Put, Span, WsPath,
};
use garth_host::{Host, Lone};

const PROCESSES: usize = 8;
const EDITS: usize = 1000;
/// Tells the test binary that it is one of the processes, and where.
const ROOT: &str = "GARTH_LOST_UPDATE_ROOT";
/// How many calls it believes to serve: one of them writes by its own thread.
const CALLS: &str = "GARTH_LOST_UPDATE_CALLS";

#[test]
fn no_update_is_lost_between_processes() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("counter"), "0\n").unwrap();
    let children: Vec<_> = (0..PROCESSES)
        .map(|number| {
            Command::new(std::env::current_exe().unwrap())
                .args(["one_of_the_processes", "--exact", "--nocapture"])
                .env(ROOT, dir.path())
                .env(CALLS, (number % 2).to_string())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut conflicts = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}");
        let count = text.lines().find_map(|line| line.strip_prefix("conflicts: "));
        conflicts += count.unwrap().parse::<u64>().unwrap();
    }
    let left = std::fs::read_to_string(dir.path().join("counter")).unwrap();
    println!(
        "{PROCESSES} processes × {EDITS} edits: {left}counted, {conflicts} conflicts reported"
    );
    assert_eq!(left, format!("{}\n", PROCESSES * EDITS));
    assert!(conflicts > 0, "the processes never met, so nothing was shown");
    let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "a temporary file was left: {names:?}");
}

/// Not a test of its own: what each process of the test above runs.
#[tokio::test]
async fn one_of_the_processes() {
    let Ok(root) = std::env::var(ROOT) else { return };
    let policy = Policy { durability: Durability::Fast, ..Policy::open() };
    let lone = Arc::new(Lone::default());
    let host = Host::open(Path::new(&root), policy, Aliases::none()).unwrap();
    let host = host.for_one(Arc::clone(&lone));
    let calls = std::env::var(CALLS).unwrap().parse().unwrap();
    let path = WsPath::root().join(b"counter").unwrap();
    let mut conflicts = 0;
    for _ in 0..EDITS {
        lone.serves(calls);
        while !add_one(&host, &path).await {
            conflicts += 1;
        }
    }
    println!("conflicts: {conflicts}");
}

/// Reads, adds one, writes if nobody did meanwhile; tells whether it landed.
async fn add_one(host: &Host, path: &WsPath) -> bool {
    let seen = host.read(path, Span::Whole { at_most: 100 }).await.unwrap();
    let count: u64 = std::str::from_utf8(&seen.bytes).unwrap().trim().parse().unwrap();
    let put = Put {
        guard: Guard::Unchanged(seen.version().unwrap()),
        parents: Parents::Require,
        mode: None,
    };
    match host.write(path, format!("{}\n", count + 1).into(), put).await {
        Ok(_) => true,
        Err(error) if error.code() == Code::Conflict => false,
        Err(error) => panic!("{error:?}"),
    }
}

/// An editor that takes no lock and saves by rename: what it saved is not lost to
/// a guarded write that was compared a moment before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_save_by_a_program_that_takes_no_lock_is_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    std::fs::write(&file, "0").unwrap();
    let policy = Policy { durability: Durability::Fast, ..Policy::open() };
    let host = Host::open(dir.path(), policy, Aliases::none()).unwrap();
    let path = WsPath::root().join(b"f").unwrap();
    let editor = std::thread::spawn({
        let dir = dir.path().to_owned();
        move || save_many_times(&dir)
    });
    let (mut landed, mut conflicts) = (0, 0);
    while !editor.is_finished() {
        if add_a_mark(&host, &path).await { landed += 1 } else { conflicts += 1 }
    }
    let lost = editor.join().unwrap();
    println!("{landed} guarded writes landed, {conflicts} conflicts, {lost} saves lost");
    assert_eq!(lost, 0);
    assert!(landed > 0 && conflicts > 0, "the two never met, so nothing was shown");
}

/// Saves 1, 2, 3… and each time looks whether the last one is still what the file
/// begins with; tells how often it was not.
fn save_many_times(dir: &Path) -> u64 {
    let (file, aside) = (dir.join("f"), dir.join("f.swp"));
    let mut lost = 0;
    for number in 1..=3000_u64 {
        let last = (number - 1).to_string();
        // While two files change places and back, the other one is seen for an instant.
        let deadline = Instant::now() + Duration::from_secs(5);
        let kept = || {
            let text = std::fs::read_to_string(&file).unwrap();
            text.split('+').next() == Some(last.as_str())
        };
        while !kept() {
            if Instant::now() > deadline {
                lost += 1;
                break;
            }
        }
        std::fs::write(&aside, number.to_string()).unwrap();
        std::fs::rename(&aside, &file).unwrap();
    }
    lost
}

async fn add_a_mark(host: &Host, path: &WsPath) -> bool {
    let seen = host.read(path, Span::Whole { at_most: 1 << 20 }).await.unwrap();
    let guard = Guard::Unchanged(seen.version().unwrap());
    let put = Put { guard, parents: Parents::Require, mode: None };
    let text = [seen.bytes.as_ref(), b"+"].concat();
    match host.write(path, text.into(), put).await {
        Ok(_) => true,
        Err(error) if error.code() == Code::Conflict => false,
        Err(error) => panic!("{error:?}"),
    }
}
