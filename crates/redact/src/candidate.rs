//! Tries a rule at a place, and says what the secret there would be.
//!
//! Whatever a rule finds depends on `WINDOW` bytes behind the keyword and `CONTEXT` bytes before
//! it, and on nothing else. That is what makes a stream and a whole text agree.

use std::cmp::Ordering;
use std::ops::Range;

use crate::judge::Verdict;
use crate::judge::form::has_digit;
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
#[derive(Debug)]
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
    view: &'t View<'t>,
    row: &'static Row,
    /// Where the keyword begins, and where the text does that rules may look at.
    keyword_at: usize,
    from: usize,
    chunk: &'t str,
}

impl<'t> Place<'t> {
    pub(crate) fn new(view: &'t View<'t>, row: &'static Row, keyword_at: usize) -> Self {
        let from = view.ceil(keyword_at.saturating_sub(CONTEXT));
        let chunk = view.range(from, view.floor(keyword_at + WINDOW));
        Self { view, row, keyword_at, from, chunk }
    }

    /// Tries a rule; `first` is the candidate that would be settled first so far.
    ///
    /// What could only be found inside of that one is not judged, and what `memo` knows not twice.
    pub(crate) fn find(
        &self,
        (index, rule): (usize, &Rule),
        first: Option<&Candidate>,
        memo: &mut Memo,
    ) -> Option<Candidate> {
        let &Self { chunk, from, .. } = self;
        memo.origin = from;
        let at = self.keyword_at - from;
        let (range, secret, tail) = match &rule.find {
            Find::Pattern(pattern) => {
                // Most are refused here.
                let before = at.checked_sub(1).and_then(|index| chunk.as_bytes().get(index));
                if !pattern.before.allows(before.copied()) {
                    return None;
                }
                let compiled = rules::compiled(index, pattern)?;
                let rest = chunk.as_bytes().get(at..)?;
                let begun = compiled.begin(rest.get(..FIRST_LOOK).unwrap_or(rest))?;
                by_pattern(chunk, at, pattern, (compiled, begun))?
            }
            Find::Assigned(_, kind) => {
                let claim = assigned::read(chunk, at, &self.row.words, memo)?;
                let value_at = from + claim.value_at;
                let value_end = value_at + claim.value.len();
                if first.is_some_and(|first| first.beats(value_at, value_end, index)) {
                    return None;
                }
                if claim.value.is_empty() || !judge::assigned(*kind, &claim, memo) {
                    return None;
                }
                let secret = claim.value_at..claim.value_at + claim.value.len();
                (claim.start..secret.end, secret, claim.tail)
            }
            Find::Service(naming) => {
                let beside = near::read(chunk, at, (&self.row.name, *naming), memo)?;
                (beside.start..beside.run_end, beside.value_at..beside.value_end, beside.tail)
            }
            Find::Formed(read) => {
                let token = read(chunk, at)?;
                let tail = if token.end == chunk.len() { More::Word.tail() } else { Tail::Closed };
                (token.clone(), at + 1..token.end, tail)
            }
        };
        if placeholder::touches(self.view.from(from), &range) {
            return None;
        }
        Some(Candidate {
            start: from + secret.start,
            end: from + secret.end,
            id: index,
            replacement: None,
            tail,
        })
    }
}

type Found = (Range<usize>, Range<usize>, Tail);

/// A pattern that the first bytes did not refuse.
type Tried = (&'static Compiled, Begun);

#[inline(never)]
fn by_pattern(chunk: &str, at: usize, pattern: &Pattern, tried: Tried) -> Option<Found> {
    let lead = chunk.as_bytes().get(..at)?;
    let window = chunk.get(at..)?;
    // What goes on in its tail needs no more than its head here.
    let window = match pattern.more {
        More::Word | More::Token | More::Base64 => {
            let random = pattern.verdict == Verdict::Random;
            let most = if random { JUDGED } else { HEAD };
            let head = window.get(..window.floor_char_boundary(most)).unwrap_or(window);
            // The pattern would go through all of it to find nothing random.
            if random && !has_digit(head) {
                return None;
            }
            head
        }
        More::Nothing | More::Below | More::Pem => window,
    };
    let (compiled, begun) = tried;
    let worth = |found: &str| judge::may_be(pattern.verdict, found);
    let (range, secret) = compiled.find(window, begun, worth)?;
    let secret = at + secret.start..at + secret.end;
    if pattern.more == More::Pem && !Pem::has_body(chunk.as_bytes().get(secret.end..)?) {
        return None;
    }
    if !judge::pattern(pattern.verdict, chunk, &secret) {
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

fn is_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-')
}

impl Candidate {
    /// Whether what the rule `id` finds between two positions would be dropped because of this one:
    /// it begins at the same place, ends no later, and is settled after it.
    fn beats(&self, start: usize, end: usize, id: usize) -> bool {
        let before = self.id >= rules::COUNT || self.id < id;
        self.start == start && (self.end > end || (self.end == end && before))
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
