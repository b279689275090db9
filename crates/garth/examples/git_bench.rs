//! Times `status` of the tool `git`, which runs in the sandbox, beside a bare `git status`.
//!
//! The two take turns on one repository whose index is fresh. Ours is the call that every
//! interface makes, on a sandbox that is there already; the bare one is a process started
//! on this machine that prints the same.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, starts its peers, and ends when something is wrong"
)]

use std::{
    env, fs,
    os::fd::OwnedFd,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use garth_contract::{Aliases, Policy};
use garth_host::Host;
use garth_redact::Config;
use garth_remote::{Lazy, Patience, providers::Local};
use garth_sandbox::{Access, Limits, Needs, Network, Root, Spec, base_environment};
use garth_workspace::{Commands, Parts, Workspace};
use serde_json::{Value, json};

const ROUNDS: usize = 61;
/// Calls that are not counted, until caches are warm.
const WARM: usize = 5;
const FILES: usize = 6_000;
const GOAL: f64 = 1.3;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    plant(&root);
    let Some(workspace) = workspace(&root) else {
        println!("skipped: garth is not built beside this");
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let tool = garth_ops::find(garth_ops::workspace::TOOLS, "git").unwrap();
    let call = |params: &Value| {
        let start = Instant::now();
        let reply = runtime.block_on((tool.run)(&workspace, params.clone().into())).unwrap();
        (start.elapsed(), reply)
    };
    let status = json!({"action": "status"});
    let (_, first) = call(&status);
    assert_eq!(first.payload["changed"].as_array().unwrap().len(), 3);
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for round in 0..WARM + ROUNDS {
        let start = Instant::now();
        git(&root, &["status", "--porcelain=v2"]);
        let theirs = start.elapsed();
        let (own, _) = call(&status);
        if round >= WARM {
            ours.push(own);
            bare.push(theirs);
        }
    }
    let (ours, bare) = (median(&mut ours), median(&mut bare));
    println!("git status, bare             {bare:?}");
    println!("garth git status             {ours:?}");
    let factor = ours.as_secs_f64() / bare.as_secs_f64();
    let verdict = if factor <= GOAL { "pass" } else { "short" };
    println!("{verdict} git status: {factor:.2} × the bare one, {FILES} files (goal ≤ {GOAL} ×)");
    for params in [json!({"action": "diff"}), json!({"action": "log"})] {
        let mut times: Vec<Duration> = (0..ROUNDS).map(|_| call(&params).0).collect();
        println!("garth git {:18} {:?}", params["action"].as_str().unwrap(), median(&mut times));
    }
}

/// A repository of many files, three of which are changed.
fn plant(root: &Path) {
    for number in 0..FILES {
        let directory = root.join(format!("d{}/e{}", number % 20, number % 60));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(format!("f{number}.txt")), format!("file {number}\n")).unwrap();
    }
    git(root, &["init", "-q", "-b", "main"]);
    git(root, &["add", "-A"]);
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    git(root, &[&who[..], &["commit", "-qm", "all"]].concat());
    // The index must be older than no file, or git looks into each.
    std::thread::sleep(Duration::from_millis(1_100));
    for number in [0, 20, 40] {
        let path = root.join(format!("d{}/e{}/f{number}.txt", number % 20, number % 60));
        fs::write(path, "changed\n").unwrap();
    }
    git(root, &["update-index", "-q", "--refresh"]);
    git(root, &["status"]);
}

fn git(root: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(arguments).stdout(Stdio::piped()).stderr(Stdio::null());
    let _ = command.output().unwrap();
}

fn workspace(root: &Path) -> Option<Workspace> {
    let program = env::current_exe().ok()?.parent()?.parent()?.join("garth");
    let program = fs::File::open(program).ok()?;
    let spec = Spec {
        roots: vec![Root::whole(root, Access::ReadWrite).unwrap()],
        seat: garth_sandbox::Seat::Workspace,
        system: "/".into(),
        tenure: garth_sandbox::Tenure::Shown,
        visible: Vec::new(),
        environment: base_environment(),
        limits: Limits::usual(),
        network: Network::None,
        needs: Needs::all(),
    };
    let local = Local::new(spec, OwnedFd::from(program), vec!["garth".into(), "guest".into()]);
    let aliases = Aliases::none().with(b"/workspace");
    let parts = Parts {
        fs: Arc::new(Host::open(root, Policy::open(), aliases.clone()).unwrap()),
        commands: Commands::Held(Arc::new(Lazy::new(local, Patience::USUAL))),
        aliases,
        redaction: Config::standard(),
        limits: garth_workspace::Limits::standard(),
    };
    Some(Workspace::new(parts).unwrap())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
