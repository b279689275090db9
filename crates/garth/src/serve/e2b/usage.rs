//! What a sandbox uses now, as its own `/proc` tells it.

use garth_contract::{Announce, Command, Program, Timeout};
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

/// Asks for the memory of every process, in pages, and for what the home directory has,
/// in kilobytes.
const SCRIPT: &str =
    "cat /proc/[0-9]*/statm 2>/dev/null; echo; echo -; du -sk \"$HOME\" /tmp 2>/dev/null";
/// How long that may take, in milliseconds.
const PATIENCE_MS: u64 = 10_000;
/// Bytes of a page of memory, and of what `du` counts in.
const PAGE: u64 = 4_096;
const KILOBYTE: u64 = 1_024;

/// What a sandbox uses.
pub(super) struct Used {
    when_ms: i64,
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
    let id = sandbox.id.to_string();
    let printed = line::inside(app, (asked, &id), move |workspace, _| async move {
        let report = workspace.inside()?.shell.run(command, Announce::nobody()).await?;
        Ok((report.stdout.head, 0))
    });
    let printed = printed.await?;
    let text = String::from_utf8_lossy(&printed);
    let (memory, disk) = text.split_once("\n-").unwrap_or((&text, ""));
    let number = |line: &str, at: usize| -> u64 {
        line.split_whitespace().nth(at).and_then(|word| word.parse().ok()).unwrap_or(0)
    };
    Ok(Used {
        when_ms: now_ms(),
        memory: memory.lines().map(|line| number(line, 1)).sum::<u64>() * PAGE,
        disk: disk.lines().map(|line| number(line, 0)).sum::<u64>() * KILOBYTE,
    })
}

impl Used {
    /// As the control routes tell it. The share of the processors is not measured.
    pub(super) fn metric(&self) -> Value {
        let limits = Limits::usual();
        json!({
            "timestamp": describe::time(self.when_ms),
            "timestampUnix": self.when_ms / 1_000,
            "cpuCount": describe::processors(),
            "cpuUsedPct": 0.0,
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
            "cpu_used_pct": 0.0,
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
