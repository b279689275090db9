//! Keywords that were found and not tried yet, in the order of their places.

/// The keywords of a block of text, and how many of them were tried.
#[derive(Debug, Default)]
pub(super) struct Hits {
    /// Where each begins, and which it is.
    list: Vec<(usize, usize)>,
    next: usize,
}

impl Hits {
    /// The next one to be tried.
    pub(super) fn first(&self) -> Option<(usize, usize)> {
        self.list.get(self.next).copied()
    }

    /// Steps over the next one.
    pub(super) fn pass(&mut self) {
        self.next += 1;
    }

    /// Steps over all that begin before a position.
    pub(super) fn pass_before(&mut self, at: usize) {
        while self.first().is_some_and(|(start, _)| start < at) {
            self.pass();
        }
    }

    /// How many are to be tried.
    pub(super) fn len(&self) -> usize {
        self.list.len() - self.next
    }

    /// Forgets those that were tried.
    pub(super) fn shorten(&mut self) {
        self.list.drain(..self.next);
        self.next = 0;
    }

    /// Puts one more to the others, which come nearly sorted.
    pub(super) fn push(&mut self, start: usize, keyword: usize) {
        let new = (start, keyword);
        let others = self.list.get(self.next..).unwrap_or_default();
        if others.last().is_none_or(|last| *last <= new) {
            self.list.push(new);
            return;
        }
        let behind = others.iter().rev().take_while(|other| **other > new).count();
        self.list.insert(self.list.len() - behind, new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_come_in_order_and_what_was_tried_does_not_come_again() {
        let mut hits = Hits::default();
        for start in [1, 2] {
            hits.push(start, 0);
        }
        hits.pass();
        for (start, keyword) in [(9, 1), (5, 0), (5, 2), (3, 0), (5, 1), (0, 7)] {
            hits.push(start, keyword);
        }
        assert_eq!((hits.len(), hits.first()), (7, Some((0, 7))));
        hits.pass_before(3);
        hits.shorten();
        let mut taken = Vec::new();
        while let Some(first) = hits.first() {
            taken.push(first);
            hits.pass();
        }
        assert_eq!(taken, [(3, 0), (5, 0), (5, 1), (5, 2), (9, 1)]);
        assert_eq!(hits.len(), 0);
    }
}
