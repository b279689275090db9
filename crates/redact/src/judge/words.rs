//! What is a word, a reference or an example, and so not a secret.

mod beginnings;
mod runs;

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use memchr::memchr;

use super::form::has_digit;
use crate::class::Class;
use beginnings::Beginnings;

/// What begins a value that is fetched from somewhere, by its first byte.
#[rustfmt::skip]
fn references(first: u8) -> &'static [&'static str] {
    match first {
        b'{' => &["{"],
        b'#' => &["#{"],
        b'<' => &["<"],
        b'&' => &["&lt;"],
        b'%' => &["%{", "%(", "%s"],
        b'@' => &["@{", "@@"],
        b'E' => &["ENV[", "ENV."],
        b'S' => &["System."],
        b'a' => &["arn:"],
        b'c' => &["config."],
        b'e' => &["env.", "env("],
        b'f' => &["file:"],
        b'k' => &["kms:"],
        b'o' => &["os.", "op://"],
        b'p' => &["process.", "projects/"],
        b'r' => &["ref:"],
        b's' => &["secrets.", "secret.", "self.", "settings.", "ssm:"],
        b't' => &["this."],
        b'v' => &["var.", "vault:", "vault."],
        _ => &[],
    }
}

/// What is put in later, wherever it stands in a value.
#[rustfmt::skip]
static EXPANSIONS: Needles =
    Needles::new(&["${", "$(", "{{", "#{", "%{", "<%", "$[", "{0", "{}", "' +", "\" +"]);

/// What none of them begins with.
static OUTSIDE: Class = Class::but(b"$#{%<'\"");

/// What people write where a secret will stand.
#[rustfmt::skip]
static EXAMPLES: Needles = Needles::new(&[
    "placeholder", "changeme", "change_me", "change-me", "redacted", "xxxx", "****", "....",
    "____", "_here", "-here", "your_", "your-", "your ", "fixme", "not-set", "not_set", "notset",
    "goes here", "&lt;",
]);

/// The same, in values made of nothing but words.
#[rustfmt::skip]
static EXAMPLE_WORDS: Needles =
    Needles::new(&["your", "example", "sample", "insert", "replace", "dummy", "todo"]);

/// What either begins with.
static EXAMPLE_BEGINNINGS: Beginnings = Beginnings::of(&[EXAMPLES.needles, EXAMPLE_WORDS.needles]);

/// Strings that are looked for together, in any case; put together on first use.
struct Needles {
    needles: &'static [&'static str],
    automaton: OnceLock<Option<AhoCorasick>>,
}

impl Needles {
    const fn new(needles: &'static [&'static str]) -> Self {
        Self { needles, automaton: OnceLock::new() }
    }

    fn are_in(&self, value: &str) -> bool {
        let build = || AhoCorasick::builder().ascii_case_insensitive(true).build(self.needles).ok();
        self.automaton.get_or_init(build).as_ref().is_some_and(|found| found.is_match(value))
    }
}

/// Whether the value points at a secret instead of being one: `${X}`, `process.env.X`, `{{ x }}`.
pub(crate) fn is_reference(value: &str) -> bool {
    let bytes = value.as_bytes();
    let Some(first) = bytes.first() else { return false };
    if references(*first).iter().any(|start| value.starts_with(start)) {
        return true;
    }
    // Most values have nothing that one of them begins with.
    if !OUTSIDE.all(bytes) && EXPANSIONS.are_in(value) {
        return true;
    }
    match bytes {
        // A variable; a password that begins like one has other marks too.
        [b'$', next, ..] if next.is_ascii_alphabetic() || *next == b'_' => {
            !value.contains(['!', '@', '#', '%', '^', '&', '*'])
        }
        [b'$', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => true,
        // A tag of YAML.
        [b'!', next, ..] if next.is_ascii_alphabetic() && !value.contains(is_odd) => true,
        [b'%', middle @ .., b'%'] => middle.iter().all(|byte| is_word_byte(*byte)),
        [b'%', b'd' | b'v'] | [b'?'] => true,
        [b':', name @ ..] => name.iter().all(|byte| is_word_byte(*byte)),
        _ => {
            let dotted = memchr(b'.', bytes).is_some();
            let joined = memchr(b'_', bytes).is_some();
            (dotted && is_dotted_name(value)) || (joined && is_variable_name(value))
        }
    }
}

/// Whether the value is there to be replaced: `changeme`, `<your key>`, `xxxxxxxx`.
pub(crate) fn is_placeholder(value: &str) -> bool {
    // Most values have nothing that one of them begins with.
    if EXAMPLE_BEGINNINGS.may_be_in(value.as_bytes())
        && (EXAMPLES.are_in(value) || (!has_digit(value) && EXAMPLE_WORDS.are_in(value)))
    {
        return true;
    }
    let wrapped =
        matches!(value.as_bytes(), [b'<', .., b'>'] | [b'[', .., b']'] | [b'*', .., b'*']);
    let mut bytes = value.bytes();
    let first = bytes.next();
    let repeated = value.len() > 2 && bytes.all(|byte| Some(byte) == first);
    wrapped || repeated
}

/// Whether the value is made of words: `my-service-token`, `ClientSecretConfigValue2`.
///
/// Random text changes between letters, cases and digits every second or third byte; words do not.
pub(crate) fn is_wordy(value: &str) -> bool {
    let Some(runs::Counts { words, numbers, letters, digits }) = runs::count(value) else {
        return false;
    };
    let mostly_letters = digits * 2 <= letters && numbers * 2 <= words + 1;
    words > 0 && letters >= words * 3 && mostly_letters && !is_unspeakable(value)
}

/// Whether a long run of letters has five consonants in a row.
pub(crate) fn is_unspeakable(value: &str) -> bool {
    // Most values have none, wherever their words begin.
    if !has_consonants(value.as_bytes()) {
        return false;
    }
    let runs = value.as_bytes().split(|byte| !byte.is_ascii_alphabetic());
    // A hump ends a word: `EightChars` has no five consonants in a row.
    let humps = |run: &[u8]| {
        let words =
            run.chunk_by(|one, next| !(one.is_ascii_lowercase() && next.is_ascii_uppercase()));
        words.map(consonants).max().unwrap_or(0)
    };
    runs.filter(|run| run.len() >= 8).any(|run| humps(run) >= 5)
}

/// Whether five consonants stand in a row, as far as that is cheap to say.
pub(crate) fn has_consonants(bytes: &[u8]) -> bool {
    let mut from = 0;
    while let Some(five) = bytes.get(from..).and_then(|rest| rest.first_chunk::<5>()) {
        // None that begins before the last of the others can have five.
        match five.iter().rposition(|byte| !CONSONANTS.has(*byte)) {
            Some(other) => from += other + 1,
            None => return true,
        }
    }
    false
}

static CONSONANTS: Class = Class::of(b"bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ");

fn consonants(letters: &[u8]) -> usize {
    let is_vowel = |byte: &u8| b"aeiouyAEIOUY".contains(byte);
    letters.split(is_vowel).map(<[u8]>::len).max().unwrap_or(0)
}

/// Whether text with spaces is written for people: a label, a hint, an error.
pub(crate) fn is_sentence(value: &str) -> bool {
    #[rustfmt::skip]
    const SENTENCE: &[&str] = &[
        "password", "passphrase", "is", "are", "must", "be", "to", "for", "the", "of", "and", "or",
        "not", "at", "in", "if", "with", "has", "no", "on", "please", "enter", "confirm",
    ];
    let opens = value.starts_with(char::is_uppercase);
    let closes = value.ends_with(['.', '?', '!', ':', ',']);
    let mut words = value.split(' ').map(str::to_ascii_lowercase);
    opens || closes || words.any(|word| SENTENCE.contains(&word.as_str()))
}

/// Whether letters of one case are random: five consonants in a row that no word has.
pub(crate) fn is_gibberish(value: &str) -> bool {
    let lower = value.bytes().all(|byte| byte.is_ascii_lowercase());
    let upper = value.bytes().all(|byte| byte.is_ascii_uppercase());
    (lower || upper) && consonants(value.as_bytes()) >= 5
}

/// Whether letters of both cases are random: they change case as no name does, and cannot be
/// spoken.
pub(crate) fn is_scrambled(value: &str) -> bool {
    let letters =
        value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let turns = |pair: &&[u8]| matches!(pair, [one, next] if one.is_ascii_lowercase() != next.is_ascii_lowercase());
    let turns = value.as_bytes().windows(2).filter(turns).count();
    letters && value.len() >= 24 && turns * 4 >= value.len() && !is_wordy(value)
}

/// `settings.database.password`: names joined by dots, as code reaches for them.
fn is_dotted_name(value: &str) -> bool {
    let mut parts = 0;
    let named = value.split('.').all(|part| {
        parts += 1;
        let starts = part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        starts && part.bytes().all(is_word_byte) && !part.bytes().any(|byte| byte.is_ascii_digit())
    });
    named && parts > 1
}

/// `DB_PASSWORD`: the name of an environment variable, where an underscore is in it.
fn is_variable_name(value: &str) -> bool {
    let upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    value.bytes().all(upper) && is_wordy(value)
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_odd(letter: char) -> bool {
    letter.is_ascii_digit() || matches!(letter, '@' | '#' | '$' | '%' | '^' | '&' | '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_expansion_begins_with_anything_else() {
        for expansion in EXPANSIONS.needles {
            assert!(!OUTSIDE.has(expansion.as_bytes()[0]), "{expansion}");
        }
    }

    #[test]
    fn five_consonants_are_seen_wherever_they_stand() {
        for before in ["", "a", "b", "ab", "bcda", "bcd4bcd-", "abcdebcd_"] {
            for (letters, five) in
                [("bcdf", false), ("BCdfg", true), ("bcyfgh", false), ("", false)]
            {
                for behind in ["", "a", "ebcd"] {
                    let text = format!("{before}{letters}{behind}");
                    let joined = before.ends_with('b') && letters == "bcdf";
                    assert_eq!(has_consonants(text.as_bytes()), five || joined, "{text}");
                }
            }
        }
    }

    #[test]
    fn every_reference_stands_at_its_first_byte() {
        for first in 0..=u8::MAX {
            for reference in references(first) {
                assert_eq!(reference.as_bytes()[0], first, "{reference}");
                assert!(is_reference(&format!("{reference}x")), "{reference}");
            }
        }
    }
}
