//! An agent in a virtual machine of QEMU, whose processor is emulated: its files outlive the
//! machine and the gateway, however they end.

use std::{fs, path::Path};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::{
    gateway::{Data, Gateway, LIMITS, eventually},
    machine::{guest, machine_parts},
};

/// What a gateway is told so that its agents live in machines, or a line that says what is
/// missing.
pub(crate) fn configuration() -> Option<String> {
    let parts = machine_parts()?;
    let Some(guest) = guest() else {
        println!("skipped: no static guest");
        return None;
    };
    let [kernel, modules, root] = ["kernel", "modules", "root.ext4"].map(|name| parts.join(name));
    Some(format!(
        "provider = \"qemu\"\n[containers]\nguest = {guest:?}\n\
         [machines]\nkernel = {kernel:?}\nmodules = {modules:?}\nroot = {root:?}\n\
         memory = \"256MiB\"\ndisk = \"256MiB\"\n[qemu]\nsoftware = true\n{LIMITS}"
    ))
}

/// The disks of virtual machines that a gateway has.
fn disks(data: &Data) -> usize {
    let places = fs::read_dir(data.path().join("run")).into_iter().flatten().flatten();
    places.filter(|place| place.path().join("files.ext4").exists()).count()
}

fn read(gateway: &Gateway<'_>, path: &str) -> String {
    let told = gateway.told("bird", "read", &json!({"file_path": path}));
    told["content"].as_str().unwrap().to_owned()
}

#[test]
fn an_agent_in_a_machine_keeps_its_files_when_the_machine_is_killed_and_the_gateway_stops() {
    let Some(configuration) = configuration() else { return };
    let data = Data::new(&configuration);
    let gateway = data.start();
    let made = gateway.create(&json!({"id": "bird"}));
    assert_eq!(made.status, 200, "{}", made.text());
    assert_eq!((gateway.emulators().len(), disks(&data)), (0, 0), "nothing is made before use");

    gateway.told("bird", "write", &json!({"file_path": "dir/a.txt", "content": "one\n"}));
    assert_eq!(gateway.say("bird", "cat dir/a.txt; pwd; hostname"), "one\n/workspace\ngarth\n");
    gateway.say("bird", "echo made inside > b.txt");
    assert_eq!(read(&gateway, "b.txt"), "1: made inside");
    assert!(!gateway.files("bird").join("b.txt").exists(), "files are on the machine's disk");
    let background = json!({"command": "exec sleep 1000", "background": true});
    let lost = gateway.told("bird", "bash", &background)["id"].take();

    let emulators = gateway.emulators();
    assert_eq!((emulators.len(), disks(&data)), (1, 1));
    std::thread::scope(|scope| {
        let command = json!({"command": "sync; echo yes > begun; exec sleep 1000"});
        let call = scope.spawn({
            let gateway = &gateway;
            move || gateway.tool("bird", "bash", &command)
        });
        eventually("it runs", || {
            gateway.tool("bird", "read", &json!({"file_path": "begun"})).text().contains("yes")
        });
        kill_process(emulators[0], Signal::KILL).unwrap();
        // Who waits is told, and does not wait on.
        let reply = call.join().unwrap();
        assert_eq!(reply.refusal(), (503, "PROVIDER_UNAVAILABLE".to_owned()));
    });
    // The next call has another machine with the same files.
    assert_eq!(gateway.say("bird", "cat dir/a.txt b.txt"), "one\nmade inside\n");
    assert_ne!(gateway.emulators(), emulators);
    let told = gateway.tool("bird", "output", &json!({ "id": lost }));
    assert!(told.text().contains("is lost"), "{}", told.text());

    let emulators = gateway.emulators();
    gateway.stop();
    let runs = |pid: &Pid| {
        let words = Path::new("/proc").join(pid.as_raw_nonzero().to_string()).join("cmdline");
        fs::read_to_string(words).is_ok_and(|words| words.contains("qemu"))
    };
    eventually("no machine is left behind", || !emulators.iter().any(runs));
    let gateway = data.start();
    assert_eq!(read(&gateway, "b.txt"), "1: made inside");
    let deleted = gateway.ask("DELETE", "/v1/workspaces/bird").send();
    assert_eq!(deleted.status, 200, "{}", deleted.text());
    assert_eq!((gateway.emulators().len(), disks(&data)), (0, 0), "it is gone with the reply");
}
