//! Who descends from whom, as `/proc` shows it, and signals to all who do.
//!
//! A picture of `/proc` is taken process by process, and meanwhile processes are
//! born, die and change parents; whoever acts on one looks again until it shows
//! nothing new.

use std::{
    collections::{HashMap, HashSet},
    fs,
};

use rustix::{
    io::Errno,
    process::{Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal},
    time::{ClockId, clock_gettime},
};

/// How often a signal goes out to those that a look did not show, since processes
/// change parents while it is taken.
const ROUNDS: usize = 4;

/// How `/proc` counts time: on every Linux, in hundredths of a second.
const TICKS: u64 = 100;

/// A process at one moment.
#[derive(Clone, Copy, Debug)]
struct Seen {
    member: Member,
    parent: i32,
    session: i32,
    state: State,
}

/// A process: its number, and when it was started, which together are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Member {
    pid: Pid,
    started: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Alive,
    Dead,
}

/// Whether there was anybody to send a signal to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    Nobody,
    Somebody,
}

/// Sends a signal to everything below a process, the process itself excepted.
///
/// Who is born of the signal does not get it: what a program starts to tidy up after
/// itself must not be told to end, too. Only a kill goes to all who are found.
pub(super) fn signal_below(root: Pid, signal: Signal) -> Reached {
    let mut told = HashSet::new();
    let begun = ticks();
    for round in 0..ROUNDS {
        let before = told.len();
        for member in below(&seen(), root) {
            let meant = round == 0 || signal == Signal::KILL || member.started < begun;
            if meant && told.insert(member) {
                send(member, signal);
            }
        }
        if told.len() == before {
            break;
        }
    }
    if told.is_empty() { Reached::Nobody } else { Reached::Somebody }
}

/// The time since the machine started, as `/proc` counts it.
fn ticks() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    let part = u64::try_from(now.tv_nsec).unwrap_or(0) * TICKS / 1_000_000_000;
    u64::try_from(now.tv_sec).unwrap_or(0) * TICKS + part
}

/// Kills everything in a session that was begun by a process, and all below that.
pub(super) fn kill_session(leader: Pid) -> Reached {
    let seen = seen();
    let ours = |seen: &&Seen| seen.session == leader.as_raw_nonzero().get();
    let mut doomed: Vec<Member> = Vec::new();
    for top in seen.iter().filter(ours) {
        doomed.extend((top.state == State::Alive).then_some(top.member));
        doomed.extend(below(&seen, top.member.pid));
    }
    doomed.iter().for_each(|member| send(*member, Signal::KILL));
    if doomed.is_empty() { Reached::Nobody } else { Reached::Somebody }
}

/// Kills our own children, those excepted that are `spared`, and all below them.
pub(super) fn kill_children(spared: &HashSet<Pid>) -> Reached {
    let seen = seen();
    let own = getpid().as_raw_nonzero().get();
    let stray = |seen: &&Seen| seen.parent == own && !spared.contains(&seen.member.pid);
    let mut doomed: Vec<Member> = Vec::new();
    for top in seen.iter().filter(stray) {
        doomed.extend((top.state == State::Alive).then_some(top.member));
        doomed.extend(below(&seen, top.member.pid));
    }
    doomed.iter().for_each(|member| send(*member, Signal::KILL));
    if doomed.is_empty() { Reached::Nobody } else { Reached::Somebody }
}

/// All that live below a process, parents before their children.
fn below(seen: &[Seen], root: Pid) -> Vec<Member> {
    let mut children: HashMap<i32, Vec<&Seen>> = HashMap::new();
    for one in seen {
        children.entry(one.parent).or_default().push(one);
    }
    let mut found = Vec::new();
    let mut parents = vec![root.as_raw_nonzero().get()];
    // Each list is taken out, so a picture with a circle in it ends too.
    while let Some(parent) = parents.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            parents.push(child.member.pid.as_raw_nonzero().get());
            found.extend((child.state == State::Alive).then_some(child.member));
        }
    }
    found
}

/// Sends a signal to a process and to no other that has its number since.
fn send(member: Member, signal: Signal) {
    match pidfd_open(member.pid, PidfdFlags::empty()) {
        Ok(handle) => {
            let same = look(member.pid).is_some_and(|now| now.member == member);
            if same {
                pidfd_send_signal(handle, signal).ok();
            }
        }
        // A kernel without handles of processes.
        Err(Errno::NOSYS | Errno::PERM | Errno::MFILE | Errno::NFILE) => {
            kill_process(member.pid, signal).ok();
        }
        Err(_) => {}
    }
}

/// All processes that `/proc` shows.
fn seen() -> Vec<Seen> {
    let Ok(names) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = names.filter_map(|name| name.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| look(Pid::from_raw(pid)?)).collect()
}

fn look(pid: Pid) -> Option<Seen> {
    let text = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    parse(pid, &text)
}

/// Reads a line of `/proc/PID/stat`; a program's name in it may hold anything.
fn parse(pid: Pid, text: &[u8]) -> Option<Seen> {
    let name_end = memchr::memrchr(b')', text)?;
    let rest = std::str::from_utf8(text.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = match fields.next()? {
        "Z" | "X" | "x" => State::Dead,
        _ => State::Alive,
    };
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    // The session is field 6 of the manual page, the start field 22.
    let started = fields.nth(15)?.parse().ok()?;
    Some(Seen { member: Member { pid, started }, parent, session, state })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_stat_is_read_whatever_the_program_is_called() {
        let pid = Pid::from_raw(7).unwrap();
        let line = b"7 (a) Z 1 (b) R 5 6 8 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 999 0";
        let seen = parse(pid, line).unwrap();
        assert_eq!((seen.parent, seen.session, seen.state), (5, 8, State::Alive));
        assert_eq!(seen.member.started, 999);
        assert!(parse(pid, b"7 (cut").is_none());
    }

    #[test]
    fn who_descends_is_found_through_the_dead() {
        let one = |pid, parent, state| Seen {
            member: Member { pid: Pid::from_raw(pid).unwrap(), started: 0 },
            parent,
            session: 0,
            state,
        };
        let seen = [
            one(2, 1, State::Dead),
            one(3, 2, State::Alive),
            one(4, 3, State::Alive),
            one(5, 9, State::Alive),
        ];
        let found = below(&seen, Pid::from_raw(1).unwrap());
        let pids: Vec<_> = found.iter().map(|member| member.pid.as_raw_nonzero().get()).collect();
        assert_eq!(pids, [3, 4]);
    }
}
