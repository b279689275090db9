//! Times a push through the broker beside a bare one of the same size to the same server.
//!
//! The two take turns in one run; the figure is the difference of the medians. Both push a
//! commit that changes one file of a repository with thousands of commits and files, over
//! HTTP on loopback, with a token. What runs in a workspace runs without a sandbox here, so
//! that only the way through the quarantine is timed.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    dead_code,
    reason = "a measurement prints, and ends when something is wrong; the tests need all of the rest"
)]

#[path = "../tests/remotes/scene.rs"]
mod scene;
#[path = "../tests/remotes/server.rs"]
mod server;

use std::{
    fmt::Write as _,
    io::Write as _,
    process::Stdio,
    time::{Duration, Instant},
};

use scene::Scene;
use server::{CANARY, git};

const MANY: usize = 5_000;
const ROUNDS: usize = 15;
/// How much longer it may take.
const GOAL: Duration = Duration::from_millis(250);

#[tokio::main]
async fn main() {
    let scene = Scene::new().await;
    fill(&scene);
    scene.clone_here().await;
    let bare = tempfile::tempdir().unwrap();
    let url = scene.server.url.replace("http://", &format!("http://x-access-token:{CANARY}@"));
    git(bare.path(), &["clone", "-q", &url, "."]);
    git(bare.path(), &["checkout", "-q", "-b", "bare"]);
    git(&scene.place.path, &["checkout", "-q", "-b", "ours"]);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        scene.place.commit("d7/f7", &format!("{round}\n"));
        let begun = Instant::now();
        scene.push("ours").await.unwrap();
        ours.push(begun.elapsed());
        std::fs::write(bare.path().join("d7/f7"), format!("{round}\n")).unwrap();
        git(bare.path(), &["commit", "-q", "-a", "-m", "a change"]);
        let begun = Instant::now();
        git(bare.path(), &["push", "-q", "origin", "bare"]);
        theirs.push(begun.elapsed());
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    let more = ours.saturating_sub(theirs);
    let verdict = if more <= GOAL { "pass" } else { "short" };
    println!(
        "{verdict} push of one commit: ours {ours:.1?}, bare git {theirs:.1?}, {more:.1?} more \
         (goal ≤ {GOAL:?})"
    );
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Fills the server's repository.
fn fill(scene: &Scene) {
    let mut text = String::new();
    for number in 0..MANY {
        let from = if number == 0 { "from refs/heads/main^0\n" } else { "" };
        let content = format!("file {number}\n");
        write!(
            text,
            "commit refs/heads/main\ncommitter Ada <ada@example.com> {} +0000\ndata 1\nx\n{from}\
             M 100644 inline d{}/f{number}\ndata {}\n{content}\n",
            1_700_000_000 + number,
            number % 100,
            content.len()
        )
        .unwrap();
    }
    let mut child = std::process::Command::new("git")
        .args(["fast-import", "--quiet"])
        .current_dir(scene.server.bare())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}
