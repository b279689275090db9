//! Sandboxes of the E2B interface in podman and in gVisor, driven by the published SDK.

use std::fs;

use crate::{
    gateway::{Data, configuration, containers, eventually, machine, sandboxes},
    installed,
    run::{printed, within},
};

/// How many seconds a group of facts gets: gVisor is slow where it traces.
const MOST_SECONDS: &str = "280";

/// More than any test asks for.
const PLENTY: &str = "admin_per_minute = 100_000\nsandbox_per_minute = 1_000_000\n\
    bytes_per_minute = 100_000_000_000\nwatches = 100\nprocesses = 1_000\n";

/// A gateway whose E2B sandboxes are a provider's, of whose templates one is the other's.
fn data(provider: &str, other: &str) -> Option<Data> {
    let machine = machine()?;
    let own = configuration(machine);
    let own = own
        .replace("tools_per_minute = 100_000\n", &format!("tools_per_minute = 100_000\n{PLENTY}"));
    let root = machine.root.display();
    Some(Data::new(&format!(
        "{own}[e2b]\nenabled = true\nprovider = {provider:?}\n\
         templates = [\"other={other}:{root}\"]\n"
    )))
}

/// Runs facts of the Python SDK.
fn drive(data: &Data, client: &str, group: &str) {
    let Some(python) = installed::python("e2b") else { return };
    let gateway = data.start();
    let url = format!("http://{}", gateway.address());
    let mut command = within(&python, MOST_SECONDS);
    command.args(["-B", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2b/drive"), client, group]);
    command.env("E2B_API_URL", &url).env("E2B_SANDBOX_URL", &url);
    command.env("E2B_API_KEY", gateway.operator()).env_remove("E2B_DOMAIN");
    printed(&mut command);
}

#[test]
fn the_sdk_works_in_podman() {
    let Some(data) = data("podman", "gvisor") else { return };
    drive(&data, "sync", "contained");
    let machine = machine().unwrap();
    eventually("no container is left", || containers(machine, &data).is_empty());
}

#[test]
fn the_asynchronous_sdk_works_in_podman() {
    let Some(data) = data("podman", "gvisor") else { return };
    drive(&data, "async", "contained");
}

#[test]
fn the_sdk_works_in_gvisor() {
    let Some(data) = data("gvisor", "podman") else { return };
    // Debian's gVisor has terminals that send no signals, so the guest offers none there.
    drive(&data, "sync", "contained-without-terminals");
    // One that could not be ended in time is found by the next start.
    let _next = data.start();
    eventually("no sandbox is left", || sandboxes(&data) == 0);
}

#[test]
fn a_template_names_a_provider_of_its_own() {
    let Some(data) = data("podman", "gvisor") else { return };
    drive(&data, "sync", "elsewhere");
    let agents = fs::read_dir(data.path().join("agents")).unwrap();
    let names: Vec<_> = agents.map(|entry| entry.unwrap().file_name()).collect();
    // The gateway's own, and nothing of a sandbox.
    assert_eq!(names, ["default"]);
}
