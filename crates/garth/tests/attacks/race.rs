//! Threads swap directories, files, links and pipes while clients call tools.
//!
//! `GARTH_RACE_SECONDS` says for how long (a moment by default; `make soak` runs it
//! for a minute). Nothing outside may be read, changed or revealed, and no call may
//! hang. The number of attempts, and of those that met a swapped-in link, is
//! printed: a run in which no call ever met one would prove nothing, and fails.
//! `GARTH_BENCH_REFERENCE` names the program of the reference server, which then runs
//! the same race, for comparison.

mod stage;

use std::{
    collections::BTreeMap,
    path::Path,
    process::{Command, Stdio},
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    client::Client,
    outside::{ONLY_OUTSIDE, SECRET},
};
use stage::{Pipes, Stage};

/// How many clients call at once, each with a server of its own.
const CLIENTS: u64 = 2;
/// How many calls a client has under way at once.
const AT_ONCE: usize = 4;

/// What came of a race.
#[derive(Default)]
struct Tally {
    attempts: BTreeMap<&'static str, u64>,
    succeeded: u64,
    /// Refused because a link led out.
    refused: u64,
    /// Answers that showed what is outside.
    reads: u64,
    /// Times when something outside was found changed.
    writes: u64,
}

#[test]
fn nothing_outside_is_reached_while_paths_are_swapped() {
    let start = |root: &Path| Client::start(root, &["--dialect", "reference", "--fast"]);
    let tally = race("garth mcp", Pipes::Swapped, start);
    assert_eq!((tally.reads, tally.writes), (0, 0), "escapes");
    assert!(tally.attempts.len() == 10, "{:?}", tally.attempts);
    assert!(tally.refused > 0, "no call ever met a link that leaves");
    assert!(tally.succeeded > 0, "no call ever succeeded");
    compare();
}

/// Prints what another server loses in the same time, where one is named.
fn compare() {
    let Some(program) = std::env::var_os("GARTH_BENCH_REFERENCE") else { return };
    // It would wait at the first pipe for ever.
    race("the reference server", Pipes::None, |root| {
        let mut client = Client::of(Command::new(&program).arg(root).stderr(Stdio::null()));
        client.greet();
        client
    });
}

fn race(name: &str, pipes: Pipes, start: impl Fn(&Path) -> Client + Sync) -> Tally {
    let seconds = std::env::var("GARTH_RACE_SECONDS").ok().and_then(|text| text.parse().ok());
    let length = Duration::from_secs_f64(seconds.unwrap_or(3.0));
    let stage = Stage::new(pipes);
    let (tallies, swaps) = thread::scope(|scope| {
        let swappers: Vec<_> = (0..2).map(|_| scope.spawn(|| stage.swap_until_the_end())).collect();
        let clients: Vec<_> = (0..CLIENTS)
            .map(|seed| {
                let (stage, start) = (&stage, &start);
                scope.spawn(move || {
                    let _end = stage.ends_when_dropped();
                    play(start(stage.root()), stage, seed, Instant::now() + length)
                })
            })
            .collect();
        let tallies: Vec<_> = clients.into_iter().map(thread::ScopedJoinHandle::join).collect();
        stage.over.store(true, Ordering::Relaxed);
        let swaps: u64 = swappers.into_iter().map(|swapper| swapper.join().unwrap()).sum();
        (tallies, swaps)
    });
    let mut sum = Tally::default();
    for tally in tallies {
        sum.add(tally.unwrap());
    }
    sum.writes += u64::from(stage.was_harmed());
    sum.print(name, swaps, length);
    sum
}

/// Calls tools at random until the end, and looks at every answer.
fn play(mut client: Client, stage: &Stage, seed: u64, until: Instant) -> Tally {
    let mut tally = Tally::default();
    let mut random = Random((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    while Instant::now() < until && !stage.over.load(Ordering::Relaxed) {
        let calls: Vec<_> = (0..AT_ONCE).map(|_| call(stage.root(), &mut random)).collect();
        let ids: Vec<_> = calls.iter().map(|(tool, sent)| client.begin(tool, sent)).collect();
        // Answers come in any order.
        let mut answers: Vec<Value> = ids.iter().map(|_| client.next()).collect();
        for (id, (tool, sent)) in ids.iter().zip(&calls) {
            let index = answers.iter().position(|answer| answer["id"] == *id);
            let answer = answers.swap_remove(index.unwrap());
            tally.note(tool, sent, &answer);
        }
        if stage.was_harmed() {
            tally.writes += 1;
        }
    }
    tally
}

impl Tally {
    fn note(&mut self, tool: &'static str, sent: &Value, answer: &Value) {
        *self.attempts.entry(tool).or_default() += 1;
        let said = answer.to_string();
        if said.contains(SECRET) || said.contains(ONLY_OUTSIDE) {
            if self.reads == 0 {
                let said: String = said.chars().take(300).collect();
                println!("  shown by {tool} {sent}: {said}");
            }
            self.reads += 1;
        }
        let result = &answer["result"];
        let outside = result["structuredContent"]["code"] == "PATH_OUTSIDE_WORKSPACE"
            || said.contains("Access denied");
        self.refused += u64::from(outside);
        self.succeeded += u64::from(result["isError"] != true && result["content"].is_array());
    }

    fn add(&mut self, other: Self) {
        for (tool, count) in other.attempts {
            *self.attempts.entry(tool).or_default() += count;
        }
        self.succeeded += other.succeeded;
        self.refused += other.refused;
        self.reads += other.reads;
        self.writes += other.writes;
    }

    fn print(&self, name: &str, swaps: u64, length: Duration) {
        let Self { attempts, succeeded, refused, reads, writes } = self;
        let all: u64 = attempts.values().sum();
        let seconds = length.as_secs_f64();
        println!(
            "race of {name} for {seconds} s: {all} attempts, {swaps} swaps, {refused} met a link out, {succeeded} succeeded, {reads} reads and {writes} writes outside"
        );
        for (tool, count) in attempts {
            println!("  {tool}: {count}");
        }
    }
}

/// A call on one of the places that are swapped.
fn call(root: &Path, random: &mut Random) -> (&'static str, Value) {
    let anything = ["d/secret", "d/sub/secret", "d", "d/sub", "f", "p", "e/d/secret", "e/d"];
    // What is moved is put back by the swappers, so that the stage stays.
    let expendable = ["d/new", "e/d/new", "d/secret", "e/d/secret", "aside"];
    let mut at = |names: &[&str]| {
        let name = names[random.below(names.len())];
        format!("{}/{name}", root.display())
    };
    let (path, other) = (at(&anything), at(&anything));
    let (source, destination) = (at(&expendable), at(&expendable));
    match random.below(10) {
        0 => ("read_text_file", json!({"path": path})),
        1 => ("read_multiple_files", json!({"paths": [path, other]})),
        2 => ("write_file", json!({"path": path, "content": "inside, written"})),
        3 => {
            // Every file has it once, inside and outside.
            let edits = json!([{"oldText": "side", "newText": "side+"}]);
            ("edit_file", json!({"path": path, "edits": edits}))
        }
        4 => ("list_directory", json!({"path": path})),
        5 => ("move_file", json!({"source": source, "destination": destination})),
        6 => ("search_files", json!({"path": path, "pattern": "**/*"})),
        7 => ("get_file_info", json!({"path": path})),
        8 => ("directory_tree", json!({"path": path})),
        _ => ("create_directory", json!({"path": format!("{path}/made")})),
    }
}

/// Numbers that only look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}
