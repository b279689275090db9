//! A token: 256 random bits that are shown once and known by their hash after.

use std::fmt;

use blake3::Hash;
use garth_contract::Result;

use crate::{audit::hex, random};

/// What every token begins with, so that redaction knows one where it should not be.
const PREFIX: &str = "garth_";

/// Keeps these hashes apart from all others.
const CONTEXT: &str = "garth 2026 token hash, form 1";

/// A token or a ticket, as it is shown once.
///
/// It prints as nothing, so that no log has it.
#[derive(Clone)]
pub struct Secret([u8; 32]);

/// What is stored of a token: its id, and a hash that it is compared with.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) id: String,
    pub(crate) hash: Hash,
}

impl Secret {
    /// A new one.
    ///
    /// # Errors
    /// `INTERNAL` where the kernel gives no random bytes.
    pub(crate) fn new() -> Result<Self> {
        random::bytes().map(Self)
    }

    /// Reads what a caller sent; `None` for what cannot be a token.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        // One token has one form, so capitals are none.
        let lower = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let bytes = Hash::from_hex(digits).ok().filter(|_| lower)?;
        Some(Self(*bytes.as_bytes()))
    }

    /// The token itself, to be given to whom it is for, once.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", hex(&self.0))
    }

    /// What is stored of it. It is random throughout, so one pass of a hash is as good
    /// as many. The id is the beginning of the hash, and public.
    pub(crate) fn stored(&self) -> Stored {
        let hash = blake3::derive_key(CONTEXT, &self.0);
        Stored { id: hex(hash.split_at(8).0), hash: Hash::from_bytes(hash) }
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
    fn a_token_is_256_random_bits_behind_its_prefix() {
        let (one, other) = (Secret::new().unwrap(), Secret::new().unwrap());
        assert_ne!(one.reveal(), other.reveal());
        assert_eq!(one.reveal().len(), "garth_".len() + 64);
        let again = Secret::parse(&one.reveal()).unwrap();
        assert_eq!(again.stored().hash, one.stored().hash);
        assert_ne!(one.stored().id, other.stored().id);
    }

    #[test]
    fn a_secret_is_not_in_its_debug_text_nor_in_its_id() {
        let secret = Secret::new().unwrap();
        let text = secret.reveal();
        assert!(!format!("{secret:?}").contains(&text[6..20]));
        assert!(!text.contains(&secret.stored().id));
    }

    #[test]
    fn a_token_in_a_text_is_redacted() {
        let redactor = garth_redact::Redactor::new(&garth_redact::Config::standard()).unwrap();
        let text = format!("curl -d {} x", Secret::new().unwrap().reveal());
        let clean = redactor.clean(garth_redact::Raw::from(text)).unwrap().clean;
        assert_eq!(clean.as_ref(), "curl -d [REDACTED: GARTH_TOKEN] x");
    }

    #[test]
    fn what_is_no_token_is_none() {
        let good = Secret::new().unwrap().reveal();
        let short = &good[..good.len() - 1];
        let long = format!("{good}0");
        let bare = good.trim_start_matches("garth_");
        for bad in ["", "garth_", short, &long, bare, &good.to_uppercase(), "garth_ä"] {
            assert!(Secret::parse(bad).is_none(), "{bad}");
        }
    }
}
