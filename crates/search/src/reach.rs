//! Where in a tree a glob can match, so that a walk need not go elsewhere.

use crate::{
    fold::{folded, folded_bytes},
    globs::{Against, Pattern},
};

/// The part of a tree in which a pattern can match; never too small.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// The names that the path must begin with; `None` stands for any name.
    along: Vec<Option<String>>,
    /// Whether nothing can match deeper than `along` goes.
    ends: bool,
}

impl Reach {
    /// Reads off a pattern where it can match.
    pub(crate) fn of(pattern: &Pattern<'_>) -> Self {
        let mut along = Vec::new();
        if pattern.against == Against::Name {
            return Self { along, ends: false };
        }
        for name in pattern.text.split('/') {
            // Braces may hold a `/`, and a negated class matches one.
            if name.contains("**") || name.contains(['{', '[', '\\']) {
                return Self { along, ends: false };
            }
            along.push((!name.contains(['*', '?'])).then(|| folded(name)));
        }
        Self { along, ends: true }
    }

    /// Tells whether something at or below `path` could be, or be below, a match.
    pub(crate) fn meets(&self, path: &[u8]) -> bool {
        names(path).zip(&self.along).all(|(name, expected)| {
            let alike = |expected: &String| *folded_bytes(name) == *expected.as_bytes();
            expected.as_ref().is_none_or(alike)
        })
    }

    /// Tells whether something below the directory `path` could match.
    pub(crate) fn goes_below(&self, path: &[u8]) -> bool {
        (!self.ends || names(path).count() < self.along.len()) && self.meets(path)
    }
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !name.is_empty())
}
