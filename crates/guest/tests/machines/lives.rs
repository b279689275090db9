//! The life of a machine in QEMU, whose processor is emulated.

use garth_contract::{Code, Shell};
use rustix::process::{Pid, Signal, kill_process};

use crate::scene::{DEADLINE, Scene, link, parts, read, say, script, try_run, until, write};

#[tokio::test]
async fn a_machine_serves_files_and_commands_and_keeps_its_files_when_it_is_killed() {
    let Some(parts) = parts() else { return };
    let scene = Scene::new(parts);
    let qemu = scene.qemu();
    let begun = std::time::Instant::now();
    let remote = link(qemu.clone()).await.unwrap();
    println!("the guest was there after {:.1?}", begun.elapsed());
    write(&remote, "dir/file", "hello").await.unwrap();
    assert_eq!(read(&remote, "dir/file").await.unwrap(), "hello");
    assert_eq!(
        say(&remote, "cat dir/file; pwd; id -u; hostname").await,
        "hello/workspace\n1000\ngarth\n"
    );

    qemu.pause().await.unwrap();
    qemu.resume().await.unwrap();
    let id = remote.start(script("exec sleep 1000")).await.unwrap();
    assert_eq!(
        say(&remote, "ls -A; grep -c ' lo:' /proc/net/dev; ls /sys/class/net").await,
        "dir\n1\nlo\n"
    );

    let processes = scene.processes();
    assert_eq!(processes.len(), 1, "{processes:?}");
    kill_process(Pid::from_raw(processes[0]).unwrap(), Signal::KILL).unwrap();
    until("the machine is gone", async || scene.processes().is_empty()).await;
    let told = try_run(&remote, "true").await;
    if let Err(error) = &told {
        // The call that finds it gone may be told so; the next one has another machine.
        assert_eq!(error.code(), Code::ProviderUnavailable, "{error}");
    }
    assert_eq!(read(&remote, "dir/file").await.unwrap(), "hello");
    assert_eq!(say(&remote, "echo again").await, "again\n");
    // What ran in the machine that was killed is known to be lost, whatever runs now.
    let error = remote.signal(id, garth_contract::Signal::KILL).await.unwrap_err();
    assert!(error.message().contains("is lost"), "{error}");
    drop(remote);
    qemu.remove().await.unwrap();
    assert!(scene.processes().is_empty());
}

/// Tells this program to be the one whose machine is left behind.
const TOLD: &str = "GARTH_MACHINES_HOST";

/// A program with a machine, which ends only when it is killed.
#[tokio::test]
async fn host() {
    let Some(dir) = std::env::var_os(TOLD) else { return };
    let mut scene = Scene::new(parts().unwrap());
    scene.machine.run = dir.into();
    let remote = link(scene.qemu()).await.unwrap();
    write(&remote, "there", "1").await.unwrap();
    std::fs::write(scene.machine.run.join("up"), "").unwrap();
    tokio::time::sleep(DEADLINE).await;
}

#[tokio::test]
async fn a_machine_ends_with_the_program_that_started_it_however_that_ends() {
    let Some(parts) = parts() else { return };
    let scene = Scene::new(parts);
    std::fs::create_dir(&scene.machine.run).unwrap();
    let mut host = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lives::host", "--nocapture"])
        .env(TOLD, &scene.machine.run)
        .env("TMPDIR", scene.dir.path())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until("the machine is up", async || {
        assert_eq!(host.try_wait().unwrap(), None, "the program has ended");
        scene.machine.run.join("up").exists()
    })
    .await;
    assert_eq!(scene.processes().len(), 1);
    host.kill().unwrap();
    host.wait().unwrap();
    until("the machine is gone", async || scene.processes().is_empty()).await;
}
