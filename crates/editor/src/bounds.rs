//! How long a client is waited for, and how much it may answer.

use std::time::Duration;

/// The longest that one request may be waited for, whatever was asked for: a call
/// of a tool makes several, and somebody waits for it.
const LONGEST: Duration = Duration::from_secs(120);
/// The largest text, whatever was asked for; it is in memory a few times over.
const LARGEST: u64 = 64 << 20;
/// The most requests at once, whatever was asked for; each may hold a text.
const MOST_AT_ONCE: usize = 64;

/// How long a client is waited for, and how much it may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How long one request may take, from its turn to its answer; two minutes at
    /// most.
    pub deadline: Duration,
    /// The largest text in bytes that is asked for, taken and sent; 64 MiB at most.
    /// A larger file is read and written beneath.
    pub most_text: u64,
    /// How many requests are under way at once; 64 at most.
    pub in_flight: usize,
}

impl Bounds {
    /// Ten seconds, texts of up to 10 MiB, sixteen requests at once.
    pub const USUAL: Self =
        Self { deadline: Duration::from_secs(10), most_text: 10 << 20, in_flight: 16 };

    /// The same bounds, none of them beyond what may ever be.
    pub(crate) fn held(self) -> Self {
        Self {
            deadline: self.deadline.min(LONGEST),
            most_text: self.most_text.min(LARGEST),
            in_flight: self.in_flight.clamp(1, MOST_AT_ONCE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bound_can_be_lifted() {
        let endless =
            Bounds { deadline: Duration::MAX, most_text: u64::MAX, in_flight: usize::MAX };
        let held = Bounds { deadline: LONGEST, most_text: LARGEST, in_flight: MOST_AT_ONCE };
        assert_eq!(endless.held(), held);
        assert_eq!(Bounds { in_flight: 0, ..Bounds::USUAL }.held().in_flight, 1);
        assert_eq!(Bounds::USUAL.held(), Bounds::USUAL);
    }
}
