//! How much the calls of a registry may take.

use std::time::Duration;

/// The bounds of a registry's calls.
///
/// There is no default: whoever runs tools says what they may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many calls run at the same time; those beyond wait for their turn, and
    /// nothing of theirs but the parameters is kept meanwhile.
    ///
    /// A tool that calls tools of the same registry takes one more place for each.
    pub at_once: usize,
    /// How long a tool may run that has no deadline of its own; `None` is for ever.
    pub deadline: Option<Duration>,
    /// The most bytes of text, and of facts beside it, that an author's tool may
    /// answer. Longer text is cut and says so.
    pub answer_bytes: usize,
}

impl Bounds {
    /// What a program with a model at the other end can make use of.
    #[must_use]
    pub const fn standard() -> Self {
        Self { at_once: 64, deadline: Some(Duration::from_secs(300)), answer_bytes: 10_000_000 }
    }
}
