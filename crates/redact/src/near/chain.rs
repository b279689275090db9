//! One name again and again, with nothing but marks between.
//!
//! Beside a name in such a chain stands nothing but that name: as many of them as the gap may have
//! words, and more. Who walked over them once has walked for all of them.

use super::gap::{Name, marks};
use crate::head::first_bytes;

/// The last chain that was met.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    name: Option<&'static Name>,
    /// Where the first name stands that has too many behind it, and the last.
    begin: usize,
    end: usize,
}

impl Chain {
    /// Whether the name at a place is known to have too many like it behind it.
    pub(crate) fn has(&self, name: &'static Name, at: usize) -> bool {
        let known = self.name.is_some_and(|known| std::ptr::eq(known, name));
        known && (self.begin..=self.end).contains(&at)
    }

    /// Follows the chain in `rest`, behind a name that ends at `end`; more than `most` are too many.
    pub(super) fn follow(&mut self, rest: &[u8], end: usize, name: &'static Name, most: usize) {
        let len = name.head.len();
        let mut places = Vec::new();
        let mut here = 0;
        while let Some((marks, _)) = rest.get(here..).and_then(marks) {
            let next = rest.get(here + marks..).unwrap_or_default();
            if !name.stands_alone(next, first_bytes(next)) {
                break;
            }
            places.push(end + here + marks);
            here += marks + len;
        }
        // The last ones have too few behind them.
        let last = places.len().checked_sub(most + 2).and_then(|last| places.get(last));
        if let Some(last) = last {
            *self = Self { name: Some(name), begin: end - len, end: *last };
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
    fn every_name_but_the_last_ones_has_too_many_behind_it() {
        let name: &'static Name = Box::leak(Box::new(Name::of("okta")));
        let text = format!("{}key", "okta_ ".repeat(8));
        let mut chain = Chain::default();
        chain.follow(&text.as_bytes()[4..], 104, name, 2);
        let known: Vec<usize> = (90..160).filter(|at| chain.has(name, *at)).collect();
        assert_eq!(known, (100..=124).collect::<Vec<_>>());
        assert!(!chain.has(Box::leak(Box::new(Name::of("okta"))), 106));
        chain.follow(b"_okta_okta_oktas", 204, name, 2);
        assert!(chain.has(name, 106) && !chain.has(name, 200));
    }

    /// So whatever stands in a chain and is that name is one of its names.
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
        }
    }
}
