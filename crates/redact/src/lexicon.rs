//! A few words that a text is compared with, in any case, mostly in vain.

/// A set of words.
pub(crate) struct Lexicon {
    /// Shortest first.
    words: &'static [&'static str],
    by_len: [Words; LONGEST + 1],
}

/// The words of one length.
#[derive(Clone, Copy)]
struct Words {
    /// What they begin with, one bit for each letter.
    letters: u32,
    from: usize,
    to: usize,
}

/// No word has more bytes.
const LONGEST: usize = 15;

impl Lexicon {
    /// These words, of which the shortest comes first.
    #[expect(clippy::indexing_slicing, reason = "a word that does not fit fails when it is built")]
    pub(crate) const fn new(words: &'static [&'static str]) -> Self {
        let mut by_len = [Words { letters: 0, from: 0, to: 0 }; LONGEST + 1];
        let (mut at, mut last) = (0, 0);
        while at < words.len() {
            let len = words[at].len();
            assert!(last <= len, "a longer word comes first");
            let of_len = &mut by_len[len];
            if last < len {
                of_len.from = at;
            }
            of_len.letters |= letter(words[at].as_bytes()[0]);
            at += 1;
            of_len.to = at;
            last = len;
        }
        Self { words, by_len }
    }

    #[cfg(test)]
    pub(crate) fn words(&self) -> &'static [&'static str] {
        self.words
    }

    /// Whether a text is one of them.
    pub(crate) fn has(&self, text: &str) -> bool {
        self.has_bytes(text.as_bytes())
    }

    /// Whether bytes are one of them.
    pub(crate) fn has_bytes(&self, text: &[u8]) -> bool {
        let (Some(first), Some(of_len)) = (text.first(), self.by_len.get(text.len())) else {
            return false;
        };
        let words = || self.words.get(of_len.from..of_len.to).unwrap_or_default();
        of_len.letters & letter(*first) != 0
            && words().iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
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
