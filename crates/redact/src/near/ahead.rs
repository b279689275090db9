//! Whether anything stands ahead that a word in capitals may ask for.
//!
//! A text may be full of such words. Each would walk over those behind it, to a value that has no
//! digits or is too short. Where the next one is that has both is looked for once.

use super::gap::is_mark;
use super::link::LETTERS;
use super::{LEAST_SHOUTED, MAX_GAP, MAX_SHOUTED, MAX_VALUE, SHOUTED_DIGITS, VALUES};
use crate::view::View;

/// What was found out for the last word, in places of the whole text.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    /// No value begins from here,
    from: usize,
    /// to right before here.
    to: usize,
    /// One may begin there, and up to this place.
    until: Option<usize>,
    /// Who asks before here has more words before it than there may be.
    near: usize,
}

impl Ahead {
    /// Whether a value may begin at the end of a word or as far behind it as one is looked for.
    pub(crate) fn has_value(&mut self, view: &View<'_>, at: usize) -> bool {
        if at < self.from || self.until.unwrap_or(self.to) < at {
            *self = Self { from: at, to: at, until: None, near: at };
        }
        let last = at + MAX_GAP;
        while self.until.is_none() && self.to <= last {
            let before = self.to;
            self.look(view);
            if self.to == before {
                break;
            }
        }
        self.until.is_some() && self.to <= last && self.near <= at
    }

    /// Goes on to the next run of bytes that values are made of, or over it.
    fn look(&mut self, view: &View<'_>) {
        let bytes = view.head(self.to, 2 * MAX_VALUE);
        let Some(least) = bytes.get(..LEAST_SHOUTED) else { return };
        // The last of them that is another says most.
        if let Some(other) = least.iter().rposition(|byte| !VALUES.has(*byte)) {
            self.to += other + 1;
            return;
        }
        let len = VALUES.run(bytes, bytes.len());
        let run = bytes.get(..len).unwrap_or_default();
        let digits = run.iter().enumerate().rev().filter(|(_, byte)| byte.is_ascii_digit());
        match digits.map(|(place, _)| place).nth(SHOUTED_DIGITS - 1) {
            Some(place) => {
                self.until = Some(self.to + place);
                self.near = nearest(view, self.from, self.to);
            }
            // Of a run that goes on, the rest may have some.
            None if len < bytes.len() => self.to += len,
            None if len > MAX_VALUE => self.to += len - MAX_VALUE,
            None => {}
        }
    }
}

/// From where on no more words stand before `to` than there may be, and nothing else than they and
/// marks, as far as `from`.
fn nearest(view: &View<'_>, from: usize, to: usize) -> usize {
    let bytes = view.head(from, to - from);
    let mut words = 0;
    for (place, pair) in bytes.windows(2).enumerate().rev() {
        let [one, two] = pair else { continue };
        words += usize::from(two.is_ascii_alphabetic() && !LETTERS.has(*one));
        if words > MAX_SHOUTED || !(LETTERS.has(*two) || is_mark(*two)) {
            return from + place + 1;
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::Ending;

    /// Whether a value with digits begins within reach, by looking at every place.
    fn has_value(text: &[u8], at: usize) -> bool {
        let mut words = 0;
        for place in at..text.len().min(at + MAX_GAP + 1) {
            let rest = &text[place..];
            let value = &rest[..VALUES.run(rest, MAX_VALUE)];
            let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
            if value.len() >= LEAST_SHOUTED && digits >= SHOUTED_DIGITS {
                return true;
            }
            let begins = place > at && !LETTERS.has(text[place - 1]);
            words += usize::from(begins && rest[0].is_ascii_alphabetic());
            if words > MAX_SHOUTED || !(LETTERS.has(rest[0]) || is_mark(rest[0])) {
                return false;
            }
        }
        false
    }

    #[test]
    fn no_value_is_missed_wherever_one_asks() {
        let parts = ["KEY", "_", "5", " ", ":", "box", "77", "a-b/c", "(", "token.of.it", "\n"];
        let mut known = [0, 0];
        for seed in 1..200_usize {
            let mut state = seed;
            let mut below = |most: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % most
            };
            let few = 2 + below(parts.len() - 1);
            let mut text = String::new();
            while text.len() < 3000 {
                let rare = if below(40) == 0 { parts.len() } else { few };
                text.push_str(parts[below(rare)]);
            }
            let mut ahead = Ahead::default();
            for at in (0..text.len()).step_by(1 + below(30)).chain([5, 2000]) {
                // What is at hand so far, as in a stream.
                let end = text.len().min(at + 1400);
                let view = View::new(&text[..end], 0, Ending::Open);
                let has = has_value(&text.as_bytes()[..end], at);
                let found = ahead.has_value(&view, at);
                assert!(found || !has, "{at} {text}");
                known[usize::from(found)] += 1;
            }
        }
        assert!(known.iter().all(|many| *many > 1000), "{known:?}");
    }
}
