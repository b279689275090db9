//! What may be reached: names and ports.

use std::net::IpAddr;

use garth_contract::{Code, Error, Result};

/// What may be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    host: Host,
    port: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    /// This name or address.
    Exactly(String),
    /// Any name below this one, but not itself.
    Below(String),
}

/// A name and a port that somebody wants to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name or address, in lower case and without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// The most rules of one workspace.
const MOST_RULES: usize = 256;

/// The longest name, as the domain name system has it.
const MOST_NAME: usize = 253;

impl Rules {
    /// Reads rules: `name:port`, `address:port`, `[address]:port`, or `*.name:port`.
    ///
    /// # Errors
    /// `INVALID_PARAMS` with the rule that is wrong.
    pub fn parse<'a>(rules: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut parsed = Vec::new();
        for text in rules {
            let (below, rest) = match text.strip_prefix("*.") {
                Some(rest) => (true, rest),
                None => (false, text),
            };
            let target = Target::parse(rest).ok_or_else(|| wrong(text))?;
            if below && target.address().is_some() {
                return Err(wrong(text));
            }
            let Target { host, port } = target;
            let host = if below { Host::Below(host) } else { Host::Exactly(host) };
            parsed.push(Rule { host, port });
            if parsed.len() > MOST_RULES {
                let message = format!("more than {MOST_RULES} addresses are allowed");
                return Err(Error::new(Code::InvalidParams, message));
            }
        }
        Ok(Self(parsed))
    }

    /// Whether a target may be reached.
    #[must_use]
    pub fn allow(&self, target: &Target) -> bool {
        self.0.iter().any(|rule| rule.port == target.port && rule.host.covers(&target.host))
    }
}

impl Host {
    fn covers(&self, host: &str) -> bool {
        match self {
            Self::Exactly(name) => name == host,
            Self::Below(name) => host
                .strip_suffix(name.as_str())
                .and_then(|front| front.strip_suffix('.'))
                .is_some_and(|front| !front.is_empty()),
        }
    }
}

impl Target {
    /// Reads `host:port` or `[address]:port`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        Self::new(host, port.parse().ok().filter(|_| port.bytes().all(|b| b.is_ascii_digit()))?)
    }

    /// A host, in brackets if it is an address of the sixth version, and a port.
    pub(crate) fn new(host: &str, port: u16) -> Option<Self> {
        let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let host = match bracketed {
            Some(address) => address.parse::<std::net::Ipv6Addr>().ok()?.to_string(),
            // A dot at the end means the same name.
            None => host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase(),
        };
        let target = Self { host, port };
        (port != 0 && (target.address().is_some() || named(&target.host))).then_some(target)
    }

    /// The address, where the host is one.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }
}

/// Whether this is a name that a name server can know: letters, digits, hyphens.
fn named(host: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    // What ends in a number is an address in one of its odd spellings.
    let last = host.rsplit('.').next().unwrap_or_default();
    host.len() <= MOST_NAME
        && host.split('.').all(label)
        && !last.bytes().all(|b| b.is_ascii_digit())
        && !last.starts_with("0x")
}

fn wrong(text: &str) -> Error {
    Error::new(Code::InvalidParams, format!("not an address that can be allowed: {text:?}"))
        .hint("Write name:port, *.name:port or address:port, for example example.org:443.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(rule: &str, target: &str) -> bool {
        Rules::parse([rule]).unwrap().allow(&Target::parse(target).unwrap())
    }

    #[test]
    fn a_rule_covers_its_name_and_port_alone() {
        assert!(allows("Example.org:443", "EXAMPLE.org.:443"));
        assert!(!allows("example.org:443", "example.org:80"));
        assert!(!allows("example.org:443", "www.example.org:443"));
        assert!(!allows("example.org:443", "example.org.evil.net:443"));
        assert!(allows("[::1]:80", "[0:0:0:0:0:0:0:1]:80"));
    }

    #[test]
    fn a_star_covers_what_is_below_and_not_the_name_itself() {
        assert!(allows("*.example.org:443", "a.b.example.org:443"));
        assert!(!allows("*.example.org:443", "example.org:443"));
        assert!(!allows("*.example.org:443", "evilexample.org:443"));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "",
            ":",
            "example.org",
            "example.org:",
            "example.org:0",
            "example.org:65536",
            "example.org:+80",
            "ex ample.org:80",
            "a/b:80",
            "http://a.org:80",
            "*:80",
            "*.*.org:80",
            "*.1.2.3.4:80",
            "a..b:80",
            "2130706433:80",
            "0x7f000001:80",
            "127.1:80",
            "[a.org]:80",
        ] {
            let error = Rules::parse([text]).err().unwrap_or_else(|| panic!("{text:?} was taken"));
            assert_eq!(error.code(), Code::InvalidParams);
        }
    }
}
