//! The rule table: one row a rule, with the examples that test it.
//!
//! A rule is tried only where one of its keywords begins, and its pattern is anchored there. That
//! keeps the work linear, the patterns small, and the result the same however a text is cut. A
//! pattern is compiled when its keyword is first met, not when the program starts.

/// A rule for tokens that their own form gives away; the example is the token.
macro_rules! prefixed {
    ($name:literal, [$($keyword:literal),+ $(,)?], $before:ident, $more:ident, $regex:expr,
     yes $yes:expr, no $no:expr) => {
        crate::rules::Rule {
            name: $name,
            keywords: &[$($keyword),+],
            find: crate::rules::Find::Pattern(crate::rules::Pattern {
                regex: $regex,
                before: crate::rules::Before::$before,
                verdict: crate::judge::Verdict::Always,
                more: crate::rules::More::$more,
            }),
            yes: &[($yes, $yes)],
            no: &$no,
        }
    };
}

/// A rule for secrets inside something longer; the example is a text and the secret in it.
macro_rules! inside {
    ($name:literal, [$($keyword:literal),+ $(,)?], $before:ident, $verdict:ident, $more:ident,
     $regex:expr, yes [$(($text:expr, $secret:expr)),+ $(,)?], no $no:expr) => {
        crate::rules::Rule {
            name: $name,
            keywords: &[$($keyword),+],
            find: crate::rules::Find::Pattern(crate::rules::Pattern {
                regex: $regex,
                before: crate::rules::Before::$before,
                verdict: crate::judge::Verdict::$verdict,
                more: crate::rules::More::$more,
            }),
            yes: &[$(($text, $secret)),+],
            no: &$no,
        }
    };
}

mod account;
mod assignment;
mod automaton;
mod below;
mod cloud;
mod parts;
mod places;
mod prose;
mod provider;
mod saas;
mod saas_more;
mod service;
mod token;
mod trail;
mod webhook;

use std::ops::Range;
use std::sync::OnceLock;

use crate::judge::{Kind, Verdict};
use crate::near::{self, Naming};
use crate::tail::{Pem, Tail};
pub(crate) use automaton::Begun;
use automaton::{Automaton, Reached};
use parts::Group;
pub(crate) use trail::Trails;

/// One rule.
pub(crate) struct Rule {
    /// What the placeholder says; rows may share a name.
    pub(crate) name: &'static str,
    /// Where the rule is tried: in any case, or as written where it is in capitals.
    pub(crate) keywords: &'static [&'static str],
    pub(crate) find: Find,
    /// A text, and the secret in it.
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
    /// Beside the name of a service, which is the keyword.
    Service(Naming),
    /// By the form of what follows the byte that stands for the keyword; the secret begins there.
    Formed(fn(&str, usize) -> Option<Range<usize>>),
}

/// A pattern that begins at a keyword; its first group is the secret, else all of it.
///
/// Patterns see one line, unless what follows is a PEM block or stands below: no class of another
/// may match a line feed.
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
    /// Nothing of base64: the keyword begins the encoded text.
    NoBase64,
    /// A letter or digit: the keyword ends a scheme.
    Scheme,
    /// A digit.
    Digit,
}

/// What the secret may go on with behind the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum More {
    Nothing,
    /// Nothing, but the pattern itself reaches into the lines below.
    Below,
    /// The same, and behind the keyword nothing stands on its line.
    NextLine,
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
            Self::Nothing | Self::Below | Self::NextLine => Tail::Closed,
            Self::Word => Tail::Run(is_word),
            Self::Token => Tail::Run(is_token),
            Self::Base64 => Tail::Run(crate::tail::is_base64),
            Self::Pem => Tail::Pem(Pem::default()),
        }
    }
}

impl Before {
    pub(crate) fn allows(self, previous: Option<u8>) -> bool {
        let Some(byte) = previous else { return !matches!(self, Self::Scheme | Self::Digit) };
        let alphanumeric = byte.is_ascii_alphanumeric();
        match self {
            Self::Anything => true,
            Self::NoAlphanumeric => !alphanumeric,
            Self::NoToken => !alphanumeric && !matches!(byte, b'_' | b'-'),
            Self::NoBase64 => !crate::tail::is_base64(byte) || byte == b'=',
            Self::Scheme => alphanumeric,
            Self::Digit => byte.is_ascii_digit(),
        }
    }
}

impl Rule {
    /// Whether the rule looks beyond the line of its keyword.
    pub(crate) fn crosses_lines(&self) -> bool {
        matches!(&self.find, Find::Pattern(pattern)
            if matches!(pattern.more, More::Pem | More::Below | More::NextLine))
    }

    /// Whether it asks for a keyword that ends its line.
    pub(crate) fn ends_line(&self) -> bool {
        matches!(&self.find, Find::Pattern(pattern) if pattern.more == More::NextLine)
    }

    /// Whether a keyword that begins with `first` may count right behind `before`, as far as these
    /// two say.
    pub(crate) fn may_follow(&self, before: u8, first: u8) -> bool {
        match &self.find {
            Find::Pattern(pattern) => pattern.before.allows(Some(before)),
            Find::Service(naming) => near::may_follow(before, first, *naming),
            Find::Assigned(..) | Find::Formed(_) => true,
        }
    }
}

/// The tables, in the order in which they win: the special come first.
const TABLES: [&[Rule]; 12] = [
    account::RULES,
    provider::RULES,
    cloud::RULES,
    saas::RULES,
    saas_more::RULES,
    webhook::RULES,
    token::RULES,
    prose::RULES,
    places::RULES,
    below::RULES,
    assignment::RULES,
    service::RULES,
];

/// A built-in rule, for those who list or try them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// What its placeholder says; several rules may share a name.
    pub name: &'static str,
    /// Where it is tried. One that ends in `…` stands for a form.
    pub keywords: &'static [&'static str],
    /// Texts, and the secret in each; none of them was ever in use.
    pub examples: &'static [(&'static str, &'static str)],
}

/// The built-in rules, in the order in which they win.
pub fn known() -> impl Iterator<Item = Known> {
    all().map(|(_, rule)| Known { name: rule.name, keywords: rule.keywords, examples: rule.yes })
}

/// Number of rules.
pub(crate) const COUNT: usize = account::RULES.len()
    + provider::RULES.len()
    + cloud::RULES.len()
    + saas::RULES.len()
    + saas_more::RULES.len()
    + webhook::RULES.len()
    + token::RULES.len()
    + prose::RULES.len()
    + places::RULES.len()
    + below::RULES.len()
    + assignment::RULES.len()
    + service::RULES.len();

/// Every rule with its index; among equal finds the lower index wins.
pub(crate) fn all() -> impl Iterator<Item = (usize, &'static Rule)> {
    TABLES.into_iter().flatten().enumerate()
}

/// The rule at an index.
pub(crate) fn get(index: usize) -> Option<&'static Rule> {
    static FLAT: OnceLock<Vec<&'static Rule>> = OnceLock::new();
    FLAT.get_or_init(|| TABLES.into_iter().flatten().collect()).get(index).copied()
}

/// A pattern, ready to use.
///
/// What a keyword begins is mostly nothing, and that has to be cheap to say: the automaton says it
/// byte by byte without any state to set up.
pub(crate) struct Compiled {
    automaton: Automaton,
    group: Option<Box<Group>>,
}

impl Compiled {
    fn new(pattern: &'static str) -> Option<Self> {
        let group =
            if parts::has_group(pattern) { Some(Box::new(Group::new(pattern)?)) } else { None };
        Some(Self { automaton: Automaton::new(pattern)?, group })
    }

    /// Begins with the first bytes of a text; `None` where nothing that begins so matches.
    pub(crate) fn begin(&self, head: &[u8]) -> Option<Begun> {
        self.automaton.begin(head)
    }

    /// The match at the beginning of `text`, with which it has begun, and the secret in it; `worth`
    /// says whether a match is worth to be taken apart.
    ///
    /// The text stands at an `origin` of the whole, where the rule has been before by its trail.
    pub(crate) fn find(
        &self,
        (origin, text): (usize, &str),
        begun: Begun,
        (index, trails): (usize, &mut Trails),
        worth: impl FnOnce(&str) -> bool,
    ) -> Option<(Range<usize>, Range<usize>)> {
        let place = (origin, text.as_bytes());
        let Reached { end, joined } = self.automaton.reach_along(place, begun, (index, trails))?;
        // Who took it has it among the candidates.
        let settled = joined.is_some_and(|joined| trails.is_settled(index, origin + end, joined));
        if settled || !worth(text.get(..end).unwrap_or_default()) {
            return None;
        }
        let secret = self.group.as_ref().map_or(Some(0..end), |group| group.find(text, end))?;
        Some((0..end, secret))
    }
}

/// The pattern of the rule at `index`, compiled on first use.
pub(crate) fn compiled(index: usize, pattern: &Pattern) -> Option<&'static Compiled> {
    static COMPILED: [OnceLock<Option<Compiled>>; COUNT] = [const { OnceLock::new() }; COUNT];
    // The table is fixed, so a pattern that does not compile fails in the tests, or never.
    COMPILED.get(index)?.get_or_init(|| Compiled::new(pattern.regex)).as_ref()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'~')
}

#[cfg(test)]
mod tests;
