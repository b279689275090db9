//! A credential in memory: it prints as nothing and is wiped when it goes.

use std::fmt;

use garth_contract::{Code, Error, Result};
use zeroize::Zeroizing;

/// The longest token or password, in bytes; GitHub's are about 520.
const MOST: usize = 8 << 10;

/// A token, a password or a key.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a token as it stands in a file or a variable; white space around it goes.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for one that is empty, too long, or holds a control character.
    pub fn new(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() || text.len() > MOST || text.chars().any(char::is_control) {
            return Err(Error::new(
                Code::InvalidParams,
                "a credential is empty, overlong or holds a control character",
            ));
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// The credential itself, for whom it is for.
    pub(crate) fn reveal(&self) -> &str {
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
    fn a_secret_prints_as_nothing_and_holds_one_line() {
        let secret = Secret::new(" hunter2\n").unwrap();
        assert_eq!(format!("{secret:?}"), "Secret");
        assert_eq!(secret.reveal(), "hunter2");
        for wrong in ["", " \n", "a\nb", "a\0b"] {
            assert_eq!(Secret::new(wrong).unwrap_err().code(), Code::InvalidParams);
        }
    }
}
