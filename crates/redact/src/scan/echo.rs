//! Text that repeats itself: a place around which all is as it was around an earlier one.
//!
//! Logs and tables do it, and whoever wants to keep a machine busy. What rules find depends on a
//! bounded part of the text around a keyword, and on what was found before it. Where both come
//! again, so does what they find.

use std::collections::VecDeque;
use std::ops::Range;

use memchr::memmem;

use crate::candidate::{CONTEXT, Candidate, WINDOW};
use crate::placeholder;
use crate::view::View;

/// A rule sees so many bytes from a keyword on, and a placeholder that may touch what it finds.
const REACH: usize = WINDOW + placeholder::LONGEST + LONGEST_CHARACTER;

/// What is cut at a character is looked at as far as that one goes.
const LONGEST_CHARACTER: usize = 4;

/// After so many keywords it is asked whether the text repeats itself, and after twice as many each
/// time that it does not, so many times.
const PATIENCE: usize = 32;
const MOST_DOUBLED: u32 = 4;

/// A text repeats itself where so many bytes come again.
const ENOUGH: usize = 256;

/// They come again within so many.
const FARTHEST: usize = 2 << 10;

/// So many of them are looked for, and so often, before all are compared.
const BEGINNING: usize = 16;
const TRIES: usize = 16;

/// What is found may come again only every second, third or fourth time, as quotes do that open and
/// close.
const TURNS: [usize; 4] = [12, 6, 4, 2];

/// How a text repeats itself, as far as it does.
#[derive(Debug, Default)]
pub(super) struct Echo {
    /// Keywords that were met since it was asked last.
    met: usize,
    /// How often it was asked in vain.
    vain: u32,
    /// How far before the same text stands; nothing where it does not repeat itself.
    shift: usize,
    /// Where that is known to be so.
    same: Range<usize>,
    /// What was found, from the left to the right.
    tried: VecDeque<Tried>,
}

/// A place where rules were tried.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) keyword: usize,
    /// Where the candidate begins and ends that would be settled first, and its rule.
    pub(super) first: Option<(usize, usize, usize)>,
}

#[derive(Debug)]
struct Tried {
    place: Place,
    found: Vec<Candidate>,
}

impl Echo {
    /// Whether the text does not repeat itself, as far as was asked before one more keyword at a
    /// place.
    #[inline(always)]
    pub(super) fn is_silent(&mut self, view: &View<'_>, at: usize) -> bool {
        if self.shift == 0 {
            self.met += 1;
            if self.met == PATIENCE << self.vain {
                self.met = 0;
                self.vain = MOST_DOUBLED.min(self.vain + 1);
                self.listen(view, at);
            }
        }
        self.shift == 0
    }

    /// What was found at an earlier place like this one, as it is found here.
    pub(super) fn again(&mut self, view: &View<'_>, place: &Place) -> Option<&[Candidate]> {
        if self.is_silent(view, place.at) {
            return None;
        }
        if place.at < self.same.start + CONTEXT || !self.goes_on(view, place.at + REACH) {
            return None;
        }
        let shift = self.shift;
        let earlier = (place.at - shift, place.keyword);
        while self.tried.front().is_some_and(|tried| tried.place.key() < earlier) {
            self.tried.pop_front();
        }
        let later = |(start, end, id)| (start + shift, end + shift, id);
        let is_like = |tried: &mut Tried| {
            tried.place.key() == earlier && tried.place.first.map(later) == place.first
        };
        let Tried { mut found, .. } = self.tried.pop_front_if(is_like)?;
        for candidate in &mut found {
            candidate.start += shift;
            candidate.end += shift;
        }
        self.tried.push_back(Tried { place: place.clone(), found });
        self.tried.back().map(|tried| tried.found.as_slice())
    }

    /// Whether it is worth to remember what is found.
    pub(super) fn listens(&self) -> bool {
        self.shift > 0
    }

    /// Remembers what was found at a place.
    pub(super) fn remember(&mut self, place: Place, found: Vec<Candidate>) {
        self.tried.push_back(Tried { place, found });
    }

    /// Looks whether the text from a position on comes again.
    #[inline(never)]
    fn listen(&mut self, view: &View<'_>, at: usize) {
        let text = view.head(at, FARTHEST + ENOUGH);
        let (Some(begin), Some(all)) = (text.get(..BEGINNING), text.get(..ENOUGH)) else { return };
        let rest = text.get(1..).unwrap_or_default();
        let mut begins = memmem::find_iter(rest, begin).take(TRIES).map(|before| before + 1);
        let comes = |shift: &usize| text.get(*shift..).is_some_and(|rest| rest.starts_with(all));
        let Some(once) = begins.find(comes) else { return };
        let shift = TURNS.map(|turns| turns * once).into_iter().find(comes).unwrap_or(once);
        self.shift = shift;
        self.same = at + shift..at + shift + ENOUGH;
    }

    /// Whether the text up to a position is the same; forgets all where it is not.
    fn goes_on(&mut self, view: &View<'_>, to: usize) -> bool {
        while self.same.end < to {
            let [one, other] =
                [self.same.end - self.shift, self.same.end].map(|from| view.head(from, ENOUGH));
            let same = if one == other {
                one.len()
            } else {
                one.iter().zip(other).take_while(|(one, other)| one == other).count()
            };
            self.same.end += same;
            if same < ENOUGH && self.same.end < to {
                // What is not at hand yet may be the same.
                if same < one.len().min(other.len()) {
                    *self = Self::default();
                }
                return false;
            }
        }
        true
    }
}

impl Place {
    fn key(&self) -> (usize, usize) {
        (self.at, self.keyword)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::{Ending, Tail};

    const UNIT: &str = "okta key: none, ";
    const TIMES: usize = 300;

    fn place(at: usize) -> Place {
        Place { at, keyword: 7, first: Some((at + 3, at + 5, 1)) }
    }

    fn candidate(at: usize) -> Candidate {
        Candidate { start: at + 5, end: at + 9, id: 2, replacement: None, tail: Tail::Closed }
    }

    /// The units at which `look` at a place is answered.
    fn answered(text: &str, origin: usize, look: impl Fn(usize) -> Place) -> Vec<usize> {
        let view = View::new(text, origin, Ending::Final);
        let mut echo = Echo::default();
        let mut known = Vec::new();
        for at in (0..text.len() / UNIT.len()).map(|unit| origin + unit * UNIT.len()) {
            if let Some(found) = echo.again(&view, &look(at)) {
                assert_eq!(found, [candidate(at)]);
                known.push(at);
            } else if echo.listens() {
                echo.remember(place(at), vec![candidate(at)]);
            }
        }
        known
    }

    #[test]
    fn what_was_found_is_found_again_as_long_as_all_that_is_seen_is_the_same() {
        let same = UNIT.repeat(TIMES);
        let other: String = (0..TIMES).map(|number| format!("{number:016}")).collect();
        let text = format!("{same}{other}");
        for origin in [0, 1000] {
            let known = answered(&text, origin, place);
            let last = origin + same.len() - REACH;
            let [first, .., end] = *known else { unreachable!("it comes again") };
            assert!(first < origin + 60 * UNIT.len(), "{first}");
            assert!(end <= last && last < end + UNIT.len(), "{end}");
            let whole: Vec<usize> = (first..=end).step_by(UNIT.len()).collect();
            assert_eq!(known, whole);
        }
    }

    #[test]
    fn another_keyword_or_another_find_before_it_is_another_place() {
        let text = UNIT.repeat(TIMES);
        let others: [fn(usize) -> Place; 4] = [
            |at| Place { keyword: 8, ..place(at) },
            |at| Place { first: None, ..place(at) },
            |at| Place { first: Some((at, at + 5, 1)), ..place(at) },
            // It began before anything could come again.
            |at| Place { first: Some((0, 5, 1)), ..place(at) },
        ];
        for other in others {
            assert!(answered(&text, 0, other).is_empty());
        }
    }

    #[test]
    fn what_is_not_at_hand_is_not_said_to_be_the_same() {
        let text = UNIT.repeat(TIMES);
        let mut echo = Echo::default();
        echo.listen(&View::new(&text, 0, Ending::Open), 0);
        assert!(echo.listens());
        let cut = View::new(text.get(1600..2400).unwrap(), 1600, Ending::Open);
        assert!(!echo.goes_on(&cut, 2400) && echo.listens());
        let other = "another text ".repeat(TIMES);
        assert!(!echo.goes_on(&View::new(&other, 0, Ending::Open), 2400) && !echo.listens());
    }

    #[test]
    fn what_comes_every_second_time_is_known_too() {
        let mut echo = Echo::default();
        echo.listen(&View::new(&UNIT.repeat(TIMES), 0, Ending::Final), 0);
        assert_eq!(echo.shift, 12 * UNIT.len());
    }
}
