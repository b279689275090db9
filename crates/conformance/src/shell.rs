//! The suite of `Shell`: what every place that runs commands must do.
//!
//! The checks assume bash and coreutils in the place and nothing more; what else
//! one needs it looks for, and says when it is not there.

mod arrange;
mod beat;
mod check;
mod checks;
mod subject;

pub use check::{Check, Need};
pub use checks::checks;
pub use subject::{Around, Backend, Subject, Traits};
