//! Measures how fast text is redacted, and that hostile text costs in proportion to its length.
//!
//! `scripts/bench redact_bench`; with a text as its argument, a megabyte of that text alone, and with
//! several, of those in no order. The text is source code: the kernel's where `.cache/linux-source`
//! is there, and this repository's own. Beside it, on the same files, runs another engine where
//! `GARTH_BENCH_DETECT_SECRETS` names it.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it reads, runs and prints")]

mod beside;
mod corpus;
mod hostile;
mod mixes;

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use garth_redact::{Config, Redactor};
use rustix::time::{ClockId, clock_gettime};

/// Megabytes a second that source code has to pass with, and text without any keyword.
const LEAST: [f64; 2] = [100.0, 300.0];

/// The best that anybody is known to have; what is aimed for.
const AIM: [f64; 2] = [200.0, 1000.0];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let redactor = Redactor::new(&Config::standard())?;
    let pieces: Vec<String> = std::env::args().skip(1).collect();
    match pieces.as_slice() {
        [] => {}
        [unit] => {
            hostile::measure_one(&redactor, &unit.repeat(hostile::SIZE / unit.len().max(1)));
            return Ok(());
        }
        pieces => {
            hostile::measure_one(&redactor, &mixes::in_no_order(pieces, hostile::SIZE));
            return Ok(());
        }
    }
    let code = corpus::source_code();
    let clean = corpus::without_candidates();
    let begin = Instant::now();
    black_box(redactor.find("nothing"));
    println!("rules ready after {:?}", begin.elapsed());

    let rates = [("source code, all rules", &code), ("text without a keyword", &clean)];
    for ((name, texts), (least, aim)) in rates.into_iter().zip(LEAST.into_iter().zip(AIM)) {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let rate = megabytes(bytes) / best(|| find_all(&redactor, texts)).on_cores.as_secs_f64();
        println!(
            "{name}: {rate:.0} MB/s a core on {:.0} MB, at least {least:.0} (aim {aim:.0}): {}",
            megabytes(bytes),
            verdict(rate >= least)
        );
    }
    let found: usize = code.iter().map(|text| redactor.find(text).len()).sum();
    println!("source code: {found} finds");
    hostile::measure(&redactor);
    mixes::measure(&redactor);
    beside::measure(&redactor);
    Ok(())
}

fn find_all(redactor: &Redactor, texts: &[String]) {
    for text in texts {
        black_box(redactor.find(black_box(text)));
    }
}

pub(crate) fn verdict(good: bool) -> &'static str {
    if good { "pass" } else { "short" }
}

pub(crate) fn megabytes(bytes: usize) -> f64 {
    // Precise enough for a text that fits a u32, and for a rate anyway.
    f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)) / 1e6
}

/// How long something took, and how long processors were at it: a long text has several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Took {
    pub(crate) elapsed: Duration,
    pub(crate) on_cores: Duration,
}

impl Took {
    pub(crate) fn milliseconds(self) -> f64 {
        self.elapsed.as_secs_f64() * 1e3
    }

    pub(crate) fn min(self, other: Self) -> Self {
        let elapsed = self.elapsed.min(other.elapsed);
        Self { elapsed, on_cores: self.on_cores.min(other.on_cores) }
    }
}

impl fmt::Display for Took {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on_cores = self.on_cores.as_secs_f64() * 1e3;
        write!(out, "{:.1} ms a megabyte ({on_cores:.1} of a core)", self.milliseconds())
    }
}

/// The best of several, because the machine has other work too.
pub(crate) fn best(mut run: impl FnMut()) -> Took {
    (1..9).fold(once(&mut run), |best, _| best.min(once(&mut run)))
}

pub(crate) fn once(run: impl FnOnce()) -> Took {
    let (begin, before) = (Instant::now(), on_cores());
    run();
    Took { elapsed: begin.elapsed(), on_cores: on_cores().saturating_sub(before) }
}

fn on_cores() -> Duration {
    let told = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(told.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(told.tv_nsec).unwrap_or_default())
}
