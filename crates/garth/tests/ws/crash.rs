//! The whole program is killed at random points while clients change and read files.
//!
//! Whatever the instant: every change whose reply came is there, a file has its old or
//! its new content, no temporary file is to be seen, and the audit is whole and has every
//! operation whose reply came, in its order. `GARTH_CRASH_KILLS` says how often it dies.

mod clients;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    client::Client,
    server::{self, PATIENCE, Server, audit},
};
use clients::{Files, Left, Random, Reader, Told, Writer};

/// How often the program is killed, where nothing else is said.
const KILLS: u64 = 8;
/// Clients that change files, each in a directory of its own.
const WRITERS: usize = 6;
/// Clients that read what the others write.
const READERS: usize = 2;

/// Limits that nobody reaches, and an anchor often.
const CONFIGURATION: &str = "
[audit]
anchor_records = 50
[limits.programs.caller]
worktree_per_minute = 100_000_000
bytes_per_minute = 100_000_000_000
concurrent_reads = 1_000
[limits.programs.workspace]
worktree_per_minute = 100_000_000
bytes_per_minute = 100_000_000_000
concurrent_reads = 1_000
";

#[test]
fn a_kill_at_any_instant_loses_nothing_that_was_told() {
    let kills = std::env::var("GARTH_CRASH_KILLS").ok().and_then(|text| text.parse().ok());
    let kills: u64 = kills.unwrap_or(KILLS);
    let mut server = Server::set_up(CONFIGURATION, &[]);
    let mut random = Random::new(0x5eed);
    let mut writers: Vec<_> = (0..WRITERS).map(Writer::new).collect();
    let mut told: BTreeMap<String, Left> = BTreeMap::new();
    let mut strays = 0;
    for kill in 0..kills {
        let until = 1 + random.below(120);
        let instant = Duration::from_micros(random.below(4_000));
        told.extend(run_and_kill(&mut server, (kill, &mut writers), (until, instant)));
        for writer in &mut writers {
            let (found, hidden) = found(&server.files("default").join(writer.directory()));
            writer.settle(found);
            strays = strays.max(hidden);
        }
        check_audit(server.data(), &told);
        if random.below(3) == 0 {
            killed_while_it_starts(server.data(), Duration::from_micros(random.below(400_000)));
        }
        server.start_again();
        check_listing(&server, &writers);
    }
    let answers: usize = told.values().map(|left| left.told.len()).sum();
    assert!(answers as u64 >= kills, "{answers}");
    println!(
        "{kills} kills, {answers} replies: every change is there, every operation is in the \
         audit, no temporary file visible; at most {strays} hidden ones at a time"
    );
}

/// Lets the clients work, and kills the program once so many replies came and `instant`
/// more has passed. Gives what each of them was told.
fn run_and_kill(
    server: &mut Server,
    (kill, writers): (u64, &mut Vec<Writer>),
    (until, instant): (u64, Duration),
) -> BTreeMap<String, Left> {
    let replies = Arc::new(AtomicU64::new(0));
    let connected = |name: &str| {
        let session = format!("k{kill}-{name}");
        (session.clone(), connect(server, &session), Arc::clone(&replies))
    };
    let writing: Vec<_> = writers
        .drain(..)
        .map(|mut writer| {
            let (session, client, replies) = connected(writer.directory());
            thread::spawn(move || {
                let left = writer.work(client, &replies);
                (session, left, writer)
            })
        })
        .collect();
    let reading: Vec<_> = (0..READERS)
        .map(|number| {
            let (session, client, replies) = connected(&format!("r{number}"));
            let reader = Reader::new(kill * 31 + number as u64, WRITERS);
            thread::spawn(move || (session, reader.work(client, &replies)))
        })
        .collect();
    let deadline = Instant::now() + PATIENCE;
    while replies.load(Ordering::Relaxed) < until {
        assert!(Instant::now() < deadline, "the gateway answers nobody");
        thread::sleep(Duration::from_micros(200));
    }
    let then = Instant::now() + instant;
    while Instant::now() < then {
        std::hint::spin_loop();
    }
    server.kill();
    let mut all = BTreeMap::new();
    for thread in writing {
        let (session, left, writer) = thread.join().unwrap();
        all.insert(session, left);
        writers.push(writer);
    }
    for thread in reading {
        let (session, left) = thread.join().unwrap();
        all.insert(session, left);
    }
    all
}

/// A connection under a name that its records have.
fn connect(server: &Server, session: &str) -> Client {
    let mut client = Client::bare(&server.address);
    client.event("connect.challenge");
    let auth = json!({ "token": server.operator });
    client.ok("connect", json!({ "auth": auth, "client": { "sessionId": session } }));
    client
}

/// The files that are really below a directory, and how many are only there for a while.
fn found(directory: &Path) -> (Files, u64) {
    let mut files = Files::new();
    let mut hidden = 0;
    let mut left = vec![directory.to_owned()];
    while let Some(directory) = left.pop() {
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_str().unwrap().starts_with(".garth-") {
                hidden += 1;
            } else if path.is_dir() {
                left.push(path);
            } else {
                let content = fs::read_to_string(&path).unwrap();
                files.insert(path.to_str().unwrap().to_owned(), content);
            }
        }
    }
    let root = format!("{}/", directory.parent().unwrap().to_str().unwrap());
    let named =
        |(path, content): (String, String)| (path.strip_prefix(&root).unwrap().to_owned(), content);
    (files.into_iter().map(named).collect(), hidden)
}

/// What is listed is what is there, and nothing else.
fn check_listing(server: &Server, writers: &[Writer]) {
    let params = json!({"agentId": "default", "recursive": true, "includeHidden": true});
    let listed = server.operator().ok("worktree.list", params);
    let entries = listed["entries"].as_array().unwrap().iter();
    let shown = entries.filter(|entry| entry["kind"] == "file");
    let mut shown: Vec<_> = shown.map(|entry| entry["path"].as_str().unwrap()).collect();
    shown.sort_unstable();
    let mut kept: Vec<_> =
        writers.iter().flat_map(|writer| writer.files().keys()).map(String::as_str).collect();
    kept.sort_unstable();
    assert_eq!(shown, kept);
}

/// The audit is whole, and has what was told, in the order in which it was.
fn check_audit(data: &Path, told: &BTreeMap<String, Left>) {
    let verified: Value = serde_json::from_str(&audit(&["verify", "--json"], data)).unwrap();
    assert_eq!(verified["payload"]["sound"], true, "{verified}");
    let mut recorded: BTreeMap<String, Vec<Told>> = BTreeMap::new();
    for line in audit(&["export"], data).lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| record[name].as_str().unwrap().to_owned();
        let told = Told {
            operation: text("operation"),
            outcome: text("outcome"),
            summary: text("summary"),
        };
        recorded.entry(text("session")).or_default().push(told);
    }
    for (session, left) in told {
        let recorded = recorded.remove(session).unwrap_or_default();
        let known = recorded.get(..left.told.len());
        assert_eq!(known, Some(&*left.told), "{session}");
        // What was under way may have been recorded, and nothing else.
        let most = left.told.len() + usize::from(left.pending);
        assert!(recorded.len() <= most, "{session}: {recorded:?}");
    }
}

/// A start that does not get far, or does.
fn killed_while_it_starts(data: &Path, instant: Duration) {
    let mut child = server::launch(data, &[]);
    thread::sleep(instant);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_first_start_that_is_killed_can_be_begun_again() {
    let mut random = Random::new(7);
    for _ in 0..6 {
        let data = tempfile::tempdir().unwrap();
        killed_while_it_starts(data.path(), Duration::from_micros(random.below(300_000)));
        let server = Server::on(data);
        let written = json!({"agentId": "default", "path": "a", "content": "x"});
        server.operator().ok("worktree.write", written);
        check_audit(server.data(), &BTreeMap::new());
    }
}
