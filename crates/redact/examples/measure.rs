//! Measures how fast text is redacted, and that hostile text costs in proportion to its length.
//!
//! `cargo run --release -p garth-redact --example measure < SOME_SOURCE_CODE`

#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use std::hint::black_box;
use std::io::{IsTerminal, Read, stdin};
use std::time::{Duration, Instant};

use garth_redact::{Config, Redactor};

const MEGABYTE: usize = 1 << 20;

/// What each rule's keywords look like when somebody repeats them.
const HOSTILE: &[&str] = &[
    "eyJ",
    "eyJaaaaaaaa.",
    "eyJaaaaaaaaaa ",
    "password=",
    "password=\"",
    "password1=",
    "api_key=",
    "secret_key_",
    "-----BEGIN ",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n",
    "mysql://a:",
    "https://a:bcd@",
    "a://",
    "bearer ",
    "basic QWxh ",
    "ghs_1_eyJaaaaa_",
    "sk-",
    "xoxb-",
    "glpat-",
    "AKIA",
    "[REDACTED: API_KEY]",
    "DB_PASSWORD=a1b2c3\n",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let begin = Instant::now();
    let redactor = Redactor::new(&Config::standard())?;
    println!("start: {:?}, no pattern compiled", begin.elapsed());

    let mut given = String::new();
    if !stdin().is_terminal() {
        stdin().read_to_string(&mut given)?;
    }
    for (name, text) in [
        ("prose, no keyword", "the quick brown fox jumps over the lazy dog. ".repeat(400_000)),
        ("standard input", given),
    ] {
        if !text.is_empty() {
            println!("{name}: {:.0} MB/s", megabytes_a_second(&redactor, &text));
        }
    }

    println!("hostile text: milliseconds for 1, 2 and 4 MB, and the growth from 1 to 4");
    for unit in HOSTILE {
        let times = [1, 2, 4].map(|size| {
            best(&redactor, &unit.repeat(size * MEGABYTE / unit.len())).as_secs_f64() * 1e3
        });
        let [one, two, four] = times;
        println!("{one:8.1} {two:8.1} {four:8.1}   x{:.1}   {unit:?}", four / one);
    }
    Ok(())
}

fn megabytes_a_second(redactor: &Redactor, text: &str) -> f64 {
    // Precise enough for a text that fits a u32, and for a rate anyway.
    let megabytes = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX)) / 1e6;
    megabytes / best(redactor, text).as_secs_f64()
}

/// The best of three, because the machine has other work too.
fn best(redactor: &Redactor, text: &str) -> Duration {
    let run = |_| {
        let begin = Instant::now();
        black_box(redactor.find(black_box(text)));
        begin.elapsed()
    };
    (0..3).map(run).min().unwrap_or_default()
}
