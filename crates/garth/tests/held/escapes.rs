//! Ways out of the workspace. Each script says `held` when it found none.

use std::{fs, os::unix::net::UnixListener};

use crate::yard::{SECRET, Yard};

/// Runs a script in a fresh workspace, with the path of the secret as `$SECRET`.
fn held(script: &str) {
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    let secret = yard.secret();
    let ran = server.bash(&format!("SECRET={}\n{script}", secret.display()));
    ran.held(script);
    yard.untouched();
}

#[test]
fn files_outside_are_neither_read_nor_listed_nor_changed() {
    held("cat \"$SECRET\" || ls \"$(dirname $SECRET)\" || echo x >> \"$SECRET\" || echo held");
    held("cat /etc/shadow || cat /root/.bashrc || cat /proc/1/root$SECRET || echo held");
    held("cat /workspace/../../secret || cat ../secret || cd .. && cat secret || echo held");
}

#[test]
fn the_same_reads_work_where_there_is_no_sandbox() {
    let yard = Yard::new();
    let output = std::process::Command::new("bash")
        .args(["-c", "cat \"$0\"; cat ../secret"])
        .arg(yard.secret())
        .current_dir(yard.root())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{SECRET}{SECRET}"));
}

#[test]
fn links_that_a_command_plants_lead_nowhere_for_it_and_for_the_tools() {
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    let secret = yard.secret();
    let script = format!(
        "ln -s {0} out; ln -s {0} /tmp/out; ln {0} hard; ln -s / slash; \
         cat out /tmp/out hard slash/etc/shadow || echo held",
        secret.display()
    );
    server.bash(&script).held("plants");
    for path in ["out", "slash/etc/passwd", "hard"] {
        let result = server.0.call("read", &serde_json::json!({"path": path}));
        assert_eq!(result["isError"], true, "{path}: {result}");
    }
    let result = server.0.call("write", &serde_json::json!({"path": "out", "content": "x"}));
    assert_eq!(result["isError"], true, "{result}");
    yard.untouched();
}

#[test]
fn the_system_is_read_only_and_nothing_is_mounted() {
    held("touch /usr/x || touch /bin/x || touch /etc/x || mkdir /x || echo held");
    held("mount -t tmpfs none /mnt || mount -o remount,rw / || umount /proc || echo held");
    held("mount --bind / /workspace || unshare -Ur true || unshare -m true || echo held");
}

#[test]
fn no_process_outside_is_seen_or_signalled() {
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    let ours = std::process::id();
    let script =
        format!("kill -0 {ours} || kill -9 {ours} || cat /proc/{ours}/environ || echo held");
    server.bash(&script).held("a process outside");
    // Those inside that are not its own are the guest's alone.
    let ran = server.bash("ls -d /proc/[0-9]* | wc -l");
    let count: u32 = ran.text.trim().lines().next().unwrap().trim().parse().unwrap();
    assert!(count < 10, "{ran:?}");
}

#[test]
fn the_guest_s_memory_and_variables_are_its_own() {
    // The first process is the guest, and the parent of a command has the same memory.
    for process in ["1", "$PPID"] {
        for file in ["environ", "maps", "mem", "auxv"] {
            held(&format!("(exec 3< /proc/{process}/{file}) || echo held"));
        }
    }
    held("(exec 3< /proc/self/environ 4< /proc/self/mem) && echo held");
}

#[test]
fn variables_of_the_server_are_not_seen_inside() {
    let yard = Yard::new();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_garth"));
    command.arg("mcp").arg(yard.root()).env("GARTH_TEST_KEY", SECRET);
    let mut client = crate::client::Client::of(&mut command);
    client.greet();
    let mut server = crate::yard::Server(client);
    let ran = server.bash(
        "env; cat /proc/1/environ /proc/$PPID/environ /proc/*/environ | tr '\\0' '\\n'; echo held",
    );
    ran.held("variables");
    assert!(!ran.text.contains("GARTH_TEST_KEY"), "{ran:?}");
}

#[test]
fn filters_of_words_are_not_what_holds() {
    // None of these is refused by its text, and none gets anywhere.
    for script in [
        "/usr/bin/sudo cat $SECRET || echo held",
        "echo \"$(cat $SECRET)\" `cat $SECRET`; echo held",
        "echo x\ncat $SECRET\necho held",
        "cat <(cat $SECRET); echo held",
        "export PATH=/tmp:$PATH; declare -x SHELL=/x; cat $SECRET; echo held",
        "true && true && true && cat $SECRET; echo held",
        "true & cat $SECRET ; false || cat $SECRET > /tmp/f; cat /tmp/f; echo held",
        "eval $'cat\\x20'$SECRET; echo held",
        "bash -c 'exec 3<'$SECRET'; cat <&3'; echo held",
    ] {
        held(script);
    }
}

#[test]
fn kernel_interfaces_that_no_workspace_needs_are_closed() {
    held("echo 1 > /proc/sys/kernel/core_pattern || echo b > /proc/sysrq-trigger || echo held");
    held("mknod /tmp/d b 8 0 || mknod d c 1 1 || cat /dev/mem || cat /dev/kmsg || echo held");
    held("chroot / true || setcap cap_sys_admin+ep /tmp/x || su -c true || echo held");
    held("gdb -p 1 -batch || strace -p 1 || cat /proc/1/mem || cat /proc/kcore || echo held");
    held("dmesg || insmod x || swapon /tmp/x || reboot -f || hostname other || echo held");
}

#[test]
fn sockets_of_the_host_are_out_of_reach() {
    let yard = Yard::new();
    let path = yard.secret().with_file_name("socket");
    let listener = UnixListener::bind(&path).unwrap();
    listener.set_nonblocking(true).unwrap();
    let mut server = yard.server(&[]);
    let script = format!(
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{}\")' || echo held",
        path.display()
    );
    server.bash(&script).held("a unix socket");
    assert!(listener.accept().is_err(), "somebody came");
    fs::remove_file(path).unwrap();
    yard.untouched();
}

#[test]
fn a_read_only_workspace_is_not_changed_by_a_command() {
    let yard = Yard::new();
    fs::write(yard.root().join("file"), "old").unwrap();
    let mut server = yard.server(&["--read-only"]);
    let ran = server.bash("cat file; echo new > file || touch other || rm file || echo held");
    ran.held("read-only");
    assert!(ran.text.contains("old"), "{ran:?}");
    assert_eq!(fs::read_to_string(yard.root().join("file")).unwrap(), "old");
    assert_eq!(fs::read_dir(yard.root()).unwrap().count(), 1);
}

#[test]
fn files_that_a_command_makes_belong_to_who_has_the_workspace() {
    use std::os::unix::fs::MetadataExt;
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    assert_eq!(server.bash("echo hi > made; mkdir dir").code(), 0);
    let owner = fs::metadata(yard.root()).unwrap().uid();
    for name in ["made", "dir"] {
        assert_eq!(fs::metadata(yard.root().join(name)).unwrap().uid(), owner, "{name}");
    }
    assert_eq!(fs::read_to_string(yard.root().join("made")).unwrap(), "hi\n");
}
