//! What is allowed, asked about or denied, and who is asked.

mod desk;
mod hears;
mod rules;

pub(crate) use desk::{Collected, Question};
pub use desk::{Answered, Asked, Desk, Event, Reply};
pub use hears::{Again, Hears, Told};
pub use rules::{AnsweredBy, Config, Reach, Rule, Rules, Touched, Verdict};
