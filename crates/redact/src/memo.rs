//! What was found out at the last place, so that the next does not find it out again.
//!
//! Where one keyword stands, others mostly do: in one name, or in others before the same value. It
//! holds little and never changes what is found, only what that costs.

use crate::assigned::LastGiven;
use crate::judge::{Look, Value};
use crate::near::Chain;

/// What is known of the text around the last keyword.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// Where the text begins that rules look at; they count their places from there.
    pub(crate) origin: usize,
    /// Where a value begins that another rule has, and where one that begins there has to end at the
    /// latest for that rule to win over the one that is tried.
    pub(crate) taken: Option<(usize, usize)>,
    /// The last name that stands in a text again and again.
    pub(crate) chain: Chain,
    /// What the last name of a key was given.
    pub(crate) given: LastGiven,
    /// What the last value is by itself.
    look: Look,
}

impl Memo {
    /// Whether a value that stands `at` a place could only be found inside of what is taken.
    pub(crate) fn is_taken(&self, at: usize, text: &str) -> bool {
        let begin = self.origin + at;
        self.taken.is_some_and(|(start, end)| start == begin && begin + text.len() <= end)
    }

    /// The value that stands `at` a place.
    pub(crate) fn value<'v>(&'v mut self, at: usize, text: &'v str) -> Value<'v> {
        self.look.at(self.origin + at, text)
    }
}
