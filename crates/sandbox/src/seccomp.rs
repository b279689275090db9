//! Ninth layer: the calls of the kernel that no workspace needs.
//!
//! What is not listed is allowed, up to the newest call that was looked at; newer ones, and
//! those of other calling conventions, do not exist in here. A refused call answers EPERM, as it
//! would without the privilege; `clone3` answers ENOSYS, since its flags are in memory, where
//! no filter can see them, and the C library then falls back to `clone`.

mod table;

use std::{collections::BTreeMap, env::consts::ARCH, sync::OnceLock};
use table::Refused;

use rustix::io::Errno;
use seccompiler::{
    BackendError, BpfProgram, Error, SeccompAction, SeccompFilter, SeccompRule, TargetArch,
    apply_filter, sock_filter,
};

use crate::{
    Refusal, Tenure,
    act::{Act, Failed},
};

/// The compiled filter: the same for every sandbox of a kind, so it is compiled once.
///
/// *Errors*: `Seccomp` on a kind of machine that the compiler does not know.
pub(crate) fn prepare(tenure: &Tenure) -> Result<&'static BpfProgram, Refusal> {
    static SHOWN: OnceLock<Option<BpfProgram>> = OnceLock::new();
    static OWN: OnceLock<Option<BpfProgram>> = OnceLock::new();
    let program = match tenure {
        Tenure::Shown => SHOWN.get_or_init(|| compile(table::refused_with()).ok()),
        Tenure::Own { .. } => OWN.get_or_init(|| compile(table::refused_with_a_root()).ok()),
    };
    let program = program.as_ref();
    program.ok_or(Refusal::of(Act::SeccompCompile, "this kind of machine is not known"))
}

/// The same filter for whoever runs programs in a sandbox that another has made, such as
/// a container: instructions in the kernel's own form (`struct sock_filter`).
///
/// *Errors*: as for a sandbox on such a machine.
pub fn refused_calls() -> Result<Vec<[u8; 8]>, Refusal> {
    let bytes = |one: &sock_filter| {
        let ([a, b], [e, f, g, h]) = (one.code.to_ne_bytes(), one.k.to_ne_bytes());
        [a, b, one.jt, one.jf, e, f, g, h]
    };
    Ok(prepare(&Tenure::Shown)?.iter().map(bytes).collect())
}

/// Obeys the filter. In the new process, last of all.
pub(crate) fn enter(program: &BpfProgram) -> Result<(), Failed> {
    apply_filter(program).map_err(|error| {
        let errno = match error {
            Error::Prctl(error) | Error::Seccomp(error) => Errno::from_io_error(&error),
            Error::Backend(_) | Error::EmptyFilter | Error::ThreadSync(_) => None,
        };
        Failed { act: Act::SeccompEnter, errno: errno.unwrap_or(Errno::INVAL) }
    })
}

fn compile(with: Result<Refused, BackendError>) -> Result<BpfProgram, BackendError> {
    let architecture: TargetArch = ARCH.try_into()?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    rules.extend(table::REFUSED.iter().map(|call| (*call, Vec::new())));
    // An entry with rules takes the place of one that refuses outright.
    rules.extend(with?);
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture)?;
    let mut program = opening();
    program.extend(BpfProgram::try_from(filter)?);
    Ok(program)
}

/// Answers ENOSYS to `clone3` and to what nobody has looked at.
fn opening() -> BpfProgram {
    let step = |code, jump_true, jump_false, value| sock_filter {
        code,
        jt: jump_true,
        jf: jump_false,
        k: value,
    };
    let clone3 = u32::try_from(libc::SYS_clone3).unwrap_or(u32::MAX);
    let absent = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    vec![
        step(LOAD, 0, 0, 0),
        step(JUMP_GREATER, 1, 0, table::NEWEST),
        step(JUMP_EQUAL, 0, 1, clone3),
        step(RETURN, 0, 0, absent),
    ]
}

/// `BPF_LD | BPF_W | BPF_ABS`: the call's number is the first word.
const LOAD: u16 = 0x20;
/// `BPF_JMP | BPF_JGT | BPF_K`.
const JUMP_GREATER: u16 = 0x25;
/// `BPF_JMP | BPF_JEQ | BPF_K`.
const JUMP_EQUAL: u16 = 0x15;
/// `BPF_RET | BPF_K`.
const RETURN: u16 = 0x06;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_compiles_and_is_far_from_the_kernel_s_bound() {
        for with in [table::refused_with(), table::refused_with_a_root()] {
            let program = compile(with).unwrap();
            assert!(program.len() < 1024, "{}", program.len());
        }
    }
}
