//! Files in two verbs: whole texts are read and whole texts are written.
//!
//! The shape in which many agents already hold their files. Its five errors say
//! what such an agent can act on; the source of `Backend` has the code.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use garth_contract::{BoxFuture, Code, Detail, Error, Version};

/// The files of an agent that reads and writes texts and nothing else.
pub trait FsBackend: Send + Sync {
    /// Reads a text, or `limit` lines of it from `line` on, which counts from 1.
    ///
    /// Line endings are part of the text. Past the end there is an empty text.
    fn read_text(
        &self,
        path: PathBuf,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> BoxFuture<'_, Result<String, FsError>>;

    /// Reads the bytes of a whole file, where the place can.
    fn read_bytes(&self, path: PathBuf) -> BoxFuture<'_, Result<Vec<u8>, FsError>> {
        let refused = format!("only text can be read here: {}", path.display());
        Box::pin(async move { Err(FsError::NotPermitted(refused)) })
    }

    /// Writes a whole text; missing directories are made.
    fn write_text(&self, path: PathBuf, content: String) -> BoxFuture<'_, Result<(), FsError>>;

    /// What the text is now, to see later whether it still is.
    fn fingerprint(&self, path: PathBuf) -> BoxFuture<'_, Result<Fingerprint, FsError>> {
        Box::pin(async move {
            let text = self.read_text(path, None, None).await?;
            Ok(Fingerprint::of(&text))
        })
    }

    /// Writes a whole text over the one that was seen, else `Conflict`.
    ///
    /// Unless the place does both in one step, somebody can write in between.
    fn replace_text(
        &self,
        path: PathBuf,
        seen: Fingerprint,
        content: String,
    ) -> BoxFuture<'_, Result<(), FsError>> {
        Box::pin(async move {
            if self.fingerprint(path.clone()).await? != seen {
                return Err(FsError::Conflict(path));
            }
            self.write_text(path, content).await
        })
    }
}

/// What a text was: its length and a part of its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// How many bytes it has.
    pub bytes: u64,
    /// The first bytes of its BLAKE3 hash; the same in every process.
    pub hash: u64,
}

impl Fingerprint {
    /// The fingerprint of a text that is at hand.
    #[must_use]
    pub fn of(content: &str) -> Self {
        let version = Version::of(content.as_bytes());
        let first = version.hash().first_chunk().copied().unwrap_or_default();
        Self { bytes: version.length(), hash: u64::from_be_bytes(first) }
    }
}

/// Why a text was not read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum FsError {
    /// There is no such file.
    NotFound(PathBuf),
    /// It may not be: the path leaves the workspace, the content is no text, a rule
    /// forbids it.
    NotPermitted(String),
    /// The file is larger than what is read or written.
    TooLarge {
        /// How many bytes it has.
        bytes: u64,
        /// How many it may have.
        limit: u64,
    },
    /// The file is not what was seen.
    Conflict(PathBuf),
    /// Anything else.
    Backend(Box<dyn std::error::Error + Send + Sync>),
}

impl FsError {
    /// What an error of the table means for a file.
    #[must_use]
    pub fn of(error: Error, path: &Path) -> Self {
        match error.code() {
            Code::FileNotFound | Code::ParentNotFound | Code::SourceNotFound => {
                Self::NotFound(path.to_owned())
            }
            Code::Conflict => Self::Conflict(path.to_owned()),
            Code::FileTooLarge => {
                let limits = error.details().iter().find_map(|detail| {
                    let Detail::Limit { limit, actual } = detail else { return None };
                    Some((*actual, *limit))
                });
                match limits {
                    Some((bytes, limit)) => Self::TooLarge { bytes, limit },
                    None => Self::Backend(Box::new(error)),
                }
            }
            Code::PathOutsideWorkspace
            | Code::PermissionDenied
            | Code::InvalidPath
            | Code::InvalidEncoding
            | Code::UnsupportedEncoding
            | Code::NotAFile
            | Code::NotADirectory
            | Code::FileExists
            | Code::DirectoryNotEmpty
            | Code::CannotDeleteRoot
            | Code::DestinationExists
            | Code::CannotMoveToSubdirectory
            | Code::Unauthenticated
            | Code::ApprovalRefused
            | Code::RedactedContent
            | Code::ReadOnly
            | Code::Unsupported => Self::NotPermitted(error.message().to_owned()),
            Code::AgentNotFound
            | Code::WorkspaceNotFound
            | Code::DiskFull
            | Code::RateLimitExceeded
            | Code::TextNotFound
            | Code::AmbiguousMatch
            | Code::InvalidPattern
            | Code::InvalidParams
            | Code::InvalidRequest
            | Code::UnknownMethod
            | Code::CommandTimeout
            | Code::QuotaExceeded
            | Code::ProviderUnavailable
            | Code::GitFailed
            | Code::Cancelled
            | Code::Internal => Self::Backend(Box::new(error)),
        }
    }
}

impl fmt::Display for FsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(path) => write!(f, "file not found: {}", path.display()),
            Self::NotPermitted(why) => write!(f, "not permitted: {why}"),
            Self::TooLarge { bytes, limit } => {
                write!(f, "the file is too large: {bytes} bytes of {limit}")
            }
            Self::Conflict(path) => {
                write!(f, "the file has changed since it was read: {}", path.display())
            }
            Self::Backend(source) => write!(f, "the files failed: {source}"),
        }
    }
}

impl std::error::Error for FsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Backend(source) => Some(&**source),
            Self::NotFound(_)
            | Self::NotPermitted(_)
            | Self::TooLarge { .. }
            | Self::Conflict(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trait_is_object_safe() {
        fn takes(_: Option<&dyn FsBackend>) {}
        takes(None);
    }

    #[test]
    fn a_fingerprint_is_of_every_byte_and_the_same_everywhere() {
        assert_ne!(Fingerprint::of("a"), Fingerprint::of("b"));
        assert_ne!(Fingerprint::of(""), Fingerprint::of("\0"));
        let empty = Fingerprint { bytes: 0, hash: 0xaf13_49b9_f5f9_a1a6 };
        assert_eq!(Fingerprint::of(""), empty);
    }
}
