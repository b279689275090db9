//! How large the files of a tree are, as far as they were read.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a file is taken to have before one was read.
const FIRST: u64 = 16 << 10;

/// The size that files had lately.
#[derive(Debug)]
pub(super) struct Usual(AtomicU64);

impl Default for Usual {
    fn default() -> Self {
        Self(AtomicU64::new(FIRST))
    }
}

impl Usual {
    pub(super) fn size(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes note of so many files, with so many bytes together.
    ///
    /// It is a guess: of two who do so at once one may not be heard.
    pub(super) fn note(&self, files: u64, bytes: u64) {
        if let Some(size) = bytes.checked_div(files) {
            self.0.store((self.size() * 3 + size) / 4, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_files_had_lately_is_what_they_usually_have() {
        let usual = Usual::default();
        usual.note(0, 0);
        assert_eq!(usual.size(), FIRST, "nothing was read");
        for _ in 0..50 {
            usual.note(10, 1_000_000);
        }
        assert!((90_000..=100_000).contains(&usual.size()), "{}", usual.size());
        for _ in 0..50 {
            usual.note(10, 0);
        }
        assert_eq!(usual.size(), 0);
    }
}
