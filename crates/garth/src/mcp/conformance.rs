//! The published conformance kit, run on our server.
//!
//! The kit speaks HTTP and calls tools of its own. Both are made here, in tests
//! only: a front that passes each request to a server over a pair of streams, as
//! `garth mcp` has them, and a table of the tools beside those of a dialect. What
//! the kit finds wrong and `expected-failures.yaml` does not argue fails the test.

mod fixture;
mod front;

use std::{path::Path, process::Command};

/// How many seconds the kit gets.
const MOST_SECONDS: &str = "150";

#[test]
#[allow(clippy::disallowed_methods, reason = "the kit is started, and files tell if it is there")]
fn the_conformance_kit_finds_only_what_is_argued() {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache");
    let kit =
        cache.join("npm-clients/node_modules/@modelcontextprotocol/conformance/dist/index.js");
    let node = cache.join("node/node");
    if !kit.exists() || !node.exists() {
        println!("skipped: the conformance kit is not installed; scripts/test installs it");
        return;
    }
    let expected =
        concat!(env!("CARGO_MANIFEST_DIR"), "/src/mcp/conformance/expected-failures.yaml");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let address = runtime.block_on(front::start()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let run = Command::new("timeout")
        .args(["--kill-after=5", MOST_SECONDS])
        .args([&node, &kit])
        .args(["server", "--url", &format!("http://{address}/mcp")])
        .args(["--requirements", "2026-07-28", "--expected-failures", expected])
        .current_dir(directory.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(
        run.status.success(),
        "{}\n{said}\n{}",
        run.status,
        String::from_utf8_lossy(&run.stderr)
    );
    assert!(said.contains("tools-call-simple-text"), "{said}");
}
