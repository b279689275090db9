//! Attempts that need more than one process, or more than one try.

use std::{
    fs,
    process::{Command, ExitCode},
    thread,
    time::Duration,
};

use garth_sandbox::attempt::ALL;

use super::crowd_unsafe::{call_as_32_bit, detach, fork, reap, use_memory};

/// Makes each attempt in a process of its own, since one that works may change it.
pub(super) fn try_all(bait: &[&str]) -> Option<ExitCode> {
    for attempt in ALL {
        let mut command = Command::new("/proc/self/exe");
        let status = command.args(["try", attempt.name]).args(bait).status();
        if let Err(error) = status {
            println!("{} did not run: {error}", attempt.name);
        }
    }
    Some(ExitCode::SUCCESS)
}

/// Says its ids and capabilities, as the kernel has them.
pub(super) fn rights() -> Option<ExitCode> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    for line in status.lines() {
        if ["Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:"].iter().any(|key| line.starts_with(key))
        {
            println!("{}", line.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    Some(ExitCode::SUCCESS)
}

/// Makes processes that do nothing until it is refused one, or has so many.
pub(super) fn forks(count: &str) -> Option<ExitCode> {
    let most: usize = count.parse().ok()?;
    let made = (0..most).take_while(|_| fork(idle)).count();
    println!("{made}");
    Some(ExitCode::SUCCESS)
}

/// Makes processes that leave their session, ignore every signal they can and are
/// nobody's children, says when all are there, and waits.
pub(super) fn orphans(count: &str) -> Option<ExitCode> {
    let count: usize = count.parse().ok()?;
    let mut made = 0;
    while made < count && fork(|| detach(idle)) {
        reap();
        made += 1;
    }
    println!("ready {made}");
    idle()
}

/// Uses so much memory.
pub(super) fn eat(bytes: &str) -> Option<ExitCode> {
    use_memory(bytes.parse().ok()?);
    println!("eaten");
    Some(ExitCode::SUCCESS)
}

/// Calls the kernel as programs of 32 bits do.
pub(super) fn old_call() -> Option<ExitCode> {
    if call_as_32_bit() {
        println!("called");
    }
    Some(ExitCode::SUCCESS)
}

/// Longer than any test; who is not ended ends by itself.
const IDLE: Duration = Duration::from_secs(300);

fn idle() -> ! {
    thread::sleep(IDLE);
    std::process::exit(0)
}
