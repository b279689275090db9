//! A gate at which a process that shares our memory waits for us.

#![allow(unsafe_code, reason = "the kernel is asked as `kernel` says, without the C library")]

use std::{
    ptr,
    sync::atomic::{AtomicI32, Ordering},
};

use super::kernel;

/// A gate: closed at first, and open for good once it is.
#[derive(Debug, Default)]
pub(super) struct Gate(AtomicI32);

const CLOSED: i32 = 0;
const OPEN: i32 = 1;

impl Gate {
    /// Lets everybody through.
    pub(super) fn open(&self) {
        self.0.store(OPEN, Ordering::Release);
        self.ask(libc::FUTEX_WAKE, i32::MAX);
    }

    /// Comes back once the gate is open.
    pub(super) fn pass(&self) {
        while self.0.load(Ordering::Acquire) == CLOSED {
            // It may come back early; then it is asked again.
            self.ask(libc::FUTEX_WAIT, CLOSED);
        }
    }

    fn ask(&self, what: i32, value: i32) {
        // Who waits and who wakes have the same memory, so the kernel needs no other name.
        let what = (what | libc::FUTEX_PRIVATE_FLAG) as usize;
        let place = ptr::from_ref(&self.0) as usize;
        // SAFETY: the kernel reads one int at the place, which is one; there is no time limit.
        unsafe { kernel::call(libc::SYS_futex, [place, what, value as usize, 0, 0]) };
    }
}
