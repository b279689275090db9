//! Times the last 100 lines of files of 1, 50 and 500 MB: their size must not matter.

#![allow(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, and ends when something is wrong"
)]

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    time::{Duration, Instant},
};

use garth_contract::{Aliases, Filesystem, Policy, Span, WsPath};
use garth_host::Host;

const SIZES_MB: [usize; 3] = [1, 50, 500];
const ROUNDS: usize = 300;
/// The largest against the smallest; what is left is noise.
const GOAL: f64 = 1.5;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let host = Host::open(dir.path(), Policy::open(), Aliases::none()).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let paths = SIZES_MB.map(|size| {
        let name = format!("{size}MB");
        plant(&dir.path().join(&name), size << 20);
        WsPath::from_bytes(name.as_bytes()).unwrap()
    });
    let span = Span::LastLines { take: 100, at_most: 1 << 20 };
    let mut times = SIZES_MB.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        for (path, times) in paths.iter().zip(&mut times) {
            let start = Instant::now();
            let content = runtime.block_on(host.read(path, span)).unwrap();
            times.push(start.elapsed());
            assert_eq!(content.bytes.iter().filter(|byte| **byte == b'\n').count(), 100);
        }
    }
    let medians = times.map(|mut times| median(&mut times));
    for (size, median) in SIZES_MB.iter().zip(&medians) {
        println!("last 100 lines of {size} MB: {median:?}");
    }
    let ratio = medians[2].as_secs_f64() / medians[0].as_secs_f64();
    let verdict = if ratio <= GOAL { "pass" } else { "short" };
    println!("{verdict} tail: 500 MB takes {ratio:.2}× the time of 1 MB (goal ≤ {GOAL})");
}

fn plant(at: &Path, size: usize) {
    let mut file = BufWriter::new(File::create(at).unwrap());
    let line = format!("{}\n", "x".repeat(79));
    for _ in 0..size / line.len() {
        file.write_all(line.as_bytes()).unwrap();
    }
    file.flush().unwrap();
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
