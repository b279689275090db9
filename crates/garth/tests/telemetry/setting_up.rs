//! How a collector is named, and what is wrong with one that cannot be used.

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::json;

use crate::{
    collector::{Answers, Collector},
    server::Server,
};

/// Has a file looked at, with these variables.
fn check(configuration: &str, variables: &[(&str, &str)]) -> Output {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("garth.toml");
    fs::write(&file, configuration).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
    command.args(["config", "check", "--data"]).arg(data.path());
    command.env_remove("GARTH_DATA").env_remove("GARTH_CONFIG");
    command.envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn an_address_that_takes_no_spans_is_refused_with_its_line() {
    for (value, wrong) in [
        ("\"4318\"", "must be an address such as http://127.0.0.1:4318"),
        (
            "\"https://a:4318\"",
            "cannot be https: let a collector beside the gateway pass spans on over TLS",
        ),
        ("\"http://me:hunter2@a:4318\"", "must not hold a name or a password"),
        ("4318", "must be a text"),
    ] {
        let output = check(&format!("[telemetry]\notlp = {value}\n"), &[]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(!output.status.success(), "{value}");
        assert!(said.contains(&format!("garth.toml:2: telemetry.otlp {wrong}")), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
    let sound = "[telemetry]\notlp = \"http://[::1]:4318\"\nservice = \"a\"\nwaiting = 1\n";
    assert!(check(sound, &[]).status.success());
    let output = check("[telemetry]\nservice = \"\"\nwaiting = 0\n", &[]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.lines().count(), 2, "{said}");
}

#[test]
fn the_variables_of_opentelemetry_are_looked_at_and_ours_win() {
    const STANDARD: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
    let output = check("", &[(STANDARD, "grpc://a:4317")]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains(&format!("{STANDARD}: telemetry.otlp must be an address")), "{said}");

    let (theirs, ours) = (Collector::start(Answers::Well), Collector::start(Answers::Well));
    let server = |variables: &[(&str, &str)]| {
        let server = Server::surrounded(variables);
        server.operator().ok("worktree.stat", json!({"agentId": "default", "path": "/"}));
        assert_eq!(server.stop(), Some(0));
    };
    server(&[(STANDARD, &theirs.address)]);
    assert!(!theirs.spans().is_empty());
    let before = theirs.spans().len();
    server(&[(STANDARD, &theirs.address), ("GARTH_TELEMETRY_OTLP", &ours.address)]);
    assert_eq!((theirs.spans().len(), ours.spans().is_empty()), (before, false));
    server(&[(STANDARD, &theirs.address), ("GARTH_TELEMETRY_OTLP", "off")]);
    assert_eq!(theirs.spans().len(), before);
}
