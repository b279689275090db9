//! The id of an agent, checked once.

use std::{fmt, sync::Arc};

use garth_contract::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// The longest id, in bytes; ids are ASCII.
const MOST: usize = 64;

/// The id of an agent and of its workspace: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`.
///
/// It cannot hold a `/`, begin with a dot or be empty, so as the name of a directory
/// it names one below its parent, whatever was sent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentId(Arc<str>);

impl AgentId {
    /// Reads an id.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for anything else than an id. What was sent is not repeated.
    pub fn parse(text: &str) -> Result<Self> {
        let first = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        let rest = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if !first || text.len() > MOST || !text.bytes().all(rest) {
            return Err(Error::new(
                Code::InvalidParams,
                "an agent id is a letter or digit and up to 63 more of A-Z a-z 0-9 . _ -",
            ));
        }
        Ok(Self(Arc::from(text)))
    }

    /// The id as text that is shared.
    pub(crate) fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for AgentId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<AgentId> for String {
    fn from(id: AgentId) -> Self {
        id.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_what_the_pattern_says() {
        let longest = "a".repeat(64);
        for good in ["a", "0", "Coder-1", "a..b", "x_y.z-", longest.as_str()] {
            assert_eq!(AgentId::parse(good).unwrap().as_str(), good);
        }
    }

    #[test]
    fn an_id_is_never_a_path() {
        let too_long = "a".repeat(65);
        for bad in [
            "",
            ".",
            "..",
            ".a",
            "-a",
            "_a",
            "a/b",
            "/",
            "a\\b",
            "a b",
            "a\0",
            "a\n",
            "ä",
            "a:b",
            "../x",
            "a%2fb",
            too_long.as_str(),
        ] {
            let error = AgentId::parse(bad).unwrap_err();
            assert_eq!(error.code(), Code::InvalidParams, "{bad:?}");
            assert!(bad.len() < 2 || !error.message().contains(bad), "{bad:?}");
        }
    }
}
