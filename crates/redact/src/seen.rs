//! Texts that were looked through and held no secret.
//!
//! A file is read again and again as it was. Its hash is needed anyhow and takes a third of the
//! time that a look for secrets takes; so what the hash says is remembered, for a while, and the
//! same text is not looked through again. Two texts of one hash nobody can make, and a text whose
//! hash was forgotten is looked through.

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

use blake3::Hash;

/// So many texts are remembered, each in the one place that it has.
const PLACES: usize = 256;

/// A text with its hash.
#[derive(Debug, Clone, Copy)]
pub struct Digested<'t> {
    text: &'t str,
    hash: Hash,
}

impl<'t> Digested<'t> {
    /// Takes the hash of a text.
    pub fn of(text: &'t str) -> Self {
        Self { text, hash: blake3::hash(text.as_bytes()) }
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The BLAKE3 hash of the text.
    pub fn hash(&self) -> &[u8; 32] {
        self.hash.as_bytes()
    }

    /// Its place, and the two numbers that tell it from all others there.
    fn place(&self) -> (usize, [u64; 2]) {
        let number = |at: usize| {
            let bytes = self.hash().get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            u64::from_le_bytes(bytes.unwrap_or_default())
        };
        (usize::try_from(number(16)).unwrap_or_default() % PLACES, [number(0), number(8)])
    }
}

/// What one redactor has seen; nothing takes memory before the first text is remembered.
#[derive(Debug, Default)]
pub(crate) struct Seen(OnceLock<Box<[[AtomicU64; 2]]>>);

impl Seen {
    /// Whether a text was found to hold no secret.
    pub(crate) fn has(&self, digested: &Digested<'_>) -> bool {
        let (place, numbers) = digested.place();
        let Some(there) = self.0.get().and_then(|places| places.get(place)) else { return false };
        let [one, two] = there.each_ref().map(|number| number.load(Ordering::Relaxed));
        [one, two] == numbers
    }

    /// Remembers that it does not.
    pub(crate) fn keep(&self, digested: &Digested<'_>) {
        let (place, numbers) = digested.place();
        let places =
            self.0.get_or_init(|| (0..PLACES).map(|_| [const { AtomicU64::new(0) }; 2]).collect());
        let Some(there) = places.get(place) else { return };
        // Two who write at once may leave a half of each, which is no text's.
        for (number, value) in there.iter().zip(numbers) {
            number.store(value, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_known_until_another_has_its_place() {
        let seen = Seen::default();
        assert!(!seen.has(&Digested::of("")), "nothing was kept");
        let texts: Vec<String> = (0..2_000).map(|number| number.to_string()).collect();
        for text in &texts {
            let digested = Digested::of(text);
            assert!(!seen.has(&digested), "{text}");
            seen.keep(&digested);
            assert!(seen.has(&digested), "{text}");
        }
        let still = texts.iter().filter(|text| seen.has(&Digested::of(text))).count();
        assert!((1..=PLACES).contains(&still), "{still}");
    }

    #[test]
    fn half_a_hash_is_not_enough() {
        let (seen, digested) = (Seen::default(), Digested::of("text"));
        let (place, _) = digested.place();
        for half in 0..2 {
            seen.keep(&digested);
            seen.0.get().unwrap()[place][half].fetch_add(1, Ordering::Relaxed);
            assert!(!seen.has(&digested), "{half}");
        }
    }
}
