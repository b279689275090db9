//! The part of a text that is at hand, addressed by positions in the whole text.

use crate::tail::Ending;

/// A part of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'t> {
    text: &'t str,
    origin: usize,
    ending: Ending,
}

impl<'t> View<'t> {
    /// `text` begins at `origin` in the whole.
    pub(crate) fn new(text: &'t str, origin: usize, ending: Ending) -> Self {
        Self { text, origin, ending }
    }

    pub(crate) fn ending(&self) -> Ending {
        self.ending
    }

    pub(crate) fn is_final(&self) -> bool {
        self.ending == Ending::Final
    }

    /// Right behind the last byte at hand.
    pub(crate) fn end(&self) -> usize {
        self.origin + self.text.len()
    }

    /// The text between two positions; empty where it is not at hand.
    pub(crate) fn range(&self, from: usize, to: usize) -> &'t str {
        let from = from.saturating_sub(self.origin);
        let to = to.saturating_sub(self.origin).min(self.text.len());
        self.text.get(from..to).unwrap_or_default()
    }

    /// The text from a position on.
    pub(crate) fn from(&self, from: usize) -> &'t str {
        self.range(from, self.end())
    }

    /// The bytes from a position on, at most so many.
    pub(crate) fn head(&self, from: usize, most: usize) -> &'t [u8] {
        let rest = from.checked_sub(self.origin).and_then(|from| self.text.as_bytes().get(from..));
        let rest = rest.unwrap_or_default();
        rest.get(..most).unwrap_or(rest)
    }

    /// The byte right before a position.
    pub(crate) fn byte_before(&self, at: usize) -> Option<u8> {
        let index = at.checked_sub(self.origin)?.checked_sub(1)?;
        self.text.as_bytes().get(index).copied()
    }

    /// The text around a position, at most so many bytes before and behind it, and where it begins.
    pub(crate) fn around(&self, at: usize, before: usize, behind: usize) -> (usize, &'t str) {
        let at = at.saturating_sub(self.origin);
        let from = self.text.ceil_char_boundary(at.saturating_sub(before));
        let to = self.text.floor_char_boundary(at + behind);
        (self.origin + from, self.text.get(from..to).unwrap_or_default())
    }

    /// The last place at or before `at` that does not cut a character.
    pub(crate) fn floor(&self, at: usize) -> usize {
        self.origin + self.text.floor_char_boundary(at.saturating_sub(self.origin))
    }

    /// The first place at or behind `at` that does not cut a character.
    pub(crate) fn ceil(&self, at: usize) -> usize {
        self.origin + self.text.ceil_char_boundary(at.saturating_sub(self.origin))
    }
}
