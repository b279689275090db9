//! One name again and again, with nothing but marks and linking words between.
//!
//! Beside a name in such a chain stands nothing but words: as many of them as the gap may have, and
//! more. Who walked over them once has walked for all of them.

use std::ops::Range;

use super::gap::{Gap, Name, link, marks};

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
        self.by_name.get(name.id).is_some_and(|chain| chain.contains(&at))
    }

    /// Follows the chain in `rest`, behind a name that ends at `end`; more than `most` words are too
    /// many.
    ///
    /// What begins inside of a word there ends inside of one too. What is left of that is a word
    /// again, or ends the search.
    pub(super) fn follow(&mut self, rest: &[u8], end: usize, name: &Name, most: usize) {
        let mut words = Vec::new();
        let mut here = 0;
        while let Some(bytes) = rest.get(here..) {
            let len = match marks(bytes) {
                Some((len, _)) => len,
                None => {
                    let Some((len, _)) = link(bytes, name, Gap::default()) else { break };
                    // One that ends with the text at hand may be the beginning of another.
                    if len == bytes.len() {
                        break;
                    }
                    words.push(end + here);
                    len
                }
            };
            here += len;
        }
        // The last ones have too few behind them.
        let last = words.len().checked_sub(most + 1).and_then(|many| words.get(many));
        let Some(&last) = last else { return };
        if self.by_name.len() <= name.id {
            self.by_name.resize(name.id + 1, 0..0);
        }
        if let Some(chain) = self.by_name.get_mut(name.id) {
            *chain = end - name.head.len()..last;
        }
    }
}

#[cfg(test)]
mod tests {
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
            let links = |part: &&str| link(part.as_bytes(), &Name::of("-", 0), Gap::default());
            assert!(parts.len() == 1 || parts.iter().any(|part| links(part).is_none()), "{name}");
        }
    }
}
