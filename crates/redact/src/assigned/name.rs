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

/// The length of what follows the word in the name, where it leaves that a name for the secret
/// itself; `rest` is all that follows.
///
/// `password_2` and `TOKEN_PROD` do; `password_file`, `tokenType` and `secretName` do not.
pub(super) fn plain_suffix(rest: &[u8]) -> Option<usize> {
    let rest = rest.get(..MAX_SUFFIX).unwrap_or(rest);
    let run = |from: usize, class: &Class| {
        let rest = rest.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| class.has(**byte)).count()
    };
    let word = run(0, &JOINTS);
    let mut end = word;
    // Most that go on show by one letter that they are other names.
    if let Some(first) = rest.get(word).filter(|first| first.is_ascii_alphabetic()) {
        end = if PLAIN_LETTERS.has(*first) { run(word, &ALPHABET) } else { return None };
        if !PLAIN.has_bytes(rest.get(word..end)?) {
            return None;
        }
    }
    let end = run(run(end, &JOINTS), &DIGITS);
    rest.get(end).is_none_or(|next| !NAMES.has(*next)).then_some(end)
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

static JOINTS: Class = Class::of(b"_-");
static DIGITS: Class = Class::of(b"0123456789");
static ALPHABET: Class = Class::of(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

/// What names are made of.
pub(super) static NAMES: Class = Class::of(b"_-").with_alphanumerics();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_known_whatever_stands_around_them() {
        for plain in
            PLAIN.words().iter().flat_map(|plain| [(*plain).to_owned(), plain.to_uppercase()])
        {
            for suffix in [plain.clone(), format!("__{plain}"), format!("_{plain}-2")] {
                for rest in [suffix.clone(), format!("{suffix}=x"), format!("{suffix} = x")] {
                    assert_eq!(plain_suffix(rest.as_bytes()), Some(suffix.len()), "{rest}");
                }
            }
            for other in ["s", "_file", "2_", "_2_3", "Key"] {
                assert_eq!(plain_suffix(format!("_{plain}{other}").as_bytes()), None, "{other}");
            }
        }
        for (rest, len) in [("", 0), ("_", 1), ("_2", 2), ("=x", 0), (" = x", 0), ("42)", 2)] {
            assert_eq!(plain_suffix(rest.as_bytes()), Some(len), "{rest}");
        }
        for rest in ["_file", "Hash", "-id", "_2_", "2a", "_2_3"] {
            assert_eq!(plain_suffix(rest.as_bytes()), None, "{rest}");
        }
        // A name is read so far, and no farther.
        let long = "_".repeat(MAX_SUFFIX);
        assert_eq!(plain_suffix(format!("{long}file").as_bytes()), Some(MAX_SUFFIX));
    }
}
