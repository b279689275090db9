//! A few words that a text is compared with, in any case, mostly in vain.

/// A set of words.
pub(crate) struct Lexicon {
    words: &'static [&'static str],
    /// What they begin with, one bit for each letter, by how long they are.
    beginnings: [u32; LONGEST + 1],
}

/// No word has more bytes.
const LONGEST: usize = 15;

impl Lexicon {
    #[expect(clippy::indexing_slicing, reason = "a word that does not fit fails when it is built")]
    pub(crate) const fn new(words: &'static [&'static str]) -> Self {
        let mut beginnings = [0; LONGEST + 1];
        let mut rest = words;
        while let [word, others @ ..] = rest {
            beginnings[word.len()] |= letter(word.as_bytes()[0]);
            rest = others;
        }
        Self { words, beginnings }
    }

    #[cfg(test)]
    pub(crate) fn words(&self) -> &'static [&'static str] {
        self.words
    }

    /// Whether a text is one of them.
    pub(crate) fn has(&self, text: &str) -> bool {
        let Some(first) = text.bytes().next() else { return false };
        let beginnings = self.beginnings.get(text.len()).copied().unwrap_or_default();
        beginnings & letter(first) != 0
            && self.words.iter().any(|word| text.eq_ignore_ascii_case(word))
    }
}

/// The bit of a letter, whatever its case; some other bytes share it.
const fn letter(byte: u8) -> u32 {
    1 << (byte & 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_its_words_in_any_case_and_no_others() {
        let lexicon = Lexicon::new(&["no", "none", "hashed", "contrase\u{f1}a"]);
        for word in lexicon.words.iter().flat_map(|word| [(*word).to_owned(), word.to_uppercase()])
        {
            assert_eq!(lexicon.has(&word), word != "CONTRASE\u{d1}A", "{word}");
        }
        for other in ["", "n", "on", "hash", "hasher", "nope", "a word that is longer than any"] {
            assert!(!lexicon.has(other), "{other}");
        }
    }
}
