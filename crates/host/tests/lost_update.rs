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
};

use garth_contract::{
    Aliases, Code, Durability, Filesystem, Guard, Parents, Policy, Put, Span, WsPath,
};
use garth_host::Host;

const PROCESSES: usize = 8;
const EDITS: usize = 1000;
/// Tells the test binary that it is one of the processes, and where.
const ROOT: &str = "GARTH_LOST_UPDATE_ROOT";

#[test]
fn no_update_is_lost_between_processes() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("counter"), "0\n").unwrap();
    let children: Vec<_> = (0..PROCESSES)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["one_of_the_processes", "--exact", "--nocapture"])
                .env(ROOT, dir.path())
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
    let host = Host::open(Path::new(&root), policy, Aliases::none()).unwrap();
    let path = WsPath::root().join(b"counter").unwrap();
    let mut conflicts = 0;
    for _ in 0..EDITS {
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
        guard: Guard::Unchanged(seen.version.unwrap()),
        parents: Parents::Require,
        mode: None,
    };
    match host.write(path, format!("{}\n", count + 1).into(), put).await {
        Ok(_) => true,
        Err(error) if error.code() == Code::Conflict => false,
        Err(error) => panic!("{error:?}"),
    }
}
