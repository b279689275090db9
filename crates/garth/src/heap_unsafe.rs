//! How much memory that was let go stays with the program.
//!
//! A server for one client makes a few buffers as long as a file for each call, and lets
//! them go. The C library would give them back to the system each time, and the next call
//! had them cleared and mapped page by page again: half of what a file of a megabyte took.

#![allow(unsafe_code, reason = "the C library has no safe name for it")]

/// Buffers up to this size are made where others were before, and not mapped each by itself.
const MAPPED: libc::c_int = 4 << 20;
/// So much may lie unused.
const UNUSED: libc::c_int = 8 << 20;

/// Keeps what was let go, up to a bound, from now on.
pub(crate) fn keep() {
    for (what, bytes) in [(libc::M_MMAP_THRESHOLD, MAPPED), (libc::M_TRIM_THRESHOLD, UNUSED)] {
        // SAFETY: it takes two numbers, and the allocator locks itself meanwhile.
        unsafe { libc::mallopt(what, bytes) };
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    /// How often this thread found a page missing so far.
    #[allow(clippy::disallowed_methods, reason = "it is the kernel's word, and no file")]
    fn missed() -> u64 {
        let told = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let after_name = told.rsplit(')').next().unwrap();
        // The tenth field of all; the third is the first here.
        after_name.split_whitespace().nth(7).unwrap().parse().unwrap()
    }

    #[test]
    fn buffers_of_a_file_are_mapped_once() {
        super::keep();
        let call = || drop(black_box([vec![1_u8; 1 << 20], vec![2; 2 << 20]]));
        call();
        let before = missed();
        (0..50).for_each(|_| call());
        let pages = missed() - before;
        assert!(pages < 768, "{pages} pages of 50 calls, which have 768 each");
    }
}
