//! The address of a remote repository: checked once, and then a type that cannot be
//! taken for an option, name a program or hold a credential.

use std::fmt;

use garth_contract::{Code, Error, Result};

/// The longest address.
const MOST: usize = 1_024;

/// How a repository is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Encrypted.
    Https,
    /// In the clear: on this machine, or where the operator allows it.
    Http,
}

impl Scheme {
    /// Its name in an address.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Https => "https",
            Self::Http => "http",
        }
    }
}

/// Where a repository is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    scheme: Scheme,
    host: String,
    path: String,
}

impl Address {
    /// Reads an address. `plain` names the hosts that may be spoken to in the clear,
    /// beside this machine.
    ///
    /// # Errors
    /// `UNSUPPORTED` for another protocol than http and https; `INVALID_PARAMS` for what
    /// is no address, holds a credential or would be in the clear.
    pub fn parse(text: &str, plain: &[String]) -> Result<Self> {
        let wrong = |what: &'static str| Err(Error::new(Code::InvalidParams, what));
        let (scheme, rest) = match text.split_once("://") {
            Some(("https", rest)) => (Scheme::Https, rest),
            Some(("http", rest)) => (Scheme::Http, rest),
            Some(_) | None => {
                return Err(Error::new(Code::Unsupported, "git reaches remotes over https only")
                    .hint("Ask the operator to give the remote's https:// address."));
            }
        };
        let Some((host, path)) = rest.split_once('/') else {
            return wrong("a git remote's url has no path");
        };
        if text.len() > MOST || !is_host(host) || !is_path(path) {
            return wrong("a git remote's url is malformed, overlong or holds a credential");
        }
        let host = host.to_ascii_lowercase();
        if scheme == Scheme::Http && !is_loopback(&host) && !plain.contains(&host) {
            return wrong("a git remote must not be spoken to in the clear");
        }
        Ok(Self { scheme, host, path: path.trim_end_matches('/').to_owned() })
    }

    /// How it is reached.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host, and its port where it has one.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// What follows the host, without a slash at either end.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The scheme and the host: what a credential is bound to.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme.name(), self.host)
    }

    /// Owner and name, where it is a repository as GitHub has them.
    #[must_use]
    pub fn owner_and_name(&self) -> Option<(&str, &str)> {
        let (owner, name) = self.path.split_once('/')?;
        let name = name.strip_suffix(".git").unwrap_or(name);
        (!owner.is_empty() && !name.is_empty() && !name.contains('/')).then_some((owner, name))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}/{}", self.scheme.name(), self.host, self.path)
    }
}

/// A name or a number in brackets, and a port.
pub(crate) fn is_host(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((number, port)) => {
            if !number.bytes().all(|byte| byte.is_ascii_hexdigit() || b":.".contains(&byte)) {
                return false;
            }
            (number, port.strip_prefix(':').or_else(|| port.is_empty().then_some("1")))
        }
        None => match host.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, Some("1")),
        },
    };
    let named = |byte: u8| byte.is_ascii_alphanumeric() || b".-:".contains(&byte);
    !name.is_empty()
        && !name.starts_with(['-', '.'])
        && name.bytes().all(named)
        && port.is_some_and(|port| port.parse::<u16>().is_ok_and(|port| port != 0))
}

fn is_path(path: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-~+/".contains(&byte);
    let parts = path.trim_end_matches('/').split('/');
    path.bytes().all(plain)
        && parts.into_iter().all(|part| !matches!(part, "" | "." | "..") && !part.starts_with('-'))
}

/// Whether a host is this machine by a number that cannot mean another.
pub(crate) fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((number, _)) => number,
        None => host.split(':').next().unwrap_or_default(),
    };
    name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Address> {
        Address::parse(text, &["git.lan".to_owned()])
    }

    #[test]
    fn an_address_is_read_and_written_the_same() {
        for text in [
            "https://github.com/o/r.git",
            "https://git.example:8443/a/b/c",
            "http://127.0.0.1:3000/o/r",
            "http://[::1]:3000/o/r",
            "http://git.lan/o/r",
        ] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        let address = parse("https://GitHub.com/o/r.git/").unwrap();
        assert_eq!(address.owner_and_name(), Some(("o", "r")));
        assert_eq!(address.origin(), "https://github.com");
    }

    #[test]
    fn what_could_carry_a_credential_elsewhere_is_no_address() {
        for text in [
            "https://user@host/o/r",
            "https://user:password@host/o/r",
            "https://host",
            "https://-host/o",
            "https://host/-o",
            "https://host/../x",
            "https://host/a//b",
            "https://host/a?b",
            "https://host/a#b",
            "https://host/a%2e",
            "https://host:x/a",
            "https://host:0/a",
            "https://[::1/a",
            "https:///a",
            "http://host/a",
            "http://localhost.example/a",
            "http://127.0.0.1.example/a",
        ] {
            assert_eq!(parse(text).unwrap_err().code(), Code::InvalidParams, "{text}");
        }
        for text in ["ssh://host/a", "file:///a", "ext::sh -c x", "git@host:a", "--upload-pack=x"] {
            assert_eq!(parse(text).unwrap_err().code(), Code::Unsupported, "{text}");
        }
    }
}
