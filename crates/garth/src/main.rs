//! The garth program: arguments in, text or JSON out.
//!
//! Everything that belongs to a process stands here: arguments, the terminal,
//! standard streams, the current directory and exit codes. The crates below know
//! none of it.

mod acp;
mod admin;
mod args;
mod catalogue;
mod config;
mod dialect;
mod doctor;
#[path = "heap_unsafe.rs"]
mod heap;
mod manual;
#[path = "math_unsafe.rs"]
mod math;
mod mcp;
mod output;
mod paint;
mod providers;
mod redact;
mod root;
mod rpc;
mod serve;
mod tool;

use std::process::ExitCode;

use args::{Args, Command};
use output::Output;

fn main() -> ExitCode {
    // A sandbox whose system is its own knows this program as its `sudo`.
    let mut words = std::env::args_os();
    let name = words.next().map(std::path::PathBuf::from);
    if name.is_some_and(|name| name.file_name() == Some("sudo".as_ref())) {
        return garth_sandbox::sudo(words);
    }
    let args = Args::of_process();
    let output = Output::of_process();
    match args.command {
        Command::TryKvm => {
            output.answer(&garth_remote::machine::kvm::try_out());
            output::Outcome::Done
        }
        Command::Guest(args) => return apart(|| garth_guest::program::run(args.arguments)),
        Command::Serve(args) => apart(|| serve::run(&args, &output)),
        Command::Agent(args) => apart(|| admin::agent(&args, &output)),
        Command::Token(args) => apart(|| admin::token(&args, &output)),
        Command::Audit(args) => apart(|| admin::audit(&args, &output)),
        Command::Rpc(args) => apart(|| rpc::run(&args, &output)),
        Command::Config(args) => apart(|| config::run(&args, &output)),
        Command::Doctor(args) => apart(|| doctor::run(&args, &output)),
        Command::Tool(args) => apart(|| tool::run(&args, &output)),
        Command::Acp(args) => apart(|| acp::run(&args, &output)),
        Command::Mcp(args) => apart(|| mcp::run(&args, &output)),
        Command::Redact(args) => apart(|| redact::run(&args, &output)),
        Command::Completions(args) => apart(|| manual::completions(&args, &output)),
        Command::Man(args) => apart(|| manual::page(&args, &output)),
    }
    .into()
}

/// Runs a command on a stretch of stack of its own. Drawn together into `main`, they would
/// have every command touch as much of it as all of them need.
#[inline(never)]
fn apart<T>(command: impl FnOnce() -> T) -> T {
    command()
}
