//! What a guest in a container saves: a read of 4 KB and `bash -c true` through it,
//! beside a process of the engine for each, in podman and in gVisor.
//!
//! Contenders take turns, so that a busy machine is busy for all of them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a measurement sets its own scene and prints"
)]

#[allow(dead_code, reason = "tests need more of it")]
#[path = "../tests/engines/machine.rs"]
mod machine;

use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use garth_contract::{
    Aliases, Announce, Command, DynFilesystem, Policy, ProcessId, Program, Shell, Span, WsPath,
};
use garth_embed::{Backend, Bounds, Registry, Session, Setup, dialect, json};
use garth_host::Host;
use garth_remote::{
    Connect, Link, Patience, Remote,
    providers::{Gvisor, Podman},
};
use machine::{Machine, machine, machine_parts, run};

/// How often a process of the engine is waited for; each takes a tenth of a second.
const EXECS: usize = 15;
/// How many calls of a guest come to each of those.
const READS: usize = 60;
const COMMANDS: usize = 4;
/// How many calls of a tool are made in each place.
const CALLS: usize = 2_000;
/// How often a sandbox is made.
const STARTS: usize = 5;
/// How often a virtual machine is booted, twice each.
const BOOTS: usize = 3;

fn main() {
    let Some(machine) = machine() else { return };
    // On a thread of the runtime, where a gateway's calls are.
    run(async { tokio::spawn(measure(machine)).await.unwrap() });
}

async fn measure(machine: &'static Machine) {
    let podman = Podman::new(machine.runc.clone(), machine.container("bench-podman")).unwrap();
    podman.prepare().await.unwrap();
    let mut container = machine.container("bench-gvisor");
    container.options.runtime = Some("runsc".into());
    let gvisor = Podman::new(machine.runsc.clone(), container).unwrap();
    let (in_podman, in_gvisor) = (open(podman.clone()).await, open(gvisor.clone()).await);
    for name in ["bench-podman", "bench-gvisor"] {
        fs::write(machine.workspace(name).join("f"), vec![b'x'; 4_096]).unwrap();
    }
    let goals = Goals { read: 0.002, bash: 50.0 };
    compare(machine, ("podman", &podman), &in_podman, goals).await;
    let goals = Goals { read: 0.01, bash: 10.0 };
    compare(machine, ("gvisor", &gvisor), &in_gvisor, goals).await;
    outer(machine, &in_podman).await;
    starts(machine).await;
    boots(machine).await;
    podman.remove().await.unwrap();
    gvisor.remove().await.unwrap();
}

async fn open(connect: impl Connect) -> Remote {
    Remote::new(Link::open(connect, ProcessId(1), Patience::USUAL).await.unwrap())
}

/// What is wanted of a place.
struct Goals {
    /// The share of a process of the engine that a read may take.
    read: f64,
    /// How many times as fast as such a process a command must be.
    bash: f64,
}

/// Reads and commands through the guest, beside a process of the engine for each.
async fn compare(
    machine: &Machine,
    (place, podman): (&str, &Podman),
    remote: &Remote,
    goals: Goals,
) {
    let name = podman.name();
    let exec = |words: &[&str]| {
        let begun = Instant::now();
        let output = machine.podman(&[&["exec", &name], words].concat());
        assert!(output.status.success(), "{output:?}");
        begun.elapsed()
    };
    let [mut cats, mut trues, mut reads, mut commands] = [const { Vec::new() }; 4];
    for _ in 0..EXECS {
        cats.push(exec(&["cat", "/workspace/f"]));
        trues.push(exec(&["bash", "-c", "true"]));
        for _ in 0..READS {
            reads.push(read(remote).await);
        }
        for _ in 0..COMMANDS {
            commands.push(bash_true(remote).await);
        }
    }
    let [cat, exec_true, read, command] = [cats, trues, reads, commands].map(median);
    println!("{place}: read {read:?}, exec cat {cat:?}; bash {command:?}, exec bash {exec_true:?}");
    let Goals { read: most, bash: least } = goals;
    let share = read.as_secs_f64() / cat.as_secs_f64();
    let word = verdict(share <= most);
    println!("{word} {place}: a read is {share:.5}× of `podman exec cat` (goal ≤ {most})");
    let times = exec_true.as_secs_f64() / command.as_secs_f64();
    let word = verdict(times >= least);
    println!("{word} {place}: bash true is {times:.0}× as fast as `podman exec` (goal ≥ {least})");
}

/// The same tool on the directory itself and through the guest in podman.
async fn outer(machine: &Machine, remote: &Remote) {
    let directory = machine.workspace("bench-podman");
    let host = Host::open(&directory, Policy::open(), Aliases::none()).unwrap();
    let direct = session(Arc::new(host));
    let guest = session(Arc::new(remote.clone()));
    let (mut on_host, mut in_podman) = (Vec::new(), Vec::new());
    for _ in 0..CALLS {
        on_host.push(call(&direct).await);
        in_podman.push(call(&guest).await);
    }
    let (on_host, in_podman) = (median(on_host), median(in_podman));
    let times = in_podman.as_secs_f64() / on_host.as_secs_f64();
    let word = verdict(times <= 3.0);
    println!("tool read: on the host {on_host:?}, in podman {in_podman:?}");
    println!("{word} the tool `read` in podman: {times:.2}× of the host's (goal ≤ 3)");
}

fn session(files: Arc<dyn DynFilesystem>) -> Session {
    let mut registry = Registry::new(Bounds::standard());
    registry.register(dialect("workspace").unwrap()).unwrap();
    let backend = Backend::shared(files).described(Policy::open());
    Session::new(Arc::new(registry), Setup::standard(backend)).unwrap()
}

async fn call(session: &Session) -> Duration {
    let begun = Instant::now();
    let result = session.call("read", json!({ "path": "f" })).await;
    assert!(result.is_success(), "{:?}", result.message());
    begun.elapsed()
}

/// From nothing to the end of the first command.
async fn starts(machine: &Machine) {
    let [mut locals, mut podmans, mut alones, mut gvisors] = [const { Vec::new() }; 4];
    for round in 0..STARTS {
        let mut container = machine.container(&format!("bench-start-{round}"));
        let files = machine.workspace(&format!("bench-start-{round}"));
        let begun = Instant::now();
        bash_true(&open(machine.local(&files)).await).await;
        locals.push(begun.elapsed());
        let begun = Instant::now();
        let podman = Podman::new(machine.runc.clone(), container.clone()).unwrap();
        bash_true(&open(podman.clone()).await).await;
        podmans.push(begun.elapsed());
        podman.remove().await.unwrap();
        let begun = Instant::now();
        let alone = Gvisor::new(machine.gvisor(), container.clone()).unwrap();
        bash_true(&open(alone.clone()).await).await;
        alones.push(begun.elapsed());
        alone.remove().await.unwrap();
        container.options.runtime = Some("runsc".into());
        let begun = Instant::now();
        let podman = Podman::new(machine.runsc.clone(), container).unwrap();
        bash_true(&open(podman.clone()).await).await;
        gvisors.push(begun.elapsed());
        podman.remove().await.unwrap();
    }
    let [local, podman, alone, gvisor] = [locals, podmans, alones, gvisors].map(median);
    println!(
        "from nothing to the end of the first command: local {local:?}, podman {podman:?}, \
         runsc alone {alone:?}, podman with runsc {gvisor:?}"
    );
}

/// The same for a virtual machine: on a new disk, and on the one that is there.
async fn boots(machine: &Machine) {
    let Some(parts) = machine_parts() else { return };
    let (mut new, mut again) = (Vec::new(), Vec::new());
    for round in 0..BOOTS {
        let qemu = machine.qemu(&format!("bench-boot-{round}"), &parts);
        for times in [&mut new, &mut again] {
            let begun = Instant::now();
            let link = Link::open(qemu.clone(), ProcessId(1), Patience::MACHINE).await.unwrap();
            bash_true(&Remote::new(link)).await;
            times.push(begun.elapsed());
            qemu.stop().await.unwrap();
        }
        qemu.remove().await.unwrap();
    }
    let [new, again] = [new, again].map(median);
    println!(
        "from nothing to the end of the first command in qemu, its processor emulated: {new:?}, \
         on a disk that is there {again:?}"
    );
}

async fn read(remote: &Remote) -> Duration {
    let path = WsPath::from_bytes(b"f").unwrap();
    let begun = Instant::now();
    let whole = Span::Whole { at_most: 1 << 20 };
    let content = DynFilesystem::read(remote, &path, whole).await.unwrap();
    assert_eq!(content.bytes.len(), 4_096);
    begun.elapsed()
}

async fn bash_true(remote: &Remote) -> Duration {
    let begun = Instant::now();
    let command = Command::new(Program::script("true").unwrap());
    let report = Shell::run(remote, command, Announce::nobody()).await.unwrap();
    assert_eq!(report.ended.exit.code(), 0);
    begun.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn verdict(holds: bool) -> &'static str {
    if holds { "pass" } else { "short" }
}
