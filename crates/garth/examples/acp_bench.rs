//! Times what `garth acp` adds to a message, beside the same agent without it.
//!
//! The agent is this program itself, started as `acp_bench agent`, which answers at once.
//! Both are asked in turn over pipes in one run; what is measured is a question and its
//! answer, and what `garth acp` adds is the difference, shared by the messages that pass.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, starts its peers, and ends when something is wrong"
)]

use std::{
    env,
    io::{BufRead, BufReader, BufWriter, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

/// Questions of each kind, to each of the two.
const ROUNDS: usize = 2_000;

/// What a message may take longer.
const GOAL: Duration = Duration::from_micros(200);

/// A kind of question: how large it is, and what the agent tells before it answers.
struct Row {
    name: &'static str,
    size: usize,
    tells: &'static str,
    /// Messages that pass, the answer included.
    messages: u32,
}

const ROWS: [Row; 3] = [
    Row { name: "a question and its answer", size: 200, tells: "nothing", messages: 2 },
    Row { name: "a question of 64 KB", size: 64 << 10, tells: "nothing", messages: 2 },
    Row { name: "with a tool call told", size: 200, tells: "tool", messages: 3 },
];

fn main() {
    if env::args().nth(1).is_some_and(|argument| argument == "agent") {
        return agent();
    }
    let own = env::current_exe().unwrap();
    // An example lies in a directory beside the programs.
    let garth = own.parent().unwrap().parent().unwrap().join("garth");
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("root");
    std::fs::create_dir(&root).unwrap();
    let mut direct = Peer::start(Command::new(&own).arg("agent"));
    let mut through = Peer::start(
        Command::new(&garth)
            .args(["acp", "--root"])
            .arg(&root)
            .arg("--data")
            .arg(place.path().join("data"))
            .arg("--")
            .arg(&own)
            .arg("agent"),
    );
    println!("{:28} {:>12} {:>12} {:>14}", "", "direct p50", "through p50", "a message p50");
    let mut verdicts = Vec::new();
    for row in &ROWS {
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            without.push(direct.asks(row));
            with.push(through.asks(row));
        }
        let (without, with) = (median(without), median(with));
        let added = with.saturating_sub(without) / row.messages;
        println!("{:28} {without:>12.1?} {with:>12.1?} {added:>14.1?}", row.name);
        let verdict = if added <= GOAL { "pass" } else { "short" };
        verdicts.push(format!(
            "{verdict} acp, {}: {added:.1?} more a message at p50 (goal ≤ {GOAL:?})",
            row.name
        ));
    }
    verdicts.iter().for_each(|line| println!("{line}"));
    println!("memory of garth acp: {} KB", through.memory());
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Peer {
    fn start(command: &mut Command) -> Self {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
        let mut peer = Self { child, input, output, last: 0 };
        peer.says("initialize", "{\"protocolVersion\":1}");
        peer.hears();
        peer
    }

    fn says(&mut self, method: &str, params: &str) {
        self.last += 1;
        let id = self.last;
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n"
        );
        self.input.write_all(line.as_bytes()).unwrap();
    }

    /// Waits for the answer, and gives what stands before it.
    fn hears(&mut self) -> usize {
        let mut told = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended");
            if line.contains("\"result\"") {
                return told;
            }
            told += 1;
        }
    }

    fn asks(&mut self, row: &Row) -> Duration {
        let text = "x".repeat(row.size);
        let params = format!(
            "{{\"tells\":\"{}\",\"prompt\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}",
            row.tells
        );
        let begin = Instant::now();
        self.says("session/prompt", &params);
        let told = self.hears();
        let took = begin.elapsed();
        assert_eq!(told + 2, row.messages as usize);
        took
    }

    fn memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(Path::new(&path)).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Answers at once; before that it tells of a tool where it is asked to.
fn agent() {
    let tool = "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\
                \"update\":{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"kind\":\"read\"}}}\n";
    let (stdin, stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut out = BufWriter::new(stdout);
    for line in stdin.lines() {
        let line = line.unwrap();
        let rest = line.split_once("\"id\":").unwrap().1;
        let id = rest.split_once(',').unwrap().0;
        if line.contains("\"tells\":\"tool\"") {
            out.write_all(tool.as_bytes()).unwrap();
        }
        let answer = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"stopReason\":\"end_turn\"}}}}\n"
        );
        out.write_all(answer.as_bytes()).unwrap();
        out.flush().unwrap();
    }
}
