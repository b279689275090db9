//! How a container lives: made once, found again, replaced, ended, cleaned.

use std::{fs, os::unix::fs::MetadataExt, sync::Arc, time::Duration};

use bytes::Bytes;
use garth_contract::{
    Access, Ask, Code, Filesystem, Guard, Input, Links, Parents, Policy, ProcessId, Put, Shell,
    Span, Stdin,
};
use garth_remote::{
    Connect, Remote,
    container::{Container, Engine, Files, Leftover, Limits, Options, Reach, Root, Runsc},
    providers::{Gvisor, Podman},
};

use crate::{
    guests::{gvisor, link, path_of, podman, say, script, try_run, until},
    machine::{Machine, machine, run},
};

/// How a file is written that may be there or not.
const PUT: Put = Put { guard: Guard::Any, parents: Parents::Create, mode: None };

/// What stands in a small file of a workspace.
async fn text(files: &Remote, path: &str) -> Bytes {
    let span = Span::Whole { at_most: 1 << 20 };
    Filesystem::read(files, &path_of(path), span).await.unwrap().bytes
}

/// Everything that a process has printed so far.
async fn printed(shell: &Remote, id: ProcessId) -> String {
    let ask = Ask { from: 0, most: Ask::MOST, wait: Duration::ZERO };
    let printed = shell.output(id, ask).await.unwrap();
    let bytes: Vec<u8> = printed.pieces.iter().flat_map(|piece| piece.bytes.to_vec()).collect();
    String::from_utf8(bytes).unwrap()
}

/// What the engine says of a container.
fn inspect(machine: &Machine, name: &str, what: &str) -> String {
    let output = machine.podman(&["inspect", "--format", what, name]);
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn what_is_made_inside_belongs_to_the_owner_of_the_workspace() {
    let Some(machine) = machine() else { return };
    run(async {
        let (podman, in_podman) = podman(machine, "owner-podman").await;
        let (gvisor, in_gvisor) = gvisor(machine, "owner-gvisor").await;
        for (name, remote) in [("owner-podman", &in_podman), ("owner-gvisor", &in_gvisor)] {
            assert_eq!(say(remote, "umask; touch f; mkdir d; id -u").await, "0022\n1000\n");
            Filesystem::write(remote, &path_of("by/guest"), "x".into(), PUT).await.unwrap();
            for made in ["f", "d", "by/guest"] {
                let found = fs::metadata(machine.workspace(name).join(made)).unwrap();
                assert_eq!((found.uid(), found.gid()), (1000, 1000), "{name} {made}");
            }
        }
        podman.remove().await.unwrap();
        gvisor.remove().await.unwrap();
    });
}

/// Starts a process, loses everything that knows of it, and finds it again.
async fn found_again<C: Connect>(make: impl Fn() -> C) {
    let before = link(make()).await.unwrap();
    let mut command = script("echo begun; read -r line; echo got $line; exec sleep 1000");
    command.stdin = Stdin::Open;
    let id = before.start(command).await.unwrap();
    until("the process begins", async || printed(&before, id).await == "begun\n").await;
    drop(before);
    let after = link(make()).await.unwrap();
    let list = Shell::list(&after).await.unwrap();
    assert_eq!(list.iter().map(|process| process.id).collect::<Vec<_>>(), [id]);
    after.input(id, Input::Bytes("more\n".into())).await.unwrap();
    until("it goes on", async || printed(&after, id).await == "begun\ngot more\n").await;
}

#[test]
fn a_gateway_that_comes_back_finds_its_container_and_the_processes_in_it() {
    let Some(machine) = machine() else { return };
    run(async {
        let container = || machine.container("again-podman");
        let make = || Podman::new(machine.runc.clone(), container()).unwrap();
        make().prepare().await.unwrap();
        found_again(make).await;
        let first = inspect(machine, &make().name(), "{{.Id}}");
        // An engine that is asked through another object is the same, too.
        let anew = Arc::new(Engine::at(&machine.dir.join("runc.sock")));
        let after = link(Podman::new(anew, container()).unwrap()).await.unwrap();
        assert_eq!(Shell::list(&after).await.unwrap().len(), 1);
        assert_eq!(inspect(machine, &make().name(), "{{.Id}}"), first);
        make().remove().await.unwrap();
    });
}

#[test]
fn a_gateway_that_comes_back_finds_its_sandbox_in_gvisor() {
    let Some(machine) = machine() else { return };
    run(async {
        let make = || Gvisor::new(machine.gvisor(), machine.container("again-gvisor")).unwrap();
        found_again(make).await;
        make().remove().await.unwrap();
    });
}

#[test]
fn a_container_of_another_kind_is_replaced_and_no_number_comes_twice() {
    let Some(machine) = machine() else { return };
    run(async {
        let (before, remote) = podman(machine, "replaced").await;
        let old = remote.start(script("sleep 1000")).await.unwrap();
        Filesystem::write(&remote, &path_of("kept"), "kept".into(), PUT).await.unwrap();
        drop(remote);
        let limits = Limits { memory: Some(512 << 20), ..Limits::USUAL };
        let container = Container { limits, ..machine.container("replaced") };
        let after = Podman::new(machine.runc.clone(), container).unwrap();
        let remote = link(after.clone()).await.unwrap();
        assert_eq!(Shell::list(&remote).await.unwrap(), []);
        let gone = remote.output(old, Ask { from: 0, most: 1, wait: Duration::ZERO }).await;
        assert_eq!(gone.unwrap_err().code(), Code::InvalidParams);
        let new = remote.start(script("true")).await.unwrap();
        assert!(new > old, "{new} after {old}");
        assert_eq!(text(&remote, "kept").await, "kept");
        assert_eq!(before.name(), after.name());
        after.remove().await.unwrap();
    });
}

#[test]
fn a_container_is_as_closed_as_it_can_be() {
    let Some(machine) = machine() else { return };
    run(async {
        let (podman, remote) = podman(machine, "closed").await;
        let at = |what| inspect(machine, &podman.name(), what);
        assert_eq!(at("{{.HostConfig.ReadonlyRootfs}}"), "true");
        assert_eq!(at("{{.HostConfig.NetworkMode}}"), "none");
        assert_eq!(at("{{.HostConfig.Privileged}}"), "false");
        assert_eq!(at("{{.Config.User}}"), "1000:1000");
        assert_eq!(at("{{index .Config.Labels \"garth.workspace\"}}"), "closed");
        assert_eq!(at("{{.HostConfig.PidsLimit}} {{.HostConfig.Memory}}"), "512 1073741824");
        let status = say(&remote, "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status").await;
        let status = status.replace(['\t', ' '], "");
        for line in ["CapEff:0000000000000000", "CapBnd:0000000000000000", "NoNewPrivs:1"] {
            assert!(status.lines().any(|there| there == line), "{status}");
        }
        assert!(status.contains("Seccomp:2"), "{status}");
        podman.remove().await.unwrap();
    });
}

#[test]
fn a_workspace_that_may_only_be_read_is_so_for_commands_too() {
    let Some(machine) = machine() else { return };
    run(async {
        let policy = Policy { access: Access::ReadOnly, ..Policy::open() };
        let of = |name| Container { policy: policy.clone(), ..machine.container(name) };
        let podman = Podman::new(machine.runc.clone(), of("read-podman")).unwrap();
        podman.prepare().await.unwrap();
        let gvisor = Gvisor::new(machine.gvisor(), of("read-gvisor")).unwrap();
        for remote in [link(podman.clone()).await.unwrap(), link(gvisor.clone()).await.unwrap()] {
            let write = Filesystem::write(&remote, &path_of("f"), "x".into(), PUT).await;
            assert_eq!(write.unwrap_err().code(), Code::ReadOnly);
            let report = try_run(&remote, "echo x > f").await.unwrap();
            assert_ne!(report.ended.exit.code(), 0);
            let there = Filesystem::stat(&remote, &path_of("f"), Links::Follow).await;
            assert_eq!(there.unwrap_err().code(), Code::FileNotFound);
        }
        podman.remove().await.unwrap();
        gvisor.remove().await.unwrap();
    });
}

#[test]
fn a_relay_is_a_way_to_the_same_guest() {
    let Some(machine) = machine() else { return };
    run(async {
        let (podman, by_socket) = podman(machine, "relay-podman").await;
        let id = by_socket.start(script("echo here; sleep 1000")).await.unwrap();
        until("it begins", async || printed(&by_socket, id).await == "here\n").await;
        let container = machine.container("relay-podman");
        let container = Container { reach: Reach::Relay, ..container };
        let relayed = Podman::new(machine.runc.clone(), container).unwrap();
        let by_relay = link(relayed).await.unwrap();
        assert_eq!(printed(&by_relay, id).await, "here\n");
        let large = Bytes::from(vec![0xfe; 3 << 20]);
        Filesystem::write(&by_relay, &path_of("large"), large.clone(), PUT).await.unwrap();
        let span = Span::Whole { at_most: 8 << 20 };
        let back = Filesystem::read(&by_relay, &path_of("large"), span).await.unwrap();
        assert!(back.bytes == large, "what goes through a relay comes back whole");
        podman.remove().await.unwrap();
    });
}

#[test]
fn a_gvisor_that_shares_no_sockets_is_reached_by_a_relay() {
    let Some(machine) = machine() else { return };
    run(async {
        let mut flags = machine.gvisor().flags;
        flags.push("--host-uds=none".into());
        let runsc = Runsc { flags, ..machine.gvisor() };
        let gvisor = Gvisor::new(runsc, machine.container("relay-gvisor")).unwrap();
        let remote = link(gvisor.clone()).await.unwrap();
        assert_eq!(say(&remote, "echo hello").await, "hello\n");
        gvisor.remove().await.unwrap();
    });
}

#[test]
fn what_is_stopped_is_gone_and_comes_back_when_it_is_needed() {
    let Some(machine) = machine() else { return };
    run(async {
        let (podman, remote) = podman(machine, "stopped").await;
        let id = remote.start(script("sleep 1000")).await.unwrap();
        podman.stop().await.unwrap();
        assert_eq!(inspect(machine, &podman.name(), "{{.Id}}"), "");
        until("it comes back", async || {
            Shell::list(&remote).await.is_ok_and(|list| list.is_empty())
        })
        .await;
        assert!(remote.start(script("true")).await.unwrap() > id);
        podman.remove().await.unwrap();
        let run = machine.container("stopped").run;
        assert!(!run.join(podman.name()).exists());
        // Twice is as good as once.
        podman.remove().await.unwrap();
    });
}

#[test]
fn leftovers_are_found_by_their_owner_alone_and_cleaned() {
    let Some(machine) = machine() else { return };
    run(async {
        let of = |name: &str| Container { owner: "left".into(), ..machine.container(name) };
        let run = of("x").run;
        let podman = Podman::new(machine.runc.clone(), of("left-podman")).unwrap();
        podman.prepare().await.unwrap();
        let gvisor = Gvisor::new(machine.gvisor(), of("left-gvisor")).unwrap();
        drop((link(podman.clone()).await.unwrap(), link(gvisor.clone()).await.unwrap()));
        let is = |name: String, workspace: &str| {
            [Leftover { name, workspace: workspace.to_owned(), running: true }]
        };
        let found = machine.runc.leftovers("left").await.unwrap();
        assert_eq!(found, is(podman.name(), "left-podman"));
        assert_eq!(machine.runc.leftovers("nobody").await.unwrap(), []);
        machine.runc.remove(&run, &found[0]).await.unwrap();
        assert_eq!(machine.runc.leftovers("left").await.unwrap(), []);
        let found = machine.gvisor().leftovers(&run, "left").await.unwrap();
        assert_eq!(found, is(gvisor.name(), "left-gvisor"));
        assert_eq!(machine.gvisor().leftovers(&run, "nobody").await.unwrap(), []);
        machine.gvisor().remove(&run, &found[0]).await.unwrap();
        assert_eq!(machine.gvisor().leftovers(&run, "left").await.unwrap(), []);
        for name in [podman.name(), gvisor.name()] {
            assert!(!run.join(name).exists());
        }
    });
}

#[test]
fn a_volume_of_the_engine_holds_a_workspace_as_well() {
    let Some(machine) = machine() else { return };
    run(async {
        let files = Files::Volume("garth-test".into());
        let container = Container { files, ..machine.container("volume") };
        let podman = Podman::new(machine.runc.clone(), container).unwrap();
        podman.prepare().await.unwrap();
        let remote = link(podman.clone()).await.unwrap();
        Filesystem::write(&remote, &path_of("d/f"), "in a volume".into(), PUT).await.unwrap();
        assert_eq!(say(&remote, "cat d/f; echo changed > d/f").await, "in a volume");
        podman.stop().await.unwrap();
        until("another container has the same files", async || {
            let span = Span::Whole { at_most: 100 };
            let read = Filesystem::read(&remote, &path_of("d/f"), span).await;
            read.is_ok_and(|content| content.bytes == "changed\n")
        })
        .await;
        podman.remove().await.unwrap();
    });
}

#[test]
fn an_image_is_taken_by_its_name_and_a_missing_one_is_named() {
    let Some(machine) = machine() else { return };
    run(async {
        let (made, _) = podman(machine, "image-of-directory").await;
        let image = inspect(machine, &made.name(), "{{.ImageName}}");
        let of = |image: &str| Container {
            root: Root::Image(image.into()),
            ..machine.container("image-by-name")
        };
        let podman = Podman::new(machine.runc.clone(), of(&image)).unwrap();
        let remote = link(podman.clone()).await.unwrap();
        assert_eq!(say(&remote, "echo $HOME").await, "/home/garth\n");
        podman.remove().await.unwrap();
        made.remove().await.unwrap();
        let missing = of("localhost/no-such-image:1");
        let missing = Podman::new(machine.runc.clone(), missing).unwrap();
        let error = link(missing).await.unwrap_err();
        assert_eq!(error.code(), Code::ProviderUnavailable);
        assert!(error.message().contains("no-such-image"), "{error}");
        assert!(error.advice().contains("podman pull"), "{}", error.advice());
    });
}

#[test]
fn a_podman_with_another_runtime_is_refused_where_gvisor_is_asked_for() {
    let Some(machine) = machine() else { return };
    run(async {
        let container = machine.container("wrong-runtime");
        let options = Options { runtime: Some("runsc".into()), ..container.options.clone() };
        let container = Container { options, ..container };
        let podman = Podman::new(machine.runc.clone(), container).unwrap();
        let error = link(podman.clone()).await.unwrap_err();
        assert_eq!(error.code(), Code::ProviderUnavailable);
        assert!(error.message().contains("runsc"), "{error}");
        assert_eq!(inspect(machine, &podman.name(), "{{.Id}}"), "");
    });
}
