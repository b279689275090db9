//! Where a collector is.

use axum::http::Uri;

/// Behind the address of a collector: where spans go.
const TRACES: &str = "/v1/traces";

/// The address of a collector that takes OTLP over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "otlp"), allow(dead_code, reason = "only read to be refused"))]
pub(crate) struct Collector {
    /// Its name or number.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Both, as a request names them.
    pub(crate) authority: String,
    /// Where spans go.
    pub(crate) path: String,
}

impl Collector {
    /// Reads an address such as `http://127.0.0.1:4318`; what is wrong with it is said as
    /// the end of a sentence, and repeats nothing of it, since some put passwords there.
    ///
    /// # Errors
    /// For everything else than `http` to a host.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "must be an address such as http://127.0.0.1:4318".to_owned();
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => {
                return Err("cannot be https: let a collector beside the gateway pass spans on \
                            over TLS"
                    .to_owned());
            }
            Some(_) | None => return Err(wrong()),
        }
        let authority = uri.authority().ok_or_else(wrong)?;
        if authority.as_str().contains('@') {
            return Err("must not hold a name or a password".to_owned());
        }
        if uri.query().is_some() || authority.host().is_empty() {
            return Err(wrong());
        }
        // A number that is no port counts as none there.
        let port = match authority.as_str().strip_prefix(authority.host()) {
            Some("") => 80,
            Some(behind) => {
                let port = behind.strip_prefix(':').and_then(|port| port.parse().ok());
                port.filter(|port| *port > 0).ok_or_else(wrong)?
            }
            None => return Err(wrong()),
        };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let path = format!("{}{TRACES}", uri.path().trim_end_matches('/'));
        Ok(Self { host, port, authority: authority.to_string(), path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_host_and_where_spans_go() {
        for (text, host, port, path) in [
            ("http://127.0.0.1:4318", "127.0.0.1", 4318, "/v1/traces"),
            ("http://127.0.0.1:4318/", "127.0.0.1", 4318, "/v1/traces"),
            ("http://[::1]:4318/otlp/", "::1", 4318, "/otlp/v1/traces"),
            ("http://collector.internal", "collector.internal", 80, "/v1/traces"),
        ] {
            let read = Collector::parse(text).unwrap();
            assert_eq!((&*read.host, read.port, &*read.path), (host, port, path), "{text}");
        }
    }

    #[test]
    fn what_is_no_such_address_is_refused_without_repeating_it() {
        for (text, says) in [
            ("", "must be an address"),
            ("4318", "must be an address"),
            ("127.0.0.1:4318", "must be an address"),
            ("grpc://127.0.0.1:4317", "must be an address"),
            ("unix:///run/otlp", "must be an address"),
            ("http://", "must be an address"),
            ("http://:4318", "must be an address"),
            ("http://host:0", "must be an address"),
            ("http://host:", "must be an address"),
            ("http://host:99999", "must be an address"),
            ("http://host name:1", "must be an address"),
            ("http://host/?a=b", "must be an address"),
            ("https://host:4318", "cannot be https"),
            ("http://me:hunter2@host:4318", "must not hold a name or a password"),
        ] {
            let wrong = Collector::parse(text).unwrap_err();
            assert!(wrong.starts_with(says), "{text}: {wrong}");
            assert!(!wrong.contains("hunter2"), "{wrong}");
        }
    }
}
