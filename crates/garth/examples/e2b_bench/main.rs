//! Times the E2B interface through its published SDKs, and over bare HTTP.
//!
//! `garth serve --e2b` runs as it is, with tokens, limits and the audit; only the numbers
//! of its limits are raised. A new sandbox is one of this machine's own system, and the
//! first command in it is `true`. Beside that stand the medians that others report of
//! their own sandboxes, which are reached over a network and were not measured here.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, starts its peers, and ends when something is wrong"
)]

mod bare;
mod server;

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use server::Server;

/// Sandboxes, small calls and large ones.
const COUNTS: [usize; 3] = [20, 100, 40];

/// What is timed, as the drivers name it, and as it is printed.
const ROWS: [(&str, &str); 6] = [
    ("start", "create to first command"),
    ("run", "commands.run(\"true\")"),
    ("write 1 KB", "files.write, 1 KB"),
    ("read 1 KB", "files.read, 1 KB"),
    ("write 1 MB", "files.write, 1 MB"),
    ("read 1 MB", "files.read, 1 MB"),
];

/// Who reports what of a create and a first command: the median, the 95th percentile, and
/// where it was read.
const REPORTED: [(&str, &str, &str, &str); 7] = [
    ("Daytona", "110 ms", "280 ms", COMPUTESDK),
    ("E2B", "440 ms", "850 ms", COMPUTESDK),
    ("Blaxel", "1050 ms", "1120 ms", COMPUTESDK),
    ("Vercel", "1750 ms", "1930 ms", COMPUTESDK),
    ("Modal", "2660 ms", "11780 ms", COMPUTESDK),
    ("E2B", "442 ms", "811 ms", "Podflare's own comparison, undated, 30 in sequence"),
    ("E2B", "~150 ms", "-", "QPro's comparison, April 2026: the start alone"),
];
const COMPUTESDK: &str = "ComputeSDK's benchmark, 2026-04-01, 100 in sequence";

/// How long each call took, by its name.
pub(crate) type Times = BTreeMap<String, Vec<Duration>>;

fn main() {
    let Some(server) = Server::garth() else {
        println!("skipped: the program garth is not beside this one");
        return;
    };
    let python = found("GARTH_BENCH_E2B_PYTHON").map(|python| {
        let mut command = Command::new(python);
        command.arg("-B").arg(driver("sdk.py"));
        driven(&server, command)
    });
    let node = found("GARTH_BENCH_E2B_NODE").zip(found("GARTH_BENCH_E2B_PACKAGES"));
    let node = node.map(|(node, packages)| {
        let mut command = Command::new(node);
        command.arg(driver("sdk.mjs")).arg(packages);
        driven(&server, command)
    });
    let bare = bare::measure(&server, COUNTS);
    println!("{:26} {:>20} {:>20} {:>20}", "p50, p95", "Python SDK", "JavaScript SDK", "bare HTTP");
    for (name, shown) in ROWS {
        let cell = |times: Option<&Times>| {
            let times = times.and_then(|times| times.get(name));
            times.map_or("-".to_owned(), |times| format!("{}, {}", at(times, 50), at(times, 95)))
        };
        let (python, node) = (cell(python.as_ref()), cell(node.as_ref()));
        println!("{shown:26} {python:>20} {node:>20} {:>20}", cell(Some(&bare)));
    }
    println!(
        "reported of create to first command, by others and of themselves; not measured here:"
    );
    for (who, median, tail, where_from) in REPORTED {
        println!("{who:26} {median:>8}, {tail:>8}   {where_from}");
    }
}

/// A program or directory that a variable names.
fn found(variable: &str) -> Option<PathBuf> {
    let path = env::var_os(variable).map(PathBuf::from).filter(|path| path.exists());
    if path.is_none() {
        println!("left out: {variable} names nothing; scripts/bench installs the SDKs");
    }
    path
}

fn driver(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/e2b_bench").join(name)
}

/// Lets a driver measure, and reads what it tells.
fn driven(server: &Server, mut command: Command) -> Times {
    let url = format!("http://{}", server.address);
    command.args(COUNTS.map(|count| count.to_string()));
    command.env("E2B_API_URL", &url).env("E2B_SANDBOX_URL", &url);
    command.env("E2B_API_KEY", &server.token).env_remove("E2B_DOMAIN");
    let told = command.stdout(Stdio::piped()).output().unwrap();
    assert!(told.status.success(), "the driver failed: {}", String::from_utf8_lossy(&told.stderr));
    let mut times = Times::new();
    for line in String::from_utf8(told.stdout).unwrap().lines() {
        let (name, micros) = line.split_once('\t').unwrap();
        let took = Duration::from_micros(micros.parse().unwrap());
        times.entry(name.to_owned()).or_default().push(took);
    }
    times
}

/// So many of a hundred took no longer.
fn at(times: &[Duration], percent: usize) -> String {
    let mut times = times.to_vec();
    times.sort();
    let took = times[(times.len() * percent / 100).min(times.len() - 1)];
    format!("{:.1} ms", took.as_secs_f64() * 1_000.0)
}
