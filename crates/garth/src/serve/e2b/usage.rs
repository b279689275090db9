//! What a sandbox uses now, as its own `/proc` tells it.

use garth_contract::{Announce, Command, Keep, Program, Timeout};
use garth_sandbox::Limits;
use serde_json::{Value, json};

use super::{
    describe,
    life::now_ms,
    line::{self, Asked},
    refuse::Result,
    sandbox::Sandbox,
};
use crate::serve::app::App;

/// Asks twice, a moment apart, for the time and for what every process used of the
/// processors; then for the memory of every process, in pages, and for what the home
/// directory has, in kilobytes.
const SCRIPT: &str = "s() { cat /proc/uptime /proc/[0-9]*/stat 2>/dev/null; echo -; }; \
    s; sleep 0.2; s; cat /proc/[0-9]*/statm 2>/dev/null; echo -; \
    du -sk \"$HOME\" /tmp 2>/dev/null";
/// How long that may take, in milliseconds.
const PATIENCE_MS: u64 = 10_000;
/// How much of it is read: two lines of some 300 bytes for each of 1,024 processes.
const MOST_READ: usize = 1 << 20;
/// Bytes of a page of memory, and of what `du` counts in.
const PAGE: u64 = 4_096;
const KILOBYTE: u64 = 1_024;
/// What `/proc` counts a second of a processor as, on every Linux.
const TICKS: f64 = 100.0;

/// What a sandbox uses.
pub(super) struct Used {
    when_ms: i64,
    /// The share of all processors, in hundredths.
    processors: f64,
    memory: u64,
    disk: u64,
}

/// Looks what a sandbox uses.
///
/// # Errors
/// Those of the call.
pub(super) async fn look(app: &App, asked: Asked, sandbox: &Sandbox) -> Result<Used> {
    let mut command = Command::new(Program::script(SCRIPT)?);
    command.timeout = Timeout::millis(PATIENCE_MS)?;
    command.keep = Keep { head: MOST_READ, tail: 0 };
    let id = sandbox.id.to_string();
    let printed = line::inside(app, (asked, &id), move |workspace, _| async move {
        let report = workspace.inside()?.shell.run(command, Announce::nobody()).await?;
        Ok((report.stdout.head, 0))
    });
    let printed = printed.await?;
    Ok(Used::read(&String::from_utf8_lossy(&printed)))
}

/// A number of a line, by its place.
fn number(line: &str, at: usize) -> u64 {
    line.split_whitespace().nth(at).and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// When a sample was taken, in seconds, and the ticks that all processes had used.
fn sample(text: &str) -> (f64, u64) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let when = first.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    // Behind the name, which may hold anything: the ticks in programs and in the kernel.
    let ticks = |line: &str| {
        let (_, facts) = line.rsplit_once(')')?;
        Some(number(facts, 11) + number(facts, 12))
    };
    (when, rest.lines().filter_map(ticks).sum())
}

impl Used {
    fn read(text: &str) -> Self {
        let mut parts = text.split("-\n");
        let mut next = || parts.next().unwrap_or_default();
        let ((before, first), (after, second)) = (sample(next()), sample(next()));
        let (memory, disk) = (next(), next());
        let spent = (after - before).max(1.0 / TICKS) * TICKS * describe::processors() as f64;
        Self {
            when_ms: now_ms(),
            // A process that ended meanwhile took its ticks with it.
            processors: (second.saturating_sub(first) as f64 / spent * 100.0).min(100.0),
            memory: memory.lines().map(|line| number(line, 1)).sum::<u64>() * PAGE,
            disk: disk.lines().map(|line| number(line, 0)).sum::<u64>() * KILOBYTE,
        }
    }

    /// As the control routes tell it.
    pub(super) fn metric(&self) -> Value {
        let limits = Limits::usual();
        json!({
            "timestamp": describe::time(self.when_ms),
            "timestampUnix": self.when_ms / 1_000,
            "cpuCount": describe::processors(),
            "cpuUsedPct": self.processors,
            "memUsed": self.memory,
            "memTotal": limits.memory.unwrap_or(0),
            "memCache": 0,
            "diskUsed": self.disk,
            "diskTotal": limits.tmp_bytes.max(self.disk),
        })
    }

    /// As the sandbox itself tells it.
    pub(super) fn own(&self) -> Value {
        let total = Limits::usual().memory.unwrap_or(0);
        json!({
            "ts": self.when_ms / 1_000,
            "cpu_count": describe::processors(),
            "cpu_used_pct": self.processors,
            "mem_total": total,
            "mem_used": self.memory,
            "mem_cache": 0,
            "mem_total_mib": total >> 20,
            "mem_used_mib": self.memory >> 20,
            "disk_used": self.disk,
            "disk_total": Limits::usual().tmp_bytes.max(self.disk),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_what_was_used_between_two_looks() {
        let line = |ticks: u64| format!("7 (a) b) S 1 1 1 0 -1 4 0 0 0 0 {ticks} 10 0 0 20 0 1\n");
        let all = describe::processors() as u64 * 100;
        let text = format!(
            "100.00 1.00\n{}-\n101.00 1.00\n{}-\n500 3 1\n500 4 1\n-\n12\t/home/user\n",
            line(1_000),
            line(1_000 + all / 4),
        );
        let used = Used::read(&text);
        assert!((used.processors - 25.0).abs() < 1.5, "{}", used.processors);
        assert_eq!((used.memory, used.disk), (7 * PAGE, 12 * KILOBYTE));
        let nothing = Used::read("");
        assert_eq!((nothing.processors, nothing.memory, nothing.disk), (0.0, 0, 0));
    }
}
