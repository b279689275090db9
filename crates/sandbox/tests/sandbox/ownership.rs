//! Whose files come to be, and whose rights the program has.

use std::{
    fs,
    os::unix::fs::{MetadataExt, chown},
    path::Path,
    process::Command,
};

use crate::yard::{NOBODY, Said, Who, Yard, await_that, below, is_root, processes_in, yards};

const MAKE: &str = "mkdir d && echo x > d/f && ln -s f d/l && mkfifo d/p && chmod 700 d/f && \
                    cp -a d e && mv e/f e/g && stat -c %u:%g d d/f d/l d/p e/g | sort -u";

fn owners(directory: &Path) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for name in ["d", "d/f", "d/l", "d/p", "e", "e/g"] {
        let meta = fs::symlink_metadata(directory.join(name)).unwrap();
        found.push((meta.uid(), meta.gid()));
    }
    found.dedup();
    found
}

#[test]
fn what_is_made_belongs_to_the_workspace_s_owner() {
    for yard in yards() {
        let said = yard.inside(MAKE);
        assert_eq!(said.out, "1000:1000\n", "{said:?}");
        let root = fs::metadata(yard.ws()).unwrap();
        assert_eq!(owners(&yard.ws()), [(root.uid(), root.gid())]);
    }
}

#[test]
fn root_keeps_the_owner_whoever_that_is() {
    if !is_root() {
        println!("skipped: only root can give files away");
        return;
    }
    for owner in [(0, 0), (4711, 4712), (1000, 1000)] {
        let yard = Yard::new(Who::Root);
        chown(yard.ws(), Some(owner.0), Some(owner.1)).unwrap();
        let said = yard.inside(MAKE);
        assert_eq!(said.out, "1000:1000\n", "{said:?}");
        assert_eq!(owners(&yard.ws()), [owner]);
    }
}

#[test]
fn root_lends_an_id_that_nobody_has_and_another_to_each() {
    if !is_root() {
        println!("skipped: only root can be root");
        return;
    }
    let yard = Yard::new(Who::Root);
    let ids = || {
        let mut command = yard.enter(&["--", "sleep", "1000"]);
        let mut child = command.spawn().unwrap();
        let (pid, namespace) = below(child.id());
        let mut id = 0;
        await_that("an id that was lent", || {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
            let uid = status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap();
            id = uid.split_whitespace().next().unwrap().parse().unwrap();
            id != 0
        });
        child.kill().unwrap();
        child.wait().unwrap();
        await_that("nothing left", || processes_in(&namespace).is_empty());
        id
    };
    let (one, other): (u32, u32) = (ids(), ids());
    assert!(one >= 0x7000_0000 && other >= 0x7000_0000, "{one} {other}");
    assert_ne!(one, other);
}

#[test]
fn a_file_of_somebody_else_in_the_workspace_is_not_ours() {
    if !is_root() {
        println!("skipped: only root can give files away");
        return;
    }
    for who in [Who::Root, Who::User] {
        let yard = Yard::new(who);
        let file = yard.ws().join("theirs");
        fs::write(&file, "theirs").unwrap();
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        chown(&file, Some(4711), Some(4711)).unwrap();
        let said = yard.inside("cat theirs; echo x >> theirs; chmod 666 theirs; chown 1000 theirs");
        assert_ne!(said.code, Some(0));
        assert_eq!(said.out, "", "{said:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "theirs");
    }
}

#[test]
fn there_is_no_capability_and_no_group() {
    for yard in yards() {
        let said = yard.attempt_inside(&[], &["rights"]);
        let none = "0000000000000000";
        let expected = format!(
            "Uid: 1000 1000 1000 1000\nGid: 1000 1000 1000 1000\nGroups:\nCapInh: {none}\n\
             CapPrm: {none}\nCapEff: {none}\nCapBnd: {none}\nCapAmb: {none}\nNoNewPrivs: 1\n"
        );
        let groups = |text: &str| {
            let lines =
                text.lines().map(|line| if line.starts_with("Groups:") { "Groups:" } else { line });
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        assert_eq!(groups(&said.out), expected, "{said:?}");
        if yard.who == Who::Root {
            assert!(said.out.contains("Groups:\n"), "{said:?}");
        }
    }
}

#[test]
fn a_program_with_the_set_user_id_bit_gains_nothing() {
    if !is_root() {
        println!("skipped: only root can give files away");
        return;
    }
    for who in [Who::Root, Who::User] {
        let yard = Yard::new(who);
        let ws = yard.ws().display().to_string();
        let make = format!("cp /usr/bin/id {ws}/id && chown 0:0 {ws}/id && chmod 6755 {ws}/id");
        let as_root = Yard::new(Who::Root);
        assert_eq!(as_root.outside(&make).code, Some(0));
        let said = yard.inside(
            "./id -u; ./id -ru; ./id -g; /usr/bin/su -c id; /usr/bin/mount -t tmpfs x /tmp; true",
        );
        assert_eq!(said.out, "1000\n1000\n1000\n", "{said:?}");
        let outside = yard.outside("./id -u; ./id -ru");
        let own = if who == Who::Root { 0 } else { NOBODY };
        assert_eq!(outside.out, format!("0\n{own}\n"));
    }
}

/// Runs `garth-enter` on a workspace whose file system cannot map ids, of this owner.
fn enter_unmapped(yard: &Yard, owner: u32, arguments: &[&str]) -> Said {
    let ws = yard.ws().display().to_string();
    let script =
        format!("mount -t ramfs none {ws} && chown {owner} {ws} && \"$@\" && stat -c %u {ws}/made");
    let mut command = Command::new("unshare");
    command.args(["-m", "bash", "-c", &script, "bash", env!("CARGO_BIN_EXE_garth-enter")]);
    command.args(["--memory", "0", "--root", &ws]).args(arguments);
    yard.run(command)
}

#[test]
fn where_ids_cannot_be_mapped_the_owner_s_is_lent_unless_it_is_root() {
    if !is_root() {
        println!("skipped: only root can mount");
        return;
    }
    let yard = Yard::new(Who::Root);
    let make = ["--", "bash", "-c", "touch made; id -u"];
    let said = enter_unmapped(&yard, 4711, &make);
    assert_eq!(said.out, "1000\n4711\n", "{said:?}");
    let said = enter_unmapped(&yard, 0, &make);
    assert_eq!(said.out, "", "{said:?}");
    assert!(said.err.contains("no sandbox: layer ids: "), "{said:?}");
    let spared = [&["--without", "ids"], &make[..]].concat();
    let said = enter_unmapped(&yard, 0, &spared);
    assert_eq!(said.out, "1000\n0\n", "{said:?}");
    assert_eq!(said.err, "garth-enter: without ids\n");
}

#[test]
fn even_with_root_s_id_nothing_is_allowed() {
    if !is_root() {
        println!("skipped: only root can mount");
        return;
    }
    let yard = Yard::new(Who::Root);
    let bait = yard.bait();
    let attempt = env!("CARGO_BIN_EXE_garth-attempt");
    let mut arguments = vec!["--without", "ids", "--program", attempt, "--", "attempt", "try-all"];
    arguments.extend(bait.iter().map(String::as_str));
    let said = enter_unmapped(&yard, 0, &arguments);
    assert!(!said.out.contains("allowed"), "{said:?}");
    // The kernel does not count root's processes; a cgroup does.
    let forks = ["--without", "ids", "--processes", "40", "--program", attempt];
    let forks = [&forks[..], &["--", "attempt", "forks", "200"]].concat();
    let bounded = enter_unmapped(&yard, 0, &forks);
    if bounded.err.contains("layer cgroup") {
        println!("skipped: no cgroup was handed over");
    } else {
        assert!(bounded.out.trim().parse::<u32>().unwrap() < 40, "{bounded:?}");
    }
    assert_eq!(
        said.out.matches(" refused: ").count(),
        garth_sandbox::attempt::ALL.len(),
        "{said:?}"
    );
}

#[test]
fn root_without_its_capabilities_is_refused_unless_that_was_allowed() {
    if !is_root() {
        println!("skipped: only root can be root");
        return;
    }
    let yard = Yard::new(Who::Root);
    let enter = |options: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set", "-sys_admin", env!("CARGO_BIN_EXE_garth-enter")]);
        command.arg("--root").arg(yard.ws()).args(["--memory", "0"]).args(options);
        command.args(["--", "id", "-u"]);
        yard.run(command)
    };
    let said = enter(&[]);
    assert!(said.err.contains("no sandbox: layer ids: "), "{said:?}");
    let said = enter(&["--without", "ids"]);
    assert_eq!(said.out, "1000\n", "{said:?}");
    assert_eq!(said.err, "garth-enter: without ids\n");
}
