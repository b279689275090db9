//! Changes that are told as they happen, while very many are made for a moment.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    load::{Load, Socket},
    server::Server,
    verdict,
};

/// Changes, and how long they take when they are offered evenly.
const CHANGES: usize = 10_000;
const MOMENT: Duration = Duration::from_secs(1);
/// The goal for all but one of a hundred.
const GOAL: Duration = Duration::from_millis(50);
/// How long the last one is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes the changes and waits for each of them.
pub(crate) async fn measure(garth: &Server) {
    let root = garth.files().join("watched");
    fs::create_dir_all(&root).unwrap();
    for number in 0..CHANGES {
        fs::File::create(root.join(name(number))).unwrap();
    }
    let mut socket = Socket::connect(garth).await;
    let params = json!({"agentId": "default", "path": "watched"});
    let reply = socket.ask(&Load::new("worktree.watch", &params)).await;
    assert!(reply.contains(r#""ok":true"#), "{reply}");
    let changing = {
        let root = root.clone();
        std::thread::spawn(move || change(&root))
    };
    let (mut told, mut count, mut resyncs) = (vec![None; CHANGES], 0, 0);
    while count < CHANGES && resyncs == 0 {
        let Ok(text) = tokio::time::timeout(PATIENCE, socket.told()).await else { break };
        let now = Instant::now();
        // Without reading all of it, which would take from the gateway what it needs.
        if let Some((_, rest)) = text.split_once(r#""path":"watched/f"#) {
            let number: usize = rest[..5].parse().unwrap();
            count += usize::from(told[number].is_none());
            told[number].get_or_insert(now);
        } else {
            resyncs += usize::from(text.contains(r#""worktree.resync""#));
        }
    }
    let (made, offered) = changing.join().unwrap();
    let told = told.into_iter().zip(&made).filter_map(|(at, made)| Some((at?, made)));
    let mut times: Vec<Duration> =
        told.map(|(at, made)| at.saturating_duration_since(*made)).collect();
    times.sort_unstable();
    let p99 = times.get(times.len().saturating_sub(1) * 99 / 100).copied().unwrap_or_default();
    let whole = count == CHANGES || resyncs > 0;
    println!(
        "{} watch: {} of {CHANGES} changes told, {resyncs} resyncs, offered at {offered:.0}/s: \
         p99 {p99:?} (goal < {GOAL:?}, none missed or a resync)",
        verdict(whole && p99 < GOAL),
        times.len(),
    );
    fs::remove_dir_all(root).unwrap();
}

fn name(number: usize) -> String {
    format!("f{number:05}")
}

/// Writes a byte into each file, evenly over the moment; says when each was written, and how
/// many a second they were. The names are made before: only the writes are the load.
fn change(root: &Path) -> (Vec<Instant>, f64) {
    let paths: Vec<_> = (0..CHANGES).map(|number| root.join(name(number))).collect();
    let mut made = Vec::with_capacity(CHANGES);
    let begun = Instant::now();
    for (number, path) in paths.iter().enumerate() {
        #[allow(clippy::cast_possible_truncation, reason = "far fewer")]
        let due = begun + MOMENT * number as u32 / CHANGES as u32;
        if let Some(wait) = due.checked_duration_since(Instant::now()) {
            // Longer than asked for; then those that are due come at once.
            std::thread::sleep(wait);
        }
        made.push(Instant::now());
        OpenOptions::new().write(true).open(path).unwrap().write_all(b"x").unwrap();
    }
    let rate = CHANGES as f64 / begun.elapsed().as_secs_f64();
    (made, rate)
}
