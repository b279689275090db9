//! What a file's content was: a BLAKE3 hash and a length.

use std::{fmt, str::FromStr};

use crate::{Code, Error};

/// The identity of a content. Two contents with the same version are the same.
///
/// A version is compared for equality only: it has no order, since it does not
/// say which content came first.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version {
    hash: [u8; 32],
    length: u64,
}

impl Version {
    /// Takes the version of a whole content.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Self { hash: *blake3::hash(content).as_bytes(), length: content.len() as u64 }
    }

    /// Puts a version together from its parts, as a wire or a store keeps them.
    #[must_use]
    pub fn from_parts(hash: [u8; 32], length: u64) -> Self {
        Self { hash, length }
    }

    /// The BLAKE3 hash of the content.
    #[must_use]
    pub fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// The length of the content in bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }
}

/// Takes the version of a content that comes in pieces.
///
/// ```
/// use garth_contract::{Version, VersionHasher};
///
/// let mut hasher = VersionHasher::default();
/// hasher.update(b"one ");
/// hasher.update(b"two");
/// assert_eq!(hasher.finish(), Version::of(b"one two"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct VersionHasher(blake3::Hasher);

impl VersionHasher {
    /// Takes in what comes next.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The version of all that came.
    #[must_use]
    pub fn finish(&self) -> Version {
        Version { hash: *self.0.finalize().as_bytes(), length: self.0.count() }
    }
}

/// Writes `<64 hex digits>-<length>`.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", blake3::Hash::from_bytes(self.hash).to_hex(), self.length)
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Version({self})")
    }
}

impl FromStr for Version {
    type Err = Error;

    /// # Errors
    /// `INVALID_PARAMS` when the text is not a version that we wrote.
    fn from_str(text: &str) -> Result<Self, Error> {
        let parse = || {
            let (hash, length) = text.split_once('-')?;
            let hash = blake3::Hash::from_hex(hash).ok()?;
            let length =
                length.bytes().all(|b| b.is_ascii_digit()).then(|| length.parse().ok())??;
            Some(Self { hash: *hash.as_bytes(), length })
        };
        parse().ok_or_else(|| {
            Error::new(Code::InvalidParams, "not a version: send back one that a read returned")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_survives_its_text() {
        let version = Version::of(b"hello");
        assert_eq!(version.to_string().parse::<Version>(), Ok(version));
    }

    #[test]
    fn a_version_depends_on_every_byte() {
        assert_ne!(Version::of(b"hello"), Version::of(b"hellp"));
        assert_ne!(Version::of(b""), Version::of(b"\0"));
    }

    #[test]
    fn a_wrong_text_is_refused() {
        let good = Version::of(b"x").to_string();
        for bad in ["", "abc", &good[1..], &format!("{good}x"), &good.replace('-', "-+")] {
            assert_eq!(bad.parse::<Version>().map_err(|e| e.code()), Err(Code::InvalidParams));
        }
    }
}
