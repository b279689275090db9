//! What a guest costs: reads of 4 KB through it beside direct ones, the output of a
//! process as a stream, and the memory of many that are idle.
//!
//! The same program is the guest when it is started with `guest`. Rounds of the
//! contenders take turns, so that a busy machine is busy for all of them.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a measurement sets its own scene and prints"
)]

use std::{
    ffi::OsString,
    fs,
    path::Path,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use garth_contract::{
    Aliases, Announce, Ask, Command, DynFilesystem, Policy, ProcessId, Program, Shell, Span, WsPath,
};
use garth_host::Host;
use garth_remote::{
    Connect, Link, Patience, Remote,
    providers::{Local, Process, Socket},
};
use garth_sandbox::{Access, Limits, Needs, Network, Root, Spec, base_environment};

const ROUNDS: usize = 20;
const READS: usize = 500;
/// What a read through a unix socket may cost more than a direct one, in microseconds.
const WANTED_MICROS: f64 = 40.0;
/// What a process prints, in MiB, and how much of it must come in a second.
const PRINTED: u64 = 200;
const WANTED_RATE: f64 = 50.0;
/// How many local workspaces are idle at once.
const IDLE: usize = 500;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == "guest") {
        return garth_guest::program::run(arguments);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    // On a thread of the runtime, where a gateway's calls are.
    runtime.block_on(async { tokio::spawn(measure()).await.unwrap() });
    ExitCode::SUCCESS
}

async fn measure() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("ws")).unwrap();
    let root = dir.path().join("ws");
    fs::write(root.join("f"), vec![b'x'; 4_096]).unwrap();
    let host = Host::open(&root, Policy::open(), Aliases::none()).unwrap();
    let socket = dir.path().join("socket");
    let mut listening = std::process::Command::new(std::env::current_exe().unwrap())
        .args(arguments(&root))
        .args(["--listen".into(), socket.clone().into_os_string()])
        .spawn()
        .unwrap();
    while !socket.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let pipe = open(Process::new(std::env::current_exe().unwrap().into(), arguments(&root))).await;
    let socket = open(Socket::new(socket)).await;
    let contenders: [(&str, Arc<dyn DynFilesystem>); 3] = [
        ("direct", Arc::new(host)),
        ("pipe", Arc::new(pipe)),
        ("socket", Arc::new(socket.clone())),
    ];
    reads(&contenders).await;
    together(&contenders).await;
    stream(&socket).await;
    listening.kill().unwrap();
    listening.wait().unwrap();
    drop(contenders);
    idle(dir.path()).await;
}

fn arguments(root: &Path) -> Vec<OsString> {
    let limits = ["--spool-each", "536870912", "--env", "PATH=/usr/bin:/bin"];
    let mut arguments: Vec<OsString> = vec!["guest".into(), "--root".into(), root.into()];
    arguments.extend(limits.map(OsString::from));
    arguments
}

async fn open(connect: impl Connect) -> Remote {
    Remote::new(Link::open(connect, ProcessId(1), Patience::USUAL).await.unwrap())
}

async fn read(files: &dyn DynFilesystem) {
    let path = WsPath::from_bytes(b"f").unwrap();
    let content = files.read(&path, Span::Whole { at_most: 1 << 20 }).await.unwrap();
    assert_eq!(content.bytes.len(), 4_096);
}

async fn reads(contenders: &[(&str, Arc<dyn DynFilesystem>); 3]) {
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        for ((_, files), times) in contenders.iter().zip(&mut times) {
            for _ in 0..READS {
                let started = Instant::now();
                read(&**files).await;
                times.push(started.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
    let mut medians = [0.0; 3];
    for (number, times) in times.iter_mut().enumerate() {
        times.sort_by(f64::total_cmp);
        medians[number] = times[times.len() / 2];
        let (name, least, most) = (contenders[number].0, times[0], times[times.len() * 99 / 100]);
        println!(
            "read 4 KB {name:8} min {least:6.1} p50 {:6.1} p99 {most:6.1} us",
            medians[number]
        );
    }
    let more = medians[2] - medians[0];
    let verdict = if more <= WANTED_MICROS { "pass" } else { "short" };
    println!(
        "a read through a socket costs {more:.1} us more than direct, wanted {WANTED_MICROS}: {verdict}"
    );
}

/// Many callers at once.
async fn together(contenders: &[(&str, Arc<dyn DynFilesystem>); 3]) {
    for (name, files) in contenders {
        let started = Instant::now();
        let callers: Vec<_> = (0..16)
            .map(|_| {
                let files = Arc::clone(files);
                tokio::spawn(async move {
                    for _ in 0..READS {
                        read(&*files).await;
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.await.unwrap();
        }
        let each = started.elapsed().as_secs_f64() * 1e6 / (16 * READS) as f64;
        println!("read 4 KB {name:8} by 16 callers at once: {each:.1} us each");
    }
}

async fn stream(shell: &Remote) {
    let script = format!("head -c {PRINTED}M /dev/zero");
    let started = Instant::now();
    let command = Command::new(Program::script(script).unwrap());
    let id = shell.start(command).await.unwrap();
    let (mut from, mut came) = (0, 0);
    loop {
        let ask = Ask { from, most: Ask::MOST, wait: Duration::from_secs(10) };
        let printed = shell.output(id, ask).await.unwrap();
        came += printed.pieces.iter().map(|piece| piece.bytes.len() as u64).sum::<u64>();
        from = printed.next;
        if printed.ended.is_some() && from == printed.total {
            break;
        }
    }
    let rate = came as f64 / f64::from(1 << 20) / started.elapsed().as_secs_f64();
    let verdict = if rate >= WANTED_RATE { "pass" } else { "short" };
    println!("output of a process: {rate:.0} MiB/s, wanted {WANTED_RATE}: {verdict}");
}

/// What a local workspace holds in memory that has run a command and waits for the next.
async fn idle(dir: &Path) {
    let (own, free) = (of_process("self", "Pss:"), of_machine());
    let mut workspaces = Vec::new();
    for number in 0..IDLE {
        let root = dir.join(format!("idle-{number}"));
        fs::create_dir(&root).unwrap();
        let spec = Spec {
            roots: vec![Root::whole(&root, Access::ReadWrite).unwrap()],
            seat: garth_sandbox::Seat::Workspace,
            system: "/".into(),
            tenure: garth_sandbox::Tenure::Shown,
            visible: Vec::new(),
            environment: base_environment(),
            limits: Limits::usual(),
            network: Network::None,
            needs: Needs::all(),
        };
        let program = fs::File::open("/proc/self/exe").unwrap();
        let arguments = vec!["guest_bench".into(), "guest".into()];
        let remote = open(Local::new(spec, program.into(), arguments)).await;
        let command = Command::new(Program::script("true").unwrap());
        let report = Shell::run(&remote, command, Announce::nobody()).await.unwrap();
        assert_eq!(report.ended.exit.code(), 0);
        workspaces.push(remote);
    }
    let guests: u64 = children().iter().map(|pid| of_process(pid, "Pss:")).sum();
    let own = of_process("self", "Pss:").saturating_sub(own);
    let free = free.saturating_sub(of_machine());
    let each = |kilobytes: u64| kilobytes / IDLE as u64;
    println!(
        "{IDLE} idle local workspaces: {} KB each, {} of it in the guest, {} here; \
         the machine has {} KB less for each",
        each(guests + own),
        each(guests),
        each(own),
        each(free)
    );
    drop(workspaces);
}

/// The processes that this one has started and that live.
fn children() -> Vec<String> {
    let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
    let of = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children")).unwrap();
    threads.map(of).flat_map(|text| words(&text)).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A figure of a process's memory, in kilobytes; what is shared counts in parts.
fn of_process(pid: &str, what: &str) -> u64 {
    figure(&format!("/proc/{pid}/smaps_rollup"), what)
}

/// The memory that this machine has to give, in kilobytes.
fn of_machine() -> u64 {
    figure("/proc/meminfo", "MemAvailable:")
}

fn figure(path: &str, what: &str) -> u64 {
    let text = fs::read_to_string(path).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(what)).unwrap();
    words(line)[0].parse().unwrap()
}
