//! Whether the name of a key is one for a secret, and not only contains the word.

use crate::class::Class;

/// Whether `word` is a word of its own in the name: `db_pass` and `dbPass`, not `compass`.
pub(super) fn joins(prefix: &str, word: &str, first: u8) -> bool {
    const SHORT: &[&str] = &["pass", "pwd", "psk"];
    const JOINED: &[&str] =
        &["db", "my", "pg", "user", "root", "admin", "smtp", "mail", "ftp", "sql", "ssh", "redis"];
    let Some(last) = prefix.bytes().last() else { return true };
    if !SHORT.contains(&word) || !last.is_ascii_alphabetic() {
        return true;
    }
    let hump = last.is_ascii_lowercase() && first.is_ascii_uppercase();
    let ends = |joined: &&str| {
        let tail = prefix.len().checked_sub(joined.len()).and_then(|at| prefix.get(at..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(joined))
    };
    hump || JOINED.iter().any(ends)
}

/// Whether what follows the word leaves the name a name for the secret itself.
///
/// `password_2` and `TOKEN_PROD` do; `password_file`, `tokenType` and `secretName` do not.
pub(super) fn is_plain_suffix(suffix: &str) -> bool {
    #[rustfmt::skip]
    const PLAIN: &[&str] = &[
        "", "value", "val", "text", "plain", "raw", "string", "prod", "production", "dev", "test",
        "staging", "live", "default", "admin", "root", "user", "db", "main", "primary",
        "secondary", "old", "new", "current",
    ];
    if suffix.is_empty() {
        return true;
    }
    let suffix = suffix.trim_start_matches(['_', '-']);
    let suffix = suffix.trim_end_matches(|last: char| last.is_ascii_digit());
    let suffix = suffix.trim_end_matches(['_', '-']);
    PLAIN.iter().any(|plain| suffix.eq_ignore_ascii_case(plain))
}

pub(super) fn is_name(byte: u8) -> bool {
    NAMES.has(byte)
}

static NAMES: Class = Class::of(b"_-").with_alphanumerics();
