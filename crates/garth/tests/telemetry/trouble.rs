//! Collectors that are down, broken or silent: calls go on, and what is lost is counted.

use std::net::TcpListener;

use serde_json::json;

use crate::{
    collector::{Answers, Collector},
    scene::{counter, gateway},
    server::until,
};

#[test]
fn a_collector_that_never_answers_holds_no_call_up_and_what_there_is_no_room_for_is_counted() {
    const WAITING: u64 = 16;
    const CALLS: u64 = 40;
    let collector = Collector::start(Answers::Never);
    let server = gateway(&collector.address, "waiting = 16");
    let mut client = server.operator();
    let stat = json!({"agentId": "default", "path": "/"});
    client.ok("worktree.stat", stat.clone());
    // From here on the one who sends waits for an answer that never comes.
    collector.span("the first", |span| span.name == "worktree.stat");
    for _ in 0..CALLS {
        client.ok("worktree.stat", stat.clone());
    }
    assert_eq!(counter(&server, "sent"), 0, "every call was answered, and no span was");
    assert!(counter(&server, "dropped") >= CALLS - WAITING, "there is room for some alone");
    // It gives the rest some time, and not for ever.
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn what_a_collector_does_not_take_is_counted_and_calls_go_on() {
    let broken = Collector::start(Answers::WithAnError);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for address in [broken.address.clone(), format!("http://{closed}")] {
        let server = gateway(&address, "");
        let mut client = server.operator();
        let stat = json!({"agentId": "default", "path": "/"});
        client.ok("worktree.stat", stat.clone());
        until("it is counted", || counter(&server, "failed") > 0);
        client.ok("worktree.stat", stat);
        assert_eq!((counter(&server, "sent"), counter(&server, "dropped")), (0, 0));
    }
}

#[test]
fn what_is_sent_is_counted_and_the_last_spans_leave_before_the_end() {
    let collector = Collector::start(Answers::Well);
    let server = gateway(&collector.address, "");
    let mut client = server.operator();
    client.ok("worktree.stat", json!({"agentId": "default", "path": "/"}));
    until("it is counted", || counter(&server, "sent") > 0);
    client.ok("worktree.list", json!({"agentId": "default"}));
    // A gateway waits for whoever is connected, and spans would leave meanwhile.
    drop(client);
    assert_eq!(server.stop(), Some(0));
    let spans = collector.spans();
    assert!(spans.iter().any(|span| span.name == "worktree.list"), "{spans:?}");
}
