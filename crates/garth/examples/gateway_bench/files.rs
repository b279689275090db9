//! A large binary up and down, beside a program that does nothing else with it.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use crate::{server::Server, verdict};

/// How long the file is, in bytes.
const LENGTH: usize = 100_000_000;
/// How often the two take turns.
const TURNS: usize = 5;
/// The share of the peer's rate that is the goal.
const GOAL: f64 = 0.6;
/// How much memory a file may take, in bytes, whatever its size.
const MOST: u64 = 32 << 20;

/// Measures both ways, and what the larger one of two files takes in memory.
pub(crate) fn measure(garth: &Server) {
    let content = content();
    let raw = Server::raw();
    let (ours, theirs) = ("/v1/workspaces/default/files/large.bin", "/file");
    // The first of each makes what later ones find.
    put(garth, ours, &content, 1);
    put(&raw, theirs, &content, 1);
    let mut times = [[Duration::ZERO; 2]; 2];
    for _ in 0..TURNS {
        times[0][1] += put(&raw, theirs, &content, 1);
        times[0][0] += put(garth, ours, &content, 1);
        times[1][1] += get(&raw, theirs, LENGTH as u64);
        times[1][0] += get(garth, ours, LENGTH as u64);
    }
    let mut all = [Duration::ZERO; 2];
    for (way, [ours, theirs]) in ["up", "down"].into_iter().zip(times) {
        tell(&format!("100 MB {way}"), [ours, theirs], None);
        all[0] += ours;
        all[1] += theirs;
    }
    tell("100 MB up and down", all, Some(GOAL));
    for copies in [1, 10] {
        let before = garth.resident();
        garth.forget_peak();
        put(garth, "/v1/workspaces/default/files/huge.bin", &content, copies);
        let up = garth.peak().saturating_sub(before);
        garth.forget_peak();
        get(garth, "/v1/workspaces/default/files/huge.bin", (LENGTH * copies) as u64);
        let down = garth.peak().saturating_sub(before);
        let verdict = verdict(up.max(down) < MOST);
        println!(
            "{verdict} {} MB in memory: {} KiB more while it comes, {} KiB while it goes (goal < {} KiB)",
            copies * LENGTH / 1_000_000,
            up >> 10,
            down >> 10,
            MOST >> 10,
        );
    }
}

fn tell(what: &str, [ours, theirs]: [Duration; 2], goal: Option<f64>) {
    let share = theirs.as_secs_f64() / ours.as_secs_f64();
    let rate = |time: Duration| LENGTH as f64 * TURNS as f64 / 1e6 / time.as_secs_f64();
    let sides =
        format!("{:.0} MB/s, {share:.2} of the peer's {:.0} MB/s", rate(ours), rate(theirs));
    match goal {
        Some(goal) => println!("{} {what}: {sides} (goal >= {goal})", verdict(share >= goal)),
        None => println!("     {what}: {sides}"),
    }
}

/// Bytes that are no text, and that nothing makes smaller.
fn content() -> Vec<u8> {
    let word = |at: u64| at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
    let mut content: Vec<u8> = (0..LENGTH as u64 / 8).flat_map(word).collect();
    content[0] = 0;
    content
}

fn put(to: &Server, path: &str, content: &[u8], copies: usize) -> Duration {
    let mut stream = connected(to);
    let begun = Instant::now();
    let length = content.len() * copies;
    stream.write_all(to.head("PUT", path, length).as_bytes()).unwrap();
    for _ in 0..copies {
        stream.write_all(content).unwrap();
    }
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 20"), "{reply}");
    begun.elapsed()
}

fn get(from: &Server, path: &str, length: u64) -> Duration {
    let mut stream = connected(from);
    let begun = Instant::now();
    stream.write_all(from.head("GET", path, 0).as_bytes()).unwrap();
    let mut buffer = vec![0; 256 << 10];
    let mut came = 0;
    loop {
        let count = stream.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        came += count as u64;
    }
    assert!(came > length, "{came} bytes came");
    begun.elapsed()
}

fn connected(to: &Server) -> TcpStream {
    let stream = TcpStream::connect(to.authority()).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}
