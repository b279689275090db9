//! What a command tries from inside to get out, each for real, and what holds it.
//!
//! A script prints `ESCAPED` where it got through. The same script without a
//! sandbox shows that it would have; but for those that could do harm there.

use std::{
    fs,
    net::TcpListener,
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener},
    },
    path::PathBuf,
    process::{Child, Command as Program, Stdio},
};

use garth_contract::{Aliases, Code, Filesystem, Policy, Shell, Span, Variables};
use garth_host::Host;
use garth_remote::{
    container::{Container, Limits},
    providers::Podman,
};

use crate::{
    guests::{Shared, in_gvisor, in_local, in_podman, link, path_of, say, script, try_run},
    machine::{Machine, machine, run},
};

/// Whether the same script is run without a sandbox, too.
#[derive(PartialEq, Eq)]
enum Outside {
    /// It is, and gets through.
    Works,
    /// It is not: it could do harm, or there is nothing to compare with.
    Untried,
}
use Outside::{Untried, Works};

/// What an engine truly cannot keep: where, which attempt, and why that is bearable.
const EXCEPTED: &[(&str, &str, &str)] = &[
    ("gvisor", LAID_OUT, "Debian's shows everybody's addresses, but nobody's memory"),
    ("gvisor", HANDLES, "they are of the workspace, of what its commands printed, and the log's"),
];

const HANDLES: &str = "opens what the guest has open";

const LAID_OUT: &str = "reads where things are in the guest's memory";

/// A name, whether it works outside, and the script.
const ATTEMPTS: &[(&str, Outside, &str)] = &[
    ("reads a file outside", Works, "grep -q the-secret \"$SECRET\" && echo ESCAPED"),
    (
        "reads it through a process's root",
        Works,
        "for p in /proc/[0-9]*/root /proc/self/root /proc/self/cwd/../../../../..; do
             grep -qs the-secret \"$p$SECRET\" && echo ESCAPED && break
         done",
    ),
    ("reads the hashes of passwords", Works, "cat /etc/shadow > copy && echo ESCAPED"),
    ("writes outside", Works, "echo x > \"$OUTSIDE/made\" && echo ESCAPED"),
    ("writes to the system", Works, "touch \"$SYSTEM/made\" && echo ESCAPED"),
    ("writes to the root", Untried, "touch /made && echo ESCAPED"),
    ("changes who is who", Untried, "echo x >> /etc/passwd && echo ESCAPED"),
    ("sees the engine", Works, "test -e \"$ENGINE\" && echo ESCAPED"),
    ("sees what the gateway keeps", Works, "cat \"$RUN\"/*/workspace && echo ESCAPED"),
    ("mounts", Works, "mkdir m && mount -t tmpfs none m && umount m && echo ESCAPED"),
    ("makes the root writable", Untried, "mount -o remount,rw / && echo ESCAPED"),
    ("makes a mount namespace", Works, "unshare --mount true && echo ESCAPED"),
    ("makes a pid namespace", Works, "unshare --pid --fork true && echo ESCAPED"),
    (
        "is root in a user namespace and writes to the system",
        Untried,
        "unshare --user --map-root-user --mount sh -c \
         'mount -o remount,bind,rw /usr; mount -o remount,rw /; touch /usr/made' && echo ESCAPED",
    ),
    (
        "is root in a user namespace and reads the hashes of passwords",
        Untried,
        "unshare --user --map-root-user cat /etc/shadow && echo ESCAPED",
    ),
    ("makes a device", Works, "mknod d b 7 0 && rm d && echo ESCAPED"),
    ("becomes root", Untried, "su root -c 'echo ESCAPED'"),
    (
        "gives itself rights",
        Untried,
        "cp /usr/bin/id id && chmod u+s id && chown root id && echo ESCAPED",
    ),
    (
        "finds a process outside",
        Works,
        "grep -ls '[t]he-marker' /proc/[0-9]*/cmdline | grep -q . && echo ESCAPED",
    ),
    (
        "reaches a listener on the loopback outside",
        Works,
        "(exec 3<> /dev/tcp/127.0.0.1/$PORT) 2>/dev/null && echo ESCAPED",
    ),
    (
        "reaches an abstract socket outside",
        Works,
        "perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0);
         print \"ESCAPED\\n\" if connect(S, pack(\"S a*\", 1, \"\\0$ENV{ABSTRACT}\"))'",
    ),
    (
        "opens a raw socket",
        Works,
        "perl -MSocket -e 'print \"ESCAPED\\n\" if socket(S, PF_INET, SOCK_RAW, 1)'",
    ),
    (
        "opens a packet socket",
        Works,
        "perl -MSocket -e 'print \"ESCAPED\\n\" if socket(S, 17, SOCK_RAW, 0x300)'",
    ),
    (
        "opens a socket of a rare family",
        Untried,
        // All but those of the internet, of this machine and for routes, of every kind:
        // AF_VSOCK, AF_ALG, AF_PACKET and the like.
        "perl -MSocket -e 'for my $family (grep { !/^(1|2|10|16)$/ } 3..50) {
             for my $kind (1..5) {
                 print \"ESCAPED $family\\n\" if socket(S, $family, $kind, 0) } }'",
    ),
    (
        "asks the kernel over netlink for more than routes",
        Untried,
        "perl -MSocket -e 'for (1..22) { print \"ESCAPED $_\\n\" if socket(S, 16, 3, $_) }'",
    ),
    (
        "reads or writes the guest's memory",
        Untried,
        "for p in /proc/1 /proc/$PPID; do
             (exec 3< $p/mem) && echo ESCAPED $p/mem
             (exec 3> $p/mem) && echo ESCAPED $p/mem
         done",
    ),
    (
        HANDLES,
        Untried,
        "for p in /proc/1 /proc/$PPID; do
             for fd in 0 1 2 3 4 5 6 7 8 9; do (exec 3< $p/fd/$fd) && echo ESCAPED fd $fd; done
         done",
    ),
    (
        "reads variables of the guest that are not its own",
        Untried,
        "for p in /proc/1 /proc/$PPID; do
             tr '\\0' '\\n' < $p/environ | grep -vxF \"$(env)\" |
                 grep -vE '^(TERM|HOSTNAME|container)=' && echo ESCAPED $p
         done",
    ),
    (
        LAID_OUT,
        Untried,
        "for p in /proc/1 /proc/$PPID; do
             for f in maps auxv; do cat $p/$f > copy && echo ESCAPED $p/$f; done
         done",
    ),
    (
        "asks the kernel for what is dangerous",
        Untried,
        // mount, pivot_root, swapon, init_module, kexec_load, add_key, keyctl,
        // perf_event_open, open_by_handle_at, bpf, userfaultfd, io_uring_setup; ptrace and
        // kcmp of itself, a user namespace.
        "perl -e 'my $z = \"\\0\" x 256;
         for ([165, $z, \"/tmp\\0\", \"tmpfs\\0\", 0, 0], [155, \"/tmp\\0\", \"/tmp\\0\"],
              [167, \"/tmp\\0\", 0], [175, $z, 256, \"\\0\"], [246, 0, 0, 0, 0],
              [248, \"user\\0\", \"a\\0\", \"b\\0\", 1, -2], [250, 0, -3, 1],
              [298, $z, 0, -1, -1, 0], [304, -100, $z, 0], [321, 0, $z, 128],
              [323, 0], [425, 8, $z], [101, 0, 0, 0, 0], [312, $$, $$, 0, 0, 0],
              [272, 0x10000000]) {
             # The number apart: an array in its place would be its length.
             my ($call, @with) = @$_;
             print \"ESCAPED $call\\n\" if syscall($call, @with) >= 0;
         }'",
    ),
    (
        "writes to the kernel's settings",
        Untried,
        "for f in /proc/sys/kernel/hostname /proc/sys/kernel/core_pattern /proc/sysrq-trigger \
         /sys/kernel/uevent_helper; do test -w $f && echo ESCAPED $f; done",
    ),
    (
        "reads the machine's memory",
        Untried,
        "for f in /dev/mem /dev/kmem /dev/port /dev/kmsg /proc/kcore /dev/sda /dev/vda; do
             head -c 1 $f > byte 2>/dev/null && test -s byte && echo ESCAPED $f
         done",
    ),
    (
        "gives a file outside a second name",
        Works,
        "ln \"$SECRET\" second && grep -q the-secret second && echo ESCAPED",
    ),
];

/// What there is outside to be got at.
struct Scene {
    variables: Vec<(&'static str, String)>,
    outside: PathBuf,
    secret: PathBuf,
    marker: Child,
    _listeners: (TcpListener, UnixListener),
}

impl Scene {
    fn new(machine: &Machine, name: &str) -> Self {
        let outside = machine.dir.join(format!("outside-{name}"));
        fs::create_dir_all(&outside).unwrap();
        let secret = outside.join("secret");
        fs::write(&secret, "the-secret\n").unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let abstract_name = format!("garth-{name}-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let unix = UnixListener::bind_addr(&address).unwrap();
        let marker = Program::new("sh")
            .args(["-c", "read -r _", "the-marker"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let text = |path: &PathBuf| path.to_str().unwrap().to_owned();
        let variables = vec![
            ("SECRET", text(&secret)),
            ("OUTSIDE", text(&outside)),
            ("ENGINE", text(&machine.dir.join("runc.sock"))),
            ("RUN", text(&machine.dir.join("run"))),
            ("PORT", tcp.local_addr().unwrap().port().to_string()),
            ("ABSTRACT", abstract_name),
        ];
        Self { variables, outside, secret, marker, _listeners: (tcp, unix) }
    }

    /// What a script prints without a sandbox.
    fn outside(&self, text: &str) -> String {
        let work = tempfile::tempdir_in(&self.outside).unwrap();
        let output = Program::new("bash")
            .args(["-c", text])
            .current_dir(work.path())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env("SYSTEM", work.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What it prints inside.
    async fn inside(&self, place: &Shared, number: usize, text: &str) -> String {
        let mut command = script(text);
        command.workdir = place.directory(&format!("escape/{number}"));
        let system = [("SYSTEM", "/usr".to_owned())];
        let pairs = self.variables.iter().chain(&system);
        let pairs = pairs.map(|(name, value)| ((*name).to_owned(), value.clone()));
        command.variables = Variables::new(pairs).unwrap();
        let run = Shell::run(&place.remote, command, garth_contract::Announce::nobody());
        let report = tokio::time::timeout(crate::guests::DEADLINE, run).await.expect("it hangs");
        let report = report.unwrap();
        String::from_utf8_lossy(&report.stdout.head).into_owned()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.marker.kill().unwrap();
        self.marker.wait().unwrap();
    }
}

#[test]
fn no_attempt_gets_out_of_the_local_sandbox() {
    let Some(machine) = machine() else { return };
    run(async { attempt_all(&Scene::new(machine, "local"), in_local(machine).await).await });
}

#[test]
fn no_attempt_gets_out_of_podman() {
    let Some(machine) = machine() else { return };
    run(async { attempt_all(&Scene::new(machine, "podman"), in_podman(machine).await).await });
}

#[test]
fn no_attempt_gets_out_of_gvisor() {
    let Some(machine) = machine() else { return };
    run(async { attempt_all(&Scene::new(machine, "gvisor"), in_gvisor(machine).await).await });
}

async fn attempt_all(scene: &Scene, place: &Shared) {
    let mut wrong = Vec::new();
    for (number, (name, outside, text)) in ATTEMPTS.iter().enumerate() {
        let got = scene.inside(place, number, text).await;
        let excepted = EXCEPTED.iter().find(|one| (one.0, one.1) == (place.name, name));
        if let Some((_, _, why)) = excepted {
            println!("excepted in {}: {name}: {why}", place.name);
        } else if got.contains("ESCAPED") {
            wrong.push(format!("{name}: {got}"));
        }
        if *outside == Works {
            let got = scene.outside(text);
            assert!(got.contains("ESCAPED"), "{name} does not even work outside: {got}");
        }
    }
    assert!(wrong.is_empty(), "in {}: {}", place.name, wrong.join("\n"));
}

#[test]
fn links_that_commands_plant_lead_nobody_out() {
    let Some(machine) = machine() else { return };
    run(async {
        for place in [in_podman(machine).await, in_gvisor(machine).await] {
            let scene = Scene::new(machine, &format!("links-{}", place.name));
            let (secret, outside) = (scene.secret.display(), scene.outside.display());
            place.directory("plants");
            let plant =
                format!("cd plants; ln -s {secret} file; ln -s {outside} dir; ln -s / root");
            say(&place.remote, &plant).await;
            // Whoever takes the path for what it says is led out.
            assert!(fs::read_to_string(place.files.join("plants/file")).is_ok());
            let aliases = Aliases::none().with(b"/workspace");
            let host = Host::open(&place.files, Policy::open(), aliases).unwrap();
            let whole = Span::Whole { at_most: 1000 };
            for planted in ["plants/file", "plants/dir/secret", "plants/root/etc/passwd"] {
                let path = path_of(planted);
                let read = Filesystem::read(&host, &path, whole).await;
                assert_eq!(read.unwrap_err().code(), Code::PathOutsideWorkspace, "{planted}");
                let read = Filesystem::read(&place.remote, &path, whole).await;
                assert_eq!(read.unwrap_err().code(), Code::PathOutsideWorkspace, "{planted}");
            }
        }
    });
}

#[test]
fn nothing_of_a_command_stays_however_it_detaches_itself() {
    let Some(machine) = machine() else { return };
    run(async {
        for place in [in_podman(machine).await, in_gvisor(machine).await] {
            let text = "setsid sleep 123456 & (setsid nohup sleep 123456 >/dev/null 2>&1 &)
                        perl -e 'for (1..50) { fork or do { setpgrp; fork and exit;
                            exec \"sleep\", \"123456\" } } sleep 1'; echo done";
            assert_eq!(say(&place.remote, text).await, "done\n");
            let left = "grep -ls '[1]23456' /proc/[0-9]*/cmdline; true";
            assert_eq!(say(&place.remote, left).await, "", "in {}", place.name);
        }
    });
}

#[test]
fn bombs_and_floods_stay_within_the_limits_of_their_container() {
    let Some(machine) = machine() else { return };
    run(async {
        let limits = Limits {
            memory: Some(192 << 20),
            processes: Some(64),
            cpu: Some(1500),
            scratch: 8 << 20,
        };
        let container = Container { limits, ..machine.container("limits") };
        let podman = Podman::new(machine.runc.clone(), container).unwrap();
        podman.prepare().await.unwrap();
        let remote = link(podman.clone()).await.unwrap();
        let forks = "perl -e '$n = 0; for (1..300) { my $p = fork; last unless defined $p;
                     if (!$p) { sleep 1000; exit } $n++ } print $n'";
        let forked: u32 = say(&remote, forks).await.parse().unwrap();
        assert!((1..64).contains(&forked), "{forked}");
        let memory = "perl -e 'my @a; push @a, \"x\" x (1 << 20) for 1..400; print \"ESCAPED\"'";
        let report = try_run(&remote, memory).await.unwrap();
        assert_eq!((report.ended.exit.code(), &report.stdout.head[..]), (137, &b""[..]));
        for place in ["/tmp/f", "/var/tmp/f", "$HOME/f"] {
            let fill = format!("head -c 20000000 /dev/zero > {place}; echo $?; rm {place}");
            assert_eq!(say(&remote, &fill).await, "1\n", "{place}");
        }
        let flood = say(&remote, "head -c 100000000 /dev/zero | wc -c").await;
        assert_eq!(flood, "100000000\n");
        let flood = try_run(&remote, "head -c 100000000 /dev/zero").await.unwrap();
        assert_eq!((flood.ended.exit.code(), flood.stdout.total), (0, 100_000_000));
        assert_eq!(say(&remote, "echo still here").await, "still here\n");
        podman.remove().await.unwrap();
    });
}
