//! A pattern as one table, for the question that is asked most: how far it matches from here.
//!
//! A pattern is tried wherever its keyword stands, and mostly ends after a byte or two. So there is
//! nothing to set up: a state is the place of its row, and one of its bits says that a match ended.

use std::collections::HashMap;

use regex_automata::Anchored;
use regex_automata::dfa::dense::DFA;
use regex_automata::dfa::{Automaton as _, StartKind};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;

use super::trail::{End, STEP, Trails};

/// Bytes that an automaton may take while it is made; those of the table take a few thousand.
const MOST: usize = 1 << 20;

/// The bit of a state that is reached right behind a match.
const MATCHED: u32 = 1 << 31;

/// Nothing can match any more.
const DEAD: u32 = 0;

/// How far a text was gone through without any match.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    state: u32,
    at: usize,
}

/// A way through a text that is longer is worth a trail.
const FAR: usize = 32;

/// How far a text was gone through.
#[derive(Debug, Clone, Copy)]
struct Way {
    state: u32,
    at: usize,
    /// Where the last match ends.
    matched: Option<usize>,
}

/// Where a match ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reached {
    pub(super) end: usize,
    /// From this place of the whole text on, somebody went there before.
    pub(super) joined: Option<usize>,
}

/// A pattern that begins where the text does.
pub(super) struct Automaton {
    /// What each byte is to the pattern.
    classes: [u8; 256],
    /// The next state: one row a state, in it one column a class and one for the end of the text.
    rows: Vec<u32>,
    begin: u32,
    end: usize,
}

impl Automaton {
    /// `None` for a pattern that takes too many states.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let config = DFA::config()
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(MOST))
            .determinize_size_limit(Some(MOST));
        let dfa = DFA::builder().configure(config).build(pattern).ok()?;
        let begin = dfa.start_state(&start::Config::new().anchored(Anchored::Yes)).ok()?;
        let (classes, examples) = classes(&dfa);
        let mut table = Table { dfa, places: HashMap::new(), states: Vec::new() };
        let columns = examples.len() + 1;
        // The first row is that of the state from which nothing goes on.
        let mut rows = vec![DEAD; columns];
        let begin = table.place(begin, columns)?;
        let mut done = 0;
        while let Some(&state) = table.states.get(done) {
            for &byte in &examples {
                let next = table.dfa.next_state(state, byte);
                rows.push(table.place(next, columns)?);
            }
            let next = table.dfa.next_eoi_state(state);
            rows.push(table.place(next, columns)?);
            done += 1;
        }
        Some(Self { classes, rows, begin, end: examples.len() })
    }

    /// Where nothing was gone through yet.
    pub(super) fn start(&self) -> Begun {
        Begun { state: self.begin, at: 0 }
    }

    /// Goes through `head`; `None` where nothing that begins with it matches.
    // On its own it has all it needs in registers.
    #[inline(never)]
    pub(super) fn begin(&self, head: &[u8]) -> Option<Begun> {
        let mut state = self.begin;
        for &byte in head {
            state = self.next(state, self.class(byte));
            if is_special(state) {
                return (state != DEAD).then(|| self.start());
            }
        }
        Some(Begun { state, at: head.len() })
    }

    /// Where the match ends that begins with `text`, of which a part was gone through before.
    #[inline(never)]
    pub(super) fn reach(&self, text: &[u8], begun: Begun) -> Option<usize> {
        self.ends(text, self.go(text, Way::from(begun), text.len()))
    }

    /// The same for a text that stands at an `origin`, along the trail of the rule at an index,
    /// where the way is a long one.
    #[inline(never)]
    pub(super) fn reach_along(
        &self,
        (origin, text): (usize, &[u8]),
        begun: Begun,
        (index, trails): (usize, &mut Trails),
    ) -> Option<Reached> {
        let mut way = self.go(text, Way::from(begun), begun.at + FAR);
        let mut joined = None;
        if !way.goes_on(text) {
            return self.ends(text, way).map(|end| Reached { end, joined });
        }
        let trail = trails.of(index)?;
        while way.goes_on(text) {
            let next = (origin + way.at + 1).next_multiple_of(STEP);
            way = self.go(text, way, next - origin);
            if way.goes_on(text)
                && let Some(end) = trail.pass(origin + way.at, way.state, origin + text.len())
            {
                let matched = end.matched.map(|matched| matched - origin).or(way.matched);
                joined = joined.or(Some(origin + way.at));
                way = Way { state: end.state, at: end.at - origin, matched };
            }
        }
        let matched = way.matched.map(|matched| origin + matched);
        trail.stop(End { at: origin + way.at, state: way.state, matched });
        self.ends(text, way).map(|end| Reached { end, joined })
    }

    /// Goes on up to a place, or to where nothing can match any more.
    #[inline(always)]
    fn go(&self, text: &[u8], mut way: Way, to: usize) -> Way {
        let to = to.min(text.len());
        for (at, &byte) in (way.at..).zip(text.get(way.at..to).unwrap_or_default()) {
            way.state = self.next(way.state, self.class(byte));
            if is_special(way.state) {
                if way.state == DEAD {
                    return Way { at, ..way };
                }
                // A match is known one byte later.
                way.matched = Some(at);
                way.state &= !MATCHED;
            }
        }
        Way { at: to.max(way.at), ..way }
    }

    /// Where the match ends, at the end of a way.
    fn ends(&self, text: &[u8], way: Way) -> Option<usize> {
        let whole = self.next(way.state, self.end) & MATCHED != 0;
        if way.state != DEAD && whole { Some(text.len()) } else { way.matched }
    }

    fn class(&self, byte: u8) -> usize {
        usize::from(self.classes.get(usize::from(byte)).copied().unwrap_or_default())
    }

    fn next(&self, state: u32, column: usize) -> u32 {
        let row = usize::try_from(state).unwrap_or_default();
        self.rows.get(row + column).copied().unwrap_or(DEAD)
    }
}

impl From<Begun> for Way {
    fn from(Begun { state, at }: Begun) -> Self {
        Self { state, at, matched: None }
    }
}

impl Way {
    /// Whether there is more to go through.
    fn goes_on(&self, text: &[u8]) -> bool {
        self.state != DEAD && self.at < text.len()
    }
}

/// Whether a state is a match or dead, which most are not.
fn is_special(state: u32) -> bool {
    state.wrapping_sub(1) >= MATCHED - 1
}

/// What the table is made from.
struct Table {
    dfa: DFA<Vec<u32>>,
    places: HashMap<StateID, u32>,
    /// States in the order of their rows, behind the first row.
    states: Vec<StateID>,
}

impl Table {
    /// The place of a state's row, with the bit that says what it means to come there.
    fn place(&mut self, state: StateID, columns: usize) -> Option<u32> {
        if self.dfa.is_dead_state(state) {
            return Some(DEAD);
        }
        // It would give up at bytes that it was not made for.
        if self.dfa.is_quit_state(state) {
            return None;
        }
        let place = match self.places.get(&state) {
            Some(place) => *place,
            None => {
                self.states.push(state);
                let place = u32::try_from(self.states.len() * columns).ok()?;
                self.places.insert(state, place);
                place
            }
        };
        let matched = if self.dfa.is_match_state(state) { MATCHED } else { 0 };
        (place & MATCHED == 0).then_some(place | matched)
    }
}

/// The class of every byte, and a byte of every class.
fn classes(dfa: &DFA<Vec<u32>>) -> ([u8; 256], Vec<u8>) {
    let mut classes = [0; 256];
    let mut examples = Vec::new();
    let mut known = HashMap::new();
    for (byte, class) in (0..=u8::MAX).zip(&mut classes) {
        let of = *known.entry(dfa.byte_classes().get(byte)).or_insert_with(|| {
            examples.push(byte);
            examples.len() - 1
        });
        *class = u8::try_from(of).unwrap_or(u8::MAX);
    }
    (classes, examples)
}

#[cfg(test)]
mod tests {
    use regex_automata::Input;
    use regex_automata::meta::Regex;

    use super::*;
    use crate::rules::{Find, all};

    #[test]
    fn it_ends_where_the_pattern_does() {
        for (_, rule) in all() {
            let Find::Pattern(pattern) = &rule.find else { continue };
            let automaton = Automaton::new(pattern.regex).unwrap();
            let regex = Regex::new(pattern.regex).unwrap();
            for (text, _) in rule.yes {
                for (from, _) in text.char_indices() {
                    for to in (from..=text.len()).filter(|to| text.is_char_boundary(*to)) {
                        let text = &text[from..to];
                        let input = Input::new(text).anchored(Anchored::Yes);
                        let end = regex.search(&input).map(|found| found.end());
                        let bytes = text.as_bytes();
                        for head in [0, bytes.len() / 2, bytes.len()] {
                            let begun = automaton.begin(&bytes[..head]);
                            let reached = begun.and_then(|begun| automaton.reach(bytes, begun));
                            assert_eq!(reached, end, "{} {text} from {head}", rule.name);
                        }
                    }
                }
            }
        }
    }

    /// What a pattern finds in a text full of its own examples, at every place where it may begin.
    #[test]
    fn along_a_trail_it_ends_where_it_does_alone() {
        let (mut far, mut joined) = (0, 0);
        for (index, rule) in all() {
            let Find::Pattern(pattern) = &rule.find else { continue };
            let automaton = Automaton::new(pattern.regex).unwrap();
            let lines = rule.yes.iter().chain(rule.yes.iter()).map(|(text, _)| *text);
            let lines: Vec<&str> = lines
                .chain(rule.no.iter().copied())
                .chain(rule.keywords.iter().copied())
                .flat_map(|text| text.split_inclusive(['\n', ' ', ':', '"']))
                .chain([" x\n", " a: bcde\n", "\n", " ", "a"])
                .collect();
            for seed in 1..5_usize {
                let (mut text, mut state) = (String::new(), seed);
                let mut below = |most: usize| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 33) % most
                };
                let few: Vec<&str> = (0..2 + below(6)).map(|_| lines[below(lines.len())]).collect();
                while text.len() < 2500 {
                    text.push_str(few[below(few.len())]);
                }
                let mut trails = Trails::default();
                for (at, _) in text.char_indices() {
                    let end = text.floor_char_boundary((at + 1280).min(text.len()));
                    let bytes = &text.as_bytes()[at..end];
                    let Some(begun) = automaton.begin(&bytes[..bytes.len().min(24)]) else {
                        continue;
                    };
                    let place = (100 + at, bytes);
                    let along = automaton.reach_along(place, begun, (index, &mut trails));
                    let alone = automaton.reach(bytes, begun);
                    let end = along.map(|reached| reached.end);
                    assert_eq!(end, alone, "{} {at} {text}", rule.name);
                    far += 1;
                    joined += usize::from(along.is_some_and(|reached| reached.joined.is_some()));
                }
            }
        }
        assert!(joined > 1000 && far > 10 * 1000, "{far} {joined}");
    }
}
