//! What a value is by itself, found out once: several names may stand before the same one.

use std::cell::{Cell, RefCell};
use std::ops::Deref;

use super::form::{
    are_distinct, has_digit, has_distinct, has_letter, has_scheme, is_address, is_cut_id,
    is_encoded_example, is_path,
};
use super::seen::{Few, LEAST_VARIED, Recent, Schemes, Seen};
use super::tally::{Counts, Events, Shown};
use super::words::{
    EXAMPLE_WORDS, EXAMPLES, is_blank, is_fetched, is_gibberish, is_placeholder, is_scrambled,
    is_unspeakable, is_upper_name, is_wordy,
};
use crate::assigned::Dress;

/// Most values show by so many bytes that they are varied.
const FIRST_LOOK: usize = 32;

/// A value, and what is known about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'v> {
    text: &'v str,
    look: &'v Look,
}

/// What was found out about the last value; a bit for each question that costs something.
#[derive(Debug, Default)]
pub(crate) struct Look {
    /// Where it stands in the whole text, and how long it is.
    place: (usize, usize),
    asked: Cell<u8>,
    yes: Cell<u8>,
    made: Cell<Option<(Dress, Made)>>,
    /// What it has, where that was counted together with the values before it.
    counts: Option<Counts>,
    /// What shows in it by several bytes, and in those values.
    events: RefCell<Events>,
    /// Where examples stand, and what the last bytes were, for those values too.
    examples: Cell<[Seen; 2]>,
    schemes: Cell<Schemes>,
    recent: RefCell<Recent>,
    few: RefCell<Few>,
}

/// What a value that was given to a name is by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// By a machine, at random.
    Random,
    /// Digits, of which nobody can tell.
    Number,
    /// By a person, or it stands for something else.
    Otherwise,
}

impl Look {
    /// The value that stands `at` a position of the whole text, with what `count` says it has.
    pub(crate) fn at<'v>(
        &'v mut self,
        at: usize,
        text: &'v str,
        count: impl FnOnce() -> Option<Counts>,
    ) -> Value<'v> {
        let place = (at, text.len());
        if self.place != place {
            self.place = place;
            self.asked.set(0);
            self.yes.set(0);
            self.made.set(None);
            self.counts = count();
        }
        Value { text, look: self }
    }

    /// Whether a word for an example is in a value that stands `at` a place; where none was met close
    /// before, nothing is looked for.
    pub(crate) fn has_example(&mut self, at: usize, text: &str) -> bool {
        let [examples, _] = self.examples.get_mut();
        examples.is_known_in(at, text.len())
            || (examples.are_close(at) && examples.is_in(&EXAMPLES, at, text))
    }

    /// Whether a value that stands `at` a place is known to have few different bytes.
    pub(crate) fn has_few(&mut self, at: usize, text: &str) -> bool {
        self.few.get_mut().has(at, text.as_bytes())
    }

    /// Whether an address is in a value that stands `at` a place; where none was met close before,
    /// nothing is looked for.
    pub(crate) fn has_scheme(&self, at: usize, text: &str) -> bool {
        let mut schemes = self.schemes.get();
        let has = schemes.are_close(at) && schemes.are_in(at, text.as_bytes());
        self.schemes.set(schemes);
        has
    }
}

impl<'v> Value<'v> {
    /// A value that nothing is known about.
    pub(crate) fn new(text: &'v str, look: &'v Look) -> Self {
        Self { text, look }
    }

    /// What it has, where that is known.
    pub(crate) fn counts(&self) -> Option<&'v Counts> {
        self.look.counts.as_ref()
    }

    /// Whether it has as many different bytes as anything random.
    pub(crate) fn is_varied(&self) -> bool {
        self.ask(1, |text| {
            let at_once = || has_distinct(text, LEAST_VARIED);
            self.counts().map_or_else(at_once, |_| self.has_varied_bytes(text))
        })
    }

    pub(crate) fn is_wordy(&self) -> bool {
        self.ask(1 << 1, |text| match self.counts() {
            Some(counts) => {
                let known = || self.shown().map(|shown| counts.is_wordy(&shown));
                counts.may_be_wordy() && known().unwrap_or_else(|| is_wordy(text))
            }
            None => is_wordy(text),
        })
    }

    /// Whether a word in it cannot be spoken.
    pub(crate) fn is_unspeakable(&self) -> bool {
        let shown = self.counts().and_then(|_| self.shown());
        let at_once = || is_unspeakable(self.text.as_bytes());
        shown.map_or_else(at_once, |shown| shown.is_unspeakable())
    }

    pub(crate) fn is_reference(&self) -> bool {
        let upper_name = |text: &str| match self.counts() {
            Some(counts) => counts.is_upper_name(),
            None => is_upper_name(text),
        };
        self.ask(1 << 2, |text| is_fetched(text, self.counts()))
            || (self.ask(1 << 6, upper_name) && self.is_wordy())
    }

    pub(crate) fn is_placeholder(&self) -> bool {
        self.ask(1 << 3, |text| match self.counts() {
            Some(counts) => {
                let may_be = self.shown().is_none_or(|shown| shown.may_be_example());
                (may_be && self.has_example(counts)) || is_blank(text)
            }
            None => is_placeholder(text),
        })
    }

    pub(crate) fn is_cut_id(&self) -> bool {
        self.ask(1 << 4, is_cut_id)
    }

    pub(crate) fn is_encoded_example(&self) -> bool {
        self.ask(1 << 5, is_encoded_example)
    }

    /// What it is, in a dress.
    pub(super) fn made(&self, dress: Dress) -> Made {
        match self.look.made.get() {
            Some((known, made)) if known == dress => made,
            _ => {
                let made = Made::of(self, dress);
                self.look.made.set(Some((dress, made)));
                made
            }
        }
    }

    /// What shows in it by several bytes, where it is neither too short nor too long.
    fn shown(&self) -> Option<Shown<'v>> {
        let mut events = self.look.events.try_borrow_mut().ok()?;
        events.of(self.look.place.0, self.text.as_bytes())
    }

    /// Whether there are many different bytes, of which most have enough at their beginning.
    fn has_varied_bytes(&self, text: &str) -> bool {
        let head = text.as_bytes().get(..FIRST_LOOK).unwrap_or(text.as_bytes());
        if are_distinct(head, LEAST_VARIED) {
            return true;
        }
        let recent = self.look.recent.try_borrow_mut().ok();
        let known =
            recent.and_then(|mut recent| recent.are_varied(self.look.place.0, text.as_bytes()));
        let varied = known.unwrap_or_else(|| has_distinct(text, LEAST_VARIED));
        if !varied && let Ok(mut few) = self.look.few.try_borrow_mut() {
            few.learn(self.look.place.0, text.as_bytes());
        }
        varied
    }

    /// Whether a word for an example is in it.
    fn has_example(&self, counts: &Counts) -> bool {
        let mut seen = self.look.examples.get();
        let [examples, words] = &mut seen;
        let at = self.look.place.0;
        let has = examples.is_in(&EXAMPLES, at, self.text)
            || (counts.made().digits() == 0 && words.is_in(&EXAMPLE_WORDS, at, self.text));
        self.look.examples.set(seen);
        has
    }

    /// Whether an address is in it.
    fn has_scheme(&self) -> bool {
        if self.counts().is_none() {
            return has_scheme(self.text);
        }
        let mut schemes = self.look.schemes.get();
        let has = schemes.are_in(self.look.place.0, self.text.as_bytes());
        self.look.schemes.set(schemes);
        has
    }

    fn ask(&self, question: u8, answer: impl FnOnce(&str) -> bool) -> bool {
        let Look { asked, yes, .. } = self.look;
        if asked.get() & question == 0 {
            asked.set(asked.get() | question);
            yes.set(yes.get() | if answer(self.text) { question } else { 0 });
        }
        yes.get() & question != 0
    }
}

impl Made {
    fn of(value: &Value<'_>, dress: Dress) -> Self {
        let quoted = dress == Dress::Quoted;
        // Without a digit it is random only where nothing but letters stands, or what joins them.
        let speaks = |counts: &Counts| !counts.has_digit() && !counts.are_joined() && !quoted;
        if value.counts().is_some_and(speaks) || !value.is_varied() || is_address(value) {
            return Self::Otherwise;
        }
        let number = value.bytes().all(|byte| byte.is_ascii_digit());
        let hex = value.len() >= 24 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
        let numbered = value.counts().map_or_else(|| has_digit(value), Counts::has_digit);
        let lettered = || has_letter(value);
        let lettered = || value.counts().is_some_and(Counts::has_letter) || lettered();
        let mixed = || numbered && lettered() && !value.is_wordy();
        let letters = || is_gibberish(value) || (quoted && is_scrambled(value));
        let random = hex || mixed() || letters();
        if !number && !random {
            return Self::Otherwise;
        }
        // What costs more is asked last.
        let elsewhere = value.has_scheme() || is_path(value) || value.is_reference();
        if elsewhere || value.is_cut_id() || value.is_encoded_example() || value.is_placeholder() {
            return Self::Otherwise;
        }
        if random { Self::Random } else { Self::Number }
    }
}

impl Deref for Value<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::super::tally::Tally;
    use super::super::words::is_reference;
    use super::*;

    type Question = (fn(&Value<'_>) -> bool, fn(&str) -> bool);

    const QUESTIONS: [Question; 6] = [
        (|value| value.is_varied(), |text| has_distinct(text, 6)),
        (|value| value.is_wordy(), is_wordy),
        (|value| value.is_reference(), is_reference),
        (|value| value.is_placeholder(), is_placeholder),
        (|value| value.is_cut_id(), is_cut_id),
        (|value| value.is_encoded_example(), is_encoded_example),
    ];

    #[test]
    fn every_question_has_its_own_answer_however_often_it_is_asked() {
        let mut look = Look::default();
        let texts = [
            "my-service-token",
            "process.env.TOKEN",
            "DB_PASSWORD",
            "K4_X7R_2Q",
            "your_key",
            "7b3e5d8c-1a9f-4e2b",
            "d3d3LmV4YW1wbGUuY29t",
            "Kp4Qx7Rm2Sn5Tb8Vw3Yz",
            "aaaaaaaa",
        ];
        for (at, text) in texts.into_iter().enumerate().chain(texts.into_iter().enumerate()) {
            for (known, fresh) in QUESTIONS.iter().chain(QUESTIONS.iter().rev()) {
                assert_eq!(known(&look.at(at, text, || None)), fresh(text), "{text}");
            }
        }
        for (known, _) in QUESTIONS {
            let answers = texts.map(|text| known(&Look::default().at(0, text, || None)));
            assert!(answers.contains(&true) && answers.contains(&false));
        }
    }

    /// What a value has, as if others stood close to it.
    fn counts(text: &str) -> Option<Counts> {
        let (mut tally, before) = (Tally::default(), "=".repeat(8));
        let whole = format!("{before}{text}");
        let values = (0..=before.len()).map(|at| (at, &whole.as_bytes()[at..]));
        values.map(|(at, value)| tally.sums(at, value)?.counts(value.len())).last().flatten()
    }

    #[test]
    fn what_a_value_is_made_of_says_no_more_than_the_value() {
        let parts = [
            "", "bcdfgh", "BCDFG", "my-", "service", "7", "2024", "0x", "abcdef", "_", ".", "kP",
            "xQrTvW", "://", "your_",
        ];
        let mut made = [0, 0];
        for one in parts {
            for other in parts {
                for text in parts.map(|last| format!("{one}{other}{last}{one}{last}{other}")) {
                    let counted = counts(&text);
                    assert!(counted.is_some() || text.len() < 2, "{text}");
                    for dress in [Dress::Quoted, Dress::Bare] {
                        let known = Look::default().at(0, &text, || counted).made(dress);
                        let fresh = Look::default().at(0, &text, || None).made(dress);
                        assert_eq!(known, fresh, "{text}");
                        made[usize::from(fresh == Made::Random)] += 1;
                    }
                }
            }
        }
        assert!(made.iter().all(|many| *many > 100), "{made:?}");
    }

    #[test]
    fn another_value_is_looked_at_anew() {
        let mut look = Look::default();
        assert!(look.at(3, "my-service", || None).is_wordy());
        assert!(!look.at(3, "xK9+aab", || None).is_wordy());
        assert!(look.at(4, "my-blue", || None).is_wordy());
        let scrambled = "bpqXRmSNtbVWzkPQxrMSntBVwZxr";
        for (dress, made) in [(Dress::Quoted, Made::Random), (Dress::Bare, Made::Otherwise)] {
            assert_eq!(look.at(4, scrambled, || None).made(dress), made);
        }
    }
}
