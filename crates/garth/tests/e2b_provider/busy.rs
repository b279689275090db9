//! A control interface that has no time at first.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::json;

use crate::{gateway::eventually, keeper::Keeper};

/// Refuses so many requests with a status, and then passes everything on.
struct Front {
    address: String,
    refused: Arc<AtomicUsize>,
}

impl Front {
    fn start(behind: &str, status: &'static str, count: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let refused = Arc::new(AtomicUsize::new(0));
        let (counted, behind) = (Arc::clone(&refused), behind.to_owned());
        // It ends with the test's process.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if counted.load(Ordering::SeqCst) < count {
                    counted.fetch_add(1, Ordering::SeqCst);
                    refuse(client, status);
                } else {
                    pass(client, &behind);
                }
            }
        });
        Self { address, refused }
    }
}

/// Reads what is asked, and refuses it.
fn refuse(mut client: TcpStream, status: &str) {
    let mut asked: Vec<u8> = Vec::new();
    let mut room = [0; 4096];
    while !asked.windows(4).any(|four| four == b"\r\n\r\n") {
        match client.read(&mut room) {
            Ok(count @ 1..) => asked.extend(&room[..count]),
            Ok(0) | Err(_) => return,
        }
    }
    let body = r#"{"code":0,"message":"not now"}"#;
    let head = format!(
        "HTTP/1.1 {status}\r\nRetry-After: 1\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let _ = client.write_all(head.as_bytes());
    let _ = client.shutdown(Shutdown::Write);
    // What is left unread would take the answer back.
    let _ = io::copy(&mut client, &mut io::sink());
}

fn pass(client: TcpStream, behind: &str) {
    let server = TcpStream::connect(behind).unwrap();
    let ways = [(client.try_clone().unwrap(), server.try_clone().unwrap()), (server, client)];
    for (mut from, mut to) in ways {
        thread::spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
}

fn waits_out(status: &'static str) {
    let Some(keeper) = Keeper::start() else { return };
    let front = Front::start(&keeper.address, status, 2);
    let data = keeper.data();
    data.configure(&keeper.configuration_by(&front.address, &keeper.key_file()));
    let gateway = data.start();
    // Whether it could be had is asked once, and may be refused.
    eventually("the agent is made", || {
        let made = gateway.create(&json!({"id": "bird", "provider": "e2b"}));
        made.status == 200 || made.refusal().1 != "PROVIDER_UNAVAILABLE"
    });
    assert_eq!(gateway.say("bird", "echo here"), "here\n");
    assert_eq!(front.refused.load(Ordering::SeqCst), 2);
    assert_eq!(keeper.sandboxes().len(), 1, "what was asked for again was made once");
}

#[test]
fn who_is_asked_too_often_is_asked_again_when_it_says() {
    waits_out("429 Too Many Requests");
}

#[test]
fn who_is_not_there_for_a_moment_is_asked_again() {
    waits_out("503 Service Unavailable");
}
