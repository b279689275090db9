//! Many callers at once: nothing is lost, nothing is half done.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use garth_contract::{Code, Guard, Kinds, Made, Parents, Policy, Query};

use crate::fixture::{REFUSE, Ws, everything, put, workspace, workspace_under};

const THREADS: u64 = 8;
const ROUNDS: u64 = 300;

fn in_threads(work: impl Fn(u64) + Sync) {
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            let work = &work;
            scope.spawn(move || work(number));
        }
    });
}

/// Adds one to the number in a file, again and again until it was there unchanged.
fn add_one(ws: &Ws, conflicts: &AtomicU64) {
    loop {
        let version = ws.version("n");
        let number: u64 = ws.read("n").unwrap().parse().unwrap();
        let next = (number + 1).to_string();
        match ws.put("n", &next, put(Guard::Unchanged(version))) {
            Ok(_) => return,
            Err(error) => assert_eq!(error.code(), Code::Conflict),
        }
        conflicts.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn no_guarded_update_is_lost() {
    let ws = workspace(&[("n", "0")]);
    let conflicts = AtomicU64::new(0);
    in_threads(|_| (0..ROUNDS).for_each(|_| add_one(&ws, &conflicts)));
    assert_eq!(ws.read("n"), Ok((THREADS * ROUNDS).to_string()));
}

#[test]
fn of_many_that_create_a_file_one_does() {
    let ws = workspace(&[]);
    let created = AtomicU64::new(0);
    in_threads(|number| {
        for round in 0..ROUNDS {
            let name = format!("d{round}/f");
            match ws.put(&name, &number.to_string(), put(Guard::Absent)) {
                Ok(_) => drop(created.fetch_add(1, Ordering::Relaxed)),
                Err(error) => assert_eq!(error.code(), Code::FileExists),
            }
        }
    });
    assert_eq!(created.into_inner(), ROUNDS);
}

#[test]
fn of_many_that_make_a_directory_all_succeed_and_one_made_it() {
    let ws = workspace(&[]);
    let made = AtomicU64::new(0);
    in_threads(|_| {
        for round in 0..ROUNDS {
            if ws.make_dir(&format!("a/{round}/c"), Parents::Create).unwrap() == Made::Created {
                made.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    assert_eq!(made.into_inner(), ROUNDS);
}

#[test]
fn a_quota_holds_against_many_writers() {
    let ws = workspace_under(Policy { quota: Some(100), ..Policy::open() }, &[]);
    let written = AtomicU64::new(0);
    in_threads(|number| {
        for round in 0..ROUNDS {
            match ws.write(&format!("{number}/{round}"), "x") {
                Ok(_) => drop(written.fetch_add(1, Ordering::Relaxed)),
                Err(code) => assert_eq!(code, Code::QuotaExceeded),
            }
        }
    });
    assert_eq!(written.into_inner(), 100);
    let files = Query { kinds: Kinds::Files, ..everything() };
    assert_eq!(ws.find(&files).unwrap().0.len(), 100);
}

#[test]
fn a_moving_tree_is_always_in_one_place() {
    let ws = workspace(&[("a/x/1", ""), ("a/x/2", ""), ("a/3", "")]);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let tree = ws.tree();
                    assert!(
                        tree == ["a", "a/3", "a/x", "a/x/1", "a/x/2"]
                            || tree == ["b", "b/3", "b/x", "b/x/1", "b/x/2"],
                        "{tree:?}"
                    );
                }
            });
        }
        for _ in 0..ROUNDS {
            ws.rename("a", "b", REFUSE).unwrap();
            ws.rename("b", "a", REFUSE).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_fork_taken_in_the_middle_is_whole() {
    let ws = workspace(&[("left", "0"), ("right", "0")]);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let fork = Ws(ws.0.fork());
                let (left, right) = (fork.read("left").unwrap(), fork.read("right").unwrap());
                let number = |text: String| text.parse::<u64>().unwrap();
                assert!((0..=1).contains(&(number(left) - number(right))));
                fork.write("left", "a fork's own").unwrap();
            }
        });
        for round in 1..=ROUNDS {
            ws.write("left", &round.to_string()).unwrap();
            ws.write("right", &round.to_string()).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}
