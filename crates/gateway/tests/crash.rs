//! A gateway is killed at random points while many calls are under way.
//!
//! Whatever the instant: every call whose answer was told is in the audit, and the
//! chain is whole. The process that is killed is this test itself, started again.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start and kill processes of their own and fail by panicking"
)]

use std::{
    collections::HashSet,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use garth_contract::{Aliases, BoxFuture, Policy, Result};
use garth_gateway::{
    Access, Agent, AgentId, Call, Caller, Clock, Credential, Family, Gateway, Node, Opener,
    Operation, Registry, Run, Settings, Setup, Store, Summary, Table, Takes,
    approvals::Reach,
    audit::{self, Filter, Record},
    limits,
};
use garth_memory::Memory;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use serde_json::{Value, json};

const ROOT: &str = "GARTH_CRASH_AUDIT_ROOT";
const KILLS: u64 = 15;
const TASKS: u64 = 8;

/// Longer than a start takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(120);

#[tokio::test]
async fn every_call_whose_answer_was_told_is_in_the_audit_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random(0x5eed);
    let mut told = HashSet::new();
    for kill in 0..KILLS {
        let until = 1 + random.below(60);
        let instant = Duration::from_micros(random.below(5_000));
        let lines = run_and_kill(dir.path(), kill, until, instant);
        assert!(lines.len() as u64 >= until);
        told.extend(lines);
        check(dir.path(), &told).await;
    }
    println!("{KILLS} kills, {} answers told, all of them recorded", told.len());
}

/// Starts the process, and kills it once it told so many answers and `instant` more has
/// passed. Gives every answer that it told, up to its end.
fn run_and_kill(root: &Path, kill: u64, until: u64, instant: Duration) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["the_process_that_is_killed", "--exact", "--nocapture", "--test-threads=1"])
        .env(ROOT, root)
        .env("GARTH_CRASH_AUDIT_KILL", kill.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let (send, lines) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in out.lines().map_while(std::result::Result::ok) {
            if let Some(path) = line.strip_prefix("told ").and_then(|path| path.strip_suffix(" ."))
            {
                let _ = send.send(path.to_owned());
            }
        }
    });
    let mut told = Vec::new();
    let end = Instant::now() + DEADLINE;
    while (told.len() as u64) < until {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(path) => told.push(path),
            Err(error) => {
                let _ = child.kill();
                panic!("the process told {} of {until} answers: {error}", told.len());
            }
        }
    }
    let then = Instant::now() + instant;
    while Instant::now() < then {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
    told.extend(lines.try_iter());
    told
}

/// Looks at the database as the next start would.
async fn check(root: &Path, told: &HashSet<String>) {
    let store = Store::open(&root.join("garth.db"), Clock::system()).unwrap();
    let audit = audit::Audit::new(store.clone(), audit::Config::in_directory(root)).unwrap();
    let report = audit.verify(&audit.public_key()).await.unwrap();
    assert!(report.is_sound(), "{report:?}");
    let mut recorded = HashSet::new();
    let keep = |line: &str| {
        let record: Record = serde_json::from_str(line).unwrap();
        if record.entry.outcome == audit::OK {
            recorded.insert(record.entry.summary);
        }
        Ok(())
    };
    audit.export(&Filter::default(), keep).await.unwrap();
    let missing: Vec<_> = told.difference(&recorded).collect();
    assert!(missing.is_empty(), "told and not recorded: {missing:?}");
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_process_that_is_killed() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let kill = std::env::var("GARTH_CRASH_AUDIT_KILL").unwrap();
    // The harness began a line with the name of the test.
    println!();
    let gateway = start(Path::new(&root)).await;
    let registry: &Registry = gateway.registry();
    let id = AgentId::parse("own").unwrap();
    if registry.get(&id).await.is_err() {
        registry.create(&id, &Settings::new("local")).await.unwrap();
    }
    let table = Arc::new(table());
    for task in 0..TASKS {
        let (gateway, table, kill) = (gateway.clone(), Arc::clone(&table), kill.clone());
        tokio::spawn(async move {
            for number in 0.. {
                let path = format!("k{kill}/t{task}/n{number}");
                let call = Call {
                    caller: Caller::new(Credential::of_the_person_who_started_it(), "crash"),
                    // Records of looks are not waited for on the disk, and there all the same.
                    operation: if number % 2 == 0 { "touch" } else { "look" }.to_owned(),
                    agent: Some("own".to_owned()),
                    params: json!({"path": path}),
                    bytes: 10,
                    // Some also claim a request id, which takes another transaction.
                    request_id: (number % 3 == 0).then(|| path.clone()),
                    hears: garth_gateway::approvals::Hears::Waits,
                    arrived: garth_gateway::Moment::now(),
                    along: (),
                };
                gateway.call(&table, call).await.unwrap();
                let mut out = std::io::stdout().lock();
                out.write_all(format!("told {path} .\n").as_bytes()).unwrap();
                out.flush().unwrap();
            }
        });
    }
    // Until it is killed; a parent that is gone ends it too.
    tokio::time::sleep(DEADLINE).await;
}

async fn start(root: &Path) -> Gateway {
    let store = Store::open(&root.join("garth.db"), Clock::system()).unwrap();
    let mut audit = audit::Config::in_directory(root);
    audit.records = 5;
    let most = limits::Numbers {
        worktree_per_minute: u32::MAX,
        tools_per_minute: u32::MAX,
        admin_per_minute: u32::MAX,
        sandbox_per_minute: u32::MAX,
        bytes_per_minute: u64::MAX,
        concurrent_reads: 1_000,
        watches: 1_000,
        processes: 1_000,
    };
    let most = limits::Budget { caller: most, workspace: most };
    let limits = limits::Config { programs: most, people: most, in_flight: 1_000 };
    let opener: Arc<dyn Opener> = Arc::new(InMemory);
    Gateway::start(Setup { store, node: Node::alone(), opener, limits, audit }).await.unwrap()
}

struct InMemory;

impl Opener for InMemory {
    fn open<'a>(&'a self, agent: &'a Agent) -> BoxFuture<'a, Result<Arc<Workspace>>> {
        Box::pin(async move {
            let workspace = Workspace::new(Parts {
                commands: Commands::None,
                fs: Arc::new(Memory::new(Policy::open())?),
                aliases: Aliases::none(),
                redaction: agent.settings.redaction.config(),
                limits: Limits::standard(),
            });
            Ok(Arc::new(workspace?))
        })
    }
}

fn table() -> Table<Value> {
    let describe = |params: &Value| {
        Summary::default().path(params["path"].as_str().unwrap_or_default(), Reach::This)
    };
    let row = |name, access| Operation {
        name,
        access,
        family: Family::Worktree,
        takes: Takes::Nothing,
        describe: Arc::new(describe),
        run: Run::on_workspace(|_, _, ()| Box::pin(async { Ok(json!({})) })),
    };
    Table::new([row("touch", Access::Write), row("look", Access::Read)])
}

/// The same numbers at each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
