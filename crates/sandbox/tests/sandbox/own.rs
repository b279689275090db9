//! A system that is the sandbox's own: it can be changed inside, and nothing of it outside.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use garth_sandbox::attempt::ALL;

use crate::yard::{Yard, yards};

const OWN: &[&str] = &["--own-system"];

/// What the attempts say as this user: those that the sandbox must not refuse, and no others.
fn only_allowed(yard: &Yard, arguments: &[&str], allowed: &[&str]) {
    let mut command = yard.enter(&["--own-system", "--visible"]);
    let attempt = Path::new(env!("CARGO_BIN_EXE_garth-attempt"));
    command.arg(attempt.parent().unwrap()).arg("--").args(arguments);
    command.arg(attempt).arg("try-all").args(yard.bait());
    let said = yard.run(command);
    assert_eq!(said.code, Some(0), "{said:?}");
    for attempt in ALL {
        let found = said.out.lines().find(|line| line.starts_with(&format!("{} ", attempt.name)));
        let refused = found.unwrap().contains(" refused");
        let expected = !allowed.contains(&attempt.name);
        assert_eq!(refused, expected, "{:?}: {}: {said:?}", yard.who, attempt.name);
    }
    // What it wrote is in no place of this machine.
    assert!(!Path::new("/usr/bin/garth-was-here").exists());
}

#[test]
fn no_attempt_is_allowed_but_to_write_to_its_own_system() {
    for yard in yards() {
        only_allowed(&yard, &["env"], &["write-usr"]);
    }
}

#[test]
fn its_root_is_allowed_no_more_than_its_user() {
    for yard in yards() {
        // It is user 0 by now, and nothing else.
        only_allowed(&yard, &["/usr/bin/sudo"], &["write-usr", "be-root"]);
    }
}

#[test]
fn the_namespace_of_its_root_gives_nothing_by_itself() {
    // Without what `sudo` does besides: all capabilities that there are in that namespace.
    for yard in yards() {
        let entered = ["nsenter", "--preserve-credentials", "--user=/run/garth/superuser"];
        only_allowed(&yard, &entered, &["write-usr", "be-root"]);
    }
}

#[test]
fn directories_of_the_system_can_be_changed_and_are_as_they_were_outside() {
    let outside = || {
        let listed = |path: &str| {
            let mut names: Vec<_> =
                fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        (listed("/usr/bin"), listed("/usr/local/lib"), fs::read("/usr/bin/env").unwrap())
    };
    for yard in yards() {
        let before = outside();
        let said = yard.inside_with(
            OWN,
            "set -e; mkdir -p /usr/local/lib/mine; echo 1 > /usr/local/lib/mine/file
            echo mine > /usr/bin/mine; rm /usr/bin/env; echo other > /usr/bin/env
            mv /usr/bin/mine /usr/local/bin/mine; rm -r /usr/share/doc/bash
            for place in etc opt root srv var; do echo x > /$place/mine; done
            echo '127.0.0.1 mine' >> /etc/hosts
            cat /usr/local/bin/mine /usr/bin/env; ls -d /usr/share/doc/bash || true",
        );
        assert_eq!((said.code, said.out.as_str()), (Some(0), "mine\nother\n"), "{said:?}");
        assert_eq!(outside(), before);
        assert!(Path::new("/usr/share/doc/bash").exists());
        // Another sandbox knows nothing of it.
        let said = yard.inside_with(OWN, "cat /usr/local/bin/mine /etc/mine /opt/mine");
        assert_eq!(said.out, "", "{said:?}");
        assert_ne!(said.code, Some(0));
    }
}

/// A system with a shell and little else, of this machine's own files.
fn small_system(system: &Path) {
    for directory in ["usr/bin", "usr/closed", "usr/lib/open", "usr/lib64"] {
        fs::create_dir_all(system.join(directory)).unwrap();
    }
    for link in ["bin", "lib", "lib64"] {
        symlink(format!("usr/{link}"), system.join(link)).unwrap();
    }
    let programs = ["/usr/bin/bash", "/usr/bin/cat", "/usr/bin/ls"];
    let needed = Command::new("ldd").args(programs).output().unwrap().stdout;
    let needed = String::from_utf8(needed).unwrap();
    let libraries = needed.split_whitespace().filter(|word| word.starts_with("/lib"));
    for file in programs.into_iter().chain(libraries) {
        let to = system.join(file.trim_start_matches('/'));
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(file, to).unwrap();
    }
}

#[test]
fn what_others_cannot_read_outside_is_not_read_inside() {
    for yard in yards() {
        let system = yard.dir.path().join("system");
        small_system(&system);
        let mode = |path: &str, mode: u32| {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(system.join(path), mode).unwrap();
        };
        fs::write(system.join("usr/closed/file"), "closed").unwrap();
        fs::write(system.join("usr/lib/open/secret"), "secret").unwrap();
        mode("usr/closed", 0o700);
        mode("usr/lib/open/secret", 0o600);
        if yard.who == crate::yard::Who::User {
            // What is an ordinary user's own is his own inside too.
            continue;
        }
        let said = yard.inside_with(
            &["--own-system", "--system", system.to_str().unwrap()],
            "cat /usr/closed/file /usr/lib/open/secret; ls /usr/closed; echo new > /usr/lib/open/new",
        );
        assert_eq!(said.out, "", "{said:?}");
        assert_eq!(said.err.matches("ermission denied").count(), 3, "{said:?}");
        assert!(!system.join("usr/lib/open/new").exists());
    }
}

#[test]
fn what_is_changed_of_the_system_is_bounded() {
    for yard in yards() {
        let fill = "head -c 3000000 /dev/zero > /usr/local/large";
        let said = yard.inside_with(&["--own-system", "--tmp", "2000000"], fill);
        assert!(said.err.contains("No space left"), "{said:?}");
        let said = yard.inside_with(OWN, fill);
        assert_eq!(said.code, Some(0), "{said:?}");
    }
}

#[test]
fn sudo_makes_a_command_user_0_and_gives_it_nothing() {
    for yard in yards() {
        let said = yard.inside_with(
            OWN,
            "id -u; whoami; sudo id -u; sudo whoami; sudo -n sudo sh -c 'id -u; echo $HOME $USER'
            sudo grep -E '^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs)' /proc/self/status
            sudo -u user id -u; sudo FIRST=1 env | grep FIRST; echo by root | sudo tee /home/user/file
            sudo chown root:root /home/user/file; sudo -u nobody true; sudo; sudo nothing-like-it; echo $?",
        );
        let none = "0000000000000000";
        let expected = format!(
            "1000\nuser\n0\nroot\n0\n/root root\nCapPrm:\t{none}\nCapEff:\t{none}\nCapBnd:\t{none}\n\
             CapAmb:\t{none}\nNoNewPrivs:\t1\n1000\nFIRST=1\nby root\n127\n"
        );
        assert_eq!(said.out, expected, "{said:?}");
        assert_eq!(fs::read_to_string(yard.ws().join("file")).unwrap(), "by root\n");
        let of = |path: &Path| std::os::unix::fs::MetadataExt::uid(&fs::metadata(path).unwrap());
        assert_eq!(of(&yard.ws().join("file")), of(&yard.ws()));
    }
}

#[test]
fn a_sandbox_that_is_only_shown_a_system_has_no_root() {
    for yard in yards() {
        let script = "ls /run/garth; touch /usr/mine /etc/mine; \
            nsenter --preserve-credentials --user=/proc/self/ns/user true";
        let said = yard.inside(script);
        assert_ne!(said.code, Some(0));
        assert_eq!(said.err.matches("Read-only file system").count(), 2, "{said:?}");
        assert!(said.err.contains("Operation not permitted"), "{said:?}");
    }
}

#[test]
fn its_root_and_its_user_are_counted_together() {
    for yard in yards() {
        let script = "for number in 1 2 3 4 5 6 7 8 9 10; do sleep 100 & done; \
            sudo sh -c 'for number in 1 2 3 4 5 6 7 8 9 10; do sleep 100 & done; echo all'; kill 0";
        let said = yard.inside_with(&["--own-system", "--processes", "15"], script);
        assert!(!said.out.contains("all"), "{said:?}");
        let said = yard.inside_with(&["--own-system", "--processes", "40"], script);
        assert!(said.out.contains("all"), "{said:?}");
    }
}

#[test]
fn of_all_namespaces_only_one_of_users_can_be_asked_for() {
    // The filter refuses before the kernel sees that there is no such handle.
    let ask = |kind: i32| {
        format!("perl -e 'syscall({}, -1, {kind}); print $! + 0, \"\\n\"';", libc::SYS_setns)
    };
    let kinds = [libc::CLONE_NEWUSER, libc::CLONE_NEWUTS, libc::CLONE_NEWNS, libc::CLONE_NEWNET, 0];
    let script: String = kinds.into_iter().map(ask).collect();
    for yard in yards() {
        let (refused, tried) = (libc::EPERM, libc::EBADF);
        let own = format!("{tried}\n{refused}\n{refused}\n{refused}\n{refused}\n");
        let said = yard.inside_with(OWN, &script);
        assert_eq!(said.out, own, "{said:?}");
        let said = yard.inside(&script);
        assert_eq!(said.out, format!("{refused}\n").repeat(kinds.len()), "{said:?}");
    }
}
