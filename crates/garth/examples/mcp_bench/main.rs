//! Times `garth mcp` beside two other file servers of MCP, and beside a floor.
//!
//! One client calls all of them in turn, on the same files, over pipes, in another order
//! each round: a server that still tidies up behind its answer slows whoever comes next,
//! and that must not be the same one always. The floor is this program itself, started
//! as `mcp_bench floor`: what a server cannot do without, and no check of any kind.
//! Times are from the first byte of a request to the last of its answer; what an answer
//! holds is looked at when the clock stands still.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, starts its peers, and ends when something is wrong"
)]

mod client;
mod contender;
mod floor;
mod plant;
mod rows;
mod turns;
mod verdict;

use std::{
    env,
    time::{Duration, Instant},
};

use client::Client;
use contender::{Contender, Who};
use plant::Planted;
use rows::{ROWS, Row};
use turns::Turns;
use verdict::{Figures, Measured};

/// The most time that one contender gets for one row, so that a slow one ends too.
const PATIENCE: Duration = Duration::from_secs(6);
const STARTS: usize = 31;
/// How often all are started anew. On which processor a server sits, that of its client or
/// another, is settled soon after its start and stays, and is half of a small call's time.
const SITTINGS: usize = 5;

fn main() {
    if env::args().nth(1).is_some_and(|argument| argument == "floor") {
        return floor::serve();
    }
    let planted = Planted::new();
    let contenders = contender::all(&planted.root);
    let mut figures = Figures::default();
    start(&contenders, &mut figures);

    // Rows that are named are the only ones.
    let named: Vec<String> = env::args().skip(1).collect();
    let wanted = |row: &&Row| named.is_empty() || named.iter().any(|name| name == row.name);
    let mut rows: Vec<Course> =
        ROWS.iter().filter(wanted).map(|row| Course::of(row, contenders.len())).collect();
    let mut running = Vec::new();
    for _ in 0..SITTINGS {
        // Those of the last sitting end first.
        running.clear();
        running.extend(contenders.iter().map(|one| (one, Client::start(&one.command))));
        if figures.have_none_of("RSS after start") {
            for (one, client) in &running {
                figures.memory("RSS after start", one.who, client.memory());
            }
        }
        for course in &mut rows {
            course.go_on(&mut running, &planted);
        }
    }
    for course in rows {
        for (one, measured) in contenders.iter().zip(course.measured) {
            figures.times(course.row.name, one.who, measured);
        }
    }
    for (one, client) in &mut running {
        figures.memory("RSS after all", one.who, client.memory());
        if one.who == Who::Workspace {
            let read = client.call("read", &serde_json::json!({"path": "secrets.txt"}));
            assert!(read.text().contains("[REDACTED"), "nothing was redacted: {}", read.text());
            figures.memory("RSS, all rules used", one.who, client.memory());
        }
    }
    figures.print();
    verdict::print(&figures);
}

/// Times spawning a server until it has answered `initialize`.
fn start(contenders: &[Contender], figures: &mut Figures) {
    let mut times: Vec<Measured> = contenders.iter().map(|_| Measured::default()).collect();
    let mut turns = Turns::of(contenders.len());
    for _ in 0..STARTS {
        for &turn in turns.next() {
            let measured = &mut times[turn];
            if measured.total() < PATIENCE {
                let begin = Instant::now();
                let client = Client::start(&contenders[turn].command);
                measured.times.push(begin.elapsed());
                drop(client);
            }
        }
    }
    for (one, measured) in contenders.iter().zip(times) {
        figures.times("start-up", one.who, measured);
    }
}

/// A row as far as it is measured.
struct Course {
    row: &'static Row,
    measured: Vec<Measured>,
    turns: Turns,
    /// The number of the next round, which goes on from sitting to sitting.
    round: usize,
}

impl Course {
    fn of(row: &'static Row, contenders: usize) -> Self {
        let measured = (0..contenders).map(|_| Measured::default()).collect();
        Self { row, measured, turns: Turns::of(contenders), round: 0 }
    }

    /// Lets all contenders that know the row's tool call it in turn, a sitting's share.
    fn go_on(&mut self, running: &mut [(&Contender, Client)], planted: &Planted) {
        let Self { row, measured, turns, round } = self;
        for of_sitting in 0..=row.rounds.div_ceil(SITTINGS) {
            for &turn in turns.next() {
                let ((one, client), measured) = (&mut running[turn], &mut measured[turn]);
                if measured.failure.is_some() || measured.total() > PATIENCE {
                    continue;
                }
                let Some((tool, arguments)) = (row.call)(one.who, planted, *round) else {
                    continue;
                };
                let answer = client.call(tool, &arguments);
                if let Some(failure) = answer.failure() {
                    measured.failure = Some(failure);
                } else if !(row.holds)(&answer.text()) {
                    measured.failure = Some("an answer without what was asked for".to_owned());
                } else if of_sitting > 0 {
                    // The first round finds everything cold and does not count.
                    measured.times.push(answer.took);
                }
            }
            *round += 1;
        }
    }
}
