//! Finds tokens of a form that issuers everywhere have come to use: a short lower-case prefix, an
//! underscore, and a long random rest.
//!
//! It is the net below the table: an issuer that nobody has written a row for is caught by it.

use std::ops::Range;

use crate::class::Class;
use crate::lexicon::Lexicon;

/// So many letters and digits follow the underscore, at the least.
pub(crate) const RANDOM: usize = 24;

/// Bytes of a prefix.
const MAX_PREFIX: usize = 24;

/// So many digits are a number of something, and no version.
const NUMBER: usize = 6;

/// The random value of the environment variable whose equals sign stands at `at`.
///
/// A mix of cases and digits is asked for, so hashes, versions and commit ids stay.
pub(crate) fn read_variable(chunk: &str, at: usize) -> Option<Range<usize>> {
    let bytes = chunk.as_bytes();
    let lead = bytes.get(..at)?;
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let len = lead.iter().rev().take_while(|&&byte| is_name(byte)).count();
    let name = chunk.get(at - len..at)?;
    let before = lead.get(..at - len)?.last();
    let opens = matches!(before, None | Some(b'\n' | b' ' | b'\t' | b'"' | b'\''));
    let shown = ["PUBLIC", "PUBLISHABLE", "HASH", "DIGEST", "SUM", "ETAG", "INTEGRITY", "VERSION"];
    if len < 3 || !opens || shown.iter().any(|word| name.contains(word)) {
        return None;
    }
    let rest = bytes.get(at + 1..)?;
    let run = TOKENS.run(rest, rest.len());
    let ends = matches!(rest.get(run), None | Some(b'\n' | b'\r' | b' ' | b'"' | b'\'' | b'='));
    let value = chunk.get(at + 1..at + 1 + run)?;
    (ends && !crate::judge::words::is_wordy(value)).then_some(at + 1..at + 1 + run)
}

/// Prefixes of identifiers that are there to be shown.
#[rustfmt::skip]
static PUBLIC: Lexicon = Lexicon::new(&[
    "ch", "cs", "il", "in", "pi", "pk", "pm", "po", "re", "rs", "si", "tr", "vs", "cus", "evt",
    "job", "msg", "ord", "org", "prj", "req", "run", "src", "sub", "txn", "md5", "rev", "acct",
    "asst", "call", "card", "file", "item", "plan", "prod", "resp", "seti", "sess", "step",
    "task", "team", "user", "sha1", "hash", "batch", "event", "order", "price", "toolu", "trace",
    "build", "chunk", "asset", "thread", "sha256", "sha384", "sha512", "commit", "cs_test",
    "cs_live", "invoice", "pk_live", "pk_test", "project", "request", "session", "chatcmpl",
    "msgbatch", "integrity",
]);

/// Whether `random`, what follows an underscore, is random by its first bytes.
pub(crate) fn is_random(random: &[u8]) -> bool {
    let Some(head) = random.get(..RANDOM) else { return false };
    let mut counts = [0_u8; 3];
    for byte in head {
        let [lower, upper, digit] = &mut counts;
        match byte {
            b'a'..=b'z' => *lower += 1,
            b'A'..=b'Z' => *upper += 1,
            b'0'..=b'9' => *digit += 1,
            _ => return false,
        }
    }
    counts.iter().all(|&count| count >= 3)
}

/// The token around the underscore at `at`.
pub(crate) fn read(chunk: &str, at: usize) -> Option<Range<usize>> {
    let bytes = chunk.as_bytes();
    let lead = bytes.get(..at)?;
    let len = lead.iter().rev().take_while(|&&byte| TOKENS.has(byte)).count();
    let prefix = chunk.get(at - len..at)?;
    let opens = prefix.bytes().next().is_some_and(|first| first.is_ascii_lowercase());
    let named = prefix.bytes().all(|byte| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
    });
    if !opens || !named || !(2..=MAX_PREFIX).contains(&len) || PUBLIC.has(prefix) {
        return None;
    }
    // The number of an object in front of the rest makes it the name of that object.
    let last = prefix.rsplit(['_', '-']).next().unwrap_or_default();
    if last.len() >= NUMBER && last.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // A path, an address, a name of code, a piece of something longer.
    if matches!(lead.get(..at - len)?.last(), Some(b'/' | b'.' | b'+' | b'@' | b'#' | b'%')) {
        return None;
    }
    let rest = bytes.get(at + 1..)?;
    let run = TOKENS.run(rest, rest.len());
    let value = chunk.get(at + 1..at + 1 + run)?;
    let after = rest.get(run..)?;
    let extension = matches!(after, [b'.', next, ..] if next.is_ascii_alphabetic());
    let code = matches!(after.first(), Some(b'(' | b'['));
    let example = crate::judge::form::is_encoded_example(value);
    if extension || code || example || crate::judge::words::is_wordy(value) {
        return None;
    }
    Some(at - len..at + 1 + run)
}

static TOKENS: Class = Class::of(b"_-").with_alphanumerics();

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Option<&str> {
        let at = (0..text.len())
            .find(|&at| text.as_bytes()[at] == b'_' && is_random(&text.as_bytes()[at + 1..]))?;
        read(text, at).map(|range| &text[range])
    }

    #[test]
    fn a_prefix_and_something_random_is_a_token() {
        let text = "key: acme_live_Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Q, next";
        assert_eq!(token(text), Some("acme_live_Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Q"));
        let second = "key: acme_02_Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Q, next";
        assert_eq!(token(second), Some("acme_02_Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Q"));
    }

    #[test]
    fn names_hashes_and_identifiers_are_not() {
        for text in [
            "snake_case_and_more_of_it_that_is_long_enough",
            "x = a_HttpServerConfig2FromEnv3WithRetry4",
            "price_1MoBy5LkdIwHu7ixZhnattbh",
            "upload_126031192_Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Q",
            "h_3b335d612137949d2f21fcc6c8c8164db7603227",
            "dist/index_Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Q.js",
            "Zm9vYmFy_Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Q",
        ] {
            assert_eq!(token(text), None, "{text}");
        }
    }
}
