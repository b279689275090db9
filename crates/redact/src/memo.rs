//! What was found out at the last place, so that the next does not find it out again.
//!
//! Where one keyword stands, others mostly do: in one name, or in others before the same value. It
//! holds little and never changes what is found, only what that costs.

use std::ops::Range;

use crate::assigned::{LastGiven, LastName};
use crate::class::LastRun;
use crate::judge::{Counts, Look, Tally, Value};
use crate::near::{Chains, Runs};
use crate::rules::Trails;
use crate::view::View;

/// What is known of the text around the last keyword.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// Where the text begins that rules look at; they count their places from there.
    pub(crate) origin: usize,
    /// Where a value begins that another rule has, and where one that begins there has to end at the
    /// latest for that rule to win over the one that is tried.
    pub(crate) taken: Option<(usize, usize)>,
    /// Where no digit is, and where no `@`.
    no_digit: Clear,
    no_at: Clear,
    /// How the patterns of rules went through the text.
    pub(crate) trails: Trails,
    /// Names that stand in a text again and again.
    pub(crate) chains: Chains,
    /// Long runs of words that stand beside names.
    pub(crate) runs: Runs,
    /// Where the last name of a key stands.
    pub(crate) names: LastName,
    /// What it was given.
    pub(crate) given: LastGiven,
    /// The run of bytes that the last value beside a name was taken from.
    pub(crate) values: LastRun,
    /// The runs that the last bare value of a key was taken from, and the last type.
    pub(crate) code: LastRun,
    pub(crate) types: LastRun,
    /// What the last value is by itself.
    look: Look,
    /// What is in the text that the last values stand in.
    tally: Tally,
}

/// Where bytes of a kind are not.
#[derive(Debug, Default)]
struct Clear {
    range: Range<usize>,
    /// Whether one is in the next [`PART`] bytes.
    ends: bool,
}

/// So many bytes are looked at together.
const PART: usize = 32;

impl Clear {
    /// Whether a byte of the kind is within so many bytes from a position on.
    #[inline(always)]
    fn ends_within(
        &mut self,
        view: &View<'_>,
        (at, most): (usize, usize),
        is: impl Fn(u8) -> bool,
    ) -> bool {
        if !(self.range.start..=self.range.end).contains(&at) {
            *self = Self { range: at..at, ends: false };
        }
        let clear = &mut self.range;
        if self.ends && clear.end + PART <= at + most {
            return true;
        }
        let unseen = view.head(clear.end, (at + most).saturating_sub(clear.end));
        // Of many bytes at once; where among them it stands is not asked.
        let is_in = |bytes: &[u8]| bytes.iter().fold(false, |any, byte| any | is(*byte));
        let (parts, rest) = unseen.as_chunks::<PART>();
        let many = parts.iter().take_while(|part| !is_in(*part)).count();
        clear.end += many * PART;
        self.ends = many < parts.len();
        let found = many < parts.len() || is_in(rest);
        clear.end += if found { 0 } else { rest.len() };
        found
    }
}

impl Memo {
    /// Whether there is a digit from a position on, within so many bytes.
    pub(crate) fn has_digit(&mut self, view: &View<'_>, at: usize, most: usize) -> bool {
        self.no_digit.ends_within(view, (at, most), |byte| byte.is_ascii_digit())
    }

    /// Whether there is an `@` from a position on, within so many bytes.
    pub(crate) fn has_at(&mut self, view: &View<'_>, at: usize, most: usize) -> bool {
        self.no_at.ends_within(view, (at, most), |byte| byte == b'@')
    }

    /// Whether a value that stands `at` a place could only be found inside of what is taken.
    pub(crate) fn is_taken(&self, at: usize, text: &str) -> bool {
        let begin = self.origin + at;
        self.taken.is_some_and(|(start, end)| start == begin && begin + text.len() <= end)
    }

    /// What `text` has that stands `at` a place, its beginning and all of it, where others were asked
    /// for close to it.
    pub(crate) fn counts(
        &mut self,
        at: usize,
        text: &[u8],
        lens: [usize; 2],
    ) -> Option<[Counts; 2]> {
        let sums = self.tally.sums(self.origin + at, text)?;
        let [head, whole] = lens.map(|len| sums.counts(len));
        Some([head?, whole?])
    }

    /// Whether a word for an example is in a value that stands `at` a place, so that it is nothing
    /// else, as far as that is known or others stand close before it.
    pub(crate) fn has_example(&mut self, at: usize, text: &str) -> bool {
        self.look.has_example(self.origin + at, text)
    }

    /// Whether an address is in a value that stands `at` a place, so that it is no key, as far as
    /// that is known or addresses stand close before it.
    pub(crate) fn has_scheme(&mut self, at: usize, text: &str) -> bool {
        self.look.has_scheme(self.origin + at, text)
    }

    /// Whether a value that stands `at` a place has fewer different bytes than anything random, as
    /// far as others that reach over it have shown.
    pub(crate) fn has_few(&mut self, at: usize, text: &str) -> bool {
        self.look.has_few(self.origin + at, text)
    }

    /// The value that stands `at` a place.
    pub(crate) fn value<'v>(&'v mut self, at: usize, text: &'v str) -> Value<'v> {
        let at = self.origin + at;
        self.look.at(at, text, || self.tally.sums(at, text.as_bytes())?.counts(text.len()))
    }

    /// The same, of which the counts are known.
    pub(crate) fn counted_value<'v>(
        &'v mut self,
        at: usize,
        text: &'v str,
        counts: Option<Counts>,
    ) -> Value<'v> {
        self.look.at(self.origin + at, text, || counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::Ending;

    #[test]
    fn a_digit_and_an_at_are_seen_wherever_one_asks() {
        let text = format!("{}7@{}12{}@", "a".repeat(130), "b".repeat(5), "c".repeat(80));
        let view = View::new(&text, 100, Ending::Final);
        let check = |memo: &mut Memo, at: usize, most: usize| {
            let head = &text.as_bytes()[at..text.len().min(at + most)];
            let has = head.iter().any(u8::is_ascii_digit);
            assert_eq!(memo.has_digit(&view, 100 + at, most), has, "{at} {most}");
            assert_eq!(memo.has_at(&view, 100 + at, most), head.contains(&b'@'), "{at} {most}");
        };
        for step in 1..9 {
            for most in [1, 4, 20, 60, 110] {
                let mut memo = Memo::default();
                for at in (0..text.len()).step_by(step).chain([0, 136, 3]) {
                    check(&mut memo, at, most);
                }
            }
        }
        for at in 0..text.len() - 2 {
            let mut memo = Memo::default();
            for (ahead, most) in [(0, 110), (0, 34), (1, 32), (1, 33), (2, 60)] {
                check(&mut memo, at + ahead, most);
            }
        }
    }
}
