//! Processes without a program of their own, which no library makes safely.

#![allow(unsafe_code, reason = "fork has no safe wrapper")]

/// Makes a process that does `task`; says whether it could be made.
pub(super) fn fork(task: fn() -> !) -> bool {
    // SAFETY: this program has one thread, so the child may do whatever it could.
    let child = unsafe { libc::fork() };
    if child == 0 {
        task();
    }
    child > 0
}

/// Waits until one child has ended.
pub(super) fn reap() {
    // SAFETY: nothing is written back.
    unsafe { libc::wait(std::ptr::null_mut()) };
}

/// Leaves session and parent, ignores what can be ignored, then does `task`.
pub(super) fn detach(task: fn() -> !) -> ! {
    // SAFETY: numbers alone, in a process of one thread.
    unsafe {
        libc::setsid();
        for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT, libc::SIGQUIT] {
            libc::signal(signal, libc::SIG_IGN);
        }
        if libc::fork() != 0 {
            libc::_exit(0);
        }
        libc::setsid();
    }
    task()
}

/// Touches so many bytes of memory.
pub(super) fn use_memory(bytes: usize) {
    let mut memory = Vec::<u8>::with_capacity(bytes);
    for page in memory.spare_capacity_mut().iter_mut().step_by(4096) {
        page.write(1);
    }
    std::hint::black_box(&memory);
}

/// Asks for its own number with the calling convention of 32-bit programs.
#[cfg(target_arch = "x86_64")]
pub(super) fn call_as_32_bit() -> bool {
    const GETPID: i64 = 20;
    let answer: i64;
    // SAFETY: the call takes no argument and writes no memory; what it may change is named.
    unsafe {
        std::arch::asm!("int 0x80", inlateout("rax") GETPID => answer,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _);
    }
    answer > 0
}

/// There is no such convention here.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn call_as_32_bit() -> bool {
    false
}
