//! Whether the name of a key is one for a secret, and not only contains the word.

use super::{MAX_PREFIX, MAX_SUFFIX};
use crate::class::Class;
use crate::lexicon::Lexicon;

/// Whether `word` is a word of its own in the name: `db_pass` and `dbPass`, not `compass`.
pub(super) fn joins(prefix: &str, word: &str, first: u8) -> bool {
    const SHORT: &[&str] = &["pass", "psk"];
    static JOINED: Lexicon = Lexicon::new(&[
        "db", "my", "pg", "ftp", "sql", "ssh", "user", "root", "smtp", "mail", "admin", "redis",
    ]);
    let Some(last) = prefix.bytes().last() else { return true };
    if !SHORT.contains(&word) || !last.is_ascii_alphabetic() {
        return true;
    }
    let hump = last.is_ascii_lowercase() && first.is_ascii_uppercase();
    let tail = |len: usize| prefix.len().checked_sub(len).and_then(|at| prefix.get(at..));
    hump || (2..=5).filter_map(tail).any(|tail| JOINED.has(tail))
}

/// What may follow the word in the name of a secret.
#[rustfmt::skip]
static PLAIN: Lexicon = Lexicon::new(&[
    "db", "val", "raw", "dev", "old", "new", "text", "prod", "test", "live", "root", "user",
    "main", "value", "plain", "admin", "string", "staging", "default", "primary", "current",
    "secondary", "production",
]);

/// Whether `rest`, what follows the word, may leave the name a name for the secret itself, as far as
/// its first letter says.
fn may_be_plain(rest: &[u8]) -> bool {
    let first = rest.iter().take(MAX_SUFFIX).find(|byte| !matches!(byte, b'_' | b'-'));
    first.is_none_or(|first| !first.is_ascii_alphabetic() || PLAIN_LETTERS.has(*first))
}

/// The length of what follows the word in the name, where it leaves that a name for the secret
/// itself; `rest` is all that follows.
#[inline(always)]
pub(super) fn plain_suffix(rest: &[u8]) -> Option<usize> {
    // Mostly the word ends its name.
    if !rest.first().is_some_and(|next| NAMES.has(*next)) {
        return Some(0);
    }
    if !may_be_plain(rest) {
        return None;
    }
    let len = NAMES.run(rest, MAX_SUFFIX);
    is_plain_suffix(rest.get(..len)?).then_some(len)
}

/// Whether what follows the word leaves the name a name for the secret itself.
///
/// `password_2` and `TOKEN_PROD` do; `password_file`, `tokenType` and `secretName` do not.
pub(super) fn is_plain_suffix(mut suffix: &[u8]) -> bool {
    while let [b'_' | b'-', rest @ ..] = suffix {
        suffix = rest;
    }
    while let [rest @ .., b'0'..=b'9'] = suffix {
        suffix = rest;
    }
    while let [rest @ .., b'_' | b'-'] = suffix {
        suffix = rest;
    }
    suffix.is_empty() || PLAIN.has_bytes(suffix)
}

/// What the plain words begin with.
static PLAIN_LETTERS: Class = Class::of(b"acdlmnoprstuvACDLMNOPRSTUV");

/// The part of the last name that was gone through, in places of the whole text.
///
/// A word in it has the same bytes before it, so that only the first goes through them.
#[derive(Debug, Default)]
pub(crate) struct LastName {
    from: usize,
    /// Where the last word stands.
    at: usize,
    to: usize,
}

impl LastName {
    /// Where the name begins that has a word `at` a place and ends at `end`, as far as it is read;
    /// both are counted from `origin`, as `bytes` are.
    pub(super) fn begin(
        &mut self,
        origin: usize,
        (at, end): (usize, usize),
        bytes: &[u8],
    ) -> usize {
        let here = origin + at;
        if self.at <= here && here <= self.to {
            *self = Self { at: here, to: self.to.max(origin + end), ..*self };
            return self.from.saturating_sub(origin).max(at.saturating_sub(MAX_PREFIX));
        }
        let names = bytes.get(..at).unwrap_or_default().iter().rev().take(MAX_PREFIX);
        let start = at - names.take_while(|&&byte| NAMES.has(byte)).count();
        *self = Self { from: origin + start, at: here, to: origin + end };
        start
    }
}

/// What names are made of.
pub(super) static NAMES: Class = Class::of(b"_-").with_alphanumerics();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_letter_of_no_plain_word_ends_the_search() {
        for plain in
            PLAIN.words().iter().flat_map(|plain| [(*plain).to_owned(), plain.to_uppercase()])
        {
            assert!(may_be_plain(plain.as_bytes()) && is_plain_suffix(plain.as_bytes()), "{plain}");
            assert!(may_be_plain(format!("__{plain}").as_bytes()), "{plain}");
        }
        for rest in ["", "_", "_2", "=x", " = x"] {
            assert!(may_be_plain(rest.as_bytes()), "{rest}");
        }
        for rest in ["_file", "Hash", "-id"] {
            assert!(!may_be_plain(rest.as_bytes()) && !is_plain_suffix(rest.as_bytes()), "{rest}");
        }
    }
}
