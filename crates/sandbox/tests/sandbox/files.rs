//! Files: what can be read and written, and what links can do.

use std::{fs, os::unix::fs::symlink};

use crate::yard::{Who, yards};

#[test]
fn a_secret_outside_cannot_be_read_by_any_path() {
    for yard in yards() {
        let secret = yard.secret();
        let victim = yard.victim();
        symlink(&secret, yard.ws().join("planted")).unwrap();
        symlink("../secret", yard.ws().join("planted-up")).unwrap();
        for path in [
            secret.clone(),
            format!("/proc/{victim}/root{secret}"),
            format!("/proc/{victim}/cwd/../../../../../../{secret}"),
            format!("/proc/1/root{secret}"),
            format!("/proc/self/root{secret}"),
            "/proc/1/cwd/../secret".to_owned(),
            "planted".to_owned(),
            "planted-up".to_owned(),
            "../secret".to_owned(),
            format!("/dev/fd/../..{secret}"),
        ] {
            let said = yard.inside(&format!("cat {path}"));
            assert_ne!(said.code, Some(0), "{path}: {said:?}");
            assert!(!said.out.contains("the secret"), "{path}: {said:?}");
        }
        for path in [&secret, "planted", "planted-up", "../secret"] {
            assert_eq!(yard.outside(&format!("cat {path}")).out, "the secret", "{path}");
        }
    }
}

#[test]
fn the_variables_of_whoever_started_it_are_not_seen() {
    for yard in yards() {
        let mut command = yard.enter(&["--env", "GIVEN=yes"]);
        command.env("GARTH_SECRET", "the secret").args(["--", "bash", "-c"]);
        command.arg("env; cat /proc/*/environ; tr '\\0' '\\n' </proc/1/environ");
        let said = yard.run(command);
        assert!(!said.out.contains("the secret"), "{said:?}");
        assert!(said.out.contains("GIVEN=yes"), "{said:?}");
        let own = ["GIVEN", "HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TMPDIR", "USER"];
        let bash = ["PWD", "SHLVL", "_"];
        let names = said.out.split(['\n', '\0']).filter_map(|line| line.split_once('='));
        for (name, _) in names {
            assert!(own.contains(&name) || bash.contains(&name), "{name}: {said:?}");
        }
    }
}

#[test]
fn nothing_can_be_written_but_the_workspace_and_what_is_private() {
    for yard in yards() {
        let open = yard.dir.path().join("open").display().to_string();
        let script = format!(
            "for d in / /bin /dev /etc /etc/ssl /home /lib /proc /proc/1 /run /sys /usr /usr/bin \
             /usr/local/bin /var /workspace/.. {open}; do \
             (echo x > $d/garth-was-here) 2>/dev/null && echo wrote $d; \
             mkdir $d/garth-dir 2>/dev/null && echo made $d; done; \
             for d in /workspace /tmp /var/tmp /dev/shm ~; do echo x > $d/mine || echo failed $d; \
             done; chmod 777 /usr /etc / /dev/null /usr/bin/env 2>/dev/null && echo chmod; \
             touch /usr/bin/env /etc/passwd 2>/dev/null && echo touch; \
             mv /usr/bin/env /usr/bin/env2 2>/dev/null && echo mv; \
             rm -f /etc/passwd 2>/dev/null && echo rm; true"
        );
        let said = yard.inside(&script);
        assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{said:?}");
        assert_eq!(fs::read_to_string(yard.ws().join("mine")).unwrap(), "x\n");
        let write = format!("echo x > {open}/garth-was-here && echo wrote");
        assert_eq!(yard.outside(&write).out, "wrote\n");
    }
}

#[test]
fn no_hard_link_reaches_out_or_in() {
    for yard in yards() {
        let secret = yard.secret();
        let said = yard.inside(&format!(
            "ln /usr/bin/env stolen && echo env; ln /etc/ld.so.cache stolen && echo cache; \
             ln {secret} stolen && echo secret; ln -L /proc/1/exe stolen && echo exe; \
             touch mine && ln mine /tmp/mine && echo across; true"
        ));
        assert_eq!(said.out, "", "{said:?}");
        assert!(!yard.ws().join("stolen").exists());
        if yard.who == Who::Root {
            assert_eq!(yard.outside(&format!("ln {secret} stolen && echo made")).out, "made\n");
        }
    }
}

#[test]
fn the_system_s_programs_are_there_and_cannot_be_changed() {
    for yard in yards() {
        let said =
            yard.inside("ls -d /usr/bin/env /etc/passwd; echo $PWD; cat /etc/passwd | wc -l");
        assert_eq!(said.out, "/etc/passwd\n/usr/bin/env\n/workspace\n3\n", "{said:?}");
        let said = yard.inside(
            "for f in /usr/bin/env /etc/passwd /etc/ld.so.cache; do (exec 3>>$f) && echo $f; done",
        );
        assert_eq!((said.out.as_str(), said.err.lines().count()), ("", 3), "{said:?}");
    }
}

#[test]
fn a_read_only_workspace_cannot_be_written() {
    for yard in yards() {
        fs::write(yard.ws().join("text"), "old").unwrap();
        let options = ["--read-only"];
        let said = yard.inside_with(
            &options,
            "cat text; echo new > text; echo new > other; rm text; mkdir d; chmod 777 .; true",
        );
        assert_eq!(said.out, "old", "{said:?}");
        assert_eq!(said.err.matches("Read-only file system").count(), 5, "{said:?}");
        assert_eq!(fs::read_to_string(yard.ws().join("text")).unwrap(), "old");
        assert_eq!(fs::read_dir(yard.ws()).unwrap().count(), 1);
    }
}

#[test]
fn several_directories_each_have_their_name_and_access() {
    for yard in yards() {
        let other = yard.dir.path().join("open");
        fs::write(other.join("text"), "other").unwrap();
        let mut command = yard.enter_bare();
        let named = |name: &str, path: &std::path::Path| format!("{name}={}", path.display());
        command.args(["--memory", "0", "--root", &named("one", &yard.ws())]);
        command.args(["--root", &named("two", &other), "--read-only", "--", "bash", "-c"]);
        command.arg("ls; cat two/text; echo x > one/made; echo x > two/made; echo x > made; true");
        let said = yard.run(command);
        assert_eq!(said.out, "one\ntwo\nother", "{said:?}");
        assert_eq!(said.err.matches("Read-only file system").count(), 2, "{said:?}");
        assert!(yard.ws().join("made").exists());
    }
}

#[test]
fn what_is_made_visible_is_read_only_and_at_its_own_path() {
    for yard in yards() {
        let shown = yard.dir.path().join("open");
        fs::write(shown.join("tool"), "#!/bin/sh\necho a tool\n").unwrap();
        // A sandbox's own /tmp would be covered, so another place is needed.
        let place = std::path::Path::new("/var/lib");
        let Ok(place) = tempfile::tempdir_in(place) else {
            println!("skipped: only root can write beside /tmp");
            return;
        };
        fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        fs::copy(shown.join("tool"), place.path().join("tool")).unwrap();
        let path = place.path().display().to_string();
        let script = format!("sh {path}/tool; echo x > {path}/made; ls -A /var/lib | wc -l");
        let said = yard.inside_with(&["--visible", &path], &script);
        assert_eq!(said.out, "a tool\n1\n", "{said:?}");
        assert!(said.err.contains("Read-only file system"), "{said:?}");
        let said = yard.inside_with(&["--visible", "/etc"], "true");
        assert!(said.err.contains("layer mounts"), "{said:?}");
    }
}

#[test]
fn private_places_are_empty_and_gone_afterwards() {
    for yard in yards() {
        for _ in 0..2 {
            let said = yard.inside("ls -A /tmp ~ /dev/shm; touch /tmp/a ~/b /dev/shm/c");
            assert_eq!(said.out, "/dev/shm:\n\n/home/garth:\n\n/tmp:\n", "{said:?}");
        }
    }
}

#[test]
fn the_program_s_own_file_cannot_be_changed() {
    for yard in yards() {
        // A shell that belongs to whoever starts the sandbox.
        let shell = yard.dir.path().join("open/shell");
        let path = shell.display().to_string();
        assert_eq!(yard.outside(&format!("cp /bin/bash {path}")).code, Some(0));
        let before = (fs::metadata(&shell).unwrap().permissions(), fs::read(&shell).unwrap());
        let script = "for f in /proc/1/exe /proc/self/exe /proc/$$/exe; do chmod 666 $f && echo m; \
                      touch $f && echo t; (echo x >> $f) && echo w; (: > $f) && echo c; \
                      setfattr -n user.x -v y $f && echo a; done 2>/dev/null; echo $PPID";
        let mut command = yard.enter(&["--program", &path, "--", "shell", "-c", script]);
        command.stdin(std::process::Stdio::null());
        let said = yard.run(command);
        assert_eq!(said.out, "0\n", "{said:?}");
        let after = (fs::metadata(&shell).unwrap().permissions(), fs::read(&shell).unwrap());
        assert!(before == after);
        assert_eq!(yard.outside(&format!("chmod 666 {path} && echo m")).out, "m\n");
    }
}

#[test]
fn another_directory_in_the_place_of_the_one_that_was_opened_is_not_taken() {
    for yard in yards() {
        let gone = yard.dir.path().join("open/gone");
        fs::create_dir(&gone).unwrap();
        let handle = fs::File::open(&gone).unwrap();
        fs::remove_dir(&gone).unwrap();
        // What the kernel says of a directory that is gone is a path that can be taken.
        let taken = yard.dir.path().join("open/gone (deleted)");
        fs::create_dir(&taken).unwrap();
        fs::write(taken.join("wrong"), "").unwrap();
        let mut command = yard.enter_bare();
        command.args(["--memory", "0", "--root", "/proc/self/fd/0", "--", "ls"]).stdin(handle);
        let said = yard.run(command);
        assert_eq!(said.out, "", "{said:?}");
        if yard.who == Who::User {
            assert!(said.err.contains("no sandbox: layer mounts: cannot show the workspace"));
        }
    }
}
