//! The client in TypeScript: its types are what the gateway's document says, and it
//! works on a real gateway.

mod write;

use std::{path::Path, process::Command};

use crate::{
    gateway::Gateway,
    installed,
    run::{bounded, printed},
};

const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/typescript");

#[test]
fn the_types_are_what_the_document_says() {
    let gateway = Gateway::start();
    let document = gateway.anybody("GET", "/v1/openapi.json").send().value();
    let written = write::types(&document);
    let path = Path::new(CLIENT).join("src/schema.ts");
    if std::env::var_os("GARTH_WRITE_PAGES").is_some() {
        std::fs::write(&path, &written).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == written, "run `make docs` and commit clients/typescript/src/schema.ts");
}

#[test]
fn the_client_has_no_mistake_in_its_types() {
    let Some((compiler, node)) = installed::node_program_in("ts", "tsc") else { return };
    let mut command = bounded(&compiler);
    printed(with_node(&mut command, &node).args(["--project", CLIENT]));
}

#[test]
fn the_client_works_on_a_real_gateway() {
    let Some(node) = installed::node() else { return };
    let gateway = Gateway::start();
    let commands = if gateway.runs_commands() { "yes" } else { "no" };
    let url = format!("http://{}", gateway.address);
    let mut command = bounded(&node);
    command.arg(format!("{CLIENT}/test/works.ts")).args([&url, &gateway.operator, commands]);
    printed(command.env("NODE_NO_WARNINGS", "1"));
}

fn with_node<'a>(command: &'a mut Command, node: &Path) -> &'a mut Command {
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", node.display()))
}
