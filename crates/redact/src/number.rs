//! Which distinct secret of its rule a secret is.
//!
//! The same secret gets the same number throughout a text. Secrets are remembered by a digest, not
//! by their text: a stream must not keep what it hides, and a key may be longer than any buffer.

use std::collections::HashMap;

/// So many distinct secrets of a text are told apart; the rest share the last number.
///
/// It bounds what a stream remembers to a few megabytes, and six digits hold it.
const MOST: usize = 100_000;

/// The numbers given out in one text.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    seen: HashMap<(usize, u128), u32>,
    counts: HashMap<usize, u32>,
    /// The last one, because a secret often stands in a text again and again.
    last: Option<((usize, u128), u32)>,
}

impl Numbers {
    /// The number of a secret among those of the same name, counted from 1.
    pub(crate) fn number(&mut self, name: usize, secret: &Digest) -> u32 {
        let key = (name, secret.state);
        if let Some((last, nth)) = self.last
            && last == key
        {
            return nth;
        }
        let nth = self.give(key);
        self.last = Some((key, nth));
        nth
    }

    fn give(&mut self, key: (usize, u128)) -> u32 {
        if let Some(&nth) = self.seen.get(&key) {
            return nth;
        }
        let count = self.counts.entry(key.0).or_insert(0);
        if self.seen.len() >= MOST {
            return *count + 1;
        }
        *count += 1;
        self.seen.insert(key, *count);
        *count
    }
}

/// A digest of a secret that arrives in pieces: FNV-1a of 128 bits.
///
/// Whoever makes two secrets collide on purpose gains one number for both, and had to know both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Digest {
    state: u128,
}

impl Digest {
    pub(crate) fn new() -> Self {
        Self { state: 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d }
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        for &byte in bytes {
            self.state = (self.state ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(pieces: &[&str]) -> Digest {
        let mut digest = Digest::new();
        for piece in pieces {
            digest.add(piece.as_bytes());
        }
        digest
    }

    #[test]
    fn the_same_secret_has_the_same_number() {
        let mut numbers = Numbers::default();
        assert_eq!(numbers.number(0, &digest(&["a"])), 1);
        assert_eq!(numbers.number(0, &digest(&["b"])), 2);
        assert_eq!(numbers.number(0, &digest(&["a"])), 1);
        assert_eq!(numbers.number(1, &digest(&["b"])), 1);
    }

    #[test]
    fn pieces_make_the_same_digest() {
        assert_eq!(digest(&["ab", "", "c"]).state, digest(&["abc"]).state);
    }
}
