//! What is allowed, asked about or denied, and who is asked.

mod desk;
mod rules;

pub(crate) use desk::Question;
pub use desk::{Answered, Asked, Desk, Event, Reply};
pub use rules::{Config, Reach, Rule, Rules, Touched, Verdict};
