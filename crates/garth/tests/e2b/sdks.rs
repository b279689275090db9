//! The published SDKs drive every feature that there is; older ones the basic flow.

use std::process::Command;

use crate::{
    gateway::Gateway,
    installed,
    run::{printed, within},
};

/// How many seconds a group of facts gets.
const MOST_SECONDS: &str = "240";

/// Runs facts of the Python library of these requirements.
fn python(library: &str, client: &str, group: &str) {
    python_on(Gateway::start, (library, client, group));
}

/// The same on a gateway of its own kind.
fn python_on(start: fn() -> Gateway, (library, client, group): (&str, &str, &str)) {
    let Some(python) = installed::python(library) else { return };
    let gateway = start();
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2b/drive");
    let mut command = within(&python, MOST_SECONDS);
    command.args(["-B", driver, client, group]);
    told(&mut command, &gateway, library);
}

/// Runs facts of a package of the JavaScript library.
fn node(package: &str, group: &str) {
    let Some((packages, node)) = installed::node_packages("npm-e2b", package) else { return };
    let gateway = Gateway::start();
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2b/drive_js/main.mjs");
    let mut command = within(&node, MOST_SECONDS);
    command.arg(driver).arg(packages).args([package, group]);
    told(&mut command, &gateway, package);
}

fn told(command: &mut Command, gateway: &Gateway, name: &str) {
    // Those of today take any key; older ones only what looks like E2B's.
    let key = match name {
        "e2b" => gateway.key.clone(),
        _ => gateway.key.replace("garth_", "e2b_"),
    };
    command.envs(gateway.variables()).env("E2B_API_KEY", key).env_remove("E2B_DOMAIN");
    printed(command);
}

#[test]
fn python_runs_commands() {
    python("e2b", "sync", "commands");
}

#[test]
fn python_works_with_files() {
    python("e2b", "sync", "files");
}

#[test]
fn python_makes_pauses_and_ends_sandboxes() {
    python("e2b", "sync", "life");
}

#[test]
fn python_uses_terminals() {
    python("e2b", "sync", "terminals");
}

#[test]
fn python_watches_directories() {
    python("e2b", "sync", "watches");
}

#[test]
fn python_changes_its_own_system() {
    python("e2b", "sync", "system");
}

#[test]
fn python_changes_no_system_that_is_only_shown() {
    let start = || Gateway::with("[e2b]\nenabled = true\nsystem = \"shown\"\n");
    python_on(start, ("e2b", "sync", "shown"));
}

#[test]
fn asynchronous_python_changes_its_own_system() {
    python("e2b", "async", "system");
}

#[test]
fn asynchronous_python_runs_commands() {
    python("e2b", "async", "commands");
}

#[test]
fn asynchronous_python_works_with_files() {
    python("e2b", "async", "files");
}

#[test]
fn asynchronous_python_makes_pauses_and_ends_sandboxes() {
    python("e2b", "async", "life");
}

#[test]
fn asynchronous_python_uses_terminals_and_watches() {
    python("e2b", "async", "terminals");
    python("e2b", "async", "watches");
}

#[test]
fn javascript_does_everything() {
    node("e2b", "all");
}

#[test]
fn older_python_does_the_basics() {
    for library in ["e2b-2.25", "e2b-2.10"] {
        python(library, "sync", "basics");
        python(library, "async", "basics");
    }
}

#[test]
fn older_javascript_does_the_basics() {
    node("e2b-2.25", "basics");
    node("e2b-2.10", "basics");
}
