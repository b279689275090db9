//! Where git pushes to and pulls from: the operator's word, not the repository's.

use garth_contract::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// The longest address or name.
const MOST: usize = 1_024;

/// The most patterns of branches.
const MOST_PATTERNS: usize = 64;

/// A remote repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GitRemote {
    /// Its address, without a credential in it.
    pub url: String,
    /// The branch that is meant where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The name of the credential in the gateway's configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// Patterns of the branches that may be pushed to; one that begins with `refs/` is of
    /// whole refs. The gateway's own where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<String>,
    /// Whether pushes may change files below `.github/workflows`; as the gateway has it
    /// where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflows: Option<Workflows>,
}

/// Whether pushes may change what the remote's own automation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Workflows {
    /// They may.
    Allow,
    /// They are refused.
    Refuse,
}

impl GitRemote {
    /// # Errors
    /// `INVALID_PARAMS` for an address that could be taken for an option, that runs a
    /// program or that holds a credential.
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |what: &'static str| Err(Error::new(Code::InvalidParams, what));
        let texts = [Some(&self.url), self.branch.as_ref(), self.credential.as_ref()];
        for text in texts.into_iter().flatten() {
            let plain = text.chars().all(|letter| !letter.is_whitespace() && !letter.is_control());
            if text.is_empty() || text.len() > MOST || !plain || text.starts_with('-') {
                return wrong("a git remote has an empty, overlong or odd field");
            }
        }
        if self.branches.len() > MOST_PATTERNS {
            return wrong("a git remote has too many patterns of branches");
        }
        for pattern in &self.branches {
            let sound = !pattern.is_empty() && pattern.len() <= MOST;
            if !sound || globset::Glob::new(pattern).is_err() {
                let message = "a git remote's pattern of branches is malformed";
                return Err(Error::new(Code::InvalidPattern, message));
            }
        }
        let Some((scheme, rest)) = self.url.split_once("://") else {
            return wrong("a git remote's url begins with https://, http://, ssh:// or file://");
        };
        let authority = rest.split('/').next().unwrap_or_default();
        match scheme {
            "https" | "http" if authority.contains('@') => {
                wrong("a git remote's url must not hold a credential")
            }
            "ssh"
                if authority
                    .split('@')
                    .next()
                    .is_some_and(|user| authority.contains('@') && user.contains(':')) =>
            {
                wrong("a git remote's url must not hold a credential")
            }
            "https" | "http" | "ssh" if authority.is_empty() || authority.starts_with('-') => {
                wrong("a git remote's url has no host")
            }
            "https" | "http" | "ssh" | "file" => Ok(()),
            _ => wrong("a git remote's url begins with https://, http://, ssh:// or file://"),
        }
    }
}
