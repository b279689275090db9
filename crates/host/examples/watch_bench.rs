//! Times a watch of a tree of 5,000 directories: its set-up, how soon it tells of
//! a change, and what it costs those who only read.
//!
//! Who reads is `rg`, on the generated tree and on `.cache/linux-source` if it is
//! there, and a loop that opens, reads and closes every file and does nothing else.
//! Each runs in turns with and without the watch, and what counts is the median of
//! what the turns say. The set-up is timed beside a walk by paths that sets the
//! same watches.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement prints, and ends when something is wrong"
)]

use std::{
    fmt, fs,
    future::poll_fn,
    hint::black_box,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use garth_contract::{
    Aliases, Event, Filesystem, Hidden, Ignored, Policy, Reach, Watch, WatchSpec, WsPath,
};
use garth_host::Host;
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use tokio::runtime::Runtime;

const DIRS: usize = 5_000;
const FILES_PER_DIR: usize = 10;
/// How many directories a directory holds, until there are enough.
const FAN_OUT: usize = 12;
const SETUPS: usize = 7;
const WRITES: usize = 2_000;
/// How often a reader runs with and without the watch: enough that the middle of
/// the ratios is surer than the part of a hundredth that they are judged by.
const TURNS: usize = 31;
/// The length of a tick of the clock that processor time is told in.
const TICK: Duration = Duration::from_millis(10);
/// Where `make bench` puts the `rg` that searches are compared with.
const OWN_RG: &str = ".cache/tools/bin/rg";
const REAL_TREE: &str = ".cache/linux-source";
const READER_GOAL: f64 = 1.05;
const LATENCY_GOAL: Duration = Duration::from_millis(5);

fn main() {
    let place = std::env::var_os("GARTH_BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let home = tempfile::tempdir_in(place).unwrap();
    let root = home.path().join("root");
    let dirs = make_tree(&root);
    println!("{} directories, {} files", dirs.len(), dirs.len() * FILES_PER_DIR);
    let bench = Bench::new(root);
    bench.time_setup();
    bench.time_events(&dirs);
    let bare = bench.compare(|| {
        black_box(dirs.iter().map(|dir| read_all(dir)).sum::<usize>());
    });
    println!("a bare open, read and close, with the watch: {bare}");
    bench.compare_rg("the generated tree");
    match Path::new(REAL_TREE) {
        tree if tree.is_dir() => Bench::new(tree.into()).compare_rg("the kernel's sources"),
        tree => println!("skipped: no {}", tree.display()),
    }
}

/// Makes the directories breadth first, so that most are a few levels down.
fn make_tree(root: &Path) -> Vec<PathBuf> {
    fs::create_dir(root).unwrap();
    let mut dirs = vec![root.to_path_buf()];
    let mut next = 0;
    while dirs.len() < DIRS {
        for number in 0..FAN_OUT.min(DIRS - dirs.len()) {
            let dir = dirs[next].join(format!("module_{number}"));
            fs::create_dir(&dir).unwrap();
            dirs.push(dir);
        }
        next += 1;
    }
    for dir in &dirs {
        for number in 0..FILES_PER_DIR {
            // From one to sixteen kilobytes, six on average.
            let lines = 25 + 35 * number;
            let text = "a line of text that a search has to look at\n".repeat(lines);
            fs::write(dir.join(format!("source_file_{number}.rs")), &text).unwrap();
        }
    }
    dirs
}

/// A tree, and a workspace on it.
struct Bench {
    runtime: Runtime,
    host: Host,
    root: PathBuf,
}

impl Bench {
    fn new(root: PathBuf) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let host = Host::open(&root, Policy::open(), Aliases::none()).unwrap();
        Self { runtime, host, root }
    }

    fn watch(&self) -> Watch {
        let spec = WatchSpec {
            path: WsPath::root(),
            reach: Reach::Tree,
            hidden: Hidden::Skip,
            ignored: Ignored::Skip,
        };
        self.runtime.block_on(self.host.watch(&spec)).unwrap()
    }

    /// Ends a watch and waits until the kernel has let go of it.
    fn end(&self, watch: Watch) {
        drop(watch);
        let inode = format!("ino:{:x} ", fs::metadata(&self.root).unwrap().ino());
        let watched = || {
            fs::read_dir("/proc/self/fdinfo")
                .unwrap()
                .flatten()
                .filter_map(|info| fs::read_to_string(info.path()).ok())
                .any(|text| text.contains(&inode))
        };
        while watched() {
            std::thread::yield_now();
        }
    }

    fn time_setup(&self) {
        let before = resident();
        let first = self.watch();
        println!("memory: {} KiB more resident with the watch", resident() - before);
        self.end(first);
        let (mut ours, mut by_path) = (Vec::new(), Vec::new());
        for _ in 0..SETUPS {
            let start = Instant::now();
            let watch = self.watch();
            ours.push(start.elapsed());
            self.end(watch);
            let start = Instant::now();
            let instance = inotify::init(CreateFlags::CLOEXEC).unwrap();
            watch_by_path(&instance, &self.root);
            by_path.push(start.elapsed());
        }
        let (ours, by_path) = (median(&mut ours), median(&mut by_path));
        let ratio = ours.as_secs_f64() / by_path.as_secs_f64();
        println!("set-up: {ours:?}, by paths {by_path:?}, ratio {ratio:.2}");
    }

    /// Times from just before a rename to the event of it.
    fn time_events(&self, dirs: &[PathBuf]) {
        let mut watch = self.watch();
        let mut times = Vec::new();
        for number in 0..WRITES {
            let dir = &dirs[number * 7919 % dirs.len()];
            let (temporary, target) = (dir.join(".new"), dir.join("source_file_3.rs"));
            let path = target.strip_prefix(&self.root).unwrap().as_os_str().as_encoded_bytes();
            fs::write(&temporary, "changed").unwrap();
            let start = Instant::now();
            fs::rename(&temporary, &target).unwrap();
            self.runtime.block_on(told(&mut watch, path));
            times.push(start.elapsed());
        }
        self.end(watch);
        times.sort();
        let (middle, late) = (times[WRITES / 2], times[WRITES * 99 / 100]);
        let verdict = if late <= LATENCY_GOAL { "pass" } else { "short" };
        println!(
            "{verdict} watch event: p50 {middle:?}, p99 {late:?} (goal p99 ≤ {LATENCY_GOAL:?})"
        );
    }

    fn compare_rg(&self, name: &str) {
        let program = if Path::new(OWN_RG).is_file() { OWN_RG } else { "rg" };
        if Command::new(program).arg("--version").stdout(Stdio::null()).status().is_err() {
            return println!("skipped: no rg");
        }
        let cost = self.compare(|| {
            let mut search = Command::new(program);
            search.args(["--no-config", "--count", "needle"]).arg(&self.root);
            search.stdout(Stdio::null()).status().unwrap();
        });
        let verdict = if cost.wall <= READER_GOAL { "pass" } else { "short" };
        println!("{verdict} watch and rg on {name}, with the watch: {cost} (goal ≤ {READER_GOAL})");
    }

    /// Runs a reader in turns with and without the watch.
    ///
    /// Whether the watch comes first or last in a turn changes from one to the next,
    /// so that a machine that gets slower or faster favours neither.
    fn compare(&self, mut read: impl FnMut()) -> Cost {
        let mut time = |watched: bool| {
            let watch = watched.then(|| self.watch());
            // The kernel clears or sets a flag on each name at the first look.
            read();
            let ticks = processor_ticks();
            // Of two runs the better one was disturbed less.
            let fastest = [(); 2].map(|()| {
                let start = Instant::now();
                read();
                start.elapsed()
            });
            let measured = (fastest.into_iter().min().unwrap(), processor_ticks() - ticks);
            watch.into_iter().for_each(|watch| self.end(watch));
            measured
        };
        let (mut ratios, mut with, mut without) = (Vec::new(), 0, 0);
        for turn in 0..TURNS {
            let watched_first = turn.is_multiple_of(2);
            let (first, second) = (time(watched_first), time(!watched_first));
            let (on, off) = if watched_first { (first, second) } else { (second, first) };
            ratios.push(on.0.as_secs_f64() / off.0.as_secs_f64());
            with += on.1;
            without += off.1;
        }
        ratios.sort_by(f64::total_cmp);
        let at = |part: usize| ratios[TURNS * part / 4];
        Cost { wall: at(2), low: at(1), high: at(3), processor: (with, without) }
    }
}

/// What reading costs with a watch, in parts of what it costs without.
struct Cost {
    /// The median over the turns, and between what half of them are.
    wall: f64,
    low: f64,
    high: f64,
    /// The ticks of all turns with and without the watch.
    processor: (u32, u32),
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wall, low, high, processor: (with, without) } = self;
        let processor = f64::from(*with) / f64::from(*without);
        write!(f, "{wall:.3}× (half of the turns {low:.3}-{high:.3}), cpu {processor:.3}×")?;
        write!(f, " of {:?}", TICK * *without)
    }
}

/// The processor time of this process and of those it has waited for.
fn processor_ticks() -> u32 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    // The name of the program stands in brackets and may hold anything.
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    fields.split(' ').skip(11).take(4).map(|field| field.parse::<u32>().unwrap()).sum()
}

/// Waits until a watch tells of a path.
async fn told(watch: &mut Watch, path: &[u8]) {
    loop {
        match poll_fn(|context| watch.as_mut().poll_next(context)).await.unwrap() {
            Event::Changed { path: changed, .. } if changed.as_bytes() == path => return,
            Event::Changed { .. } => {}
            Event::Overflow => println!("events were lost"),
        }
    }
}

/// What a watcher does that goes by paths: a walk, a look and a watch each.
fn watch_by_path(instance: &rustix::fd::OwnedFd, dir: &Path) {
    let flags = WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MODIFY | WatchFlags::MOVE;
    inotify::add_watch(instance, dir, flags).unwrap();
    for entry in fs::read_dir(dir).unwrap().flatten() {
        if entry.metadata().unwrap().is_dir() {
            watch_by_path(instance, &entry.path());
        }
    }
}

fn read_all(dir: &Path) -> usize {
    (0..FILES_PER_DIR)
        .map(|number| fs::read(dir.join(format!("source_file_{number}.rs"))).unwrap().len())
        .sum()
}

/// The memory of this process, in KiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
