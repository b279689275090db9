//! Firecracker, as its description has it: every request is held against it.

use std::path::Path;

use garth_contract::{Code, Shell};
use garth_remote::{
    Remote,
    machine::{Image, Machine},
    providers::{Balloon, Firecracker, Monitors, RateLimit},
};
use rustix::process::{Signal, kill_process};
use tempfile::TempDir;

use crate::{
    description::Description,
    scene::{link, read, say, script, try_run, until, write},
    stand_in::StandIn,
};

struct Scene {
    stand_in: StandIn,
    machine: Machine,
    _dir: TempDir,
}

impl Scene {
    fn new() -> Option<Self> {
        if Description::file().is_none() {
            println!("skipped: no shared cases");
            return None;
        }
        let dir = TempDir::with_prefix("garth-firecracker-").unwrap();
        let file = |name: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, name).unwrap();
            path
        };
        let image = Image { kernel: file("image-kernel"), modules: None, root: file("image-root") };
        let machine = Machine {
            run: dir.path().join("run"),
            disk: 16 << 20,
            ..Machine::new("tried", image, file("guest"))
        };
        Some(Self { stand_in: StandIn::make(dir.path()), machine, _dir: dir })
    }

    fn plain(&self) -> Monitors {
        Monitors::plain(self.stand_in.firecracker.clone())
    }

    fn firecracker(&self, monitors: Monitors) -> Firecracker {
        Firecracker::new(monitors, self.machine.clone()).unwrap()
    }

    /// The bodies that were sent to a path.
    fn sent(&self, to: &str) -> Vec<serde_json::Value> {
        let asked = self.stand_in.asked();
        let bodies = asked.iter().filter_map(|line| line.strip_prefix(&format!("{to} ")));
        bodies.map(|body| serde_json::from_str(body).unwrap()).collect()
    }

    fn claim_that_all_was_described(&self) {
        assert_eq!(self.stand_in.wrong(), "");
        assert!(self.stand_in.asked().len() > 6, "{:?}", self.stand_in.asked());
    }
}

/// Claims that files and commands are served.
async fn is_served(remote: &Remote) {
    write(remote, "dir/file", "hello").await.unwrap();
    assert_eq!(read(remote, "dir/file").await.unwrap(), "hello");
    assert_eq!(say(remote, "cat dir/file").await, "hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_is_asked_for_as_described_and_its_guest_is_reached() {
    let Some(scene) = Scene::new() else { return };
    let firecracker = scene.firecracker(scene.plain());
    let remote = link(firecracker.clone()).await.unwrap();
    is_served(&remote).await;
    firecracker.pause().await.unwrap();
    firecracker.resume().await.unwrap();
    assert_eq!(say(&remote, "echo on").await, "on\n");
    scene.claim_that_all_was_described();
    let asked = scene.stand_in.asked().join("\n");
    for never in ["/mmds", "/network-interfaces", "/balloon", "rate_limiter"] {
        assert!(!asked.contains(never), "{never}: {asked}");
    }
    assert_eq!(scene.sent("PUT /machine-config")[0]["mem_size_mib"], 512);
    assert_eq!(scene.sent("PUT /drives/root")[0]["is_read_only"], true);
    assert_eq!(scene.sent("PUT /drives/files")[0]["cache_type"], "Writeback");
    firecracker.remove().await.unwrap();
    assert!(!scene.machine.run.join(firecracker.name()).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn bounds_a_balloon_and_a_network_are_asked_for_where_they_are_set_up() {
    let Some(scene) = Scene::new() else { return };
    let rate = RateLimit { bytes: Some(1 << 20), operations: Some(100) };
    let monitors = Monitors {
        interface: Some("tap0".into()),
        balloon: Some(Balloon { mebibytes: 64 }),
        disk_rate: rate,
        network_rate: RateLimit { operations: None, ..rate },
        ..scene.plain()
    };
    let firecracker = scene.firecracker(monitors);
    let remote = link(firecracker.clone()).await.unwrap();
    is_served(&remote).await;
    scene.claim_that_all_was_described();
    assert_eq!(scene.sent("PUT /balloon")[0]["amount_mib"], 64);
    let disk = &scene.sent("PUT /drives/files")[0]["rate_limiter"];
    assert_eq!(
        (&disk["bandwidth"]["size"], &disk["ops"]["size"]),
        (&(1 << 20).into(), &100.into())
    );
    let network = &scene.sent("PUT /network-interfaces/net")[0];
    assert_eq!(network["host_dev_name"], "tap0");
    assert_eq!(network["tx_rate_limiter"]["bandwidth"]["refill_time"], 1000);
    firecracker.remove().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_sleeps_wakes_with_everything_that_ran_in_it() {
    let Some(scene) = Scene::new() else { return };
    let firecracker = scene.firecracker(scene.plain());
    let remote = link(firecracker.clone()).await.unwrap();
    let id = remote.start(script("exec sleep 300")).await.unwrap();
    firecracker.sleep().await.unwrap();
    assert!(scene.machine.run.join(firecracker.name()).join("asleep-memory").exists());
    let mut listed = Shell::list(&remote).await;
    if listed.is_err() {
        // The call that finds the pipe broken is told so; the next one has another.
        listed = Shell::list(&remote).await;
    }
    let listed = listed.unwrap();
    assert!(listed.iter().any(|process| process.id == id && process.ended.is_none()), "{listed:?}");
    assert!(!scene.machine.run.join(firecracker.name()).join("asleep-memory").exists());
    let loaded = scene.sent("PUT /snapshot/load");
    assert_eq!((loaded.len(), &loaded[0]["resume_vm"]), (1, &true.into()));
    scene.claim_that_all_was_described();
    firecracker.remove().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_was_killed_is_started_again() {
    let Some(scene) = Scene::new() else { return };
    let firecracker = scene.firecracker(scene.plain());
    let remote = link(firecracker.clone()).await.unwrap();
    is_served(&remote).await;
    let killed = scene.stand_in.pid();
    kill_process(killed, Signal::KILL).unwrap();
    until("it is gone", async || !is_there(killed.as_raw_nonzero().get())).await;
    if let Err(error) = try_run(&remote, "true").await {
        assert_eq!(error.code(), Code::ProviderUnavailable, "{error}");
    }
    assert_eq!(read(&remote, "dir/file").await.unwrap(), "hello");
    assert_ne!(scene.stand_in.pid(), killed);
    scene.claim_that_all_was_described();
    firecracker.remove().await.unwrap();
}

/// Whether a process runs, of which a shadow may be left for a moment.
fn is_there(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_jail_everything_is_within_its_root() {
    let Some(scene) = Scene::new() else { return };
    if !rustix::process::getuid().is_root() {
        println!("skipped: only root can give files away");
        return;
    }
    let monitors = Monitors { jailer: Some(scene.stand_in.jailer.clone()), ..scene.plain() };
    let firecracker = scene.firecracker(monitors);
    let remote = link(firecracker.clone()).await.unwrap();
    is_served(&remote).await;
    scene.claim_that_all_was_described();
    let root = &scene.sent("PUT /drives/root")[0]["path_on_host"];
    assert_eq!(
        (root, &scene.sent("PUT /vsock")[0]["uds_path"]),
        (&"/root.ext4".into(), &"/vsock".into())
    );
    firecracker.sleep().await.unwrap();
    if read(&remote, "dir/file").await.is_err() {
        assert_eq!(read(&remote, "dir/file").await.unwrap(), "hello");
    }
    assert_eq!(scene.sent("PUT /snapshot/load").len(), 1);
    scene.claim_that_all_was_described();
    firecracker.remove().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_is_told_with_firecrackers_reason() {
    let Some(mut scene) = Scene::new() else { return };
    scene.machine.processors = 33;
    let error = link(scene.firecracker(scene.plain())).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderUnavailable);
    assert!(error.message().contains("out of bounds: 33"), "{error}");
    scene.machine.processors = 1;
    let missing = Monitors::plain("garth-no-such-program".into());
    let error = link(scene.firecracker(missing)).await.unwrap_err();
    assert!(error.message().contains("not installed"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_firecracker_is_tried_where_it_is_installed() {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).map(|path| path.join("firecracker"));
    let Some(program) = found.into_iter().find(|path| path.exists()) else {
        println!("skipped: no Firecracker");
        return;
    };
    let Some(parts) = crate::scene::parts() else { return };
    let plain = parts.image.kernel.with_file_name("kernel-plain");
    let dir = TempDir::with_prefix("garth-firecracker-").unwrap();
    let image = Image { kernel: plain, ..parts.image.clone() };
    let machine = Machine {
        run: dir.path().join("run"),
        ..Machine::new("tried", image, parts.guest.clone())
    };
    assert!(Path::new("/dev/kvm").exists(), "Firecracker is there and KVM is not");
    let firecracker = Firecracker::new(Monitors::plain(program), machine).unwrap();
    let remote = link(firecracker.clone()).await.unwrap();
    is_served(&remote).await;
    firecracker.sleep().await.unwrap();
    if read(&remote, "dir/file").await.is_err() {
        assert_eq!(read(&remote, "dir/file").await.unwrap(), "hello");
    }
    firecracker.remove().await.unwrap();
}
