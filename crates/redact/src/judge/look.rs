//! What a value is by itself, found out once: several names may stand before the same one.

use std::cell::Cell;
use std::ops::Deref;

use super::form::{
    has_digit, has_distinct, has_letter, has_scheme, is_address, is_cut_id, is_encoded_example,
    is_path,
};
use super::words::{
    is_fetched, is_gibberish, is_placeholder, is_scrambled, is_upper_name, is_wordy,
};
use crate::assigned::Dress;

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
    /// The value that stands `at` a position of the whole text.
    pub(crate) fn at<'v>(&'v mut self, at: usize, text: &'v str) -> Value<'v> {
        let place = (at, text.len());
        if self.place != place {
            *self = Self { place, ..Self::default() };
        }
        Value { text, look: self }
    }
}

impl<'v> Value<'v> {
    /// A value that nothing is known about.
    pub(crate) fn new(text: &'v str, look: &'v Look) -> Self {
        Self { text, look }
    }

    /// Whether it has as many different bytes as anything random.
    pub(crate) fn is_varied(&self) -> bool {
        self.ask(1, |text| has_distinct(text, 6))
    }

    pub(crate) fn is_wordy(&self) -> bool {
        self.ask(1 << 1, is_wordy)
    }

    pub(crate) fn is_reference(&self) -> bool {
        self.ask(1 << 2, is_fetched) || (self.ask(1 << 6, is_upper_name) && self.is_wordy())
    }

    pub(crate) fn is_placeholder(&self) -> bool {
        self.ask(1 << 3, is_placeholder)
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
        if !value.is_varied() || is_address(value) {
            return Self::Otherwise;
        }
        let number = value.bytes().all(|byte| byte.is_ascii_digit());
        let hex = value.len() >= 24 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mixed = || has_digit(value) && has_letter(value) && !value.is_wordy();
        let quoted = dress == Dress::Quoted;
        let letters = || is_gibberish(value) || (quoted && is_scrambled(value));
        let random = hex || mixed() || letters();
        if !number && !random {
            return Self::Otherwise;
        }
        // What costs more is asked last.
        let elsewhere = has_scheme(value) || is_path(value) || value.is_reference();
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
                assert_eq!(known(&look.at(at, text)), fresh(text), "{text}");
            }
        }
        for (known, _) in QUESTIONS {
            let answers = texts.map(|text| known(&Look::default().at(0, text)));
            assert!(answers.contains(&true) && answers.contains(&false));
        }
    }

    #[test]
    fn another_value_is_looked_at_anew() {
        let mut look = Look::default();
        assert!(look.at(3, "my-service").is_wordy());
        assert!(!look.at(3, "xK9+aab").is_wordy());
        assert!(look.at(4, "my-blue").is_wordy());
        let scrambled = "bpqXRmSNtbVWzkPQxrMSntBVwZxr";
        for (dress, made) in [(Dress::Quoted, Made::Random), (Dress::Bare, Made::Otherwise)] {
            assert_eq!(look.at(4, scrambled).made(dress), made);
        }
    }
}
