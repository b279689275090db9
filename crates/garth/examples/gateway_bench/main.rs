//! Requests a second over the WebSocket, beside a minimal echo of the same replies; then
//! files, lists, watches and the audit.
//!
//! `garth serve` runs as it is, with who asks, limits, redaction and the audit; only the
//! numbers of its limits are raised. The echo is axum's WebSocket with everything that
//! makes it fast, and does nothing but send a text of the same length. Both are processes
//! of their own and take turns, under the same client on the same cores.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, starts its peers, and ends when something is wrong"
)]

mod echo;
mod files;
mod load;
mod raw;
mod recording;
mod server;
mod tree;
mod watching;

use std::time::Duration;

use load::{Load, Measured};
use serde_json::json;
use server::Server;

/// How long each side works at a time, and how often they take turns.
const TURN: Duration = Duration::from_millis(1_500);
const TURNS: usize = 3;

/// Connections, requests of each that are under way, and the goals for a look and a read.
const SHAPES: [(usize, usize, f64, f64); 4] =
    [(1, 1, 0.5, 0.5), (8, 1, 0.5, 0.5), (64, 1, 0.5, 0.5), (8, 32, 0.15, 0.08)];

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("echo") => return echo::run(),
        Some("raw") => return raw::run(std::env::args().nth(2).unwrap().into()),
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::spawn(measure()).await.unwrap() });
}

async fn measure() {
    let Some(garth) = Server::garth() else {
        println!("skipped: the program garth is not beside this one");
        return;
    };
    // The name of one part measures that alone.
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    if wanted("calls") {
        calls(&garth).await;
    }
    if wanted("files") {
        tokio::task::block_in_place(|| files::measure(&garth));
    }
    if wanted("list") {
        tree::measure(&garth).await;
    }
    if wanted("watch") {
        watching::measure(&garth).await;
    }
}

/// The verdict of a goal.
pub(crate) fn verdict(reached: bool) -> &'static str {
    if reached { "pass" } else { "short" }
}

async fn calls(garth: &Server) {
    garth.write("a.txt", &"0123456789abcde\n".repeat(256)).await;
    // Rows that are named behind the part are the only ones.
    let named: Vec<String> = std::env::args().skip(2).collect();
    let wanted = |row: &str| named.is_empty() || named.iter().any(|name| name == row);
    for (what, method, row) in [("stat", "worktree.stat", 0), ("read 4 KB", "worktree.read", 1)] {
        let params = json!({"agentId": "default", "path": "a.txt"});
        let load = Load::new(method, &params);
        let echo = Server::echo(garth.reply(&load).await);
        for (connections, underway, stat, read) in SHAPES {
            if !wanted(&format!("{what} {connections}x{underway}")) {
                continue;
            }
            let goal = if row == 0 { stat } else { read };
            let (ours, theirs) = compared(garth, &echo, &load, connections, underway).await;
            let share = ours.rate() / theirs.rate();
            let verdict = if share >= goal { "pass" } else { "short" };
            println!(
                "{verdict} {what} {connections}x{underway}: {:.0}/s, {share:.2} of the echo's {:.0}/s \
                 (goal >= {goal}); p50 {:?}, p99 {:?}, echo p50 {:?}, p99 {:?}",
                ours.rate(),
                theirs.rate(),
                ours.at(50),
                ours.at(99),
                theirs.at(50),
                theirs.at(99),
            );
            if (row, connections) == (0, 64) {
                let alone = recording::rate().await;
                let cost = ours.rate() / alone;
                println!(
                    "{} audit {connections}x{underway}: {:.1} % of the work (goal <= 15 %); records \
                     alone are {alone:.0}/s",
                    self::verdict(cost <= 0.15),
                    cost * 100.0,
                );
            }
            if underway > 1 {
                let p50 = ours.at(50);
                let verdict = if p50 <= Duration::from_millis(5) { "pass" } else { "short" };
                println!("{verdict} {what} {connections}x{underway}: p50 {p50:?} (goal <= 5ms)");
            }
        }
    }
}

async fn compared(
    garth: &Server,
    echo: &Server,
    load: &Load,
    connections: usize,
    underway: usize,
) -> (Measured, Measured) {
    let mut ours = load.connect(garth, connections, underway).await;
    let mut theirs = load.connect(echo, connections, underway).await;
    let (mut of_ours, mut of_theirs) = (Measured::default(), Measured::default());
    for _ in 0..TURNS {
        theirs.work(TURN, &mut of_theirs).await;
        ours.work(TURN, &mut of_ours).await;
    }
    (of_ours, of_theirs)
}
