//! Which calls are refused: outright, or by an argument.

use libc::{
    SYS_acct, SYS_add_key, SYS_adjtimex, SYS_bpf, SYS_chroot, SYS_clock_adjtime, SYS_clock_settime,
    SYS_clone, SYS_delete_module, SYS_fanotify_init, SYS_finit_module, SYS_fsconfig, SYS_fsmount,
    SYS_fsopen, SYS_fspick, SYS_init_module, SYS_io_uring_enter, SYS_io_uring_register,
    SYS_io_uring_setup, SYS_ioctl, SYS_kcmp, SYS_kexec_file_load, SYS_kexec_load, SYS_keyctl,
    SYS_lookup_dcookie, SYS_mount, SYS_mount_setattr, SYS_move_mount, SYS_nfsservctl,
    SYS_open_by_handle_at, SYS_open_tree, SYS_perf_event_open, SYS_pidfd_getfd, SYS_pivot_root,
    SYS_process_madvise, SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace, SYS_quotactl,
    SYS_quotactl_fd, SYS_reboot, SYS_request_key, SYS_setdomainname, SYS_sethostname, SYS_setns,
    SYS_settimeofday, SYS_socket, SYS_socketpair, SYS_swapoff, SYS_swapon, SYS_syslog, SYS_umount2,
    SYS_unshare, SYS_userfaultfd, SYS_vhangup,
};
use seccompiler::{
    BackendError, SeccompCmpArgLen::Dword, SeccompCmpOp, SeccompCondition, SeccompRule,
};

/// The newest call that was looked at: `removexattrat` of Linux 6.13.
pub(crate) const NEWEST: u32 = 466;

/// Calls that are refused whatever their arguments are.
pub(crate) const REFUSED: &[i64] = &[
    // Mounts and roots.
    SYS_chroot,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fsopen,
    SYS_fspick,
    SYS_mount,
    SYS_mount_setattr,
    SYS_move_mount,
    SYS_open_by_handle_at,
    SYS_open_tree,
    SYS_pivot_root,
    SYS_setns,
    SYS_umount2,
    // Memory and handles of other processes.
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_process_madvise,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_ptrace,
    // Parts of the kernel that are large and seldom needed.
    SYS_add_key,
    SYS_bpf,
    SYS_fanotify_init,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_io_uring_setup,
    SYS_keyctl,
    SYS_lookup_dcookie,
    SYS_nfsservctl,
    SYS_perf_event_open,
    SYS_request_key,
    SYS_userfaultfd,
    // The machine itself.
    SYS_acct,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_clock_settime,
    SYS_delete_module,
    SYS_finit_module,
    SYS_init_module,
    SYS_kexec_file_load,
    SYS_kexec_load,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_reboot,
    SYS_setdomainname,
    SYS_sethostname,
    SYS_settimeofday,
    SYS_swapoff,
    SYS_swapon,
    SYS_syslog,
    SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
];

/// Flags of `clone` and `unshare` that make a namespace.
const NEW_NAMESPACES: &[i32] = &[
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWTIME,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// Kinds of sockets that are allowed. Netlink's routes are needed to list interfaces.
const FAMILIES: &[i32] = &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Protocols of the internet that are allowed: any other one would load a module.
const PROTOCOLS: &[i32] = &[
    0,
    libc::IPPROTO_ICMP,
    libc::IPPROTO_TCP,
    libc::IPPROTO_UDP,
    libc::IPPROTO_ICMPV6,
    libc::IPPROTO_MPTCP,
];

/// The bits of a socket's type that are no flags.
const SOCKET_TYPE: i32 = 0xf;

/// `SOCK_PACKET`, an old name of packet sockets.
const SOCKET_PACKET: i32 = 10;

/// Requests to a terminal that write what its reader believes was typed, and the one
/// that loads a line discipline.
const TERMINAL: &[i32] = &[TIOCSTI, TIOCLINUX, TIOCSETD];

// The C library gives these another type on each of its kinds.
const TIOCSTI: i32 = 0x5412;
const TIOCLINUX: i32 = 0x541c;
const TIOCSETD: i32 = 0x5423;

/// Calls, and by which arguments they are refused.
pub(crate) type Refused = Vec<(i64, Vec<SeccompRule>)>;

/// The same where there is a superuser (`superuser.rs`): a user namespace can be entered, which
/// the kernel allows for none but that one.
pub(crate) fn refused_with_a_root() -> Result<Refused, BackendError> {
    let mut all = refused_with()?;
    all.push((SYS_setns, vec![rule(vec![not(1, libc::CLONE_NEWUSER)?])?]));
    Ok(all)
}

/// Calls that are refused by an argument.
pub(crate) fn refused_with() -> Result<Refused, BackendError> {
    Ok(vec![
        (SYS_clone, any_of(0, NEW_NAMESPACES)?),
        (SYS_unshare, any_of(0, NEW_NAMESPACES)?),
        (SYS_socket, sockets()?),
        (SYS_socketpair, vec![rule(vec![not(0, libc::AF_UNIX)?])?]),
        (SYS_ioctl, equal_to(1, TERMINAL)?),
    ])
}

fn sockets() -> Result<Vec<SeccompRule>, BackendError> {
    let mut rules = vec![rule(all_not(0, FAMILIES)?)?];
    rules.push(rule(vec![is(0, libc::AF_NETLINK)?, not(2, libc::NETLINK_ROUTE)?])?);
    for family in [libc::AF_INET, libc::AF_INET6] {
        let mut other = all_not(2, PROTOCOLS)?;
        other.push(is(0, family)?);
        rules.push(rule(other)?);
        for kind in [libc::SOCK_RAW, SOCKET_PACKET] {
            rules.push(rule(vec![is(0, family)?, bits(1, SOCKET_TYPE, kind)?])?);
        }
    }
    Ok(rules)
}

/// One rule for each flag: the argument has it.
fn any_of(argument: u8, flags: &[i32]) -> Result<Vec<SeccompRule>, BackendError> {
    flags.iter().map(|flag| rule(vec![bits(argument, *flag, *flag)?])).collect()
}

/// One rule for each value: the argument is it.
fn equal_to(argument: u8, values: &[i32]) -> Result<Vec<SeccompRule>, BackendError> {
    values.iter().map(|value| rule(vec![is(argument, *value)?])).collect()
}

fn all_not(argument: u8, values: &[i32]) -> Result<Vec<SeccompCondition>, BackendError> {
    values.iter().map(|value| not(argument, *value)).collect()
}

fn is(argument: u8, value: i32) -> Result<SeccompCondition, BackendError> {
    compare(argument, SeccompCmpOp::Eq, word(value))
}

fn not(argument: u8, value: i32) -> Result<SeccompCondition, BackendError> {
    compare(argument, SeccompCmpOp::Ne, word(value))
}

fn bits(argument: u8, mask: i32, value: i32) -> Result<SeccompCondition, BackendError> {
    compare(argument, SeccompCmpOp::MaskedEq(word(mask)), word(value))
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions)
}

/// Compares the lower half of an argument: the kernel takes all of these as 32 bits, so a
/// filter that looked at more could be passed by setting more.
fn compare(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, Dword, operator, value)
}

fn word(value: i32) -> u64 {
    u64::from(value.cast_unsigned())
}
