//! Tries a rule at a place, and says what the secret there would be.
//!
//! Whatever a rule finds depends on `WINDOW` bytes behind the keyword and `CONTEXT` bytes before
//! it, and on nothing else. That is what makes a stream and a whole text agree.

use std::cmp::Ordering;
use std::ops::Range;

use crate::judge::{Kind, Verdict};
use crate::keyword::Row;
use crate::memo::Memo;
use crate::rules::{self, Before, Begun, Compiled, Find, More, Pattern, Rule};
use crate::tail::{Pem, Tail};
use crate::view::View;
use crate::{assigned, judge, near, placeholder};

/// As much is looked at from a keyword on: enough for a URL, a token's head or a line of code.
///
/// It is also what one hit can cost, so it is no longer than it has to be.
pub(crate) const WINDOW: usize = 5 << 8;

/// The same for a token that its tail follows: longer than what any pattern asks of one.
const HEAD: usize = 512;

/// The same for one that is judged by how random it is, which shows by less.
const JUDGED: usize = 256;

/// Most of what a keyword begins shows by so many bytes that it is nothing.
const FIRST_LOOK: usize = 24;

/// As much is looked at before a keyword: a name, a scheme, a placeholder that may touch it.
pub(crate) const CONTEXT: usize = 128;

const _: () = assert!(CONTEXT > placeholder::LONGEST && CONTEXT > 2 * assigned::MAX_PREFIX);

/// A secret that a rule found, before overlaps are settled.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The rule's id.
    pub(crate) id: usize,
    /// What to put in its place, where it is not the usual placeholder.
    pub(crate) replacement: Option<String>,
    pub(crate) tail: Tail,
}

/// Where a keyword stands, for the rules that are tried there.
pub(crate) struct Place<'t> {
    pub(crate) view: &'t View<'t>,
    pub(crate) row: &'static Row,
    /// Where the keyword begins.
    pub(crate) at: usize,
}

impl Place<'_> {
    /// Tries a rule; `first` is the candidate that would be settled first so far.
    ///
    /// What could only be found inside of that one is not judged, and what `memo` knows not twice.
    // Inside of the loop over rules, what it needs would be put aside again and again.
    #[inline(never)]
    pub(crate) fn find(
        &self,
        (index, rule): (usize, &Rule),
        first: Option<&Candidate>,
        memo: &mut Memo,
    ) -> Option<Candidate> {
        // Most are refused before anything is cut out for them.
        let begun = match &rule.find {
            Find::Pattern(pattern) => {
                if !pattern.before.allows(self.view.byte_before(self.at)) {
                    return None;
                }
                // Who is named in an address has it behind the name.
                let addressed = pattern.before == Before::Scheme;
                if addressed && !memo.has_at(self.view, self.at, most(pattern)) {
                    return None;
                }
                // The pattern would go through all of it to find nothing random.
                let random = pattern.verdict == Verdict::Random;
                if random && !memo.has_digit(self.view, self.at, most(pattern)) {
                    return None;
                }
                let compiled = rules::compiled(index, pattern)?;
                let begun = compiled.begin(self.view.head(self.at, FIRST_LOOK))?;
                Some(Tried { index, pattern, compiled, begun })
            }
            Find::Assigned(_, kind) if memo.given.has_word_at(self.at, kind.asks()) => return None,
            Find::Service(_) if memo.chains.has(&self.row.name, self.at) => return None,
            Find::Assigned(..) | Find::Service(_) | Find::Formed(_) => None,
        };
        let (from, chunk) = self.view.around(self.at, CONTEXT, WINDOW);
        memo.origin = from;
        memo.taken = first.map(|first| first.takes(index));
        let (range, secret, tail) = self.read(rule, (chunk, self.at - from), begun, memo)?;
        if placeholder::touches(self.view.from(from), &range) {
            return None;
        }
        memo.trails.settle(index, from + range.end, from + secret.start);
        Some(Candidate {
            start: from + secret.start,
            end: from + secret.end,
            id: index,
            replacement: None,
            tail,
        })
    }

    /// What a rule finds in `chunk`, where the keyword stands at `at`.
    fn read(
        &self,
        rule: &Rule,
        (chunk, at): (&str, usize),
        begun: Option<Tried<'_>>,
        memo: &mut Memo,
    ) -> Option<Found> {
        match &rule.find {
            Find::Pattern(_) => by_pattern(chunk, at, begun?, memo),
            Find::Assigned(_, kind) => {
                let claim = assigned::read(chunk, at, &self.row.words, memo)?;
                memo.given.judged |= *kind == Kind::Key;
                let none = claim.value.is_empty() || memo.is_taken(claim.value_at, claim.value);
                if none || !judge::assigned(*kind, &claim, memo) {
                    return None;
                }
                let secret = claim.value_at..claim.value_at + claim.value.len();
                Some((claim.start..secret.end, secret, claim.tail))
            }
            Find::Service(naming) => {
                let beside = near::read(chunk, at, (&self.row.name, *naming), memo)?;
                let secret = beside.value_at..beside.value_end;
                Some((beside.start..beside.run_end, secret, beside.tail))
            }
            Find::Formed(read) => {
                let token = read(chunk, at)?;
                let tail = if token.end == chunk.len() { More::Word.tail() } else { Tail::Closed };
                Some((token.clone(), at + 1..token.end, tail))
            }
        }
    }
}

type Found = (Range<usize>, Range<usize>, Tail);

/// The pattern of the rule at an index, which the first bytes did not refuse.
#[derive(Clone, Copy)]
struct Tried<'p> {
    index: usize,
    pattern: &'p Pattern,
    compiled: &'static Compiled,
    begun: Begun,
}

#[inline(never)]
fn by_pattern(chunk: &str, at: usize, tried: Tried<'_>, memo: &mut Memo) -> Option<Found> {
    let Tried { index, pattern, compiled, begun } = tried;
    let lead = chunk.as_bytes().get(..at)?;
    let window = chunk.get(at..)?;
    let window = window.get(..window.floor_char_boundary(most(pattern))).unwrap_or(window);
    let worth = |found: &str| judge::may_be(pattern.verdict, found);
    let place = (memo.origin + at, window);
    let (range, secret) = compiled.find(place, begun, (index, &mut memo.trails), worth)?;
    let secret = at + secret.start..at + secret.end;
    if pattern.more == More::Pem && !Pem::has_body(chunk.as_bytes().get(secret.end..)?) {
        return None;
    }
    if !judge::pattern(pattern.verdict, chunk, &secret, memo) {
        let [end, begin] = [at + range.end, secret.start].map(|place| memo.origin + place);
        memo.trails.settle(index, end, begin);
        return None;
    }
    let scheme = match pattern.before {
        Before::Scheme => lead.iter().rev().take(32).take_while(|&&byte| is_scheme(byte)).count(),
        Before::Anything
        | Before::NoAlphanumeric
        | Before::NoToken
        | Before::NoBase64
        | Before::Digit => 0,
    };
    // A pattern that stopped by itself has seen the end; one that ran out of text has not.
    let stopped = range.end < window.len() && pattern.more != More::Pem;
    let tail = if stopped { Tail::Closed } else { pattern.more.tail() };
    Some((at - scheme..at + range.end, secret, tail))
}

/// How much a pattern may look at: what goes on in its tail needs no more than its head.
fn most(pattern: &Pattern) -> usize {
    match pattern.more {
        More::Word | More::Token | More::Base64 if pattern.verdict == Verdict::Random => JUDGED,
        More::Word | More::Token | More::Base64 => HEAD,
        More::Nothing | More::Below | More::NextLine | More::Pem => WINDOW,
    }
}

fn is_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-')
}

impl Candidate {
    /// Where this one begins, and where what the rule `id` finds there has to end at the latest to
    /// be dropped because of this one: it is settled after it, and lies inside.
    fn takes(&self, id: usize) -> (usize, usize) {
        let before = self.id >= rules::COUNT || self.id < id;
        (self.start, if before { self.end } else { self.end.saturating_sub(1) })
    }

    /// Whether it becomes the same secret as another.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let [one, two] = [self, other].map(|it| (it.start, it.end, it.id, &it.replacement));
        one == two && self.tail.is_same(&other.tail)
    }

    /// The one to settle first is the greatest: leftmost, then longest, then first in the table;
    /// a rule of the configuration comes before the table.
    fn rank(&self) -> impl Ord {
        use std::cmp::Reverse;
        let is_custom = self.id >= rules::COUNT;
        // Nobody knows how long a block of lines gets, only that it is the longest.
        let len = if matches!(self.tail, Tail::Pem(_)) { usize::MAX } else { self.end };
        (Reverse(self.start), len, is_custom, Reverse(self.id))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

#[cfg(test)]
mod tests;
