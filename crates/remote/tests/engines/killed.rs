//! A gateway that is killed while commands run: what it left in the background is
//! found again, with what it printed, and of the rest nothing is left.
//!
//! The gateway is this program once more, which runs one test that does what it is
//! told by a variable, and nothing without it.

use std::{
    env, fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use garth_contract::{Announce, Ask, ProcessId, Shell};
use garth_remote::{
    Remote,
    providers::{Gvisor, Podman},
};

use crate::{
    guests::{link, say, script, until},
    machine::{Machine, machine, run},
};

/// Tells the gateway what to do: the directory of the machine, a space, the place.
const TOLD: &str = "GARTH_ENGINES_GATEWAY";

/// What is called so outside is a command inside; nobody else sleeps this long.
const FORE: &str = "sleep 86431";
const BACK: &str = "sleep 86432";

/// A way into the sandbox of a place.
async fn enter(machine: &Machine, place: &str) -> Remote {
    let container = machine.container(&format!("gateway-{place}"));
    let remote = match place {
        "local" => link(machine.local(&machine.workspace("gateway-local"))).await,
        "podman" => link(Podman::new(machine.runc.clone(), container).unwrap()).await,
        "gvisor" => link(Gvisor::new(machine.gvisor(), container).unwrap()).await,
        _ => panic!("no such place: {place}"),
    };
    remote.unwrap()
}

/// The gateway itself, which ends only when it is killed.
#[test]
fn gateway() {
    let Some(told) = env::var(TOLD).ok() else { return };
    let (dir, place) = told.rsplit_once(' ').unwrap();
    let machine = Machine::of_another(Path::new(dir)).unwrap();
    run(async {
        let remote = enter(&machine, place).await;
        let id = remote.start(script(&format!("echo begun; exec {BACK}"))).await.unwrap();
        fs::write(machine.dir.join(format!("gateway-{place}")), id.0.to_string()).unwrap();
        let fore = script(&format!("setsid {FORE} & touch fore; exec {FORE}"));
        let report = Shell::run(&remote, fore, Announce::nobody()).await;
        panic!("it should never end: {report:?}");
    });
}

/// A gateway that has a command in the background and one in the foreground.
struct Gateway {
    child: Child,
}

impl Gateway {
    async fn start(machine: &Machine, place: &str) -> (Self, ProcessId) {
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "killed::gateway", "--nocapture"])
            .env(TOLD, format!("{} {place}", machine.dir.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut gateway = Self { child };
        let fore = machine.workspace(&format!("gateway-{place}")).join("fore");
        until("the gateway runs its commands", async || {
            let ended = gateway.child.try_wait().unwrap();
            assert!(ended.is_none(), "the gateway in {place} has ended: {ended:?}");
            fore.exists()
        })
        .await;
        let id = fs::read_to_string(machine.dir.join(format!("gateway-{place}"))).unwrap();
        (gateway, ProcessId(id.parse().unwrap()))
    }
}

impl Drop for Gateway {
    /// Kills it, if it still lives.
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Claims that the background command is there with what it printed, and that the
/// other one is not.
async fn adopted(machine: &Machine, place: &str, id: ProcessId) {
    let remote = enter(machine, place).await;
    let list = Shell::list(&remote).await.unwrap();
    let back = list.iter().find(|process| process.id == id).expect("it is listed");
    assert_eq!(back.ended, None, "in {place}");
    let ask = Ask { from: 0, most: Ask::MOST, wait: Duration::ZERO };
    let printed = remote.output(id, ask).await.unwrap();
    let bytes: Vec<u8> = printed.pieces.iter().flat_map(|piece| piece.bytes.to_vec()).collect();
    assert_eq!(bytes, b"begun\n", "in {place}");
    let of = |words: &str| format!("{}[{}]", &words[..words.len() - 1], &words[words.len() - 1..]);
    let alive = |words: &str| {
        let pattern = of(words).replace(' ', ".");
        format!("grep -las '{pattern}' /proc/[0-9]*/cmdline | wc -l")
    };
    until("nothing is left of what the gateway waited for", async || {
        say(&remote, &alive(FORE)).await == "0\n"
    })
    .await;
    assert_ne!(say(&remote, &alive(BACK)).await, "0\n", "in {place}");
}

#[test]
fn in_podman_a_killed_gateway_leaves_what_ran_in_the_background_alone() {
    let Some(machine) = machine() else { return };
    run(async {
        let container = machine.container("gateway-podman");
        let podman = Podman::new(machine.runc.clone(), container).unwrap();
        podman.prepare().await.unwrap();
        let (gateway, id) = Gateway::start(machine, "podman").await;
        drop(gateway);
        adopted(machine, "podman", id).await;
        podman.remove().await.unwrap();
    });
}

#[test]
fn in_gvisor_a_killed_gateway_leaves_what_ran_in_the_background_alone() {
    let Some(machine) = machine() else { return };
    run(async {
        let container = machine.container("gateway-gvisor");
        let gvisor = Gvisor::new(machine.gvisor(), container).unwrap();
        let (gateway, id) = Gateway::start(machine, "gvisor").await;
        drop(gateway);
        adopted(machine, "gvisor", id).await;
        gvisor.remove().await.unwrap();
    });
}

#[test]
fn a_local_sandbox_ends_with_a_killed_gateway_and_everything_in_it() {
    let Some(machine) = machine() else { return };
    run(async {
        let (gateway, _) = Gateway::start(machine, "local").await;
        let inside = below(gateway.child.id());
        assert!(inside.len() >= 4, "the guest, both commands and more: {inside:?}");
        drop(gateway);
        until("all of them are gone", async || {
            inside.iter().all(|(pid, born)| birth(*pid) != Some(*born))
        })
        .await;
    });
}

/// All processes below one, each with the time of its birth.
fn below(root: u32) -> Vec<(u32, u64)> {
    let mut found = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        let threads = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
        let children = threads.map(|thread| fs::read_to_string(thread.path().join("children")));
        for pid in children.flatten().flat_map(|text| numbers(&text)) {
            found.extend(birth(pid).map(|born| (pid, born)));
            parents.push(pid);
        }
    }
    found
}

fn numbers(text: &str) -> Vec<u32> {
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// When a process was born, if it lives.
fn birth(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // What follows the name: the state first, the birth as the twentieth.
    let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
    if matches!(fields[0], "Z" | "X") { None } else { fields[19].parse().ok() }
}
