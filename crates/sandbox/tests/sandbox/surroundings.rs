//! What is seen of this machine: names, processes, mounts, devices, handles.

use std::process::Command;

use crate::yard::{Who, is_root, yards};

#[test]
fn the_program_is_process_one_and_sees_its_own_alone() {
    for yard in yards() {
        let victim = yard.victim();
        let said = yard.inside(&format!(
            "echo $$; sleep 0 & wait; ls /proc | grep -c '^[0-9]'; ls -d /proc/{victim}; \
             kill -9 {victim}; [ $$ = 1 ] && kill -9 -1; echo still here"
        ));
        let lines: Vec<_> = said.out.lines().collect();
        let [first, seen, last] = lines[..] else { panic!("{said:?}") };
        assert_eq!((first, last), ("1", "still here"));
        // Itself, `ls`, `grep`, and a subshell perhaps.
        assert!(seen.parse::<u32>().unwrap() <= 4, "{said:?}");
        let alive = yard.outside(&format!("kill -0 {victim} && echo alive"));
        assert_eq!(alive.out, "alive\n");
    }
}

#[test]
fn every_namespace_is_its_own() {
    const KINDS: [&str; 7] = ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"];
    for yard in yards() {
        let script = format!("cd /proc/self/ns && readlink {}", KINDS.join(" "));
        let (inside, outside) = (yard.inside(&script).out, yard.outside(&script).out);
        assert_eq!((inside.lines().count(), outside.lines().count()), (7, 7), "{inside}");
        for (inside, outside) in inside.lines().zip(outside.lines()) {
            assert_ne!(inside, outside, "{:?}", yard.who);
        }
    }
}

#[test]
fn signals_session_and_mask_are_its_own() {
    for yard in yards() {
        // Rust programs ignore a broken pipe, and whoever starts this one does.
        let said = yard.inside(
            "grep -E '^Sig(Blk|Ign)' /proc/self/status; cut -d' ' -f6 /proc/1/stat; umask; \
             (kill -PIPE $BASHPID; echo survived); yes | head -1",
        );
        let none = "0000000000000000";
        let expected = format!("SigBlk:\t{none}\nSigIgn:\t{none}\n1\n0022\ny\n");
        assert_eq!(said.out, expected, "{said:?}");
    }
}

#[test]
fn names_of_this_machine_are_not_seen() {
    for yard in yards() {
        let said = yard.inside("hostname; cat /etc/hostname; cut -d: -f1 /etc/passwd; id -un");
        assert_eq!(said.out, "garth\ngarth\nroot\ngarth\nnobody\ngarth\n", "{said:?}");
        let said = yard.inside("cat /etc/resolv.conf /etc/hosts | grep -vE '^(#|127|::1)'");
        assert_eq!(said.out, "", "{said:?}");
    }
}

#[test]
fn there_are_only_the_mounts_that_were_meant() {
    for yard in yards() {
        let said = yard.inside("awk '{print $5, $6}' /proc/self/mountinfo");
        for line in said.out.lines() {
            let (place, options) = line.split_once(' ').unwrap();
            let writable = options.split(',').any(|option| option == "rw");
            let meant = ["/workspace", "/tmp", "/home/garth", "/dev/shm", "/dev/pts"];
            assert!(!writable || meant.contains(&place), "{line}");
            assert!(options.contains("nosuid"), "{line}");
            let known = ["/", "/proc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];
            let known = known.contains(&place) || meant.contains(&place);
            assert!(known || place.starts_with("/etc/") || place.starts_with("/dev/"), "{line}");
        }
        let said = yard.inside("ls /");
        let names: Vec<_> = said.out.lines().collect();
        for name in ["boot", "mnt", "opt", "root", "srv", "sys"] {
            assert!(!names.contains(&name), "{said:?}");
        }
    }
}

#[test]
fn there_are_few_devices_and_they_work() {
    for yard in yards() {
        let said = yard.inside(
            "cd /dev; ls | tr '\\n' ' '; head -c 4 zero | wc -c; head -c 4 urandom | wc -c; \
             echo x > null; echo x > full; ls pts; cat < /dev/tty",
        );
        let names = "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero ";
        assert_eq!(said.out, format!("{names}4\n4\nptmx\n"), "{said:?}");
        assert!(said.err.contains("No space left on device"), "{said:?}");
        assert!(said.err.contains("No such device or address"), "{said:?}");
    }
}

#[test]
fn terminals_can_be_made_inside() {
    for yard in yards() {
        let said = yard.inside("script -qc 'test -t 0 && tty' /dev/null < /dev/null");
        if said.code == Some(127) {
            println!("skipped: script is not installed");
            return;
        }
        assert_eq!(said.out.trim(), "/dev/pts/0", "{said:?}");
    }
}

#[test]
fn no_handle_is_inherited() {
    for yard in yards() {
        if yard.who == Who::User && is_root() {
            // What the shell starts must be open to whoever it is.
            continue;
        }
        let mut command = Command::new("bash");
        command.arg("-c").arg(format!("exec 9<{} && exec \"$@\"", yard.secret()));
        command.arg("bash").arg(env!("CARGO_BIN_EXE_garth-enter")).args(["--memory", "0"]);
        command.arg("--root").arg(yard.ws()).args(["--", "bash", "-c"]);
        command.arg("ls /proc/self/fd; cat <&9");
        let said = yard.run(command);
        assert!(!said.out.contains("the secret"), "{said:?}");
        assert_eq!(said.out, "0\n1\n2\n3\n", "{said:?}");
        assert!(said.err.contains("Bad file descriptor"), "{said:?}");
    }
}

#[test]
fn calls_of_another_kind_of_processor_end_the_caller() {
    for yard in yards() {
        let said = yard.attempt_inside(&[], &["old-call"]);
        assert_ne!(said.out, "called\n", "{said:?}");
    }
}

#[test]
fn mounts_do_not_spread_from_inside_to_outside() {
    if !is_root() {
        println!("skipped: only root can mount");
        return;
    }
    let yard = yards().remove(0);
    // As on most machines, though not in most containers: what is mounted is shared.
    let script = "mount --make-rshared / && wc -l < /proc/self/mountinfo && \"$@\" && \
                  wc -l < /proc/self/mountinfo";
    let mut command = Command::new("unshare");
    command.args(["-m", "bash", "-c", script, "bash", env!("CARGO_BIN_EXE_garth-enter")]);
    command.args(["--memory", "0", "--root"]).arg(yard.ws()).args(["--", "echo", "inside"]);
    let said = yard.run(command);
    let lines: Vec<_> = said.out.lines().collect();
    assert!(lines.len() == 3 && lines[0] == lines[2] && lines[1] == "inside", "{said:?}");
}
