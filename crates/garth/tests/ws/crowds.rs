//! Many clients, slow ones and hostile ones, all on loopback and bounded.

use std::{
    collections::BTreeSet,
    fs,
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::{
    client::{Client, End},
    server::{PATIENCE, Server, until},
};

/// Idle connections that are opened, where `GARTH_IDLE` says nothing else.
const IDLE: usize = 1_000;
/// The memory that one may take, in kilobytes: what is read at once, and as much again
/// for all that knows of it.
const MOST_IDLE_KB: u64 = 64;

/// Lets this process have as many handles as the system allows it.
fn many_handles() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[test]
fn idle_connections_cost_little_and_harm_nobody() {
    let wanted = std::env::var("GARTH_IDLE").ok().and_then(|text| text.parse().ok());
    let wanted: usize = wanted.unwrap_or(IDLE);
    let room = many_handles();
    // The gateway, which has as many, leaves a quarter to files.
    if room * 3 / 4 < wanted as u64 + 100 {
        println!("skipped: this system allows {room} open files, too few for {wanted} connections");
        return;
    }
    let server = Server::start();
    let before = server.kilobytes();
    let mut worker = server.operator();
    let mut idle = Vec::new();
    let mut slowest = Duration::ZERO;
    let mut breathed = Instant::now();
    for number in 0..wanted {
        idle.push(server.operator());
        // Who is asked and does not answer for a minute is let go.
        if breathed.elapsed() > Duration::from_secs(10) {
            idle.iter_mut().for_each(Client::breathe);
            breathed = Instant::now();
        }
        // Somebody works all the while.
        if number % (wanted / 20).max(1) == 0 {
            let begun = Instant::now();
            let written = json!({"agentId": "default", "path": "a", "content": number.to_string()});
            worker.ok("worktree.write", written);
            slowest = slowest.max(begun.elapsed());
        }
    }
    let each = server.kilobytes().saturating_sub(before) / wanted as u64;
    println!(
        "{wanted} idle connections: {each} KB each; the slowest write beside them {slowest:?}"
    );
    assert!(each < MOST_IDLE_KB, "{each} KB");
    server.operator().ok("worktree.list", json!({"agentId": "default"}));
    for client in idle.iter_mut().step_by((wanted / 50).max(1)) {
        client.ok("connect", json!({}));
    }
}

#[test]
fn connections_leave_handles_to_files_where_there_are_few() {
    let server = Server::with_handles(300);
    let mut worker = server.operator();
    let strangers: Vec<_> =
        (0..400).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    // Also while as many are connected as it takes, and more wait.
    for number in 0..20 {
        let written = json!({"agentId": "default", "path": format!("d/{number}"), "content": "x"});
        worker.ok("worktree.write", written);
        worker.ok("worktree.list", json!({"agentId": "default", "recursive": true}));
    }
    drop(strangers);
    until("others can connect again", || {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let asked = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let mut said = String::new();
        let _ = stream.write_all(asked).and_then(|()| stream.read_to_string(&mut said));
        said.starts_with("HTTP/1.1 200")
    });
}

#[test]
fn connections_that_say_nothing_or_half_of_something_are_ended() {
    let server = Server::start();
    let half = "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: webs";
    let mut streams = Vec::new();
    for number in 0..60 {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        match number % 3 {
            0 => {}
            1 => stream.write_all(half.as_bytes()).unwrap(),
            _ => stream.write_all(b"\r\n").unwrap(),
        }
        streams.push(stream);
    }
    // One that sends a byte now and then gets no more time for it.
    let mut slow = TcpStream::connect(&server.address).unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let begun = Instant::now();
    let mut sent = half.bytes().cycle();
    loop {
        assert!(begun.elapsed() < PATIENCE, "a head that never ends is waited for");
        if slow.write_all(&[sent.next().unwrap()]).is_err() {
            break;
        }
        match slow.read(&mut [0; 512]) {
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
    }
    for mut stream in streams {
        let mut rest = Vec::new();
        match stream.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
    }
    server.operator().ok("worktree.list", json!({"agentId": "default"}));
}

#[test]
fn a_client_that_takes_no_replies_is_not_read_on_and_goes_with_its_token() {
    let server = Server::start();
    let (token, id) = server.token(json!({"role": "operator"}));
    let before = server.megabytes();
    let mut client = server.client(&token);
    client.narrow();
    let most = 300_000;
    let sent = client.flood(&"x".repeat(1_000), most);
    let grown = server.megabytes().saturating_sub(before);
    println!("a client that takes nothing: {sent} frames taken, {grown} MB more");
    assert!(sent < most && grown < 200, "{sent} {grown} MB");
    // Others are served meanwhile, and it is shut out like everybody.
    server.operator().ok("worktree.list", json!({"agentId": "default"}));
    server.operator().ok("tokens.revoke", json!({"id": id}));
    // It ends, with a goodbye or without.
    client.end();
}

struct Attack {
    id: &'static str,
    run: fn(&Server),
}

/// The attacks of the shared corpus on this surface, by their ids.
const ATTACKS: &[Attack] = &[
    Attack { id: "W02", run: pages_of_other_sites },
    Attack { id: "W03", run: names_that_point_here },
    Attack { id: "W05", run: changes_without_a_token },
    Attack { id: "W06", run: guessed_tokens },
    Attack { id: "W09", run: same_ids_of_two_clients },
    Attack { id: "W11", run: a_placeholder_written_back },
    Attack { id: "W12", run: malformed_frames },
    Attack { id: "own: half-open", run: half_open },
    Attack { id: "own: 100 MB", run: a_frame_of_100_megabytes },
];

/// Attacks that are met elsewhere.
const ELSEWHERE: &[(&str, &str)] = &[("W08", "what a browser shows is the web UI's business")];

#[test]
fn every_attack_is_held() {
    let server = Server::start();
    for attack in ATTACKS {
        println!("{}", attack.id);
        (attack.run)(&server);
        server.operator().ok("agents.list", json!({}));
    }
}

#[test]
fn every_shared_attack_on_this_surface_is_met_or_placed() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/attacks.json");
    let Ok(text) = fs::read_to_string(corpus) else {
        println!("skipped: no shared cases");
        return;
    };
    let corpus: Value = serde_json::from_str(&text).unwrap();
    let here = ATTACKS.iter().map(|attack| attack.id);
    let known: BTreeSet<&str> = here.chain(ELSEWHERE.iter().map(|(id, _)| *id)).collect();
    let attacks = corpus["attacks"].as_array().unwrap().iter();
    let missing: Vec<&str> = attacks
        .filter(|attack| attack["surface"] == "ws")
        .map(|attack| attack["id"].as_str().unwrap())
        .filter(|id| !known.contains(id))
        .collect();
    assert_eq!(missing, [""; 0]);
}

fn pages_of_other_sites(server: &Server) {
    let bearer = format!("Bearer {}", server.operator);
    for origin in [
        "https://evil.example",
        "http://localhost.evil.com",
        "http://127.0.0.1.nip.io",
        "http://127.0.0.1:1",
        "null",
        "file://",
        "",
    ] {
        for headers in
            [&[("origin", origin)][..], &[("origin", origin), ("authorization", &bearer)]]
        {
            assert_eq!(Client::try_with(&server.address, headers).err(), Some(403), "{origin:?}");
        }
    }
    let same = format!("http://{}", server.address);
    assert!(Client::try_with(&server.address, &[("origin", &same)]).is_ok());
}

fn names_that_point_here(server: &Server) {
    for host in ["evil.example.com", "localhost.evil.example", "127.0.0.1.evil.example"] {
        assert_eq!(Client::try_with(&server.address, &[("host", host)]).err(), Some(403), "{host}");
    }
}

fn changes_without_a_token(server: &Server) {
    for (method, params) in [
        ("config.apply", json!({"cliPath": "/tmp/evil"})),
        ("agents.create", json!({"agentId": "evil"})),
        ("agents.update", json!({"agentId": "default", "settings": {"directory": "/"}})),
        ("tokens.create", json!({"role": "operator"})),
    ] {
        let mut stranger = Client::bare(&server.address);
        stranger.event("connect.challenge");
        let id = stranger.begin(method, params);
        assert_eq!(stranger.reply(&id)["error"]["code"], "UNAUTHENTICATED", "{method}");
        assert_eq!(stranger.end(), End::Code(1008));
    }
    assert_eq!(
        server.operator().refused("agents.get", json!({"agentId": "evil"})),
        "AGENT_NOT_FOUND"
    );
}

fn guessed_tokens(server: &Server) {
    let begun = Instant::now();
    let guesses = 300;
    let mut waiting = Vec::new();
    for number in 0..guesses {
        // Also those that begin like a good one.
        let kept = number % 64;
        // The last digit is never the right one.
        let last = if server.operator.ends_with('0') { "1" } else { "0" };
        let guess = format!("{}{}{last}", &server.operator[..6 + kept], "0".repeat(63 - kept));
        let mut stranger = Client::bare(&server.address);
        let params = json!({"auth": {"token": guess}});
        stranger.send(&json!({"type": "req", "id": "1", "method": "connect", "params": params}));
        waiting.push(stranger);
        if number == guesses / 2 {
            // Whoever has a good one is let in at once.
            server.operator().ok("agents.list", json!({}));
        }
    }
    let mut answered = 0;
    for mut stranger in waiting {
        stranger.event("connect.challenge");
        // On a busy machine the clock's event comes before the answer.
        let told = loop {
            match stranger.receive() {
                Ok(frame) if frame["type"] == "event" => {}
                told => break told,
            }
        };
        match told {
            Ok(reply) => {
                assert_eq!(reply["error"]["code"], "UNAUTHENTICATED");
                answered += 1;
            }
            // Of those who guess at once few are answered.
            Err(end) => assert_eq!(end, End::Code(1008)),
        }
    }
    println!("{guesses} guesses: {answered} answered, in {:?}", begun.elapsed());
}

fn same_ids_of_two_clients(server: &Server) {
    let (mut first, mut second) = (server.operator(), server.operator());
    for _ in 0..50 {
        first.send(&json!({"type": "req", "id": "x", "method": "agents.list", "params": {}}));
        second.send(&json!({"type": "req", "id": "x", "method": "tokens.list", "params": {}}));
        assert!(second.reply("x")["payload"]["tokens"].is_array());
        assert!(first.reply("x")["payload"]["agents"].is_array());
    }
}

fn a_placeholder_written_back(server: &Server) {
    let file = server.files("default").join("keys");
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    fs::write(&file, format!("key = \"{secret}\"\n")).unwrap();
    let mut client = server.operator();
    let shown = client.ok("worktree.read", json!({"agentId": "default", "path": "keys"}));
    let back = json!({"agentId": "default", "path": "keys", "content": shown["content"]});
    client.ok("worktree.write", back);
    assert!(fs::read_to_string(&file).unwrap().contains(secret));
    // Somebody who was never shown it cannot write it over the secret.
    let mut other = server.client(&server.token(json!({"role": "operator"})).0);
    let blind = json!({"agentId": "default", "path": "keys", "content": shown["content"]});
    assert_eq!(other.refused("worktree.write", blind), "REDACTED_CONTENT");
    assert!(fs::read_to_string(&file).unwrap().contains(secret));
}

fn malformed_frames(server: &Server) {
    let mut client = server.operator();
    for text in [
        "{".to_owned(),
        "[".repeat(1_000_000),
        format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000)),
        r#"{"type":"req","id":"1","id":"2","method":"agents.list"}"#.to_owned(),
        r#"{"type":"req","id":null,"method":"agents.list"}"#.to_owned(),
        "\u{feff}{}".to_owned(),
        format!(r#"{{"type":"req","id":"1","method":"{}"}}"#, "m".repeat(1_000_000)),
    ] {
        client.send_text(&text);
        let code = client.next()["error"]["code"].clone();
        assert!(code == "INVALID_REQUEST" || code == "UNKNOWN_METHOD", "{code}");
    }
    client.ok("agents.list", json!({}));
    client.try_send(Message::binary(vec![0; 100])).unwrap();
    assert_eq!(client.end(), End::Code(1003));
}

fn half_open(server: &Server) {
    for _ in 0..50 {
        let mut client = server.operator();
        client.begin("worktree.read", json!({"agentId": "default", "path": "keys"}));
        client.drop_dead();
        let mut client = Client::bare(&server.address);
        client.send_raw(&[0x81, 0xfe, 0xff]).unwrap();
        client.drop_dead();
    }
}

fn a_frame_of_100_megabytes(server: &Server) {
    let before = server.megabytes();
    for announced in [100_000_000_u64, u64::MAX >> 1, u64::MAX] {
        let mut client = server.operator();
        let mut head = vec![0x81, 0xff];
        head.extend(announced.to_be_bytes());
        head.extend([1, 2, 3, 4]);
        client.send_raw(&head).unwrap();
        let end = client.end();
        assert!(end == End::Code(1009) || end == End::Code(1002), "{end:?}");
    }
    // As several frames of one message, which are counted together.
    let mut client = server.operator();
    let part = vec![b'x'; 4 << 20];
    let mut refused = false;
    for number in 0..25 {
        let mut head = vec![if number == 0 { 0x01 } else { 0x00 }, 0xff];
        head.extend((part.len() as u64).to_be_bytes());
        head.extend([0, 0, 0, 0]);
        if client.send_raw(&head).and_then(|()| client.send_raw(&part)).is_err() {
            refused = true;
            break;
        }
    }
    let end = client.end();
    assert!(matches!(end, End::Code(1009) | End::Silence), "{end:?} {refused}");
    let grown = server.megabytes().saturating_sub(before);
    assert!(grown < 300, "{grown} MB");
}
