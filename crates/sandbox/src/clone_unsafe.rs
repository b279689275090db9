//! Makes a process that runs one function on a stack of its own.
//!
//! As `posix_spawn` does it: the new process shares our memory where it may, so
//! that nothing is copied however large we are, and this thread waits until it has
//! become another program or ended. All signals are blocked meanwhile, since a
//! handler of ours must not run in it.

#![allow(unsafe_code, reason = "no safe wrapper exists for a clone on shared memory")]

use std::{
    cell::UnsafeCell,
    ffi::{c_int, c_void},
    mem::MaybeUninit,
    os::fd::{FromRawFd, OwnedFd},
    ptr,
    sync::{Mutex, MutexGuard},
};

use rustix::{
    io::Errno,
    process::{DumpableBehavior, dumpable_behavior},
};

/// What the new process runs on; it calls the kernel and holds a few small
/// buffers, also when it is built without optimisation.
const STACK: usize = 256 << 10;

/// How the memory of the new process relates to ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// The same, until it runs another program.
    Shared,
    /// A copy.
    Copied,
}

/// A new process.
pub(crate) struct Made {
    /// Its number, as we see it.
    pub(crate) pid: i32,
    /// A handle to it.
    pub(crate) handle: OwnedFd,
}

/// Makes a process with the given `CLONE_…` flags that runs `task` and exits with
/// what it returns; comes back when it has become another program or ended.
///
/// `task` must call the kernel only: it may neither allocate nor take a lock nor panic.
pub(crate) fn clone(flags: c_int, memory: Memory, task: &dyn Fn() -> c_int) -> Result<Made, Errno> {
    clone_on(&Stack::new(), flags, memory, task)
}

/// Room that a new process can run on, made before it is needed.
#[derive(Debug)]
pub(crate) struct Stack(Vec<UnsafeCell<MaybeUninit<u8>>>);

impl Stack {
    pub(crate) fn new() -> Self {
        Self(Vec::with_capacity(STACK))
    }
}

/// The same on a stack that is there, for who must not allocate. One process at a time
/// runs on it, since whoever makes one waits here.
pub(crate) fn clone_on(
    stack: &Stack,
    flags: c_int,
    memory: Memory,
    task: &dyn Fn() -> c_int,
) -> Result<Made, Errno> {
    let end = stack.0.as_ptr().cast_mut().cast::<u8>().wrapping_add(STACK);
    let top = end.wrapping_sub(end.addr() % 16).cast::<c_void>();
    let flags = flags | libc::CLONE_PIDFD | libc::CLONE_VFORK | libc::SIGCHLD;
    let flags = match memory {
        Memory::Shared => flags | libc::CLONE_VM,
        Memory::Copied => flags,
    };
    let mut handle: c_int = -1;
    let argument = ptr::from_ref(&task).cast_mut().cast::<c_void>();
    let signals = block_signals();
    // SAFETY: `top` ends STACK bytes and `argument` points to a reference; both outlive the new
    // process's use of them, since CLONE_VFORK holds us here, or it has copies of its own.
    // The kernel writes one int to `handle`.
    let pid = unsafe { libc::clone(run, top, flags, argument, &raw mut handle) };
    let errno = Errno::from_io_error(&std::io::Error::last_os_error());
    set_signals(&signals);
    if pid < 0 {
        return Err(errno.unwrap_or(Errno::INVAL));
    }
    // SAFETY: the kernel made this descriptor for us, because of CLONE_PIDFD.
    let handle = unsafe { OwnedFd::from_raw_fd(handle) };
    Ok(Made { pid, handle })
}

extern "C" fn run(argument: *mut c_void) -> c_int {
    // SAFETY: `clone` passes a pointer to a reference that is still alive.
    let task = unsafe { *argument.cast::<&dyn Fn() -> c_int>() };
    task()
}

fn block_signals() -> libc::sigset_t {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: both sets are ours; sigfillset fills the first, pthread_sigmask the second.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        before.assume_init()
    }
}

fn set_signals(signals: &libc::sigset_t) {
    // SAFETY: the set was filled by pthread_sigmask, and nothing is written back.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, signals, ptr::null_mut()) };
}

/// The memory that one new process may run on, for as long as it does.
pub(crate) struct Lease {
    /// Which it is.
    pub(crate) memory: Memory,
    _alone: Option<MutexGuard<'static, ()>>,
}

impl Lease {
    /// A copy.
    pub(crate) fn copied() -> Self {
        Self { memory: Memory::Copied, _alone: None }
    }

    /// Ours, where our memory is said to be readable: a process must say so of its own to
    /// own its entries of `/proc`, and it holds for all that share it.
    pub(crate) fn shared() -> Self {
        match dumpable_behavior() {
            Ok(DumpableBehavior::Dumpable) => Self { memory: Memory::Shared, _alone: None },
            _ => Self::copied(),
        }
    }

    /// Ours for a process that will take another id, which makes the kernel say that its
    /// memory is not readable, until it says that it is. Two of them would disturb each
    /// other, so there is one at a time, and whoever comes meanwhile has a copy.
    pub(crate) fn shared_alone() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let Ok(guard) = ALONE.try_lock() else { return Self::copied() };
        Self { _alone: Some(guard), ..Self::shared() }
    }
}
