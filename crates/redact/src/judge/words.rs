//! What is a word, a reference or an example, and so not a secret.

mod beginnings;
pub(super) mod runs;

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use memchr::memchr;

use super::form::has_digit;
use super::tally::Counts;
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
pub(super) static EXAMPLES: Needles = Needles::new(&[
    "placeholder", "changeme", "change_me", "change-me", "redacted", "xxxx", "****", "....",
    "____", "_here", "-here", "your_", "your-", "your ", "fixme", "not-set", "not_set", "notset",
    "goes here", "&lt;",
]);

/// The same, in values made of nothing but words.
#[rustfmt::skip]
pub(super) static EXAMPLE_WORDS: Needles =
    Needles::new(&["your", "example", "sample", "insert", "replace", "dummy", "todo"]);

/// What either begins with.
pub(super) static EXAMPLE_BEGINNINGS: Beginnings =
    Beginnings::of(&[EXAMPLES.needles, EXAMPLE_WORDS.needles]);

/// Strings that are looked for together, in any case; put together on first use.
pub(super) struct Needles {
    needles: &'static [&'static str],
    longest: usize,
    automaton: OnceLock<Option<AhoCorasick>>,
}

impl Needles {
    pub(super) const fn new(needles: &'static [&'static str]) -> Self {
        let (mut rest, mut longest) = (needles, 0);
        while let [needle, others @ ..] = rest {
            longest = if needle.len() > longest { needle.len() } else { longest };
            rest = others;
        }
        Self { needles, longest, automaton: OnceLock::new() }
    }

    fn are_in(&self, value: &str) -> bool {
        self.automaton().is_some_and(|automaton| automaton.is_match(value))
    }

    /// The one that ends first.
    pub(super) fn find(&self, value: &[u8]) -> Option<Range<usize>> {
        self.automaton()?.find(value).map(|found| found.range())
    }

    /// Bytes of the longest.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    fn automaton(&self) -> Option<&AhoCorasick> {
        let build = || AhoCorasick::builder().ascii_case_insensitive(true).build(self.needles).ok();
        self.automaton.get_or_init(build).as_ref()
    }
}

/// Whether the value points at a secret instead of being one: `${X}`, `process.env.X`, `DB_KEY`.
pub(crate) fn is_reference(value: &str) -> bool {
    is_fetched(value, None) || (is_upper_name(value) && is_wordy(value))
}

/// Whether the value says where a secret is: `${X}`, `process.env.X`, `{{ x }}`.
pub(super) fn is_fetched(value: &str, counts: Option<&Counts>) -> bool {
    let bytes = value.as_bytes();
    let Some(first) = bytes.first() else { return false };
    if references(*first).iter().any(|start| value.starts_with(start)) {
        return true;
    }
    // Most values have nothing that one of them begins with.
    let keyed = counts.is_some_and(|counts| counts.made().unkeyed() == 0);
    if !keyed && !OUTSIDE.all(bytes) && EXPANSIONS.are_in(value) {
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
            let plain = counts.is_some_and(|counts| counts.made().unplain() == 0);
            !plain && memchr(b'.', bytes).is_some() && is_dotted_name(value)
        }
    }
}

/// Whether the value is there to be replaced: `changeme`, `<your key>`, `xxxxxxxx`.
pub(crate) fn is_placeholder(value: &str) -> bool {
    // Most values have nothing that one of them begins with.
    let may_be = EXAMPLE_BEGINNINGS.may_be_in(value.as_bytes());
    let is_one = || EXAMPLES.are_in(value) || (!has_digit(value) && EXAMPLE_WORDS.are_in(value));
    (may_be && is_one()) || is_blank(value)
}

/// Whether the value only holds a place: `<…>`, `xxxxxxxx`.
pub(super) fn is_blank(value: &str) -> bool {
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
    runs::count(value).is_some_and(|counts| counts.are_wordy()) && !is_unspeakable(value.as_bytes())
}

/// Whether a word in a long run of letters has five consonants in a row.
///
/// A hump ends a word: `EightChars` has no five.
pub(crate) fn is_unspeakable(value: &[u8]) -> bool {
    let mut from = 0;
    while let Some((five, rest)) = value.get(from..).and_then(|rest| rest.split_first_chunk()) {
        if let Some(word) = last_beginning(five) {
            from += word;
            continue;
        }
        let letters = |byte: &&u8| byte.is_ascii_alphabetic();
        let before = value.iter().take(from).rev().take(LONG).take_while(letters).count();
        let behind = rest.iter().take(LONG).take_while(letters).count();
        if before + five.len() + behind >= LONG {
            return true;
        }
        from += 1;
    }
    false
}

/// Letters of a long run.
pub(super) const LONG: usize = 8;

/// Where the last word among five bytes can begin; `None` where all are consonants of one word.
fn last_beginning(five: &[u8; 5]) -> Option<usize> {
    let other = five.iter().rposition(|byte| !CONSONANTS.has(*byte)).map(|at| at + 1);
    other.or_else(|| {
        let hump = |pair: &[u8]| matches!(pair, [one, next] if one.is_ascii_lowercase() && next.is_ascii_uppercase());
        five.windows(2).rposition(hump).map(|at| at + 1)
    })
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

/// `DB_PASSWORD`: where it is made of words, it is the name of an environment variable.
pub(super) fn is_upper_name(value: &str) -> bool {
    static UPPER: Class = Class::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    memchr(b'_', value.as_bytes()).is_some() && UPPER.all(value.as_bytes())
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_odd(letter: char) -> bool {
    letter.is_ascii_digit() || matches!(letter, '@' | '#' | '$' | '%' | '^' | '&' | '*')
}

#[cfg(test)]
mod tests {
    use super::super::form::KEY_BYTES;
    use super::*;

    #[test]
    fn no_expansion_begins_with_anything_else() {
        for expansion in EXPANSIONS.needles {
            assert!(!OUTSIDE.has(expansion.as_bytes()[0]), "{expansion}");
            assert!(!KEY_BYTES.all(expansion.as_bytes()), "{expansion}");
        }
    }

    /// The same, as one would say it.
    fn has_five(text: &[u8]) -> bool {
        let hump = |one: &u8, next: &u8| !(one.is_ascii_lowercase() && next.is_ascii_uppercase());
        let mut runs = text.split(|byte| !byte.is_ascii_alphabetic());
        runs.any(|run| run.len() >= LONG && run.chunk_by(hump).any(|word| consonants(word) >= 5))
    }

    #[test]
    fn five_consonants_of_one_word_in_a_long_run_cannot_be_spoken() {
        let parts =
            ["", "a", "bcdA", "bcdf", "bcdfg", "BCDFG", "bcDfg", "aeioua", "-", "4bc_", "yY"];
        let mut unspeakable = 0;
        for one in parts {
            for other in parts {
                for text in parts.map(|last| format!("{one}{other}{last}")) {
                    let five = has_five(text.as_bytes());
                    assert_eq!(is_unspeakable(text.as_bytes()), five, "{text}");
                    unspeakable += usize::from(five);
                }
            }
        }
        assert!(unspeakable > 100, "{unspeakable}");
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
