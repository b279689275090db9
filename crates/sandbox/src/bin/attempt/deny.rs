//! Runs a command for which some calls of the kernel are missing, as on another machine.

use std::{
    collections::BTreeMap, env::consts::ARCH, os::unix::process::CommandExt, process::ExitCode,
};

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

/// The calls that can be missing.
const CALLS: &[(&str, i64)] = &[
    ("capset", libc::SYS_capset),
    ("landlock", libc::SYS_landlock_create_ruleset),
    ("mount_setattr", libc::SYS_mount_setattr),
    ("prlimit", libc::SYS_prlimit64),
    ("seccomp", libc::SYS_seccomp),
    ("sethostname", libc::SYS_sethostname),
    ("socket", libc::SYS_socket),
    ("unshare", libc::SYS_unshare),
];

/// When the call is missing: always, but for limits, which can be read and not be set.
fn rule(call: &str) -> Option<Vec<SeccompRule>> {
    if call != "prlimit" {
        return Some(Vec::new());
    }
    let new_limit = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0).ok()?;
    Some(vec![SeccompRule::new(vec![new_limit]).ok()?])
}

/// Becomes the command after `--`, without the calls before it.
pub(super) fn run(words: &[&str]) -> Option<ExitCode> {
    let split = words.iter().position(|word| *word == "--")?;
    let (calls, command) = words.split_at(split);
    let [_, program, arguments @ ..] = command else { return None };
    let number = |name: &&str| CALLS.iter().find(|(known, _)| known == name).map(|row| row.1);
    let rules: Option<BTreeMap<_, _>> =
        calls.iter().map(|name| Some((number(name)?, rule(name)?))).collect();
    let missing = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let filter = SeccompFilter::new(rules?, SeccompAction::Allow, missing, ARCH.try_into().ok()?);
    apply_filter(&BpfProgram::try_from(filter.ok()?).ok()?).ok()?;
    let error = std::process::Command::new(program).args(arguments).exec();
    eprintln!("{program}: {error}");
    Some(ExitCode::from(127))
}
