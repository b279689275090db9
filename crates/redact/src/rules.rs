//! The rule table: one row a rule, with the examples that test it.
//!
//! A rule is tried only where one of its keywords begins, and its pattern is anchored there. That
//! keeps the work linear, the patterns small, and the result the same however a text is cut. A
//! pattern is compiled when its keyword is first met, not when the program starts.

mod assignment;
mod provider;
mod token;

use std::sync::OnceLock;

use regex::Regex;

use crate::judge::{Kind, Verdict};
use crate::tail::{Pem, Tail};

/// One rule.
pub(crate) struct Rule {
    /// What the placeholder says; rows may share a name.
    pub(crate) name: &'static str,
    /// Where the rule is tried, in any case.
    pub(crate) keywords: &'static [&'static str],
    pub(crate) find: Find,
    /// A text, and the secret in it.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the tests"))]
    pub(crate) yes: &'static [(&'static str, &'static str)],
    /// Texts without one.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the tests"))]
    pub(crate) no: &'static [&'static str],
}

/// How a rule finds its secret.
pub(crate) enum Find {
    /// By a pattern that begins at the keyword.
    Pattern(Pattern),
    /// As the value of a key whose name has one of these words at the keyword, longest first.
    Assigned(&'static [&'static str], Kind),
}

/// A pattern that begins at a keyword; its first group is the secret, else all of it.
///
/// Patterns see one line, unless their tail is a PEM block: no class may match a line feed.
pub(crate) struct Pattern {
    pub(crate) regex: &'static str,
    pub(crate) before: Before,
    pub(crate) verdict: Verdict,
    pub(crate) more: More,
}

/// What may stand right before the keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    Anything,
    /// No letter or digit: the keyword begins a word.
    NoAlphanumeric,
    /// Nor `_` or `-`: the keyword begins a token, and tokens do not overlap.
    NoToken,
    /// A letter or digit: the keyword ends a scheme.
    Scheme,
}

/// What the secret may go on with behind the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum More {
    Nothing,
    /// Letters, digits, `_`, `-`.
    Word,
    /// Letters, digits, `_`, `-`, `.`, `/`, `+`, `=`, `~`.
    Token,
    Base64,
    Pem,
}

impl More {
    pub(crate) fn tail(self) -> Tail {
        match self {
            Self::Nothing => Tail::Closed,
            Self::Word => Tail::Run(is_word),
            Self::Token => Tail::Run(is_token),
            Self::Base64 => Tail::Run(crate::tail::is_base64),
            Self::Pem => Tail::Pem(Pem::default()),
        }
    }
}

impl Before {
    pub(crate) fn allows(self, previous: Option<u8>) -> bool {
        let Some(byte) = previous else { return self != Self::Scheme };
        let alphanumeric = byte.is_ascii_alphanumeric();
        match self {
            Self::Anything => true,
            Self::NoAlphanumeric => !alphanumeric,
            Self::NoToken => !alphanumeric && !matches!(byte, b'_' | b'-'),
            Self::Scheme => alphanumeric,
        }
    }
}

impl Rule {
    /// Whether the rule looks beyond the line of its keyword.
    pub(crate) fn crosses_lines(&self) -> bool {
        matches!(&self.find, Find::Pattern(pattern) if pattern.more == More::Pem)
    }
}

/// Number of rules.
pub(crate) const COUNT: usize =
    provider::RULES.len() + token::RULES.len() + assignment::RULES.len();

/// Every rule with its index; among equal finds the lower index wins, so the special come first.
pub(crate) fn all() -> impl Iterator<Item = (usize, &'static Rule)> {
    provider::RULES.iter().chain(token::RULES).chain(assignment::RULES).enumerate()
}

/// The rule at an index.
pub(crate) fn get(index: usize) -> Option<&'static Rule> {
    let mut index = index;
    for rows in [provider::RULES, token::RULES, assignment::RULES] {
        if let Some(rule) = rows.get(index) {
            return Some(rule);
        }
        index -= rows.len();
    }
    None
}

/// The pattern of the rule at `index`, compiled on first use.
pub(crate) fn regex(index: usize, pattern: &Pattern) -> Option<&'static Regex> {
    static COMPILED: [OnceLock<Option<Regex>>; COUNT] = [const { OnceLock::new() }; COUNT];
    // The table is fixed, so a pattern that does not compile fails in the tests, or never.
    COMPILED.get(index)?.get_or_init(|| Regex::new(pattern.regex).ok()).as_ref()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'~')
}

#[cfg(test)]
mod tests;
