//! `garth audit` on a data directory.

use serde_json::Value;

use crate::serving::Data;

/// A directory with some records.
fn recorded() -> Data {
    let data = Data::new();
    for agent in ["a", "b", "c"] {
        data.done(&["agent", "create", agent]);
    }
    data.run(&["agent", "create", "c"]);
    data
}

#[test]
fn records_are_listed_newest_first_and_exported_oldest_first() {
    let data = recorded();
    let listed = data.done(&["audit", "list", "--operation", "agents.create"]);
    let lines: Vec<_> = listed.lines().collect();
    assert!(lines[0].starts_with("RECORD  TIME"), "{listed}");
    assert!(lines[1].contains("CONFLICT") && lines[1].contains("agent: c"), "{listed}");
    assert!(lines[4].contains("OK") && lines[4].contains("agent: a"), "{listed}");
    let refused = data.payload(&["audit", "list", "--outcome", "CONFLICT", "--since", "1h"]);
    assert_eq!(refused["records"].as_array().unwrap().len(), 1);
    let older = data.payload(&["audit", "list", "--until", "1h"]);
    assert_eq!(older["records"].as_array().unwrap().len(), 0);
    let page = data.payload(&["audit", "list", "--limit", "1"]);
    let next = page["next"].as_i64().unwrap().to_string();
    let rest = data.payload(&["audit", "list", "--before", &next]);
    assert_eq!(rest["records"].as_array().unwrap().len(), 3);

    let exported = data.done(&["audit", "export"]);
    let records: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sequences: Vec<_> = records.iter().map(|record| record["sequence"].as_i64()).collect();
    assert_eq!(sequences, [Some(1), Some(2), Some(3), Some(4)]);
    assert_eq!(records[0]["role"], "operator");
}

#[test]
fn a_whole_audit_is_verified_and_what_no_anchor_protects_is_said() {
    let data = recorded();
    let said = data.done(&["audit", "verify"]);
    assert!(said.contains("The audit is whole: 4 records, the last is 4."), "{said}");
    assert!(said.contains("the 4 after it are unprotected"), "{said}");
    // A gateway anchors when it stops.
    let served = data.serve(&[]);
    served.signal(rustix::process::Signal::TERM);
    let (code, _, said) = served.ended();
    assert_eq!(code, Some(0), "{said}");
    let report = data.payload(&["audit", "verify"]);
    assert_eq!((&report["sound"], &report["unprotected"]), (&true.into(), &0.into()), "{report}");
    assert!(data.done(&["audit", "verify"]).contains("All of them are protected"));
    let other = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    let report = data.payload(&["audit", "verify", "--key", other]);
    assert_eq!(report["unprotected"], 4, "nothing is protected by a key of somebody else");
    assert_eq!(data.refused(&["audit", "verify", "--key", "nonsense"]).0, 2);
}

#[test]
fn a_record_that_was_changed_is_found() {
    let data = recorded();
    data.done(&["audit", "verify"]);
    let database = data.path().join("garth.db");
    let connection = rusqlite::Connection::open(database).unwrap();
    connection.execute("UPDATE audit SET summary = 'agent: z' WHERE sequence = 2", []).unwrap();
    drop(connection);
    let run = data.run(&["audit", "verify"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("error: record 2 is not what was written"), "{run:?}");
    assert!(run.stdout.contains("The audit is not whole"), "{run:?}");
}
