//! Fifth layer: memory and processor time of everything inside together.
//!
//! A cgroup is made inside the one that this process is in, so that its own bounds hold too,
//! and removed when the sandbox has ended. Both generations are known: in the first
//! each kind of limit has a tree of its own, in the second there is one tree, which
//! must have been handed over.

mod find;

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Once,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use rustix::{
    fd::OwnedFd,
    io::{Errno, write},
};

use crate::{
    Limits, Refusal,
    act::{Act, During, Failed},
    ids::Ids,
};
use find::{Generation, Home, homes};

/// What the names of our cgroups begin with; then come our process and a number.
const PREFIX: &str = "garth-";

/// How often removal is tried: the kernel lets go of the last process a little after
/// it has told of its end.
const REMOVALS: u32 = 100;

/// How long it waits between two tries.
const BETWEEN_REMOVALS: Duration = Duration::from_millis(10);

/// The period, in microseconds, over which processor time is shared out.
const PERIOD: u64 = 100_000;

/// Microseconds of the period that a hundredth of a processor is.
const PERCENT: u64 = PERIOD / 100;

/// A cgroup of one sandbox. Dropping it removes it, once nothing is in it.
#[derive(Debug)]
pub(crate) struct Cgroup {
    directories: Vec<PathBuf>,
    members: Vec<OwnedFd>,
}

/// One limit that is to hold.
struct Wanted {
    controller: &'static str,
    /// Whether it is no sandbox without it.
    strict: Strict,
    value: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strict {
    Yes,
    No,
}

/// Makes a cgroup with the limits, where they need one.
///
/// *Errors*: `Cgroup` where there is none to make it in, or a limit cannot be set.
pub(crate) fn prepare(limits: &Limits, ids: &Ids) -> Result<Option<Cgroup>, Refusal> {
    let mut wanted = Vec::new();
    if let Some(value) = limits.memory {
        wanted.push(Wanted { controller: "memory", strict: Strict::Yes, value });
    }
    if let Some(percent) = limits.cpu_percent {
        let value = u64::from(percent).max(1) * PERCENT;
        wanted.push(Wanted { controller: "cpu", strict: Strict::Yes, value });
    }
    // A limit of the process holds the number of processes too, but for root's; so it is
    // set only where it costs no tree of its own.
    let strict = if ids.is_root() { Strict::Yes } else { Strict::No };
    if wanted.is_empty() && strict == Strict::No {
        return Ok(None);
    }
    wanted.push(Wanted { controller: "pids", strict, value: limits.processes });
    let homes = homes();
    sweep(&homes);
    let mut cgroup = Cgroup { directories: Vec::new(), members: Vec::new() };
    let name = name();
    for want in &wanted {
        let added = cgroup.add(&homes, &name, want);
        if want.strict == Strict::Yes {
            added?;
        }
    }
    Ok(Some(cgroup))
}

fn name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{PREFIX}{}-{number}", std::process::id())
}

impl Cgroup {
    /// Sets one limit, in the first tree that has it.
    fn add(&mut self, homes: &[Home], name: &str, want: &Wanted) -> Result<(), Refusal> {
        let missing = Refusal::of(Act::CgroupFind, "none with this limit was handed over");
        let mut refusal = missing;
        let fits = |home: &&Home| {
            let here = || self.directories.contains(&home.directory.join(name));
            home.has(want.controller) && (want.strict == Strict::Yes || here())
        };
        for home in homes.iter().filter(fits).collect::<Vec<_>>() {
            match self.add_in(home, name, want) {
                Ok(()) => return Ok(()),
                Err(failed) => refusal = failed.into(),
            }
        }
        Err(refusal)
    }

    fn add_in(&mut self, home: &Home, name: &str, want: &Wanted) -> Result<(), Failed> {
        let directory = home.directory.join(name);
        if self.directories.contains(&directory) {
            return limit(&directory, home, want);
        }
        fs::create_dir(&directory).map_err(|error| failed(Act::CgroupMake, &error))?;
        // Where it cannot hold the limit it is removed again, by its Drop.
        let mut made = Self { directories: vec![directory.clone()], members: Vec::new() };
        let members = OpenOptions::new().write(true).open(directory.join("cgroup.procs"));
        made.members.push(members.map_err(|error| failed(Act::CgroupMake, &error))?.into());
        limit(&directory, home, want)?;
        self.directories.append(&mut made.directories);
        self.members.append(&mut made.members);
        Ok(())
    }

    /// Moves this process into it. In the new process.
    pub(crate) fn enter(&self) -> Result<(), Failed> {
        for members in &self.members {
            write(members, b"0").during(Act::CgroupJoin)?;
        }
        Ok(())
    }
}

fn failed(act: Act, error: &io::Error) -> Failed {
    Failed { act, errno: Errno::from_io_error(error).unwrap_or(Errno::IO) }
}

/// Sets a limit of a cgroup, which its home may have to pass on first.
fn limit(directory: &Path, home: &Home, want: &Wanted) -> Result<(), Failed> {
    if home.generation == Generation::Second {
        home.pass_on(want.controller);
    }
    set_limit(directory, home.generation, want).map_err(|error| failed(Act::CgroupLimit, &error))
}

/// Writes a limit in the words of its generation.
fn set_limit(directory: &Path, generation: Generation, want: &Wanted) -> io::Result<()> {
    let put = |file: &str, text: String| {
        let file = OpenOptions::new().write(true).open(directory.join(file));
        file.and_then(|mut file| file.write_all(text.as_bytes()))
    };
    let value = want.value;
    match (want.controller, generation) {
        ("memory", Generation::First) => {
            put("memory.limit_in_bytes", value.to_string())?;
            // Where swap is counted at all, none is given in addition.
            let _ = put("memory.memsw.limit_in_bytes", value.to_string());
            Ok(())
        }
        ("memory", Generation::Second) => {
            put("memory.max", value.to_string())?;
            let _ = put("memory.swap.max", "0".to_owned());
            Ok(())
        }
        ("cpu", Generation::First) => put("cpu.cfs_quota_us", value.to_string()),
        ("cpu", Generation::Second) => put("cpu.max", format!("{value} {PERIOD}")),
        _ => put("pids.max", value.to_string()),
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for directory in &self.directories {
            for _ in 0..REMOVALS {
                match fs::remove_dir(directory) {
                    Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                        thread::sleep(BETWEEN_REMOVALS);
                    }
                    _ => break,
                }
            }
        }
    }
}

/// Removes, once, what a process that was killed has left. A cgroup with a process in
/// it cannot be removed, so nothing that runs is touched.
fn sweep(homes: &[Home]) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for home in homes {
            let entries = fs::read_dir(&home.directory).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| is_left_behind(&entry.file_name())) {
                let _ = fs::remove_dir(entry.path());
            }
        }
    });
}

fn is_left_behind(name: &std::ffi::OsStr) -> bool {
    let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    let process = process.and_then(|rest| rest.split('-').next());
    process.is_some_and(|process| !Path::new("/proc").join(process).exists())
}
