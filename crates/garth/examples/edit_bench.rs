//! Times a one-line edit with its diff in a 5 MB file, beside two MCP servers.
//!
//! Contenders take turns on files of the same content. Ours runs as the library
//! call that every interface makes, with and without waiting for the disk, and
//! once more as a whole `garth tool edit` process; the servers run as they are,
//! resident, over their pipes. Neither of them waits for the disk.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, starts its peers, and ends when something is wrong"
)]

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use garth_contract::{Aliases, Durability, Policy};
use garth_host::Host;
use garth_redact::Config;
use garth_workspace::{Commands, Limits, Parts, Workspace};
use serde_json::{Value, json};

const ROUNDS: usize = 21;
const SIZE: usize = 5_000_000;

/// Something that changes one line of its file.
trait Contender {
    fn edit(&mut self, old: &str, new: &str);
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut contenders: Vec<(&str, Box<dyn Contender>)> = vec![
        ("garth", Box::new(Library::new(&runtime, &plant(&dir, "synced"), Durability::Synced))),
        ("garth, fast", Box::new(Library::new(&runtime, &plant(&dir, "fast"), Durability::Fast))),
    ];
    if let Some(program) = program() {
        let at = plant(&dir, "program");
        contenders.push(("garth tool edit, a process", Box::new(Program { program, at })));
    }
    for (name, variable, arguments) in [
        ("rust-mcp-filesystem", "GARTH_BENCH_RUST_MCP", &["--allow-write"][..]),
        ("the reference server", "GARTH_BENCH_REFERENCE", &[]),
    ] {
        let program = env::var(variable).ok().filter(|program| Path::new(program).exists());
        match program {
            Some(program) => {
                let server = Server::start(&program, arguments, plant(&dir, variable));
                contenders.push((name, Box::new(server)));
            }
            None => println!("skipped: {name} is not installed ({variable})"),
        }
    }
    let mut times: Vec<Vec<Duration>> = contenders.iter().map(|_| Vec::new()).collect();
    for round in 0..ROUNDS {
        let (old, new) = (format!("marker = {round}\n"), format!("marker = {}\n", round + 1));
        for ((_, contender), times) in contenders.iter_mut().zip(&mut times) {
            let start = Instant::now();
            contender.edit(&old, &new);
            times.push(start.elapsed());
        }
    }
    let medians: Vec<Duration> = times.iter_mut().map(|times| median(times)).collect();
    for ((name, _), median) in contenders.iter().zip(&medians) {
        println!("{name:28} {median:?}");
    }
    for (index, (name, _)) in contenders.iter().enumerate().skip(2) {
        if name.starts_with("garth") {
            continue;
        }
        for (ours, goal) in [(0, 10.0), (1, 20.0)] {
            let factor = medians[index].as_secs_f64() / medians[ours].as_secs_f64();
            let verdict = if factor >= goal { "pass" } else { "short" };
            let us = contenders[ours].0;
            println!("{verdict} edit: {us} is {factor:.1}× faster than {name} (goal ≥ {goal}×)");
        }
    }
}

/// Five megabytes of lines with one that changes in the middle.
fn plant(dir: &tempfile::TempDir, name: &str) -> PathBuf {
    let at = dir.path().join(name);
    fs::create_dir(&at).unwrap();
    let line = |number: usize| format!("line {number} of a file that is edited in one place\n");
    let mut text = String::with_capacity(SIZE + 100);
    let mut number = 0;
    while text.len() < SIZE / 2 {
        text.push_str(&line(number));
        number += 1;
    }
    text.push_str("marker = 0\n");
    while text.len() < SIZE {
        text.push_str(&line(number));
        number += 1;
    }
    fs::write(at.join("file.txt"), text).unwrap();
    fs::canonicalize(at).unwrap()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The call that every interface of ours makes.
struct Library<'a> {
    runtime: &'a tokio::runtime::Runtime,
    workspace: Workspace,
}

impl<'a> Library<'a> {
    fn new(runtime: &'a tokio::runtime::Runtime, root: &Path, durability: Durability) -> Self {
        let policy = Policy { durability, ..Policy::open() };
        let host = Host::open(root, policy, Aliases::none()).unwrap();
        let parts = Parts {
            fs: Arc::new(host),
            commands: Commands::None,
            aliases: Aliases::none(),
            redaction: Config::standard(),
            limits: Limits::standard(),
        };
        Self { runtime, workspace: Workspace::new(parts).unwrap() }
    }
}

impl Contender for Library<'_> {
    fn edit(&mut self, old: &str, new: &str) {
        let tool = garth_ops::find(garth_ops::workspace::TOOLS, "edit").unwrap();
        let params = json!({"path": "file.txt", "old_string": old, "new_string": new});
        let reply = self.runtime.block_on((tool.run)(&self.workspace, params.into())).unwrap();
        assert!(reply.text.contains(new.trim_end()), "the reply has no diff");
    }
}

/// The program beside this example, where it was built.
fn program() -> Option<PathBuf> {
    let program = env::current_exe().ok()?.parent()?.parent()?.join("garth");
    program.exists().then_some(program)
}

struct Program {
    program: PathBuf,
    at: PathBuf,
}

impl Contender for Program {
    fn edit(&mut self, old: &str, new: &str) {
        let params = json!({"path": "file.txt", "old_string": old, "new_string": new});
        let output = Command::new(&self.program)
            .args(["tool", "edit", &params.to_string(), "--root"])
            .arg(&self.at)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

/// An MCP server on a pipe.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    at: PathBuf,
    last: u64,
}

impl Server {
    fn start(program: &str, arguments: &[&str], at: PathBuf) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            .arg(&at)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, input, output, at, last: 0 };
        let client = json!({"name": "edit_bench", "version": "1"});
        server.call(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        );
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    }
}

impl Contender for Server {
    fn edit(&mut self, old: &str, new: &str) {
        let arguments = json!({
            "path": self.at.join("file.txt"),
            "edits": [{"oldText": old, "newText": new}],
        });
        let answer = self.call("tools/call", &json!({"name": "edit_file", "arguments": arguments}));
        assert!(answer.to_string().contains(new.trim_end()), "{answer}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
