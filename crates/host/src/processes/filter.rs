//! What commands may ask of the kernel.

use std::sync::Arc;

/// A program that the kernel runs before each of its calls, and that may refuse it.
///
/// It binds a command and everything that it starts, for good, and not whoever
/// starts them.
#[derive(Clone, Debug)]
pub struct Filter(Arc<[[u8; 8]]>);

impl Filter {
    /// A filter of these instructions, each in the kernel's own form
    /// (`struct sock_filter`). One that is no program keeps every command from running.
    #[must_use]
    pub fn new(instructions: Vec<[u8; 8]>) -> Self {
        Self(instructions.into())
    }

    pub(super) fn instructions(&self) -> &[[u8; 8]] {
        &self.0
    }
}
