//! The life of a machine in QEMU, whose processor is emulated.

use garth_contract::Code;
use rustix::process::{Pid, Signal, kill_process};

use crate::scene::{Scene, link, parts, read, say, try_run, until, write};

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
    drop(remote);
    qemu.remove().await.unwrap();
    assert!(scene.processes().is_empty());
}
