//! How much one call may take or give.

use std::time::Duration;

/// The bounds of every operation on a workspace.
///
/// There is no default: whoever sets up a workspace says what it may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest text that is read, edited or compared whole, in bytes.
    pub text_bytes: u64,
    /// The most lines of a file in one reply.
    pub lines: u64,
    /// The most characters of one line in a reply.
    pub line_chars: usize,
    /// How many results a search or listing gives when nothing is said.
    pub results: u64,
    /// The most results that can be asked for at once.
    pub most_results: u64,
    /// The most lines of a diff in one reply.
    pub diff_lines: usize,
    /// The largest image that comes with a reply, in bytes.
    pub image_bytes: u64,
    /// How long a command may run when nothing is said.
    pub command_time: Duration,
    /// How many bytes of the beginning of a command's output a reply shows.
    pub stream_head: usize,
    /// How many bytes of its end.
    pub stream_tail: usize,
}

impl Limits {
    /// What a model can make use of in one reply.
    #[must_use]
    pub const fn standard() -> Self {
        Self {
            text_bytes: 10_000_000,
            lines: 2_000,
            line_chars: 2_000,
            results: 1_000,
            most_results: 10_000,
            diff_lines: 2_000,
            image_bytes: 10_000_000,
            command_time: Duration::from_secs(120),
            stream_head: 20 << 10,
            stream_tail: 30 << 10,
        }
    }
}
