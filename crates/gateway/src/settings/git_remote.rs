//! Where git pushes to and pulls from: the operator's word, not the repository's.

use garth_contract::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// The longest address or name.
const MOST: usize = 1_024;

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
