//! Where an interface is: what all of its addresses begin with.

use std::net::IpAddr;

use garth_contract::{Code, Error, Result};

/// The longest address.
const MOST: usize = 1_024;

/// How an interface is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Encrypted.
    Https,
    /// In the clear, which is for this machine alone.
    Http,
}

/// What the addresses of an interface begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    pub(super) scheme: Scheme,
    /// The host, with its port where it has one.
    pub(super) host: String,
    /// What the paths begin with, without a slash at its end.
    base: String,
}

impl Url {
    /// Reads an address such as `https://api.e2b.app`.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for what is no such address, holds a credential, or would show
    /// the key to a network.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |what: &'static str| Err(Error::new(Code::InvalidParams, what));
        let (scheme, rest) = match text.split_once("://") {
            Some(("https", rest)) => (Scheme::Https, rest),
            Some(("http", rest)) => (Scheme::Http, rest),
            Some(_) | None => return wrong("an address of E2B begins with https://"),
        };
        let (host, base) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        if text.len() > MOST || !is_host(host) || !base.bytes().all(plain) {
            return wrong("an address of E2B is malformed, overlong or holds a credential");
        }
        let base = base.trim_end_matches('/');
        let base = if base.is_empty() { String::new() } else { format!("/{base}") };
        let url = Self { scheme, host: host.to_ascii_lowercase(), base };
        if scheme == Scheme::Http && !url.is_of_this_machine() {
            return wrong("an address of E2B that others can reach must begin with https://");
        }
        Ok(url)
    }

    /// Where a sandbox answers by a name of its own.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for what is no name of a host.
    pub(super) fn of_sandbox(port: u16, id: &str, domain: &str) -> Result<Self> {
        Self::parse(&format!("https://{port}-{id}.{domain}"))
    }

    /// The path of a request.
    pub(super) fn path(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// The host's name or number, and its port.
    pub(super) fn name_and_port(&self) -> (&str, u16) {
        let usual = match self.scheme {
            Scheme::Https => 443,
            Scheme::Http => 80,
        };
        let (name, port) = split(&self.host);
        (name, port.and_then(|port| port.parse().ok()).unwrap_or(usual))
    }

    fn is_of_this_machine(&self) -> bool {
        let (name, _) = self.name_and_port();
        name == "localhost" || name.parse().is_ok_and(|number: IpAddr| number.is_loopback())
    }
}

/// A name, or a number without its brackets, and a port.
fn split(host: &str) -> (&str, Option<&str>) {
    match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((number, rest)) => (number, rest.strip_prefix(':')),
        None => host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port))),
    }
}

fn is_host(host: &str) -> bool {
    let (name, port) = split(host);
    let bracketed = host.starts_with('[');
    let allowed = |byte: u8| {
        byte.is_ascii_alphanumeric() || b"-.".contains(&byte) || (bracketed && byte == b':')
    };
    let whole = !bracketed || host.contains(']');
    whole
        && !name.is_empty()
        && name.bytes().all(allowed)
        && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_encrypted_or_of_this_machine() {
        let url = Url::parse("https://api.E2B.app").unwrap();
        assert_eq!((url.name_and_port(), url.path("/x")), (("api.e2b.app", 443), "/x".into()));
        let url = Url::parse("http://127.0.0.1:7717/e2b/").unwrap();
        assert_eq!((url.name_and_port(), url.path("/x")), (("127.0.0.1", 7717), "/e2b/x".into()));
        assert_eq!(Url::parse("http://[::1]:80").unwrap().name_and_port(), ("::1", 80));
        assert!(Url::parse("http://localhost").is_ok());
        for wrong in [
            "",
            "api.e2b.app",
            "ftp://x",
            "http://api.e2b.app",
            "http://10.0.0.1",
            "https://key@host",
            "https://host:port",
            "https://",
            "https://a b",
            "https://host/?x",
            "https://host\r\nX: y",
        ] {
            assert_eq!(Url::parse(wrong).unwrap_err().code(), Code::InvalidParams, "{wrong}");
        }
    }

    #[test]
    fn a_sandbox_has_a_name_of_its_own() {
        let url = Url::of_sandbox(49983, "iabc", "e2b.app").unwrap();
        assert_eq!(url.host, "49983-iabc.e2b.app");
        assert!(Url::of_sandbox(1, "a", "e2b.app@x").is_err());
    }
}
