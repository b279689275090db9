//! How a caller hears of the approval that its call needs.

use std::sync::{Arc, OnceLock};

use super::desk::{Asked, Reply};

/// How a caller hears of the approval that its call needs.
#[derive(Clone, Debug, Default)]
pub enum Hears {
    /// It waits until somebody at the desk has answered.
    #[default]
    Waits,
    /// It is told the question, may put it to its own person, and comes again.
    Told(Told),
}

/// A caller that is told a question.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The question that it was told with an earlier try of the same call, if it was.
    pub again: Option<Again>,
    /// The question, once it is refused for want of an answer.
    pub question: Arc<OnceLock<Asked>>,
}

/// What a caller brings when it comes again.
#[derive(Clone, Debug)]
pub struct Again {
    /// The question's id.
    pub id: String,
    /// What its own person said, if anything.
    pub said: Option<Reply>,
}
