//! The kernel's calls as a supervisor makes them: without the C library, without memory.
//!
//! A supervisor is a process that shares our memory, as after `vfork`, and goes on
//! running beside us. It has the thread-local storage of the thread that made it, so
//! it may not touch any: not even `errno`, which every call of the C library sets.
//! Nor may it allocate or panic. What stands here asks the kernel in one
//! instruction and answers with what the kernel answered: a negative number is an
//! error. All but [`start`] may be used by a supervisor.

#![allow(unsafe_code, reason = "a supervisor can use nothing that is built on the C library")]

use std::{
    arch::asm,
    ffi::{CStr, CString, c_char, c_int, c_long, c_void},
    ptr,
    sync::atomic::AtomicI32,
};

use rustix::io::Errno;

use super::stack::Stack;

/// Strings as `execve` wants them: pointers, and a null at the end.
#[derive(Debug)]
pub(super) struct Strings {
    _owned: Vec<CString>,
    pointers: Vec<*const c_char>,
}

// SAFETY: the pointers point into `_owned`, which is never changed after.
unsafe impl Send for Strings {}
// SAFETY: as above; nobody writes through them.
unsafe impl Sync for Strings {}

impl Strings {
    pub(super) fn new(owned: Vec<CString>) -> Self {
        let mut pointers: Vec<_> = owned.iter().map(|string| string.as_ptr()).collect();
        pointers.push(ptr::null());
        Self { _owned: owned, pointers }
    }
}

/// What a process that shares our memory runs. It never returns.
pub(super) type Run<T> = extern "C" fn(&T) -> !;

/// Starts a process that shares our memory, on a stack of its own.
///
/// It has a copy of our file descriptors and the signal mask of the caller.
///
/// # Safety
/// `stack`, `plan` and, with `CLONE_CHILD_CLEARTID`, `clear` stay as they are until the
/// process has ended or become a program; no other process runs on `stack`. `run`
/// touches no thread-local storage, allocates nothing and does not panic.
pub(super) unsafe fn start<T: Sync>(
    flags: c_int,
    (stack, clear): (&Stack, &AtomicI32),
    run: Run<T>,
    plan: &T,
) -> Result<c_int, Errno> {
    let (run, plan) = (run as *const (), ptr::from_ref(plan).cast());
    // SAFETY: the caller keeps what `clone` asks of it, and `run` never returns.
    let pid = unsafe { clone(flags, (stack.top(), clear.as_ptr()), run, plan) };
    checked(pid)
}

fn checked(answer: c_long) -> Result<c_int, Errno> {
    let number = c_int::try_from(answer).unwrap_or(c_int::MAX);
    if number < 0 { Err(Errno::from_raw_os_error(-number)) } else { Ok(number) }
}

/// The call `clone`; the new process calls `run` with `plan`.
///
/// # Safety
/// As for [`start`].
#[cfg(target_arch = "x86_64")]
unsafe fn clone(
    flags: c_int,
    (top, clear): (*mut c_void, *mut c_int),
    run: *const (),
    plan: *const c_void,
) -> c_long {
    let answer;
    // SAFETY: the parent comes out at 2 with nothing changed but the registers named;
    // the child has a stack of its own, aligned for a call, and never comes out.
    unsafe {
        asm!("syscall", "test rax, rax", "jnz 2f", "xor ebp, ebp", "mov rdi, r9", "call r8",
            "ud2", "2:", inlateout("rax") libc::SYS_clone => answer, in("rdi") i64::from(flags),
            in("rsi") top, in("rdx") 0, in("r10") clear, in("r8") run, in("r9") plan,
            lateout("rcx") _, lateout("r11") _);
    }
    answer
}

/// The call `clone`; the new process calls `run` with `plan`.
///
/// # Safety
/// As for [`start`].
#[cfg(target_arch = "aarch64")]
unsafe fn clone(
    flags: c_int,
    (top, clear): (*mut c_void, *mut c_int),
    run: *const (),
    plan: *const c_void,
) -> c_long {
    let answer;
    // SAFETY: the parent comes out at 2 with nothing changed but the registers named;
    // the child has a stack of its own, aligned for a call, and never comes out.
    unsafe {
        asm!("svc 0", "cbnz x0, 2f", "mov x29, xzr", "mov x0, x5", "blr x6", "brk 1", "2:",
            inlateout("x0") i64::from(flags) => answer, in("x1") top, in("x2") 0, in("x3") 0,
            in("x4") clear, in("x5") plan, in("x6") run, in("x8") libc::SYS_clone);
    }
    answer
}

/// Any call of the kernel.
///
/// # Safety
/// What the call itself asks for.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn call(number: c_long, [a, b, c, d, e]: [usize; 5]) -> c_long {
    let answer;
    // SAFETY: the kernel changes these registers only, and what the caller answers for.
    unsafe {
        asm!("syscall", inlateout("rax") number => answer, in("rdi") a, in("rsi") b, in("rdx") c,
            in("r10") d, in("r8") e, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    answer
}

/// Any call of the kernel.
///
/// # Safety
/// What the call itself asks for.
#[cfg(target_arch = "aarch64")]
pub(super) unsafe fn call(number: c_long, [a, b, c, d, e]: [usize; 5]) -> c_long {
    let answer;
    // SAFETY: the kernel changes this register only, and what the caller answers for.
    unsafe {
        asm!("svc 0", inlateout("x0") a as c_long => answer, in("x1") b, in("x2") c, in("x3") d,
            in("x4") e, in("x8") number, options(nostack));
    }
    answer
}

/// A call whose arguments are numbers, none of which is a place in memory.
fn plain(number: c_long, arguments: [c_int; 3]) -> c_long {
    let [a, b, c] = arguments.map(|argument| argument as usize);
    // SAFETY: only calls without pointers come here: they touch no memory of ours.
    unsafe { call(number, [a, b, c, 0, 0]) }
}

/// Ends the calling process.
pub(super) fn exit(code: c_int) -> ! {
    loop {
        plain(libc::SYS_exit_group, [code, 0, 0]);
    }
}

/// Makes the caller the leader of a session of its own, which has its number.
pub(super) fn set_session() -> c_long {
    plain(libc::SYS_setsid, [0; 3])
}

/// Makes the caller the leader of a process group of its own.
pub(super) fn lead_group() {
    plain(libc::SYS_setpgid, [0; 3]);
}

/// The process group of a process; 0 is the caller.
pub(super) fn group_of(pid: c_int) -> c_long {
    plain(libc::SYS_getpgid, [pid, 0, 0])
}

/// The parent of the caller.
pub(super) fn parent() -> c_long {
    plain(libc::SYS_getppid, [0; 3])
}

/// The number of the caller.
pub(super) fn own_pid() -> c_long {
    plain(libc::SYS_getpid, [0; 3])
}

/// Sends a signal; a negative number is a process group.
pub(super) fn kill(pid: c_int, signal: c_int) {
    plain(libc::SYS_kill, [pid, signal, 0]);
}

/// Puts a file under a number, where it stays across `execve`.
pub(super) fn put(file: c_int, number: c_int) -> c_long {
    plain(libc::SYS_dup3, [file, number, 0])
}

/// Closes a file.
pub(super) fn close(file: c_int) {
    plain(libc::SYS_close, [file, 0, 0]);
}

/// Closes all files from one number to another, if the kernel can.
pub(super) fn close_between(first: c_int, last: c_int) -> c_long {
    plain(libc::SYS_close_range, [first, last, 0])
}

/// Goes to a directory.
pub(super) fn go_to(directory: c_int) -> c_long {
    plain(libc::SYS_fchdir, [directory, 0, 0])
}

/// Says which permissions new files do not get.
pub(super) fn set_umask(mask: c_int) {
    plain(libc::SYS_umask, [mask, 0, 0]);
}

/// Makes a terminal that of the caller's session.
pub(super) fn take_terminal(terminal: c_int) -> c_long {
    const REQUEST: c_int = 0x540e; // TIOCSCTTY of asm-generic/ioctls.h.
    plain(libc::SYS_ioctl, [terminal, REQUEST, 0])
}

/// Sets something about the caller that is a number.
pub(super) fn control(what: c_int, value: c_int) -> c_long {
    plain(libc::SYS_prctl, [what, value, 0])
}

/// A program for the kernel as it wants to be shown one: `struct sock_fprog`.
#[repr(C)]
struct Shown {
    length: u16,
    instructions: *const [u8; 8],
}

/// Lets a program decide on every later call of the caller and of all it becomes and
/// starts, none of which can gain a privilege any more.
pub(super) fn obey(program: &[[u8; 8]]) -> c_long {
    // The kernel asks for the latter first.
    control(libc::PR_SET_NO_NEW_PRIVS, 1);
    let Ok(length) = u16::try_from(program.len()) else { return -c_long::from(libc::EINVAL) };
    let shown = Shown { length, instructions: program.as_ptr() };
    let (what, place) = (libc::SECCOMP_SET_MODE_FILTER as usize, ptr::from_ref(&shown) as usize);
    // SAFETY: the kernel reads so many instructions of eight bytes, which the slice has.
    unsafe { call(libc::SYS_seccomp, [what, 0, place, 0, 0]) }
}

/// Gives the caller a name, as `ps` shows it.
pub(super) fn set_name(name: &'static CStr) {
    let name = name.as_ptr() as usize;
    // SAFETY: the kernel reads up to the string's end, or 16 bytes.
    unsafe { call(libc::SYS_prctl, [libc::PR_SET_NAME as usize, name, 0, 0, 0]) };
}

/// Whether descendants of a process can be made to fall to it.
pub(super) fn has_subreaper() -> bool {
    let mut value: c_int = 0;
    let place = ptr::from_mut(&mut value) as usize;
    // SAFETY: the kernel writes one int at the place, which is one.
    unsafe { call(libc::SYS_prctl, [libc::PR_GET_CHILD_SUBREAPER as usize, place, 0, 0, 0]) == 0 }
}

/// Opens a file for reading.
pub(super) fn open(path: &CStr) -> c_long {
    let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as usize;
    let here = libc::AT_FDCWD as usize;
    // SAFETY: the kernel reads up to the string's end.
    unsafe { call(libc::SYS_openat, [here, path.as_ptr() as usize, flags, 0, 0]) }
}

/// Reads.
pub(super) fn read(file: c_int, buffer: &mut [u8]) -> c_long {
    let place = buffer.as_mut_ptr() as usize;
    // SAFETY: the kernel writes within the buffer, which is borrowed for it.
    unsafe { call(libc::SYS_read, [file as usize, place, buffer.len(), 0, 0]) }
}

/// Writes.
pub(super) fn write(file: c_int, bytes: &[u8]) -> c_long {
    // SAFETY: the kernel reads within the slice.
    unsafe { call(libc::SYS_write, [file as usize, bytes.as_ptr() as usize, bytes.len(), 0, 0]) }
}

/// What became of the caller's children.
pub(super) enum Waited {
    /// This one ended, with this status as `wait` encodes it.
    Ended(c_int, c_int),
    /// All run.
    Running,
    /// There are none.
    Childless,
}

/// Collects a child that has ended, without waiting for one.
pub(super) fn collect() -> Waited {
    let mut status: c_int = 0;
    let place = ptr::from_mut(&mut status) as usize;
    let options = (libc::WNOHANG | libc::__WALL) as usize;
    // SAFETY: the kernel writes one int at the place, which is one.
    match unsafe { call(libc::SYS_wait4, [usize::MAX, place, options, 0, 0]) } {
        0 => Waited::Running,
        pid if pid > 0 => Waited::Ended(c_int::try_from(pid).unwrap_or(0), status),
        _ => Waited::Childless,
    }
}

/// Waits until one of the files has something, or so many nanoseconds.
pub(super) fn poll(files: &mut [libc::pollfd], nanos: Option<c_long>) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: nanos.unwrap_or(0) };
    let time = nanos.map_or(0, |_| ptr::from_ref(&time) as usize);
    let place = files.as_mut_ptr() as usize;
    // SAFETY: the kernel reads the time and writes within the slice, borrowed for it.
    unsafe { call(libc::SYS_ppoll, [place, files.len(), time, 0, 0]) };
}

/// All signals there are, as the kernel has them.
pub(super) const EVERY_SIGNAL: Signals = u64::MAX;
/// The bytes of such a set.
const SET: usize = size_of::<u64>();

/// Sets which signals are kept back from the calling thread; answers which were.
fn set_mask(mask: u64) -> u64 {
    let mut before = 0_u64;
    let (new, old) = (ptr::from_ref(&mask) as usize, ptr::from_mut(&mut before) as usize);
    let set = libc::SIG_SETMASK as usize;
    // SAFETY: the kernel reads one set and writes another, both of the size given.
    unsafe { call(libc::SYS_rt_sigprocmask, [set, new, old, SET, 0]) };
    before
}

/// Lets every signal through.
pub(super) fn hear_signals() {
    set_mask(0);
}

/// Keeps every signal from the calling thread, for good.
pub(super) fn ignore_signals() {
    set_mask(EVERY_SIGNAL);
}

/// Keeps every signal from the calling thread while this lives.
pub(super) struct Undisturbed(u64);

impl Undisturbed {
    pub(super) fn new() -> Self {
        Self(set_mask(EVERY_SIGNAL))
    }
}

impl Drop for Undisturbed {
    fn drop(&mut self) {
        set_mask(self.0);
    }
}

/// A set of signals, one bit each, the first signal first.
pub(super) type Signals = u64;

/// What a signal means, in the kernel's own form: handler, flags, restorer, mask. All
/// zero is what it usually means.
type Action = [u64; 4];

/// Gives these signals their usual meaning.
pub(super) fn reset_signals(signals: Signals) {
    let usual: Action = [0; 4];
    for signal in 1..=64_usize {
        if signals >> signal.wrapping_sub(1) & 1 == 1 {
            let place = usual.as_ptr() as usize;
            // SAFETY: the kernel reads one action; the default has no code to point to.
            unsafe { call(libc::SYS_rt_sigaction, [signal, place, 0, SET, 0]) };
        }
    }
}

/// The signals that do not mean what they usually do to the calling process.
pub(super) fn unusual_signals() -> Signals {
    (1..=64_usize).fold(0, |signals, signal| {
        let mut action: Action = [0; 4];
        let place = action.as_mut_ptr() as usize;
        // SAFETY: the kernel writes one action at the place, which is one.
        let asked = unsafe { call(libc::SYS_rt_sigaction, [signal, 0, place, SET, 0]) };
        let unusual = asked == 0 && action != [0; 4];
        signals | u64::from(unusual) << signal.wrapping_sub(1)
    })
}

/// A file that can be read when a child has ended; the signal must be kept back.
pub(super) fn child_signals() -> c_int {
    let set = 1_u64 << (libc::SIGCHLD - 1);
    let flags = (libc::SFD_NONBLOCK | libc::SFD_CLOEXEC) as usize;
    let place = ptr::from_ref(&set) as usize;
    // SAFETY: the kernel reads one set of the size given.
    let file = unsafe { call(libc::SYS_signalfd4, [usize::MAX, place, SET, flags, 0]) };
    c_int::try_from(file).unwrap_or(-1)
}

/// Becomes another program; comes back only with the error.
pub(super) fn execute(path: &CStr, words: &Strings, variables: &Strings) -> c_int {
    let (words, variables) =
        (words.pointers.as_ptr() as usize, variables.pointers.as_ptr() as usize);
    // SAFETY: both lists end with a null and point to strings that live as long.
    let answer =
        unsafe { call(libc::SYS_execve, [path.as_ptr() as usize, words, variables, 0, 0]) };
    c_int::try_from(-answer).unwrap_or(libc::EIO)
}
