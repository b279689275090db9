//! Bounds: processes, memory, files, and what is private.

use std::{fs, path::PathBuf};

use crate::yard::{Who, Yard, await_end, await_that, below, is_root, processes_in, yards};

#[test]
fn processes_are_bounded() {
    for yard in yards() {
        let said = yard.attempt_inside(&["--processes", "40"], &["forks", "200"]);
        let made: u32 = said.out.trim().parse().unwrap();
        assert!((20..40).contains(&made), "{said:?}");
    }
}

#[test]
fn the_bound_is_each_sandbox_s_own() {
    for yard in yards() {
        let mut first = yard.attempt_entering(&["--processes", "40"], &["orphans", "30"]);
        let mut first = first.stdout(std::process::Stdio::null()).spawn().unwrap();
        let (_, namespace) = below(first.id());
        await_that("thirty processes", || processes_in(&namespace).len() > 30);
        let said = yard.attempt_inside(&["--processes", "40"], &["forks", "30"]);
        assert_eq!(said.out, "30\n", "{:?}", yard.who);
        first.kill().unwrap();
        first.wait().unwrap();
    }
}

#[test]
fn a_fork_bomb_stays_inside_and_ends_with_the_sandbox() {
    for yard in yards() {
        let mut command = yard.enter(&["--processes", "50"]);
        command.args(["--", "bash", "-c", "f() { f | f & }; f; while :; do sleep 1; done"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        let (_, namespace) = below(child.id());
        let mut most = 0;
        await_that("the bomb at its bound", || {
            most = most.max(processes_in(&namespace).len());
            most > 30
        });
        child.kill().unwrap();
        await_end(&mut child);
        await_that("nothing left", || processes_in(&namespace).is_empty());
        assert!(most <= 50, "{most}");
    }
}

#[test]
fn memory_is_bounded_where_there_is_a_cgroup() {
    for yard in yards() {
        let bound = (64_u64 << 20).to_string();
        let more = (256_u64 << 20).to_string();
        let said = yard.attempt_inside(&["--memory", &bound], &["eat", &more]);
        if said.err.contains("layer cgroup") {
            println!("skipped: no cgroup was handed over");
            continue;
        }
        assert_eq!((said.code, said.out.as_str()), (Some(137), ""), "{said:?}");
        let said = yard.attempt_inside(&["--memory", &more], &["eat", &bound]);
        assert_eq!((said.code, said.out.as_str()), (Some(0), "eaten\n"), "{said:?}");
    }
}

#[test]
fn memory_of_a_process_is_bounded_where_there_is_no_cgroup() {
    if !is_root() {
        println!("skipped: only root can be root");
        return;
    }
    let yard = Yard::new(Who::User);
    let options = ["--without", "cgroup", "--memory", "67108864"];
    let said = yard.attempt_inside(&options, &["eat", "268435456"]);
    assert_ne!(said.out, "eaten\n", "{said:?}");
    assert!(said.err.contains("without cgroup"), "{said:?}");
}

#[test]
fn a_cgroup_is_gone_with_its_sandbox() {
    let Some(yard) = yards().into_iter().find(|yard| yard.who == Who::Root) else { return };
    let mut command = yard.enter_bare();
    command.arg("--root").arg(yard.ws()).args(["--cpu", "150", "--", "cat", "/proc/self/cgroup"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let name = format!("garth-{}-", child.id());
    let said = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
    if await_end(&mut child) != Some(0) {
        println!("skipped: no cgroup was handed over");
        return;
    }
    // Inside it is the top of all cgroups.
    assert!(said.lines().all(|line| !line.contains("garth")), "{said}");
    assert_eq!(cgroups_named(&name), Vec::<PathBuf>::new());
}

/// The cgroups, of any tree, whose names begin so.
fn cgroups_named(prefix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut places = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(place) = places.pop() {
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if entry.file_name().to_string_lossy().starts_with(prefix) {
                    found.push(entry.path());
                }
                places.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn what_a_killed_process_left_of_cgroups_is_swept() {
    let Some(yard) = yards().into_iter().find(|yard| yard.who == Who::Root) else { return };
    let enter = |command: &[&str]| {
        let mut enter = yard.enter_bare();
        enter.arg("--root").arg(yard.ws()).arg("--").args(command);
        enter
    };
    let probe = yard.run(enter(&["true"]));
    if probe.err.contains("layer cgroup") {
        println!("skipped: no cgroup was handed over");
        return;
    }
    let mut child = enter(&["sleep", "1000"]).spawn().unwrap();
    let name = format!("garth-{}-", child.id());
    let (_, namespace) = below(child.id());
    await_that("its cgroup", || !cgroups_named(&name).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    await_that("nothing left", || processes_in(&namespace).is_empty());
    await_that("nothing left of its cgroup", || {
        assert_eq!(yard.run(enter(&["true"])).code, Some(0));
        cgroups_named(&name).is_empty()
    });
}

#[test]
fn what_is_private_has_one_bound() {
    for yard in yards() {
        let said = yard.inside_with(
            &["--tmp", "4194304"],
            "head -c 3000000 /dev/zero > /tmp/a && echo tmp; \
             head -c 3000000 /dev/zero > ~/b && echo home; \
             head -c 3000000 /dev/zero > /dev/shm/c && echo shm; \
             cat /tmp/a ~/b /dev/shm/c | wc -c",
        );
        let (first, size) = said.out.split_once('\n').unwrap();
        assert_eq!(first, "tmp", "{said:?}");
        assert!(size.trim().parse::<u64>().unwrap() <= 4_194_304, "{said:?}");
        assert!(said.err.contains("No space left on device"), "{said:?}");
    }
}

#[test]
fn small_files_are_bounded_in_number() {
    for yard in yards() {
        let said = yard.inside_with(
            &["--tmp", "4194304"],
            "cd /tmp && perl -e 'for (1 .. 9999) { open(F, \">\", $_) or last; $n++ } print $n'",
        );
        assert!(said.out.parse::<u32>().unwrap() < 4096, "{said:?}");
    }
}

#[test]
fn a_file_is_bounded_in_length() {
    for yard in yards() {
        let options = ["--file-size", "1000000"];
        let said = yard.inside_with(&options, "head -c 4000000 /dev/zero > long; echo $?");
        assert_ne!(said.out, "0\n", "{said:?}");
        assert_eq!(fs::metadata(yard.ws().join("long")).unwrap().len(), 1_000_000);
    }
}

#[test]
fn limits_of_a_process_are_set_and_cannot_be_raised() {
    for yard in yards() {
        let options = ["--open-files", "100", "--processes", "60", "--file-size", "1048576"];
        let script = "ulimit -Hn; ulimit -Hu; ulimit -Hf; ulimit -Hc; ulimit -n 101; ulimit -u 61";
        let said = yard.inside_with(&options, script);
        assert_eq!(said.out, "100\n60\n1024\n0\n", "{said:?}");
        assert_eq!(said.err.matches("Operation not permitted").count(), 2, "{said:?}");
    }
}
