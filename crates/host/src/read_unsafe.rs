//! Reading into memory that holds nothing yet.

#![allow(unsafe_code, reason = "the system fills memory that is not initialised")]

use std::os::fd::{AsRawFd, BorrowedFd};

use libc::{RWF_NOWAIT, iovec, off_t, preadv2};

/// Reads once, onto the end of a buffer, up to `room` bytes that are in memory; how
/// many, and `None` for an error, also where it would have to wait.
///
/// `rustix` has this call for initialised memory alone, and to fill a large buffer
/// with zeros first takes a third as long as to read into it.
pub(crate) fn read_onto(
    file: BorrowedFd<'_>,
    into: &mut Vec<u8>,
    (offset, room): (u64, usize),
) -> Option<usize> {
    let offset = off_t::try_from(offset).ok()?;
    into.reserve(room);
    let spare = into.spare_capacity_mut().get_mut(..room)?;
    let target = iovec { iov_base: spare.as_mut_ptr().cast(), iov_len: spare.len() };
    // SAFETY: the handle is open as long as it is borrowed; the one piece is spare room
    // of the buffer, which is borrowed alone, and nothing keeps its address.
    let count = unsafe { preadv2(file.as_raw_fd(), &raw const target, 1, offset, RWF_NOWAIT) };
    let count = usize::try_from(count).ok().filter(|count| *count <= room)?;
    // SAFETY: the system has filled so many bytes behind those that were there, and they
    // are within what was reserved.
    unsafe { into.set_len(into.len() + count) };
    Some(count)
}
