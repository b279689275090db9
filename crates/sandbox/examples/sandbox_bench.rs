//! Times a sandbox from nothing to the end of `true`, against `bwrap` with the same mounts.
//!
//! Both do the same in turns. Ours also puts on Landlock and seccomp; bwrap's neither.
//! The figure is the ratio of the medians. A bound on memory, which bwrap does not
//! have, is timed apart: it costs a cgroup.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement prints, and ends when something is wrong"
)]

use std::{
    fs::{self, File},
    os::fd::OwnedFd,
    path::Path,
    process::{Command, Stdio as Streams},
    time::{Duration, Instant},
};

use garth_sandbox::{
    Access, Ended, Image, Limits, Needs, Network, Program, Root, Spec, Stdio, base_environment,
    start,
};

const ROUNDS: usize = 300;
const OWN_ROUNDS: usize = 30;
const GOAL: f64 = 0.7;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let no_bound = spec(dir.path(), None);
    let bounded = spec(dir.path(), Some(1 << 30));
    own(dir.path());
    if Command::new("bwrap").arg("--version").output().is_err() {
        println!("bwrap is not installed: nothing to compare with");
        return;
    }
    let (mut ours, mut theirs, mut with_memory) = (Vec::new(), Vec::new(), Vec::new());
    let mut plain = Vec::new();
    for round in 0..ROUNDS + 10 {
        let times = [
            time(|| sandbox(&no_bound)),
            time(|| bwrap(dir.path())),
            time(|| sandbox(&bounded)),
            time(|| run(Command::new("/usr/bin/true"))),
        ];
        // The first rounds warm caches.
        if round >= 10 {
            ours.push(times[0]);
            theirs.push(times[1]);
            with_memory.push(times[2]);
            plain.push(times[3]);
        }
    }
    for (name, times) in [
        ("plain", &mut plain),
        ("ours", &mut ours),
        ("ours, memory bounded", &mut with_memory),
        ("bwrap", &mut theirs),
    ] {
        times.sort();
        println!("{name}: min {:?}, median {:?}", times[0], times[ROUNDS / 2]);
    }
    let ratio = ours[ROUNDS / 2].as_secs_f64() / theirs[ROUNDS / 2].as_secs_f64();
    let least = ours[0].as_secs_f64() / theirs[0].as_secs_f64();
    let verdict = if ratio <= GOAL { "pass" } else { "short" };
    println!(
        "{verdict} a sandbox, true in it, and its end: {ratio:.3}× bwrap at the median (goal ≤ {GOAL}), {least:.3}× at the least"
    );
}

/// A sandbox whose system is its own, the first and those after it.
fn own(dir: &Path) {
    let sudo = OwnedFd::from(File::open("/proc/self/exe").unwrap());
    let spec = Spec {
        seat: garth_sandbox::Seat::Home,
        tenure: garth_sandbox::Tenure::Own { sudo },
        ..spec(dir, None)
    };
    let first = time(|| sandbox(&spec));
    let mut times: Vec<_> = (0..OWN_ROUNDS).map(|_| time(|| sandbox(&spec))).collect();
    times.sort();
    println!("with a system of its own: the first {first:?}, median {:?}", times[OWN_ROUNDS / 2]);
}

fn spec(dir: &Path, memory: Option<u64>) -> Spec {
    Spec {
        roots: vec![Root::whole(dir, Access::ReadWrite).unwrap()],
        seat: garth_sandbox::Seat::Workspace,
        system: "/".into(),
        tenure: garth_sandbox::Tenure::Shown,
        visible: Vec::new(),
        environment: base_environment(),
        limits: Limits { memory, ..Limits::usual() },
        network: Network::None,
        needs: Needs::all(),
    }
}

fn sandbox(spec: &Spec) {
    let null = || OwnedFd::from(File::options().read(true).write(true).open("/dev/null").unwrap());
    let program =
        Program { image: Image::Inside("/usr/bin/true".into()), arguments: vec!["true".into()] };
    let stdio = Stdio { input: null(), output: null(), error: null() };
    let running = start(spec, &program, stdio).unwrap();
    assert_eq!(running.wait(), Ended::Exited(0));
}

fn bwrap(dir: &Path) {
    let mut command = Command::new("bwrap");
    command.args(["--unshare-all", "--uid", "1000", "--gid", "1000", "--hostname", "garth"]);
    command.args(["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]);
    command.args(["--ro-bind", "/usr", "/usr"]);
    for link in ["bin", "sbin", "lib", "lib32", "lib64", "libx32"] {
        if let Ok(target) = fs::read_link(Path::new("/").join(link)) {
            command.arg("--symlink").arg(target).arg(Path::new("/").join(link));
        }
    }
    let java = fs::read_dir("/etc").unwrap().flatten().map(|entry| entry.path());
    let java = java.filter(|path| path.to_string_lossy().starts_with("/etc/java-"));
    let etc = ["alternatives", "crypto-policies", "ld.so.cache", "pki", "ssl"];
    for path in etc.iter().map(|name| Path::new("/etc").join(name)).chain(java) {
        if path.exists() {
            command.arg("--ro-bind").arg(&path).arg(&path);
        }
    }
    command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
    command.args(["--tmpfs", "/home/garth"]);
    command.arg("--bind").arg(dir).arg("/workspace");
    command.args(["--remount-ro", "/", "--chdir", "/workspace", "/usr/bin/true"]);
    run(command);
}

fn run(mut command: Command) {
    command.stdin(Streams::null()).stdout(Streams::null()).stderr(Streams::null());
    assert!(command.status().unwrap().success());
}

fn time(call: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    call();
    begin.elapsed()
}
