//! What becomes of calls when a sandbox, its guest or its engine is gone.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use garth_contract::{Announce, Code, Filesystem, Shell, Span};
use garth_remote::{
    Remote,
    container::{Container, Engine, Platform, Reach, Runsc},
    providers::{Gvisor, Podman},
};
use tokio::time;

use crate::{
    guests::{DEADLINE, gvisor, is_away, link, path_of, podman, say, script, until},
    machine::{Machine, machine, run},
};

/// Runs a command that never ends, ends its sandbox, and looks what becomes of both.
async fn dies_and_comes_back(remote: &Remote, kill: impl AsyncFn()) {
    assert_eq!(say(remote, "echo before > kept").await, "");
    let shell = remote.clone();
    let running = tokio::spawn(async move {
        Shell::run(&shell, script("touch begun; exec sleep 1000"), Announce::nobody()).await
    });
    let begun = path_of("begun");
    let whole = Span::Whole { at_most: 100 };
    until("it runs", async || Filesystem::read(remote, &begun, whole).await.is_ok()).await;
    kill().await;
    let lost = time::timeout(DEADLINE, running).await.expect("it hangs").unwrap();
    let error = lost.unwrap_err();
    assert!(is_away(&error), "{error:?}");
    let kept = path_of("kept");
    until("it comes back", async || match Filesystem::read(remote, &kept, whole).await {
        Ok(content) => content.bytes == "before\n",
        Err(error) => {
            assert!(is_away(&error), "{error:?}");
            false
        }
    })
    .await;
    assert_eq!(say(remote, "cat kept").await, "before\n");
}

#[test]
fn a_killed_container_fails_its_calls_and_is_made_anew_by_the_next() {
    let Some(machine) = machine() else { return };
    run(async {
        let (podman, remote) = podman(machine, "killed").await;
        let name = podman.name();
        let kill = async || drop(machine.podman(&["kill", &name]));
        dies_and_comes_back(&remote, kill).await;
        let remove = async || drop(machine.podman(&["rm", "--force", "--time", "0", &name]));
        dies_and_comes_back(&remote, remove).await;
        podman.remove().await.unwrap();
    });
}

#[test]
fn a_killed_gvisor_fails_its_calls_and_is_made_anew_by_the_next() {
    let Some(machine) = machine() else { return };
    run(async {
        let (gvisor, remote) = gvisor(machine, "killed-gvisor").await;
        let state = machine.container("killed-gvisor").run.join("runsc");
        let kill = async || {
            let mut runsc = Command::new("runsc");
            runsc.arg("--root").arg(&state).args(["kill", &gvisor.name(), "KILL"]);
            assert!(runsc.status().unwrap().success());
        };
        dies_and_comes_back(&remote, kill).await;
        gvisor.remove().await.unwrap();
    });
}

/// An engine that can be ended alone.
struct Service {
    child: Child,
}

impl Service {
    async fn start(machine: &Machine, socket: &Path) -> Self {
        // One that was killed leaves its socket.
        drop(std::fs::remove_file(socket));
        let child = Command::new("sh")
            .arg(machine.dir.join("podman"))
            .args(["system", "service", "--time", "0"])
            .arg(format!("unix://{}", socket.display()))
            .current_dir(&machine.dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let service = Self { child };
        until("an engine listens", async || tokio::net::UnixStream::connect(socket).await.is_ok())
            .await;
        service
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn an_engine_that_restarts_is_noticed_only_by_who_needs_it() {
    let Some(machine) = machine() else { return };
    run(async {
        let socket = machine.dir.join("own.sock");
        let service = Service::start(machine, &socket).await;
        let engine = Arc::new(Engine::at(&socket));
        let podman = Podman::new(engine.clone(), machine.container("restart")).unwrap();
        podman.prepare().await.unwrap();
        let by_socket = link(podman.clone()).await.unwrap();
        let container = Container { reach: Reach::Relay, ..machine.container("restart") };
        let relayed = Podman::new(engine, container).unwrap();
        let by_relay = link(relayed).await.unwrap();
        let id = by_relay.start(script("sleep 1000")).await.unwrap();
        let shell = by_relay.clone();
        let running = tokio::spawn(async move {
            Shell::run(&shell, script("exec sleep 1000"), Announce::nobody()).await
        });
        until("both run", async || Shell::list(&by_socket).await.unwrap().len() == 2).await;
        drop(service);
        // The guest goes on, and so does whoever speaks to it directly.
        assert_eq!(say(&by_socket, "echo still here").await, "still here\n");
        let lost = time::timeout(DEADLINE, running).await.expect("it hangs").unwrap();
        assert!(is_away(&lost.unwrap_err()));
        let away = time::timeout(DEADLINE, Shell::list(&by_relay)).await.expect("it hangs");
        let error = away.unwrap_err();
        assert!(is_away(&error) && error.advice().contains("podman"), "{error:?}");
        let service = Service::start(machine, &socket).await;
        until("the relay comes back", async || Shell::list(&by_relay).await.is_ok()).await;
        let list = Shell::list(&by_relay).await.unwrap();
        assert!(list.iter().any(|process| process.id == id && process.ended.is_none()));
        podman.remove().await.unwrap();
        drop(service);
    });
}

#[test]
fn a_sandbox_that_cannot_be_had_says_what_to_install_or_start() {
    let Some(machine) = machine() else { return };
    run(async {
        let absent = Arc::new(Engine::at(Path::new("/nonexistent/podman.sock")));
        let podman = Podman::new(absent.clone(), machine.container("absent")).unwrap();
        let error = link(podman).await.unwrap_err();
        assert!(is_away(&error), "{error:?}");
        for word in ["podman", "Docker", "socket"] {
            assert!(error.advice().contains(word), "{}", error.advice());
        }
        assert!(is_away(&absent.leftovers("engines").await.unwrap_err()));
        let nowhere = machine.dir.join("nobody.sock");
        drop(std::os::unix::net::UnixListener::bind(&nowhere).unwrap());
        let podman = Engine::at(&nowhere).leftovers("engines").await;
        assert!(is_away(&podman.unwrap_err()));
        let runsc = Runsc { program: "/nonexistent/runsc".into(), ..machine.gvisor() };
        let gvisor = Gvisor::new(runsc, machine.container("absent-gvisor")).unwrap();
        let error = link(gvisor).await.unwrap_err();
        assert!(is_away(&error), "{error:?}");
        assert!(error.advice().contains("runsc"), "{}", error.advice());
        let container =
            Container { guest: "/nonexistent/guest".into(), ..machine.container("absent-guest") };
        let podman = Podman::new(machine.runc.clone(), container).unwrap();
        let error = link(podman).await.unwrap_err();
        assert!(is_away(&error) && error.advice().contains("garth-guest"), "{error:?}");
    });
}

#[test]
fn an_engine_that_does_not_answer_is_not_waited_for_for_ever() {
    let Some(machine) = machine() else { return };
    run(async {
        let path = machine.dir.join("silent.sock");
        let silent = tokio::net::UnixListener::bind(&path).unwrap();
        let asked = Engine::at(&path).with_patience(Duration::from_millis(200));
        let (asked, _) = tokio::join!(asked.leftovers("engines"), silent.accept());
        let error = asked.unwrap_err();
        assert!(is_away(&error) && error.message().contains("does not answer"), "{error:?}");
    });
}

#[test]
fn a_guest_that_cannot_run_is_told_of_at_once() {
    let Some(machine) = machine() else { return };
    run(async {
        let guest = machine.dir.join("no-guest");
        std::fs::write(&guest, "#!/bin/false\n").unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&guest, mode).unwrap();
        let container = Container { guest, ..machine.container("no-guest") };
        let podman = Podman::new(machine.runc.clone(), container).unwrap();
        podman.prepare().await.unwrap();
        let error = link(podman.clone()).await.unwrap_err();
        assert_eq!(error.code(), Code::ProviderUnavailable);
        assert!(error.message().contains("ended as soon as"), "{error}");
        podman.remove().await.unwrap();
    });
}

#[test]
fn the_platform_of_gvisor_is_found_by_trying_and_a_hanging_one_is_left() {
    let Some(machine) = machine() else { return };
    run(async {
        let flags = || vec!["--ignore-cgroups".to_owned()];
        let (guest, run) = (&*machine.guest, &*machine.dir.join("probe"));
        let found = Runsc::detect(Path::new("runsc"), flags(), (guest, run)).await.unwrap();
        assert_eq!(found.flags, flags());
        // One that hangs on all but the last, as some do where their device is missing.
        let hanging = machine.dir.join("hanging");
        let script = "#!/bin/sh\ncase \"$*\" in *=ptrace*) exec runsc \"$@\";; esac\n\
                      case \"$*\" in *delete*) exit 0;; esac\nexec sleep 1000\n";
        std::fs::write(&hanging, script).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&hanging, mode).unwrap();
        let found = time::timeout(DEADLINE, Runsc::detect(&hanging, flags(), (guest, run))).await;
        assert_eq!(found.expect("it hangs").unwrap().platform, Platform::Ptrace);
        let left = std::fs::read_dir(run).unwrap().count();
        assert_eq!(left, 0, "a try leaves nothing behind");
        let missing = Runsc::detect(Path::new("/nonexistent/runsc"), flags(), (guest, run)).await;
        assert!(missing.unwrap_err().advice().contains("runsc"));
        let broken = Runsc::detect(Path::new("/bin/false"), flags(), (guest, run)).await;
        assert!(is_away(&broken.unwrap_err()));
    });
}
