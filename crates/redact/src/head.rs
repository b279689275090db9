//! A word that texts are compared with at every hit, mostly in any case: sixteen bytes in one step.

/// A word of the tables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub(crate) text: &'static str,
    /// Its first bytes, letters in lower case.
    bytes: u128,
    /// The bit that tells the cases apart, in every byte that is a letter.
    cases: u128,
    /// Every bit of every byte that counts.
    all: u128,
}

/// So many bytes are compared at once.
const STEP: usize = 16;

impl Head {
    /// A word in any case.
    pub(crate) fn of(text: &'static str) -> Self {
        let mut parts = [[0; STEP]; 3];
        let [bytes, cases, all] = &mut parts;
        let places = bytes.iter_mut().zip(cases).zip(all);
        for (byte, ((lower, case), all)) in text.bytes().zip(places) {
            *lower = byte.to_ascii_lowercase();
            *case = if byte.is_ascii_alphabetic() { 0x20 } else { 0 };
            *all = u8::MAX;
        }
        let [bytes, cases, all] = parts.map(u128::from_le_bytes);
        Self { text, bytes, cases, all }
    }

    /// A word of no more than [`STEP`] bytes that is found only as it is written.
    pub(crate) fn exactly(text: &'static str) -> Self {
        let mut head = Self::of(text);
        head.bytes = first_bytes(text.as_bytes());
        head.cases = 0;
        head
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether `text`, of which `first` are the [first bytes](first_bytes), begins with the word.
    pub(crate) fn begins(&self, text: &[u8], first: u128) -> bool {
        (first | self.cases) & self.all == self.bytes && (self.len() <= STEP || self.goes_on(text))
    }

    fn goes_on(&self, text: &[u8]) -> bool {
        let head = text.get(..self.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(self.text.as_bytes()))
    }
}

/// The first bytes of a text, with zeros behind one that is shorter: no word has any.
pub(crate) fn first_bytes(text: &[u8]) -> u128 {
    if let Some(first) = text.first_chunk::<STEP>() {
        return u128::from_le_bytes(*first);
    }
    let mut first = [0; STEP];
    for (to, from) in first.iter_mut().zip(text) {
        *to = *from;
    }
    u128::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_any_case_and_nothing_else_is() {
        let words = ["v1", "key", "_key", "oauth2", "1//0", "aws_secret_access_key", "://"];
        for word in words {
            let head = Head::of(word);
            let begins = |text: &[u8]| head.begins(text, first_bytes(text));
            for text in [word.to_owned(), word.to_uppercase(), format!("{word} and what follows")] {
                assert!(begins(text.as_bytes()), "{word} in {text}");
            }
            assert!(!begins(&word.as_bytes()[..word.len() - 1]), "{word} cut off");
            for at in 0..word.len() {
                for other in 0..=u8::MAX {
                    let mut text = word.as_bytes().to_vec();
                    text[at] = other;
                    let same = text.eq_ignore_ascii_case(word.as_bytes());
                    assert_eq!(begins(&text), same, "{word} with {other} at {at}");
                }
            }
        }
    }
    #[test]
    fn a_word_in_capitals_is_found_as_it_is_written() {
        let head = Head::exactly("KEY");
        let begins = |text: &str| head.begins(text.as_bytes(), first_bytes(text.as_bytes()));
        assert!(begins("KEY") && begins("KEYs and more of them that fill a step"));
        assert!(!begins("key") && !begins("KEy") && !begins("KE") && !begins("KE_"));
    }
}
