//! Times a confined open, fstat, read and close against the same calls unconfined.
//!
//! Both read the same files at depths 1 to 16, in turns, from a warm cache; the
//! figure is the median over depths of the ratio of the medians.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement prints, and ends when something is wrong"
)]

use std::{
    fs,
    hint::black_box,
    path::Path,
    time::{Duration, Instant},
};

use garth_contract::{Aliases, Policy, WsPath};
use garth_host::{Host, measure::open_and_read};
use rustix::fs::{CWD, Mode, OFlags, fstat, openat};

const ROUNDS: usize = 400;
const CALLS: u32 = 50;
const GOAL: f64 = 1.15;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let host = Host::open(dir.path(), Policy::open(), Aliases::none()).unwrap();
    let root = openat(CWD, dir.path(), OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
    let mut ratios = Vec::new();
    for depth in 1..=16 {
        let text = format!("{}file.txt", "directory/".repeat(depth - 1));
        let full = dir.path().join(&text);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(&full, vec![b'x'; 4096]).unwrap();
        let path = WsPath::from_bytes(text.as_bytes()).unwrap();
        let (mut confined, mut plain) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            confined.push(time(|| open_and_read(&host, &path).unwrap().len()));
            plain.push(time(|| unconfined(&root, Path::new(&text))));
        }
        let (confined, plain) = (median(&mut confined), median(&mut plain));
        let ratio = confined.as_secs_f64() / plain.as_secs_f64();
        println!("depth {depth:2}: confined {confined:?}, unconfined {plain:?}, ratio {ratio:.3}");
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    let middle = f64::midpoint(ratios[7], ratios[8]);
    let verdict = if middle <= GOAL { "pass" } else { "short" };
    println!(
        "{verdict} confined open: {middle:.3}× unconfined, median over depths (goal ≤ {GOAL})"
    );
}

/// The same calls and the same buffer, from the root's handle, without confinement.
fn unconfined(root: impl std::os::fd::AsFd, path: &Path) -> usize {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(root, path, flags, Mode::empty()).unwrap();
    let size = fstat(&file).unwrap().st_size;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap() + 1);
    loop {
        let at = bytes.len() as u64;
        let spare = rustix::buffer::spare_capacity(&mut bytes);
        if rustix::io::pread(&file, spare, at).unwrap() == 0 {
            break;
        }
    }
    bytes.len()
}

fn time(mut call: impl FnMut() -> usize) -> Duration {
    let start = Instant::now();
    for _ in 0..CALLS {
        black_box(call());
    }
    start.elapsed() / CALLS
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
