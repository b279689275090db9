//! Stacks for processes that share our memory.
//!
//! To make one takes the kernel two calls and a fault for each page that is then used, so
//! a few that are free are kept.

#![allow(unsafe_code, reason = "a stack is memory that no type of the language describes")]

use std::{
    ffi::c_void,
    ptr,
    sync::{Arc, Mutex},
};

use rustix::io::Errno;

use super::lock;

/// Enough for the deepest supervisor, unoptimised, several times over.
const STACK: usize = 64 << 10;
/// The largest page of the machines that we know.
const GUARD: usize = 64 << 10;

/// How many free ones are kept: those of a command, and of the one that comes next.
const MOST_FREE: usize = 4;

/// Stacks that nobody uses.
#[derive(Debug, Default)]
pub(super) struct Stacks(Mutex<Vec<Memory>>);

/// Memory for the stack of a process that shares ours, with a page below it that
/// nobody may touch.
#[derive(Debug)]
pub(super) struct Stack {
    /// There until it is dropped.
    memory: Option<Memory>,
    stacks: Arc<Stacks>,
}

#[derive(Debug)]
struct Memory {
    base: *mut c_void,
}

// SAFETY: it is a piece of memory with one owner, whichever thread that is on.
unsafe impl Send for Memory {}
// SAFETY: as above; a shared reference gives only its end away.
unsafe impl Sync for Memory {}

impl Stack {
    /// One of the free ones, or a new one.
    pub(super) fn new(stacks: &Arc<Stacks>) -> Result<Self, Errno> {
        let free = lock(&stacks.0).pop();
        let memory = free.map_or_else(Memory::new, Ok)?;
        Ok(Self { memory: Some(memory), stacks: Arc::clone(stacks) })
    }

    /// Its upper end, where a stack begins; aligned as calls want it.
    pub(super) fn top(&self) -> *mut c_void {
        let base = self.memory.as_ref().map_or(ptr::null_mut(), |memory| memory.base);
        base.wrapping_byte_add(GUARD + STACK)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // Whoever ran on it has ended: its owner drops it no earlier.
        let mut free = lock(&self.stacks.0);
        if free.len() < MOST_FREE {
            free.extend(self.memory.take());
        }
    }
}

impl Memory {
    fn new() -> Result<Self, Errno> {
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        let both = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at a place of the kernel's choice touches nothing of ours.
        let base = unsafe { libc::mmap(ptr::null_mut(), GUARD + STACK, both, kind, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(Errno::NOMEM);
        }
        let memory = Self { base };
        // SAFETY: the pages are the lower part of the mapping that was made above.
        match unsafe { libc::mprotect(base, GUARD, libc::PROT_NONE) } {
            0 => Ok(memory),
            _ => Err(Errno::NOMEM),
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: nobody runs on it: it is free, or its owner has dropped it.
        unsafe { libc::munmap(self.base, GUARD + STACK) };
    }
}
