//! What the operator gave to prove who pushes: each bound to one host.

use std::path::Path;

use garth_contract::{Code, Error, Result};

use crate::{
    address::{Address, is_host},
    handover::Login,
    http::Api,
    jwt::AppKey,
    own_files,
    secret::Secret,
};

/// The longest name of a credential or of a user.
const MOST_NAME: usize = 128;

/// A credential, by its name.
#[derive(Clone, Debug)]
pub struct Credential {
    name: String,
    host: String,
    kind: Kind,
}

/// What a credential is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A token or a password that does not change.
    Fixed {
        /// What the host calls its owner.
        username: String,
        /// The token or the password.
        password: Secret,
    },
    /// A GitHub App, for which a token is made on demand.
    App(App),
}

/// Whose tokens they are: how each host wants to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// GitHub's, and of hosts that take a token as any user's password.
    Token,
    /// GitLab's.
    Gitlab,
    /// Gitea's and Forgejo's.
    Gitea,
}

impl Flavour {
    /// The user's name that goes with a token.
    #[must_use]
    pub const fn username(self) -> &'static str {
        match self {
            Self::Token => "x-access-token",
            Self::Gitlab | Self::Gitea => "oauth2",
        }
    }
}

/// A GitHub App.
#[derive(Clone, Debug)]
pub struct App {
    /// Its client id, or its number.
    pub client_id: String,
    /// What it proves itself with.
    pub key: AppKey,
    /// Where GitHub's API is.
    pub api: Api,
}

impl Credential {
    /// A credential for a host, with its port where that is not the usual one.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for an odd name, host or user.
    pub fn new(name: &str, host: &str, kind: Kind) -> Result<Self> {
        let wrong = |what: &'static str| Err(Error::new(Code::InvalidParams, what));
        if !is_word(name) {
            return wrong("a git credential has an empty, overlong or odd name");
        }
        if !is_host(host) {
            return wrong("a git credential's host is a name, and a port where it has one");
        }
        match &kind {
            Kind::Fixed { username, .. } if !is_word(username) => {
                return wrong("a git credential's username is empty, overlong or odd");
            }
            Kind::App(app) if !is_word(&app.client_id) => {
                return wrong("a GitHub App's client id is empty, overlong or odd");
            }
            Kind::Fixed { .. } | Kind::App(_) => {}
        }
        Ok(Self { name: name.to_owned(), host: host.to_ascii_lowercase(), kind })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The host that it is for.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Looks whether it is for this address.
    ///
    /// # Errors
    /// `PERMISSION_DENIED`: it is told to no other host.
    pub(crate) fn check(&self, address: &Address) -> Result<()> {
        if self.host == address.host() {
            return Ok(());
        }
        Err(Error::new(Code::PermissionDenied, "the git credential is for another host")
            .hint("Ask the operator to name a credential of the remote's host."))
    }
}

/// Reads a token or a password from a file.
///
/// # Errors
/// `INVALID_PARAMS`.
pub fn secret_from_file(path: &Path) -> Result<Secret> {
    Secret::new(&own_files::secret(path)?)
}

/// Reads the key of a GitHub App from a file.
///
/// # Errors
/// `INVALID_PARAMS`.
pub fn key_from_file(path: &Path) -> Result<AppKey> {
    AppKey::from_pem(&own_files::secret(path)?)
}

/// The login of a credential that does not change.
pub(crate) fn fixed(username: &str, password: &Secret) -> Login {
    Login { username: username.to_owned(), password: password.clone() }
}

fn is_word(text: &str) -> bool {
    let plain = |letter: char| !letter.is_control() && !letter.is_whitespace();
    !text.is_empty() && text.len() <= MOST_NAME && text.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_for_its_host_and_shows_nothing() {
        let secret = Secret::new("hunter2").unwrap();
        let kind = Kind::Fixed { username: "me".to_owned(), password: secret };
        let credential = Credential::new("main", "Git.example:99", kind.clone()).unwrap();
        assert!(!format!("{credential:?}").contains("hunter2"));
        let check = |text| credential.check(&Address::parse(text, &[]).unwrap());
        assert!(check("https://git.example:99/o/r").is_ok());
        for other in ["https://git.example/o/r", "https://git.example.org:99/o/r"] {
            assert_eq!(check(other).unwrap_err().code(), Code::PermissionDenied);
        }
        for (name, host) in [("", "a"), ("a b", "a"), ("a", ""), ("a", "https://a"), ("a", "a/b")] {
            assert!(Credential::new(name, host, kind.clone()).is_err(), "{name:?} {host:?}");
        }
    }
}
