//! What is allowed, asked about or denied, and who is asked.

mod desk;
mod hears;
mod rules;

pub use desk::{Answered, Asked, Desk, Event, Reply};
pub(crate) use desk::{Collected, Question};
pub use hears::{Again, Hears, Told};
pub use rules::{AnsweredBy, Config, Reach, Rule, Rules, Touched, Verdict};
