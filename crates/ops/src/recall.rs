//! What a caller was last shown of files that hold secrets, so that text which it
//! sends back can be told from text that would destroy one.
//!
//! No secret is kept: a placeholder is remembered with the version of what it stands
//! for, and the secret itself is found again in the file.

/// What one caller was shown of one workspace.
#[derive(Debug, Default)]
pub struct Recall {}

impl Recall {
    /// Nothing was shown yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
