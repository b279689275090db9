//! The plainest tree there is, and long random runs of a backend against it.
//!
//! The model answers every call from one sorted map, slowly and obviously. Where
//! several refusals apply to one call, any of them is right, since the contract
//! orders none before the other; where the contract leaves something open, the
//! model says so and the call is not made.

mod place;
mod random;
mod run;
mod step;
mod tree;
mod window;

pub use place::{Place, Refusal};
pub use run::{Length, run};
pub use tree::{Node, Tree};
pub use window::window;
