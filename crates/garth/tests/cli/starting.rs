//! How a gateway starts and stops, also where it cannot.

use std::{fs, io::Read, net::TcpListener};

use rustix::process::Signal;
use serde_json::json;

use crate::{
    scene::garth,
    serving::{Data, PATIENCE, until},
    watching::post,
};

#[test]
fn the_first_start_makes_a_token_and_an_agent_and_says_where_to_go() {
    let data = Data::new();
    let served = data.serve(&[]);
    served.signal(Signal::INT);
    let (code, printed, log) = served.ended();
    assert_eq!(code, Some(0), "{log}");
    assert!(printed.contains("/#ticket=garth_"), "{printed}");
    assert!(printed.contains("operator.token (the operator's)"), "{printed}");
    assert!(log.contains("The gateway stopped."), "{log}");
    assert!(!log.contains("garth_"), "no ticket is logged: {log}");
    let agents = data.payload(&["agent", "list"]);
    assert_eq!(agents["agents"][0]["id"], "default");
    // The second start makes nothing anew.
    let before = data.payload(&["token", "list"]);
    drop(data.serve(&[]));
    assert_eq!(data.payload(&["token", "list"]), before);
}

#[test]
fn two_gateways_do_not_share_a_data_directory() {
    let data = Data::new();
    let _served = data.serve(&[]);
    let run = data.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run:?}");
    assert!(run.stderr.contains("another gateway uses this data directory (CONFLICT)"), "{run:?}");
    assert!(
        run.stderr.contains("hint: Stop it, or choose another directory with --data."),
        "{run:?}"
    );
}

#[test]
fn a_data_directory_that_cannot_be_made_is_named() {
    let data = Data::new();
    data.put("file", "");
    let below = data.path().join("file/data");
    let run = garth(&["serve", "--data", below.to_str().unwrap()], "");
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run:?}");
    assert!(run.stderr.contains("a directory of the gateway cannot be used"), "{run:?}");
    assert!(run.stderr.contains("file/data; --data says another."), "{run:?}");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the test looks at its own directory")]
fn a_damaged_database_is_refused_and_left_as_it_is() {
    let data = Data::new();
    data.done(&["agent", "create", "a"]);
    let garbage = "this is no database, ".repeat(1_000);
    data.put("garth.db", &garbage);
    for arguments in [&["serve"][..], &["agent", "list"], &["audit", "verify"]] {
        let run = data.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run:?}");
        assert!(
            run.stderr.contains("is damaged or not a database; it was left as it is"),
            "{run:?}"
        );
        assert!(run.stderr.contains("hint: Restore it from a copy"), "{run:?}");
    }
    assert_eq!(fs::read_to_string(data.path().join("garth.db")).unwrap(), garbage);
}

#[test]
fn an_address_that_is_taken_or_open_to_others_is_refused() {
    let data = Data::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = taken.local_addr().unwrap().to_string();
    let run = data.run(&["serve", "--listen", &at]);
    assert!(run.code == 1 && run.stderr.contains("cannot be listened on"), "{run:?}");
    let run = data.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert!(run.code == 2 && run.stderr.contains("there is no TLS"), "{run:?}");
}

#[test]
fn a_second_signal_ends_a_gateway_that_waits_for_a_request() {
    let data = Data::new();
    data.put("garth.toml", "[log]\nlevel = \"info\"\n");
    let mut served = data.serve(&[]);
    let token = data.done(&["token", "create", "--role", "operator"]);
    // Somebody who began a request and does not end it.
    let at = served.url.strip_prefix("http://").unwrap().to_owned();
    let mut slow = std::net::TcpStream::connect(&at).unwrap();
    let body = json!({ "path": "a", "content": "x".repeat(100) }).to_string();
    let head = format!(
        "POST /v1/workspaces/default/write HTTP/1.1\r\nHost: {at}\r\nAuthorization: Bearer {}\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        token.trim(),
        body.len()
    );
    std::io::Write::write_all(&mut slow, head.as_bytes()).unwrap();
    // It says so when it waits for the body.
    slow.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut said = [0; 12];
    slow.read_exact(&mut said).unwrap();
    assert_eq!(&said, b"HTTP/1.1 100");
    served.signal(Signal::INT);
    let stderr = served.child.stderr.take().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(stderr));
    // It waits for the request after the first; the second ends the waiting.
    assert!(lines.any(|line| line.unwrap().contains("The gateway stops.")));
    served.signal(Signal::INT);
    assert!(lines.any(|line| line.unwrap().contains("The gateway stops at once.")));
    assert!(lines.any(|line| line.unwrap().contains("The gateway stopped.")));
    let status = until(|| served.child.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
}

#[test]
fn what_was_asked_for_before_the_stop_is_answered() {
    let data = Data::new();
    let served = data.serve(&[]);
    let token = data.done(&["token", "create", "--role", "operator"]);
    let body = json!({ "path": "a.txt", "content": "one\n" }).to_string();
    let (status, answer) = post(&served, "/v1/workspaces/default/write", token.trim(), &body);
    served.signal(Signal::TERM);
    let (code, _, log) = served.ended();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(status, 200, "{answer}");
    let report = data.payload(&["audit", "verify"]);
    assert_eq!((&report["sound"], &report["unprotected"]), (&true.into(), &0.into()), "{report}");
}
