//! Changes that are told as they happen, while very many are made for a moment.

use std::{
    collections::HashMap,
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

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

type Made = Arc<Mutex<HashMap<String, Instant>>>;

/// Makes the changes and waits for each of them.
pub(crate) async fn measure(garth: &Server) {
    let root = garth.files().join("watched");
    fs::create_dir_all(&root).unwrap();
    let mut socket = Socket::connect(garth).await;
    let params = json!({"agentId": "default", "path": "watched"});
    let reply = socket.ask(&Load::new("worktree.watch", &params)).await;
    assert!(reply.contains(r#""ok":true"#), "{reply}");
    let made = Made::default();
    let changing = {
        let (root, made) = (root.clone(), Arc::clone(&made));
        std::thread::spawn(move || change(&root, &made))
    };
    let (mut took, mut resyncs) = (HashMap::new(), 0);
    let until = Instant::now() + MOMENT + PATIENCE;
    while took.len() < CHANGES && resyncs == 0 && Instant::now() < until {
        let Ok(text) = tokio::time::timeout(PATIENCE, socket.told()).await else { break };
        let now = Instant::now();
        let event: Value = serde_json::from_str(&text).unwrap();
        match event["event"].as_str() {
            Some("worktree.resync") => resyncs += 1,
            Some("worktree.changed") => {
                let path = event["payload"]["path"].as_str().unwrap().to_owned();
                let begun = made.lock().unwrap().get(&path).copied();
                took.entry(path).or_insert_with(|| begun.map_or(Duration::ZERO, |at| now - at));
            }
            _ => {}
        }
    }
    let offered = changing.join().unwrap();
    let mut times: Vec<Duration> = took.values().copied().collect();
    times.sort_unstable();
    let p99 = times.get(times.len().saturating_sub(1) * 99 / 100).copied().unwrap_or_default();
    let whole = took.len() == CHANGES || resyncs > 0;
    println!(
        "{} watch: {} of {CHANGES} changes told, {resyncs} resyncs, offered at {offered:.0}/s: \
         p99 {p99:?} (goal < {GOAL:?}, none missed or a resync)",
        verdict(whole && p99 < GOAL),
        took.len(),
    );
    fs::remove_dir_all(root).unwrap();
}

/// Makes files evenly over the moment, and says how many a second they were.
fn change(root: &Path, made: &Made) -> f64 {
    let begun = Instant::now();
    for number in 0..CHANGES {
        #[allow(clippy::cast_possible_truncation, reason = "far fewer")]
        let due = begun + MOMENT * number as u32 / CHANGES as u32;
        while Instant::now() < due {
            std::thread::sleep(Duration::from_micros(100));
        }
        let name = format!("f{number:05}");
        made.lock().unwrap().insert(format!("watched/{name}"), Instant::now());
        fs::File::create(root.join(name)).unwrap();
    }
    CHANGES as f64 / begun.elapsed().as_secs_f64()
}
