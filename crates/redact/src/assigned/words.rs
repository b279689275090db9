//! The words of a key's name that may stand where a keyword does.

use crate::head::{Head, first_bytes};

/// Words of which one may stand at a keyword.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    /// The longest first.
    all: Vec<Head>,
    /// The one that is the keyword itself.
    keyword: Option<Head>,
    /// How longer ones go on behind the keyword: a bit for each byte.
    longer: u32,
}

impl Words {
    /// Those of `words`, the longest first, that begin with `keyword` or that it begins with.
    pub(crate) fn of(keyword: &str, words: &[&'static str]) -> Self {
        let fits = |word: &&&str| word.starts_with(keyword) || keyword.starts_with(**word);
        let all: Vec<Head> = words.iter().filter(fits).map(|word| Head::of(word)).collect();
        let longer = |word: &Head| word.text.as_bytes().get(keyword.len()).map(|next| bit(*next));
        let longer = all.iter().filter_map(longer).fold(0, |bits, bit| bits | bit);
        let keyword = all.iter().find(|word| word.text == keyword).copied();
        Self { all, keyword, longer }
    }

    /// The longest that `rest` begins with, which begins with the keyword.
    // Asked at every hit, where mostly no longer one can stand.
    #[inline(always)]
    pub(crate) fn find(&self, rest: &[u8]) -> Option<&Head> {
        if let Some(keyword) = &self.keyword
            && rest.get(keyword.len()).is_some_and(|next| self.longer & bit(*next) == 0)
        {
            return Some(keyword);
        }
        let first = first_bytes(rest);
        self.all.iter().find(|word| word.begins(rest, first))
    }

    #[cfg(test)]
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'static str> {
        self.all.iter().map(|word| word.text)
    }
}

/// The bit of a byte, whatever its case; some other bytes share it.
const fn bit(byte: u8) -> u32 {
    1 << (byte & 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_word_is_found_also_where_the_name_ends() {
        let words = Words::of("secret", &["secret_key_base", "secret_key", "secret", "token"]);
        for (rest, word) in [
            ("SECRET=x", Some("secret")),
            ("secret", Some("secret")),
            ("secret_key: x", Some("secret_key")),
            ("secret_keys", Some("secret_key")),
            ("Secret_key_base ", Some("secret_key_base")),
            ("secretary", Some("secret")),
            ("token", None),
        ] {
            assert_eq!(words.find(rest.as_bytes()).map(|word| word.text), word, "{rest}");
        }
        // A keyword that is no word by itself, and one that is longer than the word.
        let others = Words::of("aws-secret", &["aws-secret-access-key", "aws"]);
        for (rest, word) in [
            ("aws-secret=x", Some("aws")),
            ("aws-secret-access-key=", Some("aws-secret-access-key")),
        ] {
            assert_eq!(others.find(rest.as_bytes()).map(|word| word.text), word, "{rest}");
        }
    }
}
