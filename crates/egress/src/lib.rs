//! The one way out of a sandbox that has no network: a proxy that knows the names
//! which may be reached, and reaches no others.
//!
//! It stands outside, on a unix socket that is the only thing of the host's network
//! inside. Whoever is inside speaks HTTP to it, `CONNECT` or a plain request; names
//! are looked up out here, so nothing inside needs, or can ask, a name server.

mod head;
mod proxy;
mod rules;

pub use proxy::{Bounds, Proxy};
pub use rules::{Rules, Target};
