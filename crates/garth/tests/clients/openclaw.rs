//! The gateway as the client of the OpenClaw project sees it.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use serde_json::json;

use crate::{
    installed,
    run::{bounded, printed},
};

/// A gateway that ends with the test.
struct Gateway(Child);

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn garth(arguments: &[&str], data: &std::path::Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
    command.args(arguments).arg("--data").arg(data);
    command.env_remove("GARTH_DATA").env_remove("GARTH_CONFIG");
    command
}

#[test]
fn the_published_client_works_unchanged() {
    let Some((packages, node)) =
        installed::node_packages("npm-gateway", "@openclaw/gateway-client")
    else {
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let mut child = garth(&["serve", "--listen", "127.0.0.1:0"], data.path());
    let mut child = Gateway(child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    let address = loop {
        let line = lines.next().unwrap().unwrap();
        if let Some((_, address)) = line.split_once("listens on http://") {
            break address.trim().to_owned();
        }
    };
    std::thread::spawn(move || lines.for_each(drop));
    let token = ["token", "create", "--role", "agent", "--agent", "default"];
    let token = printed(&mut garth(&token, data.path()));
    let scene = json!({
        "url": format!("ws://{address}/v1/ws"), "token": token.trim(), "agent": "default",
    });
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/gateway/drive.mjs");
    let mut client = bounded(&node);
    client.arg(driver).arg(packages).arg(scene.to_string());
    let facts = printed(&mut client);
    assert_eq!(facts.lines().filter(|line| line.starts_with("holds: ")).count(), 7, "{facts}");
}
