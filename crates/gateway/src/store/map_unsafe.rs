//! A file as memory.
//!
//! What is written there is the kernel's at once, so it outlives this process however
//! that ends, for the price of a copy.

#![allow(unsafe_code, reason = "a mapped file is changed by whoever else can open it")]

use std::{fs::File, io};

use memmap2::{MmapMut, MmapOptions};
use rustix::fs::{FallocateFlags, fallocate};

/// Maps a file of this length, all of which has its place on the disk.
///
/// # Errors
/// Where the disk is full, or the file system cannot do this.
pub(super) fn map(file: &File, bytes: usize) -> io::Result<MmapMut> {
    // Memory of a file that is shorter, or that there is no room for, must not be touched.
    fallocate(file, FallocateFlags::empty(), 0, bytes as u64)?;
    // SAFETY: only its owner can open the file, which lies in the gateway's own directory
    // and is locked; nobody else changes it or makes it shorter while it is mapped. What
    // it holds is read as bytes, of which any are valid, and checked.
    unsafe { MmapOptions::new().len(bytes).map_mut(file) }
}
