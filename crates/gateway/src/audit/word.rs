//! A text of a record that need not be copied for each: most are the same again and again.

use std::{fmt, ops::Deref, sync::Arc};

/// A text that is fixed, shared with others, or its own.
#[derive(Clone)]
pub enum Word {
    /// Known when the program was made.
    Fixed(&'static str),
    /// Shared.
    Shared(Arc<str>),
    /// Its own.
    Own(String),
}

impl Word {
    /// The text for whoever changes it; nothing is left here.
    pub(super) fn take(&mut self) -> String {
        match std::mem::take(self) {
            Self::Own(text) => text,
            other @ (Self::Fixed(_) | Self::Shared(_)) => (*other).to_owned(),
        }
    }
}

impl Default for Word {
    fn default() -> Self {
        Self::Fixed("")
    }
}

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Fixed(text) => text,
            Self::Shared(text) => text,
            Self::Own(text) => text,
        }
    }
}

impl AsRef<str> for Word {
    fn as_ref(&self) -> &str {
        self
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl From<&'static str> for Word {
    fn from(text: &'static str) -> Self {
        Self::Fixed(text)
    }
}

impl From<Arc<str>> for Word {
    fn from(text: Arc<str>) -> Self {
        Self::Shared(text)
    }
}

impl From<String> for Word {
    fn from(text: String) -> Self {
        Self::Own(text)
    }
}
