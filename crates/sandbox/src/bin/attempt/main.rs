//! Tries what a sandbox must not allow, one thing at a time: `garth-attempt try NAME …`.
//!
//! The same program runs inside a sandbox and outside of any, so that a test can tell
//! what was refused from what would never have worked.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what it says is what it is for")]

mod crowd;
mod crowd_unsafe;
mod deny;

use std::{ffi::CString, process::ExitCode};

use garth_sandbox::attempt::{ALL, Attempt, Bait, named};

const USAGE: &str = "\
usage: garth-attempt list                  names, layers, and where each works
       garth-attempt try NAME BAIT         makes one attempt: 0 allowed, 1 refused
       garth-attempt try-all BAIT          makes each in a process of its own
       garth-attempt rights                says its ids and capabilities
       garth-attempt forks COUNT           makes processes until refused, says how many
       garth-attempt orphans COUNT         makes processes that detach themselves, then waits
       garth-attempt eat BYTES             uses so much memory
       garth-attempt old-call              calls the kernel as 32-bit programs do
       garth-attempt deny CALL… -- COMMAND runs a command for which calls of the kernel are missing
BAIT is FILE ABSENT PROCESS PORT NAME";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["list"] => list(),
        ["try", name, bait @ ..] => try_one(name, bait),
        ["try-all", bait @ ..] => crowd::try_all(bait),
        ["rights"] => crowd::rights(),
        ["forks", count] => crowd::forks(count),
        ["orphans", count] => crowd::orphans(count),
        ["old-call"] => crowd::old_call(),
        ["eat", bytes] => crowd::eat(bytes),
        ["deny", rest @ ..] => deny::run(rest),
        _ => None,
    };
    done.unwrap_or_else(|| {
        eprintln!("{USAGE}");
        ExitCode::from(2)
    })
}

fn list() -> Option<ExitCode> {
    for Attempt { name, layer, outside, .. } in ALL {
        println!("{name} {layer} {outside:?}");
    }
    Some(ExitCode::SUCCESS)
}

fn try_one(name: &str, bait: &[&str]) -> Option<ExitCode> {
    let [file, absent, process, port, socket] = bait else { return None };
    let bait = Bait {
        file: CString::new(*file).ok()?,
        absent: CString::new(*absent).ok()?,
        process: process.parse().ok()?,
        port: port.parse().ok()?,
        name: socket.as_bytes().to_vec(),
    };
    match named(name)?.make(&bait) {
        Ok(()) => {
            println!("{name} allowed");
            Some(ExitCode::SUCCESS)
        }
        Err(error) => {
            println!("{name} refused: {error}");
            Some(ExitCode::FAILURE)
        }
    }
}
