//! What a name is given, and what the last one was: several words in one name tell of the same.

use super::{Dress, MAX_PREFIX, Relation};
use crate::tail::Tail;

/// A value that a name is given.
#[derive(Debug, Clone)]
pub(super) struct Given {
    pub(super) relation: Relation,
    pub(super) at: usize,
    pub(super) len: usize,
    pub(super) dress: Dress,
    /// The byte behind the value.
    pub(super) after: Option<u8>,
    pub(super) tail: Tail,
    /// Whether it was found by what stands close to the name, so that all who read it see the same.
    pub(super) close: bool,
}

/// How much a rule asks of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// All that every rule for keys asks, and more.
    More,
    Other,
}

/// What the last name was given, in places of the whole text; `None` for a value that is none.
#[derive(Debug, Default)]
pub(crate) struct LastGiven {
    last: Option<(Name, Option<Given>)>,
    /// Whether a rule for keys has judged it.
    pub(crate) judged: bool,
}

/// Where a name begins, as far as it is read, and where it ends.
type Name = (usize, usize);

impl LastGiven {
    /// What a name is given, where that is known.
    ///
    /// Words in one name end at the same place, so they are of one kind.
    pub(super) fn get(&self, name: Name) -> Option<Option<&Given>> {
        let (last, given) = self.last.as_ref()?;
        (*last == name).then_some(given.as_ref())
    }

    pub(super) fn set(&mut self, name: Name, given: Option<Given>) {
        self.last = Some((name, given));
        self.judged = false;
    }

    /// Whether a word at a position can tell nothing new: it stands in the last name, which is given
    /// nothing, or something that was judged by one who asks for less.
    pub(crate) fn has_word_at(&self, at: usize, asks: Asks) -> bool {
        self.last.as_ref().is_some_and(|((start, end), given)| {
            let whole = (*start..*end).contains(&at) && at - start <= MAX_PREFIX;
            whole && (given.is_none() || (self.judged && asks == Asks::More))
        })
    }
}
