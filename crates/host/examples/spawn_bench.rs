//! Times `bash -c true` through `run` against a bare spawn, and how fast output flows.
//!
//! The two take turns in one run; the figure is the ratio of the medians. It is
//! taken twice: in a small process, and in one that has 256 MB of memory, which
//! shall cost nothing. The bytes that flow are read from the spool as they come.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement prints, and ends when something is wrong"
)]

use std::{
    fs,
    hint::black_box,
    process,
    time::{Duration, Instant},
};

use garth_contract::{Announce, Ask, Command, Exit, Program, Shell};
use garth_host::{Bounds, Processes, Settings, Strays, Trees};

const ROUNDS: usize = 300;
const GOAL: f64 = 1.5;
/// Megabytes a second.
const FLOW_GOAL: f64 = 50.0;
const FLOW: usize = 1 << 30;
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

#[tokio::main]
async fn main() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings {
        environment: vec![("PATH".to_owned(), PATH.to_owned())],
        spool: dir.path().join("spool"),
        bounds: Bounds::usual(),
        trees: Trees::Detect,
        strays: Strays::Leave,
        first: 1,
    };
    let shell = Processes::open(dir.path(), settings).unwrap();
    spawns(&shell, "small").await;
    let memory = vec![1_u8; 256 << 20];
    spawns(&shell, "large").await;
    black_box(memory);
    flow(&shell).await;
    shell.stop().await;
}

async fn spawns(shell: &Processes, size: &str) {
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let command = Command::new(Program::script("true").unwrap());
        let report = shell.run(command, Announce::nobody()).await.unwrap();
        ours.push(begun.elapsed());
        assert_eq!(report.ended.exit, Exit::Code(0));
        let begun = Instant::now();
        assert!(spawn_bare());
        bare.push(begun.elapsed());
    }
    let (ours, bare) = (median(&mut ours), median(&mut bare));
    let ratio = ours.as_secs_f64() / bare.as_secs_f64();
    let verdict = if ratio <= GOAL { "pass" } else { "short" };
    println!(
        "{verdict} bash -c true, {size} process: run {ours:?}, bare spawn {bare:?}, \
         {ratio:.3}× (goal ≤ {GOAL})"
    );
}

fn spawn_bare() -> bool {
    // By its path: a name and a PATH of its own would make the library fork.
    let mut command = process::Command::new("/bin/bash");
    command.args(["-c", "true"]).env_clear().env("PATH", PATH);
    let null = process::Stdio::null;
    command.stdin(null()).stdout(null()).stderr(null()).status().unwrap().success()
}

/// Reads a gigabyte while it is printed.
async fn flow(shell: &Processes) {
    let script = format!("head -c {FLOW} /dev/zero");
    let before = resident();
    let begun = Instant::now();
    let id = shell.start(Command::new(Program::script(script).unwrap())).await.unwrap();
    let (mut from, mut read, mut missing, mut peak) = (0, 0, 0, before);
    loop {
        let ask = Ask { from, most: Ask::MOST, wait: Duration::from_secs(10) };
        let printed = shell.output(id, ask).await.unwrap();
        read += printed.pieces.iter().map(|piece| piece.bytes.len()).sum::<usize>();
        (from, missing) = (printed.next, missing + printed.missing);
        peak = peak.max(resident());
        if printed.ended.is_some() && from == printed.total {
            assert_eq!(from, FLOW as u64);
            break;
        }
    }
    let rate = FLOW as f64 / 1e6 / begun.elapsed().as_secs_f64();
    let verdict = if rate >= FLOW_GOAL { "pass" } else { "short" };
    println!(
        "{verdict} streamed output: {rate:.0} MB/s (goal ≥ {FLOW_GOAL}), {} MB read, {} MB \
         dropped unread, memory {before} → {peak} MB",
        read / 1_000_000,
        missing / 1_000_000,
    );
}

/// The memory that this process has, in megabytes.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes / 1_000
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
