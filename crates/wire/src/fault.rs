//! Why a message could not be had from the other side.

use std::{fmt, io};

/// Why a message could not be had from the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The other side is gone, or has given this stream up.
    Gone,
    /// What came is no message; the sentence says what is wrong with it.
    Malformed(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("the other side is gone"),
            Self::Malformed(what) => write!(f, "what came is no message: {what}"),
        }
    }
}

impl std::error::Error for Fault {}

impl From<io::Error> for Fault {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}
