//! A key in memory: it prints as nothing and is wiped when it goes.

use std::fmt;

use garth_contract::{Code, Error, Result};
use zeroize::Zeroizing;

/// The longest key, in bytes; E2B's are 44.
const MOST: usize = 4 << 10;

/// A key of an account, or what a sandbox answers to.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a key as it stands in a file or a variable; white space around it goes.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for one that is empty, too long, or cannot stand in a header.
    pub fn new(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() || text.len() > MOST || !text.bytes().all(|byte| byte.is_ascii_graphic())
        {
            return Err(Error::new(
                Code::InvalidParams,
                "a key of E2B is empty, overlong or holds what no key can",
            ));
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// The key itself, for whom it is for.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_prints_as_nothing_and_holds_one_word() {
        let secret = Secret::new(" hunter2\n").unwrap();
        assert_eq!(format!("{secret:?}"), "Secret");
        assert_eq!(secret.reveal(), "hunter2");
        for wrong in ["", " \n", "a\nb", "a b", "ü"] {
            assert_eq!(Secret::new(wrong).unwrap_err().code(), Code::InvalidParams);
        }
    }
}
