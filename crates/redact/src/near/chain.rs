//! Names again and again, with nothing but marks and linking words between.
//!
//! Beside a name in such a chain stands nothing but words: as many of them as the gap may have, and
//! more. Who walked over them once has walked for all of them. The words for a secret, where they
//! are written in capitals, are linking words too, so that they have one chain together.

use std::ops::Range;

use super::MAX_WORDS;
use super::gap::{Gap, marks};
use super::link::{Name, counter, link, link_for_all};

/// The last chain of each name that was met.
#[derive(Debug, Default)]
pub(crate) struct Chains {
    /// By the name: where it stands first with too many words behind it, and where the first word
    /// begins that has fewer. Names may stand in each other's chains, so that none may push out
    /// another.
    by_name: Vec<Range<usize>>,
}

impl Chains {
    /// Whether the name at a position is known to have too many words behind it.
    pub(crate) fn has(&self, name: &Name, at: usize) -> bool {
        self.by_name.get(name.chain).is_some_and(|chain| chain.contains(&at))
    }

    /// Follows the chain in `rest`, behind a name that ends at `end`; more than `most` words are too
    /// many.
    ///
    /// What begins inside of a word there ends inside of one too. What is left of that is a word
    /// again, or ends the search.
    pub(super) fn follow(&mut self, rest: &[u8], end: usize, name: &Name, most: usize) {
        let mut words = Last::default();
        let mut here = 0;
        while let Some(bytes) = rest.get(here..) {
            let len = match marks(bytes) {
                Some((len, _)) => len,
                None => {
                    let len = match name.is_link() {
                        true => link_for_all(bytes),
                        false => link(bytes, name, &mut Gap::default()),
                    };
                    // One that ends with the text at hand may be the beginning of another.
                    let Some(len) = len.filter(|len| *len < bytes.len()) else { break };
                    words.push(end + here);
                    // A number right behind a word counts it, whoever asks.
                    len + bytes.get(len..).and_then(counter).unwrap_or(0)
                }
            };
            here += len;
        }
        // The last ones have too few behind them.
        let Some(last) = words.before(most) else { return };
        if self.by_name.len() <= name.chain {
            self.by_name.resize(name.chain + 1, 0..0);
        }
        if let Some(chain) = self.by_name.get_mut(name.chain) {
            *chain = end - name.head.len()..last;
        }
    }
}

/// Where the last words begin.
#[derive(Default)]
struct Last {
    places: [usize; MAX_WORDS + 1],
    many: usize,
}

impl Last {
    fn push(&mut self, at: usize) {
        let next = self.many % self.places.len();
        if let Some(place) = self.places.get_mut(next) {
            *place = at;
        }
        self.many += 1;
    }

    /// The one that has so many behind it.
    fn before(&self, most: usize) -> Option<usize> {
        let index = self.many.checked_sub(most + 1)?;
        self.places.get(index % self.places.len()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::SHOUTED;
    use super::*;
    use crate::rules::{self, Find};

    fn names() -> impl Iterator<Item = &'static str> {
        let services = rules::all().filter(|(_, rule)| matches!(rule.find, Find::Service(_)));
        services.flat_map(|(_, rule)| rule.keywords).copied()
    }

    #[test]
    fn every_word_but_the_last_ones_has_too_many_behind_it() {
        let [name, other] = [7, 8].map(|id| Name::of("okta", id));
        for (unit, last) in [
            ("okta_ ", 123),
            ("okta_key ", 149),
            ("okta-", 119),
            // Words that only begin with the name, or end with it.
            ("okta_tokenokta=myOKTAkey ", 249),
            // A word that is counted, and a number that nothing stands before.
            ("okta_key2: ", 159),
            ("okta_key_2: okta_", 0),
        ] {
            let text = format!("{}2", unit.repeat(7));
            let mut chains = Chains::default();
            chains.follow(&text.as_bytes()[4..], 104, &name, 2);
            chains.follow(b"_okta_okta_oktas", 304, &name, 2);
            // Who knows how the last word goes on.
            chains.follow(b"_okta_okta_okta", 304, &name, 2);
            chains.follow(b"_okta_okta_okta_2", 304, &other, 2);
            let known: Vec<usize> = (90..400).filter(|at| chains.has(&name, *at)).collect();
            assert_eq!(known, (100..=last).collect::<Vec<_>>(), "{unit}");
            assert!(chains.has(&other, 300) && !chains.has(&other, 110));
        }
    }

    #[test]
    fn words_in_capitals_have_one_chain_where_all_of_them_read_it_alike() {
        let names = SHOUTED.iter().map(|text| Name::of(text, 7)).collect::<Vec<_>>();
        for (text, known) in [
            ("KEY_TOKEN SECRET ACCESSKEY: PRIVATE.api_2", true),
            ("KEY_TOKENS_KEYS_apiKEY_id_2", true),
            // One of them takes the beginning of the second word.
            ("KEY_apiKEYS_id_app_2", false),
            ("KEY_myTOKENS_id_app_2", false),
        ] {
            let mut chains = Chains::default();
            chains.follow(&text.as_bytes()[3..], 103, &names[0], 2);
            for name in &names {
                assert_eq!(chains.has(name, 100), known, "{text}");
                assert!(!chains.has(&Name::of("okta", 7), 100));
                let words: Vec<_> = text.match_indices(name.head.text).collect();
                for (at, word) in words.iter().filter(|(at, _)| chains.has(name, 100 + at)) {
                    let found = link_for_all(&text.as_bytes()[at + word.len()..]);
                    assert!(found.is_none() || known, "{text}");
                }
            }
        }
        // What all of them read alike, each does.
        for text in [
            "keys_",
            "tokenKey_",
            "apikeys_",
            "apitokens",
            "accesskey2 ",
            "mysecrets",
            "privatekeyid:",
            "tokens",
        ] {
            if let Some(len) = link_for_all(text.as_bytes()) {
                for name in &names {
                    let alone = link(text.as_bytes(), name, &mut Gap::default());
                    assert_eq!(alone, Some(len), "{text}");
                }
            }
        }
    }

    /// So a name never reaches over words of a chain that are not the name.
    #[test]
    fn no_name_begins_inside_a_chain_of_itself_but_where_it_stands() {
        for name in names() {
            let is_mark = |letter: char| !letter.is_alphanumeric();
            let parts: Vec<&str> = name.split(is_mark).collect();
            for turn in 1..parts.len() {
                let mut turned = parts.clone();
                turned.rotate_left(turn);
                assert_ne!(parts, turned, "{name}");
            }
            // Something in it is no linking word, so that it stands nowhere but in the name.
            let links = |part: &&str| link(part.as_bytes(), &Name::of("-", 0), &mut Gap::default());
            assert!(parts.len() == 1 || parts.iter().any(|part| links(part).is_none()), "{name}");
        }
    }
}
