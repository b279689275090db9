//! Keeps other web pages out: by which names this gateway may be addressed, and from
//! where a browser may ask.
//!
//! A page of another site can make a browser send requests here, also by a name of its
//! own that it lets point at this machine. Both say so in `Host` and `Origin`.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderValue, header};
use garth_contract::{Code, Error, Result};

use super::settings::Settings;

/// The names of this gateway.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    hosts: Vec<String>,
    sandboxes: Sandboxes,
}

/// Whether sandboxes have names below those of the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sandboxes {
    /// A port and an id stand before the name, as in `49983-id.localhost`.
    Named,
    Nameless,
}

impl Names {
    pub(crate) fn of(at: SocketAddr, settings: &Settings) -> Self {
        let mut hosts = settings.hosts.clone();
        if at.ip().is_loopback() {
            hosts.push("localhost".to_owned());
        }
        let sandboxes = if settings.e2b.enabled { Sandboxes::Named } else { Sandboxes::Nameless };
        Self { hosts, sandboxes }
    }

    /// Checks where a request says that it goes, and where it says it comes from.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` for another name, and for another site.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<()> {
        let Some(host) = only(headers, header::HOST) else {
            return Err(Error::new(Code::InvalidRequest, "the header Host is missing"));
        };
        if !self.knows(host) {
            let message = "this gateway is not known by the name in the header Host";
            return Err(Error::new(Code::PermissionDenied, message)
                .hint("The operator adds names to hosts in the configuration."));
        }
        let elsewhere = || {
            Err(Error::new(Code::PermissionDenied, "pages of other sites may not ask here")
                .hint("Open the gateway's own address."))
        };
        if headers.contains_key(header::ORIGIN) {
            let same = only(headers, header::ORIGIN).is_some_and(|origin| is_of(origin, host));
            if !same {
                return elsewhere();
            }
        }
        match headers.get("sec-fetch-site").map(HeaderValue::as_bytes) {
            None | Some(b"same-origin" | b"none") => Ok(()),
            Some(_) => elsewhere(),
        }
    }

    /// An address is no name, so nobody can let it point elsewhere.
    fn knows(&self, host: &str) -> bool {
        let Some(name) = without_port(host) else { return false };
        let name = match self.sandboxes {
            Sandboxes::Named => below_a_sandbox(name).unwrap_or(name),
            Sandboxes::Nameless => name,
        };
        let literal = name.trim_start_matches('[').trim_end_matches(']');
        literal.parse::<IpAddr>().is_ok()
            || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// The name of a gateway behind the port and the id of a sandbox.
fn below_a_sandbox(name: &str) -> Option<&str> {
    let (first, rest) = name.split_once('.')?;
    let (port, _) = first.split_once('-')?;
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    digits.then_some(rest)
}

/// The value of a header that stands there once.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Tells whether an origin is the one that a page from this host has.
fn is_of(origin: &str, host: &str) -> bool {
    let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    rest.is_some_and(|rest| rest.eq_ignore_ascii_case(host))
}

/// The name of a host; `None` where something else than a port stands behind it.
fn without_port(host: &str) -> Option<&str> {
    let end = if host.starts_with('[') {
        host.find(']')? + 1
    } else {
        host.find(':').unwrap_or(host.len())
    };
    let (name, port) = host.split_at_checked(end)?;
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let good = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    good.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(headers: &[(&'static str, &str)]) -> Result<()> {
        let hosts = vec!["localhost".to_owned(), "box.example".to_owned()];
        let names = Names { hosts, sandboxes: Sandboxes::Named };
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        names.check(&map)
    }

    #[test]
    fn addresses_and_known_names_are_served() {
        for host in ["127.0.0.1:7717", "localhost", "LOCALHOST:1", "[::1]:7717", "box.example"] {
            assert_eq!(checked(&[("host", host)]), Ok(()), "{host}");
        }
    }

    #[test]
    fn a_name_that_somebody_lets_point_here_is_refused() {
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "",
            "localhost:1.evil.example",
            "[::1].evil.example",
            "a@localhost",
        ] {
            let refused = checked(&[("host", host)]).unwrap_err();
            assert_eq!(refused.code(), Code::PermissionDenied, "{host}");
        }
        assert_eq!(checked(&[]).unwrap_err().code(), Code::InvalidRequest);
        let twice = [("host", "localhost"), ("host", "evil.example")];
        assert_eq!(checked(&twice).unwrap_err().code(), Code::InvalidRequest);
    }

    #[test]
    fn pages_of_this_gateway_may_ask_and_no_others() {
        let host = ("host", "localhost:7717");
        assert_eq!(checked(&[host, ("origin", "http://localhost:7717")]), Ok(()));
        assert_eq!(checked(&[host, ("sec-fetch-site", "same-origin")]), Ok(()));
        for origin in
            ["http://localhost:7718", "http://evil.example", "null", "file://", "localhost:7717"]
        {
            let refused = checked(&[host, ("origin", origin)]).unwrap_err();
            assert_eq!(refused.code(), Code::PermissionDenied, "{origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert!(checked(&[host, ("sec-fetch-site", site)]).is_err(), "{site}");
        }
    }
}
