//! Who the commits are by: the bot, whatever the repository says.

use garth_contract::{Code, Error, Result};

/// A name and an address, as a commit has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    name: String,
    email: String,
}

/// The longest name or address.
const MOST: usize = 256;

impl Identity {
    /// A name and an address.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for what git could not write down as it is: an empty one, `<`, `>`,
    /// and control characters.
    pub fn new(name: &str, email: &str) -> Result<Self> {
        for (what, text) in [("name", name), ("email", email)] {
            let odd = |letter: char| letter.is_control() || matches!(letter, '<' | '>');
            // A name of these alone git takes for none at all.
            let says = text.chars().any(char::is_alphanumeric) && text.trim() == text;
            if text.len() > MOST || text.contains(odd) || !says {
                let message = format!("not the {what} of somebody who commits");
                return Err(Error::new(Code::InvalidParams, message));
            }
        }
        if email.contains(char::is_whitespace) {
            return Err(Error::new(Code::InvalidParams, "an email address has no space in it"));
        }
        Ok(Self { name: name.to_owned(), email: email.to_owned() })
    }

    /// Reads `Name <address>`.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        let parts = text.trim().strip_suffix('>').and_then(|rest| rest.split_once(" <"));
        let (name, email) = parts.ok_or_else(|| {
            Error::new(Code::InvalidParams, "somebody is named as: Name <address>")
        })?;
        Self::new(name.trim(), email)
    }

    /// The bot that commits where nobody said otherwise.
    #[must_use]
    pub fn bot() -> Self {
        Self {
            name: "emergent-app[bot]".to_owned(),
            email: "emergent-app[bot]@users.noreply.github.com".to_owned(),
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address.
    #[must_use]
    pub fn email(&self) -> &str {
        &self.email
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_has_a_name_and_an_address_on_one_line() {
        let ada = Identity::parse("Ada Lovelace <ada@example.com>").unwrap();
        assert_eq!((ada.name(), ada.email()), ("Ada Lovelace", "ada@example.com"));
        for text in
            ["", "Ada", ". <a@b>", "<a@b>", "Ada <>", "A\nB <a@b>", "Ada <a b>", "A <a@b> <c@d>"]
        {
            assert!(Identity::parse(text).is_err(), "{text:?}");
        }
        let bot = Identity::bot();
        assert_eq!(Identity::new(bot.name(), bot.email()).unwrap(), bot);
    }
}
