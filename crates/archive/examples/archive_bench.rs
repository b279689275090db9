//! Packing beside `tar` and `tar | zstd`: time to a pipe, and memory.
//!
//! `cargo run --release -p garth-archive --example archive_bench [DIR [FORMAT]]`. The
//! tree has 20,000 files of some 400 MB, is made in the directory, and is warm. All write
//! into a pipe that is read and thrown away, and that holds a megabyte: with the 64 KB that
//! a pipe has by itself, a machine whose processors are slow to wake measures how often
//! they are woken. Rounds of the contenders take turns, so that
//! a busy machine is busy for all of them. The verdict is about time; the work of
//! processors, the reader's included, is told beside it, since other programs do not
//! change that much.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a measurement sets its own scene and prints"
)]

use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::Instant,
};

use garth_archive::{Format, Pack, pack};
use garth_contract::{Aliases, DynFilesystem, Policy, WsPath};
use garth_host::Host;
use rustix::pipe::fcntl_setpipe_size;

const ROUNDS: usize = 9;
const PIPE: usize = 1 << 20;
const QUARTERS: usize = 4;
/// In a quarter: so many directories, and files in each.
const DIRS: usize = 100;
const FILES: usize = 50;
/// In a quarter: so many files of 4 MB.
const LARGE: usize = 5;
const WANTED_TAR: f64 = 0.5;
const WANTED_ZST: f64 = 0.8;
/// How much more memory four times the tree may take, in MiB: noise of the allocator.
const WANTED_MORE: u64 = 32;

#[tokio::main]
async fn main() {
    let parent = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let dir = tempfile::tempdir_in(parent).unwrap();
    let (files, bytes) = grow(dir.path());
    println!("a tree of {files} files and {} MB", bytes / 1_000_000);
    let host: Arc<dyn DynFilesystem> =
        Arc::new(Host::open(dir.path(), Policy::open(), Aliases::none()).unwrap());
    memory(&host).await;
    let root = WsPath::root();
    let only = std::env::args().nth(2);
    for (format, script, wanted) in [
        (Format::Tar, "exec tar -cf - .", WANTED_TAR),
        (Format::TarZst, "tar -cf - . | zstd -q -T2 -c", WANTED_ZST),
    ] {
        if only.as_ref().is_some_and(|only| only != format.extension()) {
            continue;
        }
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let (mut our_work, mut their_work) = (0.0, 0.0);
        let (mut our_size, mut their_size) = (0, 0);
        for _ in 0..=ROUNDS {
            let (begun, before) = (Instant::now(), work());
            our_size = packed(&host, &root, format).await;
            ours.push(begun.elapsed().as_secs_f64());
            our_work += work() - before;
            let (begun, before) = (Instant::now(), work());
            their_size = other(dir.path(), script);
            theirs.push(begun.elapsed().as_secs_f64());
            their_work += work() - before;
        }
        if their_size == 0 {
            println!("{}: the other program is missing", format.extension());
            continue;
        }
        // The first round warms both up.
        let (ours, theirs) = (middle(&mut ours[1..]), middle(&mut theirs[1..]));
        let ratio = ours / theirs;
        let name = format.extension();
        println!(
            "{name}: {ours:.3} s for {} MB, beside {theirs:.3} s for {} MB",
            our_size / 1_000_000,
            their_size / 1_000_000
        );
        println!("{name}: {:.2} of the other's work of processors", our_work / their_work);
        let verdict = if ratio <= wanted { "pass" } else { "short" };
        println!("{name} takes {ratio:.2} of the other's time, wanted {wanted}: {verdict}");
    }
}

/// What a quarter of the tree takes of memory, and what all of it does.
async fn memory(host: &Arc<dyn DynFilesystem>) {
    let quarter = WsPath::from_bytes(b"0").unwrap();
    for format in [Format::Tar, Format::TarZst] {
        let mut peaks = [0; 2];
        for (peak, from) in peaks.iter_mut().zip([&quarter, &WsPath::root()]) {
            // From here on the most is counted anew.
            fs::write("/proc/self/clear_refs", "5").unwrap();
            packed(host, from, format).await;
            *peak = most_memory();
        }
        let [part, whole] = peaks;
        let verdict = if whole <= part + WANTED_MORE { "pass" } else { "short" };
        println!(
            "{}: peak memory {whole} MiB, for a quarter of the tree {part} MiB, \
             wanted {WANTED_MORE} more at the most: {verdict}",
            format.extension()
        );
    }
}

/// The most memory that this process had, in MiB.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
}

/// How long processors worked for this process and for those it waited for, in ticks.
fn work() -> f64 {
    let told = fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = &told[told.rfind(')').unwrap()..];
    // Fields 14 to 17 of all; the third one is the first here.
    let times = after_name.split_whitespace().skip(12).take(4);
    times.map(|ticks| ticks.parse::<f64>().unwrap()).sum()
}

/// Packs into a pipe; how many bytes came out of it.
async fn packed(host: &Arc<dyn DynFilesystem>, from: &WsPath, format: Format) -> usize {
    let (reader, mut writer) = std::io::pipe().unwrap();
    fcntl_setpipe_size(&writer, PIPE).unwrap();
    let read = thread::spawn(move || drain(reader));
    let how = Pack { format, exclude: Vec::new(), sieve: None };
    let mut packing = pack(Arc::clone(host), from, &how).await.unwrap();
    while let Some(bytes) = packing.next().await {
        writer.write_all(&bytes.unwrap()).unwrap();
    }
    drop(writer);
    read.join().unwrap()
}

/// Has another program pack into a pipe; how many bytes came out of it.
fn other(dir: &Path, script: &str) -> usize {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(dir).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let output = child.stdout.take().unwrap();
    fcntl_setpipe_size(&output, PIPE).unwrap();
    let size = drain(output);
    if child.wait().unwrap().success() { size } else { 0 }
}

fn drain(mut from: impl Read) -> usize {
    let mut buffer = vec![0; 1 << 20];
    let mut size = 0;
    loop {
        match from.read(&mut buffer).unwrap() {
            0 => return size,
            count => size += count,
        }
    }
}

/// Makes the tree: how many files, and how many bytes.
fn grow(top: &Path) -> (usize, usize) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut files, mut bytes) = (0, 0);
    let mut put = |path: PathBuf, size: usize, random: &mut Random| {
        let content = random.text(size);
        fs::write(path, &content).unwrap();
        files += 1;
        bytes += content.len();
    };
    for quarter in 0..QUARTERS {
        for number in 0..DIRS {
            let dir = top.join(format!("{quarter}/part{}/module{number}", number % 10));
            fs::create_dir_all(&dir).unwrap();
            for file in 0..FILES {
                let size = 500 + random.below(31_000);
                put(dir.join(format!("source{file}.rs")), size, &mut random);
            }
        }
        for number in 0..LARGE {
            put(top.join(format!("{quarter}/large{number}")), 4_000_000, &mut random);
        }
    }
    (files, bytes)
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    /// A text that is packed about as well as source code.
    fn text(&mut self, size: usize) -> Vec<u8> {
        const WORDS: [&str; 16] = [
            "let", "fn", "self", "result", "path", "match", "entry", "return", "bytes", "= ", "(",
            ") {\n", "    ", ";\n", "::", "// the ",
        ];
        let mut text = Vec::with_capacity(size + 16);
        while text.len() < size {
            if self.below(4) == 0 {
                let number = self.below(100_000);
                text.extend_from_slice(format!(" v{number} ").as_bytes());
            } else {
                let word = WORDS[self.below(WORDS.len())];
                text.extend_from_slice(word.as_bytes());
                text.push(b' ');
            }
        }
        text
    }
}

fn middle(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
